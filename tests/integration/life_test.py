#!/usr/bin/env python3
"""heddled through its life: reload, stop, and devices that come late or go away."""

import unittest

from case import SHAPE, main
from harness.process import wait_until
from harness.site import Site


class Life(unittest.TestCase):
    def setUp(self):
        self.site = Site(SHAPE)
        self.addCleanup(self.site.stop)
        self.addCleanup(self._show_log)

    def _show_log(self) -> None:
        log = self.site.daemon.log
        if log.exists():
            print("--- the end of heddled's log ---", *log.read_text(errors="replace").splitlines()[-25:], sep="\n")

    def test_a_broken_configuration_on_reload_changes_nothing_and_a_good_one_is_taken(self):
        self.site.start()
        daemon = self.site.daemon
        daemon.write_config("fabric: [\nno such key: 1\n")
        daemon.reload()
        wait_until("the refusal in the log", 10, lambda: str(daemon.config) in daemon.process.output())
        self.assertEqual(daemon.http.status_of("/readyz"), 200)
        self.assertEqual(daemon.http.metrics().samples("infiniband_switch_up"), [])
        daemon.settings["metrics"] = {"compat": "sckyzo"}
        daemon.write_config()
        daemon.reload()
        wait_until("the other names", 10, lambda: daemon.http.metrics().samples("infiniband_switch_up"))

    def test_the_stop_signal_ends_it_cleanly_within_five_seconds(self):
        self.site.start()
        daemon = self.site.daemon
        process = daemon.process
        process.signal(15)
        self.assertEqual(process.wait(5), 0)

    def test_it_waits_for_a_subnet_manager_that_starts_later(self):
        self.site.simulator.start()
        daemon = self.site.daemon
        daemon.start()
        daemon.wait_for_rounds("topology", rounds=1)
        # Nobody has given out LIDs: the cabling is known, no counter can be asked for.
        self.assertEqual(daemon.http.status_of("/readyz"), 503)
        self.assertEqual(daemon.http.json("/v1/fabric")["nodes"]["switch"], len(self.site.netlist.switches))
        self.site.manager.start()
        daemon.wait_until_ready()

    def test_a_device_that_is_lost_leaves_the_last_good_fabric_served_as_stale(self):
        # That the device is taken up again cannot be shown here: the simulator's preload library connects once a
        # process. Unit tests show it with a simulated transport.
        self.site.start()
        daemon = self.site.daemon
        self.site.manager.stop()
        self.site.simulator.stop()
        wait_until("heddled not to be ready", 30, lambda: daemon.http.status_of("/readyz") == 503)
        self.assertTrue(daemon.http.json("/v1/status")["not_ready_reason"])
        fabric = daemon.http.json("/v1/fabric")
        self.assertTrue(fabric["stale"])
        self.assertEqual(fabric["nodes"]["switch"], len(self.site.netlist.switches))
        self.assertEqual(daemon.process.returncode(), None)
        daemon.process.signal(15)
        self.assertEqual(daemon.process.wait(5), 0)


if __name__ == "__main__":
    main()

"""Events of a real OpenSM at heddled, and heddled's weights in its routes: what comes and goes on either side, and what
reaches /v1/events, /v1/routing and /metrics."""

import contextlib
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Iterator

from plugin_case import TREE2, PluginCase, Running, Tables

from harness.daemon import Daemon
from harness.event_stream import EventStream
from harness.netlist import Cable
from harness.opensm_tables import entries
from harness.process import wait_until
from harness.programs import heddle


class OpensmEvents(PluginCase):
    @contextlib.contextmanager
    def watched(self, options: str = "", **daemon_settings) -> Iterator[tuple[Running, Daemon]]:
        """OpenSM with the plugin and heddled, connected."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            socket = folder / "opensm.sock"
            with self.running(TREE2, f"socket={socket} {options}".strip()) as running:
                daemon = Daemon(running.simulator, folder, running.netlist.hosts[1], daemon_settings)
                try:
                    daemon.start()
                    daemon.wait_until_ready()
                    wait_until("OpenSM to be connected", 30, lambda: self.routing(daemon)["connected"])
                    yield running, daemon
                    daemon.process.check_running()
                except BaseException:
                    print(daemon.log.read_text(errors="replace")[-4000:])
                    raise
                finally:
                    daemon.stop()

    def routing(self, daemon: Daemon) -> dict:
        return daemon.http.json("/v1/routing")

    def events(self, daemon: Daemon, kind: str) -> list[dict]:
        return daemon.http.pages(f"/v1/events?kind={kind}&limit=1000")

    def some_cable(self, running: Running) -> Cable:
        return next(cable for cable in running.netlist.cables if cable.between_switches())

    def link(self, cable: Cable) -> str:
        return f"{cable.a.guid}/{cable.a.port}"

    def test_cut_is_told_by_trap_by_link_and_by_routing_run_and_counted_once(self):
        with self.watched() as (running, daemon):
            stream = EventStream(daemon.port)
            cable = self.some_cable(running)
            begun = time.monotonic()
            running.simulator.console([f"Unlink {cable.a.console()}"])
            trap = stream.wait_for("trap", begun)
            print(f"from the cut to a subscriber: {1000 * (trap.at - begun):.1f} ms")
            self.assertIn("trap 128", trap.event["text"])
            stream.wait_for("link_down", begun)
            stream.wait_for("routing", begun)
            running.simulator.console([f"ReLink {cable.a.console()}"])
            stream.wait_for("link_up", begun)
            # heddled's own sweeps see both too, and tell neither again.
            daemon.wait_for_rounds("topology", 3)
            self.assertEqual(len(self.events(daemon, "link_down")), 1)
            self.assertEqual(len(self.events(daemon, "link_up")), 1)
            worst = self.routing(daemon)["worst_links"]
            self.assertEqual([link["flaps"] for link in worst], [1])
            self.assertGreater(worst[0]["down_seconds"], 0)
            self.assertIsNone(worst[0]["down_since"])
            wait_until("the flap in the metrics", 10,
                       lambda: daemon.http.metrics().total("heddle_link_flaps_total") == 1)
            metrics = daemon.http.metrics()
            self.assertEqual(metrics.value("heddle_plugin_connected"), 1)
            self.assertEqual(metrics.value("heddle_routing_proved"), 1)
            self.assertEqual(metrics.value("heddle_routing_master_seen"), 1)
            self.assertEqual(metrics.value("heddle_plugin_events_dropped_total"), 0)
            self.assertGreater(metrics.value("heddle_plugin_messages_total", kind="trap"), 0)
            self.assertGreater(metrics.value("heddle_routing_blocks_written_total"), 0)
            routing = self.routing(daemon)
            self.assertEqual(routing["managers"][0]["state"], "master")
            self.assertEqual(routing["runs"][-1]["engine"], "fat-tree")
            self.assertIsNotNone(routing["master"])

    def test_repair_between_sweeps_is_told(self):
        with self.watched("fast_repair=on") as (running, daemon):
            stream = EventStream(daemon.port)
            begun = time.monotonic()
            running.simulator.console([f"Unlink {self.some_cable(running).a.console()}"])
            wait_until("a repair to be told", 10,
                       lambda: any(arrival.event["text"].startswith("fast repair: ")
                                   for arrival in stream.of_kind("routing", begun)))
            stream.wait_for("link_down", begun)

    def test_killed_daemon_costs_opensm_nothing_and_learns_what_waited(self):
        with self.watched() as (running, daemon):
            cable = self.some_cable(running)
            for round_number in range(6):
                command = "Unlink" if round_number % 2 == 0 else "ReLink"
                sweeps = running.manager.sweeps()
                running.simulator.console([f"{command} {cable.a.console()}"])
                if round_number == 2:
                    daemon.process.signal(signal.SIGKILL)
                    daemon.process.wait(10)
                running.manager.wait_for_sweeps(sweeps + 1, 30)
            running.manager.check_running()
            self.judge_now(running)
            daemon.start()
            wait_until("OpenSM to be connected again", 40, lambda: self.routing(daemon)["connected"])
            # What happened while nobody listened has its own times.
            wait_until("the events that waited", 10, lambda: len(self.events(daemon, "link_down")) >= 1)
            wait_until("the events that waited", 10, lambda: len(self.events(daemon, "link_up")) >= 1)
            started = next(event for event in self.events(daemon, "service") if "started" in event["text"])
            self.assertLess(self.events(daemon, "link_down")[0]["time"], started["time"])
            self.assertGreater(len(self.routing(daemon)["runs"]), 0)

    def test_opensm_that_ends_and_comes_back_is_told_and_so_is_that_nobody_is_master(self):
        with self.watched() as (running, daemon):
            running.manager.kill()
            wait_until("OpenSM to be gone", 10, lambda: not self.routing(daemon)["connected"])
            self.assertIn("no OpenSM", self.routing(daemon)["not_connected_reason"])
            wait_until("no master to be seen", 60, lambda: self.routing(daemon)["master"] is None)
            self.assertTrue(any("no master subnet manager is seen" in event["text"]
                                for event in self.events(daemon, "subnet_manager_changed")))
            self.assertEqual(daemon.http.metrics().value("heddle_routing_master_seen"), 0)
            running.manager.start()
            wait_until("OpenSM to be connected again", 30, lambda: self.routing(daemon)["connected"])
            wait_until("a master to be seen", 60, lambda: self.routing(daemon)["master"] is not None)
            wait_until("a run of the engine", 30, lambda: len(self.routing(daemon)["runs"]) >= 2)

    def cables_used(self, running: Running, fabric: Path, tables: Tables) -> set[Cable]:
        """That lie on the way from some host to some other."""
        text = fabric.read_text(encoding="utf-8")
        lids = dict(re.findall(r'^Ca.*"(H-[0-9a-f]+)".*\n\[1\].*# lid (\d+)', text, re.MULTILINE))
        behind = {end: (cable, other) for cable in running.netlist.cables for end, other in (cable, cable[::-1])}
        used: set[Cable] = set()
        for source in running.netlist.hosts:
            for destination in running.netlist.hosts:
                at = behind[source, 1][1]
                while at.node != destination:
                    cable, at = behind[at.node, tables[at.guid, int(lids[destination])]]
                    used.add(cable)
        return used

    def drain(self, daemon: Daemon, *arguments: str) -> subprocess.CompletedProcess:
        return heddle(*arguments, "--socket", str(daemon.control_socket))

    def test_drain_moves_routes_and_undrain_returns_them_exactly(self):
        with self.watched() as (running, daemon):
            before = running.tables()
            cable = self.some_cable(running)
            done = self.drain(daemon, "drain", self.link(cable))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("drained", done.stdout)
            wait_until("routes to change", 30, lambda: running.tables() != before)
            wait_until("the run to say so", 10, lambda: self.routing(daemon)["runs"][-1]["cables_weighted"] == 1)
            fabric, tables = running.files()
            self.judge(fabric, tables)
            drained = entries(tables.read_text(encoding="utf-8"))
            # A spine has no other way to the hosts of a leaf, but from host to host nothing goes over the cable.
            self.assertIn(cable, self.cables_used(running, fabric, before))
            self.assertNotIn(cable, self.cables_used(running, fabric, drained))
            # The same as on the command line.
            weights, mine = running.folder / "weights", running.folder / "mine"
            weights.write_text(f"{self.link(cable)} 0\n", encoding="utf-8")
            routed = heddle("route", str(fabric), "--weights", str(weights), "--lfts-out", str(mine))
            self.assertEqual(routed.returncode, 0, routed.stderr)
            self.assertEqual(entries(mine.read_text(encoding="utf-8")), drained)
            [weight] = self.routing(daemon)["weights"]
            self.assertEqual((weight["percent"], weight["source"]), (0, "operator"))
            # By the other end.
            done = self.drain(daemon, "undrain", f"{cable.b.guid}/{cable.b.port}")
            self.assertEqual(done.returncode, 0, done.stderr)
            wait_until("the tables of before", 30, lambda: running.tables() == before)
            self.assertEqual(self.routing(daemon)["weights"], [])
            self.assertTrue(any("by user" in event["text"] for event in self.events(daemon, "weights_changed")))

    def test_with_repairs_on_a_drain_is_written_between_sweeps_and_the_next_sweep_changes_nothing(self):
        with self.watched("fast_repair=on") as (running, daemon):
            before = running.tables()
            cable = self.some_cable(running)
            runs = running.manager.text().count("heddle: routed with ")
            self.assertEqual(self.drain(daemon, "drain", self.link(cable)).returncode, 0)
            wait_until("the drain to be written", 30, lambda: "after they were told" in running.manager.text())
            self.assertEqual(running.manager.text().count("heddle: routed with "), runs)
            fabric, tables = running.files()
            self.judge(fabric, tables)
            drained = entries(tables.read_text(encoding="utf-8"))
            self.assertNotIn(cable, self.cables_used(running, fabric, drained))
            wait_until("heddled to be told", 10,
                       lambda: any("1 cable drained or reduced: " in event["text"]
                                   for event in self.events(daemon, "routing")))
            running.manager.sweep_again()
            self.assertEqual(running.tables(), drained)
            self.assertIn("entries as foreseen; it sends 0 blocks", running.manager.text())
            self.assertEqual(self.drain(daemon, "undrain", self.link(cable)).returncode, 0)
            wait_until("the tables of before", 30, lambda: running.tables() == before)

    def test_drain_ends_with_its_time_and_with_heddled(self):
        with self.watched(weights={"hold": "3s"}) as (running, daemon):
            before = running.tables()
            link = self.link(self.some_cable(running))
            self.assertEqual(self.drain(daemon, "drain", link, "--seconds", "4").returncode, 0)
            wait_until("routes to change", 30, lambda: running.tables() != before)
            wait_until("the tables of before", 30, lambda: running.tables() == before)
            self.assertEqual(self.drain(daemon, "drain", link).returncode, 0)
            wait_until("routes to change", 30, lambda: running.tables() != before)
            daemon.process.signal(signal.SIGKILL)
            daemon.process.wait(10)
            wait_until("the tables of before", 30, lambda: running.tables() == before)
            daemon.start()

    def test_all_cables_of_a_leaf_drained_cut_nobody_off(self):
        with self.watched() as (running, daemon):
            leaf = self.some_cable(running).a
            before = running.tables()
            for cable in running.netlist.cables:
                if cable.between_switches() and leaf.node in (cable.a.node, cable.b.node):
                    self.assertEqual(self.drain(daemon, "drain", self.link(cable)).returncode, 0)
            wait_until("the run to say so", 30, lambda: self.routing(daemon)["runs"][-1]["cables_weighted"] > 1)
            self.judge_now(running)
            self.assertEqual(set(running.tables()), set(before))

    def test_drain_of_what_is_no_cable_between_switches_is_refused(self):
        with self.watched() as (running, daemon):
            host = next(cable for cable in running.netlist.cables if not cable.between_switches())
            done = self.drain(daemon, "drain", self.link(host))
            self.assertEqual(done.returncode, 1)
            self.assertIn("no end of a cable between switches", done.stderr)
            self.assertEqual(self.drain(daemon, "undrain", self.link(self.some_cable(running))).returncode, 1)
            self.assertEqual(self.drain(daemon, "drain", "leaf").returncode, 2)

    def test_weights_of_a_file_are_taken_and_given_back(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "weights"
            file.write_text("", encoding="utf-8")
            with self.watched(weights={"file": file}) as (running, daemon):
                before = running.tables()
                cable = self.some_cable(running)
                file.write_text(f"# sick\n{self.link(cable)} 0\n", encoding="utf-8")
                wait_until("routes to change", 30, lambda: running.tables() != before)
                [weight] = self.routing(daemon)["weights"]
                self.assertEqual((weight["percent"], weight["source"]), (0, "file"))
                file.write_text("nonsense\n", encoding="utf-8")
                wait_until("the error to be told", 10,
                           lambda: any(f"{file}:1:" in event["text"] for event in self.events(daemon, "service")))
                self.assertEqual(len(self.routing(daemon)["weights"]), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""What changes in the fabric is seen, told as an event, and nothing disappears that should stay."""

from case import LINKS, SiteCase, main

PORT_STATE = "infiniband_switch_port_state"


class Changes(SiteCase):
    def state_of(self, end) -> float | None:
        return self.http.metrics().value(PORT_STATE, guid=end.guid, port=str(end.port))

    def test_a_cut_link_is_told_and_its_ports_stay_in_the_metrics_as_down(self):
        cable = self.site.core_cables()[0]
        self.assertEqual([self.state_of(end) for end in cable], [1, 1])
        since = self.last_event()
        self.site.simulator.console([f"Unlink {cable.a.console()}"])
        try:
            event = self.wait_for_event("link_down", since, cable.a)
            self.assertIn(event["severity"], ("warning", "error"))
            self.wait_for("both ends to be 0", lambda: [self.state_of(end) for end in cable] == [0, 0])
            self.assertEqual(self.http.json("/v1/fabric")["links"], LINKS - 1)
        finally:
            self.site.simulator.console([f"ReLink {cable.a.console()}"])
        self.wait_for_event("link_up", event["sequence"], cable.a)
        self.wait_for("both ends to be 1", lambda: [self.state_of(end) for end in cable] == [1, 1])
        self.assertEqual(self.http.json("/v1/fabric")["links"], LINKS)

    def test_totals_of_a_port_go_on_while_its_link_is_down(self):
        cable = self.site.core_cables()[1]
        name, labels = "infiniband_switch_port_receive_data_bytes_total", {
            "guid": cable.b.guid,
            "port": str(cable.b.port),
        }
        self.site.simulator.console([f"PerformanceSet {cable.b.console()} PortCountersExtended.PortRcvData=1000000"])
        self.wait_for("the total", lambda: (self.http.metrics().value(name, **labels) or 0) >= 4000000)
        since = self.last_event()
        self.site.simulator.console([f"Unlink {cable.a.console()}"])
        try:
            self.wait_for_event("link_down", since, cable.a)
            self.site.daemon.wait_for_rounds("counters_data")
            self.assertGreaterEqual(self.http.metrics().value(name, **labels), 4000000)
        finally:
            self.site.simulator.console([f"ReLink {cable.a.console()}"])
        self.wait_for_event("link_up", since, cable.a)

    def test_a_host_that_is_unplugged_vanishes_and_comes_back(self):
        host = self.site.netlist.hosts[-1]
        guid = "0x" + host[2:]
        leaf = next(end for end in self.site.host_cable(host) if end.node != host)
        since = self.last_event()
        self.site.simulator.console([f'Unlink "{host}"'])
        try:
            gone = self.wait_for_event("node_vanished", since)
            self.assertEqual(gone["at"]["guid"], guid)
            self.wait_for("the leaf's port to be 0", lambda: self.state_of(leaf) == 0)
            self.assertEqual(self.http.get(f"/v1/nodes/{guid}").status, 404)
        finally:
            self.site.simulator.console([f'ReLink "{host}"'])
        back = self.wait_for_event("node_appeared", gone["sequence"])
        self.assertEqual(back["at"]["guid"], guid)
        self.wait_for("the leaf's port to be 1", lambda: self.state_of(leaf) == 1)

    def test_the_routes_of_a_returned_link_are_read_again(self):
        cable = self.site.core_cables()[2]
        since = self.last_event()
        self.site.simulator.console([f"Unlink {cable.a.console()}"])
        try:
            self.wait_for_event("forwarding_changed", since)
        finally:
            self.site.simulator.console([f"ReLink {cable.a.console()}"])
        self.wait_for_event("link_up", since, cable.a)


if __name__ == "__main__":
    main()

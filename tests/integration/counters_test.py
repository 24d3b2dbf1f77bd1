#!/usr/bin/env python3
"""Counters of the simulated devices, as they come out in the metrics and over REST."""

from case import SiteCase, main

# Attribute ids of performance management, as ibsim's Error command takes them.
PORT_COUNTERS_EXTENDED = 0x1D
# What our own and OpenSM's queries may add to a data counter while a case runs.
MAD_BYTES = 5_000_000


class Counters(SiteCase):
    def metric(self, name: str, end) -> float | None:
        kind = "switch" if end.node.startswith("S-") else "hca"
        return self.http.metrics().value(f"infiniband_{kind}_{name}", guid=end.guid, port=str(end.port))

    def counter(self, end, name: str) -> dict:
        """One counter of /v1/ports."""
        counters = self.http.json(f"/v1/ports/{end.guid}/{end.port}")["counters"]
        return next(counter for counter in counters if counter["counter"] == name)

    def put(self, end, field: str, value: int) -> None:
        self.site.simulator.console([f"PerformanceSet {end.console()} {field}={value}"])

    def test_data_counters_come_out_in_bytes_though_devices_count_words(self):
        end = self.site.core_cables()[0].a
        self.put(end, "PortCountersExtended.PortXmitData", 30_000_000_000)
        name = "port_transmit_data_bytes_total"
        self.wait_for("the total", lambda: (self.metric(name, end) or 0) >= 120_000_000_000)
        self.assertLess(self.metric(name, end), 120_000_000_000 + MAD_BYTES)
        counter = self.counter(end, "xmit_data")
        self.assertEqual(counter["unit"], "bytes")
        self.assertGreaterEqual(int(counter["value"]), 120_000_000_000)

    def test_counters_of_a_host_adapter_are_served_too(self):
        host = self.site.netlist.hosts[-2]
        end = next(end for end in self.site.host_cable(host) if end.node == host)
        self.put(end, "PortCounters.LinkDownedCounter", 3)
        self.wait_for("the total", lambda: self.metric("port_link_downed_total", end) == 3)

    def test_waiting_is_served_in_ticks(self):
        end = self.site.core_cables()[1].a
        self.put(end, "PortCounters.PortXmitWait", 4_000_000)
        self.wait_for("the total", lambda: self.metric("port_transmit_wait_total", end) == 4_000_000)
        self.assertEqual(self.counter(end, "xmit_wait")["unit"], "ticks")

    def test_a_counter_that_sticks_at_its_top_is_at_least_that(self):
        end = self.site.core_cables()[2].a
        self.put(end, "PortCounters.SymbolErrorCounter", 41)
        self.wait_for("41 errors", lambda: self.metric("port_symbol_error_total", end) == 41)
        self.assertFalse(self.counter(end, "symbol_errors")["at_least"])
        self.put(end, "PortCounters.SymbolErrorCounter", 0xFFFF)
        self.wait_for("the top", lambda: self.metric("port_symbol_error_total", end) == 0xFFFF)
        self.assertTrue(self.counter(end, "symbol_errors")["at_least"])

    def test_totals_do_not_go_back_when_another_reader_clears_the_device(self):
        end = self.site.core_cables()[3].a
        self.put(end, "PortCounters.SymbolErrorCounter", 500)
        self.wait_for("500 errors", lambda: self.metric("port_symbol_error_total", end) == 500)
        lid = self.http.json(f"/v1/nodes/{end.guid}")["node"]["lid"]
        self.site.simulator.tool("perfquery", "-R", str(lid), str(end.port), attach_to=self.site.netlist.hosts[2])
        self.site.daemon.wait_for_rounds("counters_errors")
        self.assertEqual(self.metric("port_symbol_error_total", end), 500)
        self.put(end, "PortCounters.SymbolErrorCounter", 7)
        self.wait_for("7 more", lambda: self.metric("port_symbol_error_total", end) == 507)
        self.assertGreaterEqual(self.http.json(f"/v1/ports/{end.guid}/{end.port}")["counter_resets"], 1)

    def test_a_node_that_answers_no_counter_queries_costs_the_others_nothing(self):
        silent = self.site.netlist.switches[0]
        cables = [cable for cable in self.site.netlist.cables if silent in (cable.a.node, cable.b.node)]
        ports = len(cables)
        other = self.site.core_cables()[-1]
        self.assertNotIn(silent, (other.a.node, other.b.node))
        self.site.simulator.console([f'Error "{silent}" 100 {PORT_COUNTERS_EXTENDED}'])
        try:
            self.wait_for("its ports to be stale", self._stale_ports(ports))
            own = next(end for end in cables[0] if end.node == silent)
            self.assertIsNotNone(self.metric("port_transmit_data_bytes_total", own))
            self.put(other.a, "PortCountersExtended.PortRcvData", 1_000_000_000)
            name = "port_receive_data_bytes_total"
            self.wait_for("the others' new total", lambda: (self.metric(name, other.a) or 0) >= 4_000_000_000, 6)
            self.site.daemon.wait_for_rounds("counters_data", rounds=3, seconds=8)
        finally:
            self.site.simulator.console([f'Error "{silent}" 0 {PORT_COUNTERS_EXTENDED}'])

    def _stale_ports(self, expected: int):
        def probe() -> bool:
            status = self.http.json("/v1/status")
            return status["ports_asked"] - status["ports_fresh"] == expected

        return probe


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A real Prometheus scrapes heddled in either compat mode; the panel queries of the dashboards that people have for
treydock/infiniband_exporter and SckyzO/infiniband_exporter return data (shapes: those dashboards' JSON and rules). Left out are panels about what heddle
does not read (temperature, fans, power supplies) and about those exporters themselves."""

import functools
import json
import re
import unittest
import urllib.parse

from case import SHAPE, main
from harness.daemon import Daemon
from harness.http_client import HttpClient
from harness.netlist import End
from harness.process import Child, free_port, wait_until
from harness.site import Mover, Site
from harness.traffic import Traffic

WINDOW = "10s"  # for $__rate_interval at a scrape a second

# The recording rules that treydock's dashboards are written over: NAME[5m] joined with the names of both ends.
UPLINK = " * on(guid,port) group_left(switch,uplink,uplink_port) infiniband_switch_uplink_info"


def recorded(function: str, counter: str) -> str:
    return f"{function}(infiniband_switch_port_{counter}_total[5m]){UPLINK}"


TREYDOCK = {
    "port link down": f'{recorded("delta", "link_downed")} > 0',
    "port symbol errors": f'{recorded("delta", "symbol_error")} > 0',
    "most congested switches": f'sum by (switch) ({recorded("delta", "transmit_wait")} > 0)',
    "most congested links": f'topk(20, {recorded("delta", "transmit_wait")} > 0)',
    "most active switches by bandwidth": f'topk(20, sum by (switch) ({recorded("irate", "receive_data_bytes")} > 0))',
    "most active links by bandwidth": f'topk(20, {recorded("irate", "receive_data_bytes")} > 0)',
    "most active switches by packet rate": f'topk(20, sum by (switch) ({recorded("irate", "receive_packets")}))',
    "most active links by packet rate": f'topk(20, {recorded("irate", "receive_packets")})',
    "discards, a panel that is empty when all is well": recorded("delta", "transmit_discards"),
    "remote physical errors": recorded("delta", "receive_remote_physical_errors"),
    "link integrity errors": recorded("delta", "local_link_integrity_errors"),
    "rate of a link": f"infiniband_switch_port_rate_bytes_per_second{UPLINK}",
    "host adapters by rate": "infiniband_hca_rate_bytes_per_second * on(guid) group_left(hca) infiniband_hca_info",
    "traffic of host adapters": "rate(infiniband_hca_port_transmit_data_bytes_total[5m]) * on(guid,port) "
    "group_left(hca,uplink,uplink_port) infiniband_hca_uplink_info > 0",
}

ERROR_RATE = " + ".join(
    f"rate(infiniband_switch_port_{name}_total[{WINDOW}])"
    for name in ("symbol_error", "link_downed", "link_error_recovery", "receive_errors", "transmit_discards")
)

SCKYZO = {
    "switches up": "sum(infiniband_switch_up)",
    "host adapters up": "sum(infiniband_hca_up)",
    "fabric tx": f"sum(rate(infiniband_switch_port_transmit_data_bytes_total[{WINDOW}])) > 0",
    "fabric rx": f"sum(rate(infiniband_switch_port_receive_data_bytes_total[{WINDOW}])) > 0",
    "top switches by error rate": f"topk(20, sum by (switch) ({ERROR_RATE})) > 0",
    "most congested switches": f"topk(20, sum by (switch) (rate(infiniband_switch_port_transmit_wait_total[{WINDOW}])))"
    " > 0",
    "switches by packet rate": "topk(20, sum by (switch) "
    f"(rate(infiniband_switch_port_transmit_packets_total[{WINDOW}])))",
    "links up of a switch": 'count(infiniband_switch_port_state{switch="$switch"} == 1)',
    "ports down that were up": "count(infiniband_switch_port_state == 0 and on(guid, port) "
    "(max_over_time(infiniband_switch_port_state[7d]) == 1))",
    "throughput of a port": f'rate(infiniband_switch_port_transmit_data_bytes_total{{switch="$switch"}}[{WINDOW}]) > 0',
    "congestion of a port": f'rate(infiniband_switch_port_transmit_wait_total{{switch="$switch"}}[{WINDOW}])',
    "uplinks of a switch": 'infiniband_switch_uplink_info{switch="$switch"}',
    "rates of a switch": 'infiniband_switch_port_rate_bytes_per_second{switch="$switch"}',
    "symbol errors a minute": f"sum(rate(infiniband_switch_port_symbol_error_total[{WINDOW}])) * 60 > 0",
    "link downed events": "topk(10, sum by (switch) (increase(infiniband_switch_port_link_downed_total[1h])) > 0)",
    "ports by symbol errors": f"topk(10, rate(infiniband_switch_port_symbol_error_total[{WINDOW}]) > 0)",
    "capacity of a host port": 'infiniband_hca_port_rate_bytes_per_second{hca="$hca"}',
    "throughput of a host port": f'rate(infiniband_hca_port_transmit_data_bytes_total{{hca="$hca"}}[{WINDOW}]) > 0',
    "packets of a host port": f'rate(infiniband_hca_port_unicast_receive_packets_total{{hca="$hca"}}[{WINDOW}]) > 0',
    "uplink of a host": 'infiniband_hca_uplink_info{hca="$hca"}',
}


class Dashboards(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.site = Site(SHAPE, settings={"metrics": {"compat": "treydock"}})
        cls.addClassCleanup(cls.site.stop)
        cls.site.start()
        second = cls.site.folder / "second"
        second.mkdir()
        sckyzo = Daemon(cls.site.simulator, second, cls.site.netlist.hosts[2], {"metrics": {"compat": "sckyzo"}})
        cls.addClassCleanup(sckyzo.stop)
        sckyzo.start()
        sckyzo.wait_until_ready()

        traffic = Traffic(cls.site.netlist)
        noisy, waiting, cls.flapping, cls.stays_down = cls.site.core_cables()[:4]
        traffic.grow(noisy.a, "PortCounters.SymbolErrorCounter", 20)
        traffic.grow(waiting.a, "PortCounters.PortXmitWait", 1_000_000)
        mover = Mover(cls.site.simulator, traffic).start()
        cls.addClassCleanup(mover.stop)
        cls._start_prometheus({"treydock": cls.site.daemon, "sckyzo": sckyzo})
        cls._wait_for_scrapes(3)
        mover.cut(cls.flapping)
        cls._wait_in_both("the cut", f"{cls._state_of(cls.flapping.a)} == 0")
        mover.restore(cls.flapping)
        cls._wait_in_both("the link back", "increase(infiniband_switch_port_link_downed_total[1m]) > 0")
        mover.cut(cls.stays_down)
        cls._wait_in_both("the second cut", f"{cls._state_of(cls.stays_down.a)} == 0")
        cls._wait_for_scrapes(3)
        if mover.failure:
            raise mover.failure

    @staticmethod
    def _state_of(end: End) -> str:
        return f'infiniband_switch_port_state{{guid="{end.guid}",port="{end.port}"}}'

    @classmethod
    def _wait_in_both(cls, what: str, expression: str) -> None:
        for job in ("treydock", "sckyzo"):
            wait_until(f"{job} to see {what}", 20, functools.partial(cls._query, expression, job), interval=0.2)

    @classmethod
    def _start_prometheus(cls, daemons: dict[str, Daemon]) -> None:
        folder = cls.site.folder / "prometheus"
        folder.mkdir()
        jobs = [
            {"job_name": name, "static_configs": [{"targets": [f"127.0.0.1:{daemon.port}"]}]}
            for name, daemon in daemons.items()
        ]
        # JSON is YAML.
        config = folder / "prometheus.yml"
        config.write_text(json.dumps({"global": {"scrape_interval": "1s"}, "scrape_configs": jobs}), encoding="utf-8")
        port = free_port()
        cls.prometheus = HttpClient(port)
        argv = [
            "prometheus",
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=warn",
        ]
        child = Child(argv, folder / "log")
        cls.addClassCleanup(child.stop)
        wait_until("Prometheus to be ready", 30, lambda: cls.prometheus.status_of("/-/ready") == 200)

    @classmethod
    def _query(cls, expression: str, job: str) -> list:
        # The job label tells the two scrapes apart; putting it into every selector is what a dashboard's data source
        # variable would do.
        selective = select_job(expression, job)
        answer = cls.prometheus.get("/api/v1/query?" + urllib.parse.urlencode({"query": selective}))
        body = answer.json()
        if body["status"] != "success":
            raise AssertionError(f"{selective}: {body}")
        return body["data"]["result"]

    @classmethod
    def _wait_for_scrapes(cls, count: int) -> None:
        for job in ("treydock", "sckyzo"):
            before = cls._scrapes(job)
            wait_until(f"{count} scrapes of {job}", 30, lambda job=job, n=before: cls._scrapes(job) >= n + count)

    @classmethod
    def _scrapes(cls, job: str) -> int:
        result = cls._query("sum(count_over_time(up[10m]))", job)
        return int(result[0]["value"][1]) if result else 0

    def _panels_have_data(self, panels: dict[str, str], job: str) -> None:
        names = {
            "$switch": self.site.netlist.names[self.flapping.a.node],
            "$hca": self.site.netlist.names[self.site.netlist.hosts[5]],
        }
        for panel, expression in panels.items():
            for variable, value in names.items():
                expression = expression.replace(variable, value)
            with self.subTest(panel=panel):
                self.assertTrue(self._query(expression, job), expression)

    def test_panels_of_treydocks_dashboards_have_data(self):
        self._panels_have_data(TREYDOCK, "treydock")

    def test_panels_of_sckyzos_dashboards_have_data(self):
        self._panels_have_data(SCKYZO, "sckyzo")

    def test_every_link_between_switches_joins_with_its_other_end(self):
        for job in ("treydock", "sckyzo"):
            rows = self._query(recorded("rate", "transmit_data_bytes"), job)
            switch_ports = sum(end.node.startswith("S-") for cable in self.site.netlist.cables for end in cable)
            down = sum(end.node.startswith("S-") for end in self.stays_down)
            self.assertEqual(len(rows), switch_ports - down, job)
            nameless = [row["metric"] for row in rows if not {"uplink", "switch", "uplink_port"} <= row["metric"].keys()]
            self.assertEqual(nameless, [], job)


def select_job(expression: str, job: str) -> str:
    """Adds job="…" to every selector of a metric of ours."""
    matcher = f'job="{job}"'

    def with_job(match: re.Match) -> str:
        labels = match.group(2)
        return f"{match.group(1)}{{{labels + ',' if labels else ''}{matcher}}}"

    return re.sub(r"\b((?:infiniband|heddle)_\w+|up(?=\[))(?:\{([^}]*)\})?", with_job, expression)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What is served after the first complete sweep is what the simulator holds and the diagnostics print."""

import json
import re
import subprocess
import os

from case import HOSTS, LINKS, SWITCHES, SiteCase, main
from harness.netlist import Netlist
from harness.programs import build_folder, heddle, sanitizer_environment


def forwarding_rows(text: str) -> set[tuple[str, int, int]]:
    """(switch GUID, LID, port) of a dump_fts text."""
    rows: set[tuple[str, int, int]] = set()
    guid = ""
    for line in text.splitlines():
        header = re.match(r"Unicast lids .* guid (0x[0-9a-f]+)", line)
        if header:
            guid = f"0x{int(header.group(1), 16):016x}"
        row = re.match(r"(0x[0-9a-f]+)\s+(\d+)\s+:", line)
        if row:
            rows.add((guid, int(row.group(1), 16), int(row.group(2))))
    return rows


class FirstSweep(SiteCase):
    def test_every_node_is_served_with_its_kind(self):
        netlist = self.site.netlist
        nodes = self.http.pages("/v1/nodes")
        by_kind = {
            kind: {node["guid"] for node in nodes if node["kind"] == kind} for kind in ("switch", "host_adapter")
        }
        self.assertEqual(by_kind["switch"], {"0x" + node[2:] for node in netlist.switches})
        self.assertEqual(by_kind["host_adapter"], {"0x" + node[2:] for node in netlist.hosts})
        self.assertEqual(len(nodes), HOSTS + SWITCHES)

    def test_every_link_is_served_with_both_ends(self):
        served = {
            tuple(sorted((link[end]["guid"], link[end]["port"]) for end in ("a", "b")))
            for link in self.http.pages("/v1/links?limit=25")
        }
        cabled = {tuple(sorted((end.guid, end.port) for end in cable)) for cable in self.site.netlist.cables}
        self.assertEqual(served, cabled)
        self.assertEqual(len(served), LINKS)

    def test_the_live_sweep_agrees_with_ibnetdiscover_and_dump_fts(self):
        fabric, tables = self.site.folder / "live.topo", self.site.folder / "live.lfts"
        attach_to = self.site.netlist.hosts[2]
        env = self.site.simulator.environment(attach_to) | sanitizer_environment()
        subprocess.run(
            [build_folder() / "tests/integration/live_tables", fabric, tables],
            cwd=self.site.folder,
            env={**os.environ, **env},
            timeout=60,
            check=True,
        )
        printed = self.site.simulator.tool("ibnetdiscover", attach_to=attach_to)
        self.assertEqual(Netlist.read(fabric).cables, Netlist.parse(printed).cables)
        rows = forwarding_rows(self.site.simulator.tool("dump_fts", attach_to=attach_to))
        self.assertGreaterEqual(len(rows), SWITCHES * (HOSTS + SWITCHES - 1))
        self.assertEqual(forwarding_rows(tables.read_text(encoding="utf-8")), rows)

    def test_the_master_subnet_manager_is_named(self):
        managers = self.http.json("/v1/fabric")["subnet_managers"]
        self.assertEqual([manager["state"] for manager in managers], ["master"])
        self.assertEqual(managers[0]["guid"], "0x" + self.site.netlist.hosts[0][2:])

    def test_the_ports_that_our_own_queries_cross_show_traffic(self):
        leaf = next(end for end in self.site.host_cable(self.site.netlist.hosts[1]) if end.node.startswith("S-"))
        self.site.daemon.wait_for_rounds("counters_data")
        moved = self.http.metrics().value(
            "infiniband_switch_port_transmit_data_bytes_total", guid=leaf.guid, port=str(leaf.port)
        )
        self.assertGreater(moved, 0)

    def test_an_unchanged_answer_costs_no_body(self):
        def unchanged():
            first = self.http.get("/v1/nodes")
            return self.http.get("/v1/nodes", {"If-None-Match": first.headers["etag"]}).status == 304

        self.wait_for("an ETag to hold from one request to the next", unchanged)

    def test_what_does_not_exist_is_a_problem_object(self):
        answer = self.http.get("/v1/ports/0x00000000deadbeef/1")
        self.assertEqual(answer.status, 404)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        self.assertEqual(answer.json()["status"], 404)

    def test_promtool_accepts_the_metrics(self):
        body = self.http.get("/metrics").body
        checked = subprocess.run(
            ["promtool", "check", "metrics"], input=body, capture_output=True, timeout=60, check=False
        )
        self.assertEqual((checked.returncode, checked.stderr), (0, b""))

    def test_every_metric_has_the_label_of_its_fabric(self):
        for name, samples in self.http.metrics().families.items():
            for sample in samples:
                self.assertEqual(sample.labels.get("fabric"), "simulated", name)

    def test_the_command_line_shows_status_links_and_events(self):
        server = ["--server", self.site.daemon.url, "--json"]
        status = heddle("status", *server)
        self.assertEqual((status.returncode, status.stderr), (0, ""))
        self.assertIsInstance(json.loads(status.stdout), dict)
        links = heddle("links", *server)
        self.assertEqual(links.returncode, 0, links.stderr)
        self.assertEqual(links.stdout.count('"a_to_b_bytes_per_second"'), LINKS)
        events = heddle("events", *server)
        self.assertEqual(events.returncode, 0, events.stderr)
        self.assertIsInstance(json.loads(events.stdout), dict)

    def test_the_command_line_reads_what_ibnetdiscover_prints(self):
        text = self.site.folder / "printed.topo"
        text.write_text(self.site.simulator.tool("ibnetdiscover"), encoding="utf-8")
        offline = heddle("topology", str(text), "--json")
        self.assertEqual(offline.returncode, 0, offline.stderr)
        said = json.loads(offline.stdout)
        online = self.http.json("/v1/fabric")
        self.assertEqual(said["nodes"], online["nodes"])
        self.assertEqual(said["links"], online["links"])
        self.assertEqual(said["switches_by_level"], online["switches_by_level"])


if __name__ == "__main__":
    main()

"""The service on a fabric of 3,456 hosts and 720 switches in ibsim: discovery, counters, and what a scrape costs."""

import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

from bench_figures import Figure
from harness.programs import program
from harness.site import Site

FULL_SHAPE = ["fat-tree", "--levels", "3", "--radix", "24"]
SMOKE_SHAPE = ["fat-tree", "--levels", "2", "--radix", "8"]
# Long enough that one round of counters and the publication after it end before the next begins. The first reading of
# 430,000 SL2VL tables is part of no figure: it may go faster than in service.
SETTINGS = {
    "mad": {"background_per_second": 30000},
    "periods": {"topology": "60s", "counters_data": "2s", "counters_errors": "2s", "counters_details": "10m"},
}
REQUESTS = 20


class Service:
    def __init__(self, site: Site, smoke: bool):
        self.site = site
        self.rounds = 1 if smoke else 5
        # Many short turns: what else happens on the machine meets both alike.
        self.sweeps = 2
        self.turns = 1 if smoke else 14

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **self.site.simulator.environment(self.site.netlist.hosts[2])}

    def _run(self, argv: list[str]) -> tuple[float, str]:
        """Seconds of the whole program, and what it printed."""
        begun = time.perf_counter()
        done = subprocess.run(
            argv, cwd=self.site.folder, env=self._environment(), stdout=subprocess.PIPE, timeout=300, check=True
        )
        return time.perf_counter() - begun, done.stdout.decode(errors="replace")

    def discovery(self) -> list[Figure]:
        """Whole programs by turns, so that both see the same machine."""
        ours, peers = [], []
        for _ in range(self.rounds):
            seconds, text = self._run([str(program("discovery_bench"))])
            ours.append(seconds)
            found = json.loads(text)
            peers.append(self._run(["ibnetdiscover"])[0])
        expected = len(self.site.netlist.switches) + len(self.site.netlist.hosts)
        assert found["nodes"] == expected, f'discovered {found["nodes"]} of {expected} nodes'
        assert found["links"] == len(self.site.netlist.cables), f'{found["links"]} links'
        mine, peer = statistics.median(ours), statistics.median(peers)
        return [
            Figure("snapshot of the fabric (peer: ibnetdiscover)", mine, "s", peer),
            Figure("  of the peer's time", mine / peer, "x", 1.0, at_most=1.1),
        ]

    def counters(self) -> list[Figure]:
        rates: dict[str, list[float]] = {"sweep": [], "libibmad": []}
        for _ in range(self.rounds):
            for way, results in rates.items():
                figures = json.loads(self._run([str(program("counters_bench")), way])[1])
                assert figures["failures"] == 0, f'{way}: {figures["failures"]} queries failed'
                results.append(figures["queries"] / figures["seconds"])
        mine, peer = (statistics.median(rates[way]) for way in ("sweep", "libibmad"))
        return [
            Figure("counter queries (peer: libibmad's call)", mine, "/s", peer),
            Figure("  of the peer's rate", mine / peer, "x", 1.0, at_least=2.5),
        ]

    def scrape(self) -> list[Figure]:
        """Times of whole requests by curl, which does nothing with the body: not what a client makes of it."""
        figures = []
        for kind, options in (("plain", []), ("gzip", ["-H", "Accept-Encoding: gzip"])):
            argv = ["curl", "-fsS", "-o", "/dev/null", "-w", "%{time_total} %{size_download}", *options]
            milliseconds, size = [], 0
            for _ in range(REQUESTS):
                seconds, size = self._output([*argv, f"{self.site.daemon.url}/metrics"]).split()
                milliseconds.append(float(seconds) * 1000)
            name = f"/metrics {kind}, {int(size) / 1e6:.2f} MB"
            figures += [
                Figure(f"{name}, median", statistics.median(milliseconds), "ms"),
                Figure(f"{name}, slowest of {REQUESTS}", max(milliseconds), "ms", at_most=200),
            ]
        return figures

    @staticmethod
    def _output(argv: list[str]) -> str:
        return subprocess.run(argv, stdout=subprocess.PIPE, encoding="utf-8", timeout=60, check=True).stdout

    def _durations(self) -> list[float]:
        """Seconds of the next rounds of data counters."""
        daemon, durations = self.site.daemon, []
        seen = daemon.completed("counters_data")
        while len(durations) < self.sweeps:
            time.sleep(0.2)
            job = next(job for job in daemon.http.json("/v1/status")["jobs"] if job["name"] == "counters_data")
            if job["completed"] > seen:
                seen = job["completed"]
                durations.append(job["last_duration_seconds"])
        return durations

    def _scraped_durations(self) -> list[float]:
        """The same while somebody scrapes every second, compressed as Prometheus does. The client is as cheap as can
        be, and on one connection: what it costs on a machine of two cores is not the service's."""
        ending = threading.Event()
        sink = bytearray(1 << 20)

        def scraper() -> None:
            connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.site.daemon.url).netloc, timeout=10)
            while not ending.wait(1.0):
                connection.request("GET", "/metrics", headers={"Accept-Encoding": "gzip"})
                response = connection.getresponse()
                assert response.status == 200, f"/metrics: {response.status}"
                while response.readinto(sink):
                    pass
            connection.close()

        thread = threading.Thread(target=scraper, daemon=True)
        thread.start()
        try:
            return self._durations()
        finally:
            ending.set()
            thread.join()

    def slowdown(self) -> list[Figure]:
        alone: list[float] = []
        scraped: list[float] = []
        for _ in range(self.turns):
            alone += self._durations()
            scraped += self._scraped_durations()
        before, during = statistics.median(alone), statistics.median(scraped)
        status = self.site.daemon.http.json("/v1/status")
        return [
            Figure(f'counters of {status["ports_asked"]:,} ports, nobody scraping', before * 1000, "ms"),
            Figure("  while scraped every second", during * 1000, "ms"),
            Figure("  slowed by", (during / before - 1) * 100, "%", at_most=5),
        ]

    def memory(self) -> list[Figure]:
        status = Path(f"/proc/{self.site.daemon.process.pid}/status").read_text(encoding="utf-8")
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        series = self.site.daemon.http.json("/v1/status")["metric_series"]
        return [
            Figure("heddled's memory at its peak", int(peak.split()[1]) / 1024, "MiB"),
            Figure("metric series served", series, ""),
        ]


def progress(text: str) -> None:
    print(f"bench service: {text} …", file=sys.stderr, flush=True)


def measure(smoke: bool) -> list[Figure]:
    progress("starting the fabric")
    with Site(SMOKE_SHAPE if smoke else FULL_SHAPE, settings=SETTINGS, ready_seconds=300) as site:
        service = Service(site, smoke)
        figures: list[Figure] = []
        for part in (service.scrape, service.slowdown, service.memory):
            progress(part.__name__)
            figures += part()
        # heddled's own queries would disturb what is measured now.
        site.daemon.stop()
        for part in (service.discovery, service.counters):
            progress(part.__name__)
            figures += part()
        return figures

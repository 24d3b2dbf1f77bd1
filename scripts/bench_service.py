"""The service on a fabric of 3,456 hosts and 720 switches in ibsim: discovery, counters, and what a scrape costs."""

import http.client
import json
import math
import os
import resource
import statistics
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

from bench_figures import Figure, progress
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


def client_seconds() -> float:
    """CPU time of the child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def sign_test_range(ordered: list[float]) -> tuple[float, float]:
    """Between which of the values, in ascending order, the median of all such runs lies with 95 % confidence: as many
    are left out at each end as still have a chance of 2.5 % at most of lying on one side of it. All of few values."""
    count, left_out, chance = len(ordered), 0, 0.5 ** len(ordered)
    while chance <= 0.025:
        left_out += 1
        chance += math.comb(count, left_out) * 0.5**count
    left_out = max(left_out - 1, 0)
    return ordered[left_out], ordered[count - 1 - left_out]


def median_ratio(ours: list[float], peers: list[float]) -> float:
    """Each of ours over the peer's of the same turn: a machine that is slow for a while is slow for both."""
    return statistics.median(mine / peer for mine, peer in zip(ours, peers))


class Service:
    def __init__(self, site: Site, smoke: bool):
        self.site = site
        self.rounds = 1 if smoke else 25
        self.sweeps = 2
        self.pairs = 2 if smoke else 40

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
            Figure("  of the peer's time", median_ratio(ours, peers), "x", 1.0, at_most=1.1),
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
            Figure("  of the peer's rate", median_ratio(rates["sweep"], rates["libibmad"]), "x", 1.0, at_least=2.5),
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
        """Pairs of turns, one with scrapes and one without, first this way round, then that: what drifts or comes and
        goes on the machine meets both. Each pair gives one ratio; half of them lie above the figure, whatever the few
        say that were disturbed. The range is that of the sign test, which supposes nothing about how they scatter."""
        alone, scraped = [], []
        for pair in range(self.pairs):
            for turn in ("alone", "scraped") if pair % 2 == 0 else ("scraped", "alone"):
                durations = self._durations() if turn == "alone" else self._scraped_durations()
                (alone if turn == "alone" else scraped).append(statistics.median(durations))
        slower = sorted((during / before - 1) * 100 for before, during in zip(alone, scraped))
        low, high = sign_test_range(slower)
        status = self.site.daemon.http.json("/v1/status")
        ports = f'counters of {status["ports_asked"]:,} ports, scraped every second (peer: nobody scraping)'
        name = f"  slowed by, median of {len(slower)} pairs ({low:.1f} to {high:.1f} % at 95 %)"
        return [
            Figure(ports, statistics.median(scraped) * 1000, "ms", statistics.median(alone) * 1000),
            Figure(name, statistics.median(slower), "%", 0.0, at_most=5),
        ]

    def _http_seconds(self) -> float:
        """CPU time of the threads that answer requests."""
        nanoseconds = 0
        for task in Path(f"/proc/{self.site.daemon.process.pid}/task").iterdir():
            if (task / "comm").read_text(encoding="utf-8").strip() == "http":
                nanoseconds += int((task / "schedstat").read_text(encoding="utf-8").split()[0])
        return nanoseconds / 1e9

    def scrape_cost(self) -> list[Figure]:
        """CPU time and not time by the clock: what a scrape takes from the sweeps where no core is idle."""
        url = f"{self.site.daemon.url}/metrics"
        argv = ["curl", "-fsS", "-H", "Accept-Encoding: gzip", *(["-o", "/dev/null", url] * REQUESTS)]
        served, client = self._http_seconds(), client_seconds()
        self._output(argv)
        mine, peer = self._http_seconds() - served, client_seconds() - client
        return [
            Figure(
                "heddled's CPU time for a gzip scrape (peer: curl's for reading it)",
                mine / REQUESTS * 1000,
                "ms",
                peer / REQUESTS * 1000,
                # One scrape a second may take 5 % of a core.
                at_most=50,
            )
        ]

    def memory(self) -> list[Figure]:
        status = Path(f"/proc/{self.site.daemon.process.pid}/status").read_text(encoding="utf-8")
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        series = self.site.daemon.http.json("/v1/status")["metric_series"]
        return [
            Figure("heddled's memory at its peak", int(peak.split()[1]) / 1024, "MiB"),
            Figure("metric series served", series, ""),
        ]


def measure(smoke: bool) -> list[Figure]:
    progress("service", "starting the fabric")
    with Site(SMOKE_SHAPE if smoke else FULL_SHAPE, settings=SETTINGS, ready_seconds=300) as site:
        service = Service(site, smoke)
        figures: list[Figure] = []
        for part in (service.scrape, service.scrape_cost, service.slowdown, service.memory):
            progress("service", part.__name__)
            figures += part()
        # heddled's own queries would disturb what is measured now.
        site.daemon.stop()
        for part in (service.discovery, service.counters):
            progress("service", part.__name__)
            figures += part()
        return figures

"""Time and memory of tables with their proof, beside OpenSM's engines on the same fabric in the same minutes."""

import statistics
from pathlib import Path
from typing import NamedTuple

from bench_figures import Figure, progress
from bench_routing_parts import (
    HOSTS_128,
    HOSTS_432,
    HOSTS_1944,
    HOSTS_3456,
    HOSTS_11664,
    HOSTS_40960,
    fresh,
    run_json,
    run_quietly,
)
from harness.opensm_engines import Job, run_engines

RUNS = 5  # of both by turns, each in a fresh process; medians
DRAGONFLY_PLUS_10368 = "32,18,18,18,18"  # groups, leaves, spines, hosts a leaf, global cables a spine


class Size(NamedTuple):
    shape: str
    peers: list[str]  # OpenSM's engines that end within a minute; the first runs as often as ours
    first_ms: float | None = None  # targets
    ratio: float | None = None
    ratio_again: float | None = None
    repair_ms: float | None = None
    extra_mb: float | None = None


SIZES = [
    Size(HOSTS_432, ["ftree"]),
    Size(HOSTS_1944, ["ftree", "updn", "minhop", "dfsssp"]),
    Size(HOSTS_3456, ["ftree", "updn", "minhop", "dfsssp"]),
    Size(HOSTS_11664, ["ftree", "updn", "minhop"], first_ms=250, ratio=60, ratio_again=150, repair_ms=5),
    Size(HOSTS_40960, [], first_ms=2000, extra_mb=200),
]
SMALL = [Size(HOSTS_128, ["ftree"])]


def median_of(runs: list[dict], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def of_one_size(size: Size, folder: Path, repeats: int) -> list[Figure]:
    topology = folder / "fabric.topo"
    run_quietly("heddle", "generate", "fat-tree", "--shape", size.shape, "--out", str(topology))
    ours: list[dict] = []
    theirs: dict[str, list[float]] = {name: [] for name in size.peers}
    for turn in range(repeats):
        progress("routing", f"{size.shape}, {turn + 1} of {repeats}")
        ours.append(run_json("routing_bench", size.shape))
        # The others are there for orientation: once.
        engines = size.peers if turn == 0 else size.peers[:1]
        runs = run_engines([Job(engine, topology) for engine in engines], folder / f"opensm{turn}")
        for engine, run in zip(engines, runs):
            if run.milliseconds is not None:
                theirs[engine].append(run.milliseconds)
    peers = {name: statistics.median(times) for name, times in theirs.items() if times}
    ftree = peers.get("ftree")
    first, again = median_of(ours, "first_ms"), median_of(ours, "again_ms")
    name = f'{ours[0]["hosts"]:,} hosts / {ours[0]["switches"]:,} switches'
    figures = [
        Figure(f"{name}: tables and proof, first call (peer: ftree)", first, "ms", ftree, at_most=size.first_ms,
               panel="Tables and proof, milliseconds (peer: ftree)", label=f'{ours[0]["hosts"]:,} hosts'),
        Figure("  with memory reused", again, "ms", ftree),
    ]
    if ftree is not None:
        figures += [
            Figure("  times faster than ftree, first call", ftree / first, "x", 1.0, at_least=size.ratio),
            Figure("  times faster than ftree, memory reused", ftree / again, "x", 1.0, at_least=size.ratio_again),
        ]
    figures += [
        Figure(f"  times faster than {engine}, first call", time / first, "x", 1.0)
        for engine, time in peers.items()
        if engine != "ftree"
    ]
    tables, bare = median_of(ours, "tables_again_ms"), median_of(ours, "bare_again_ms")
    extra = max(run["peak_bytes"] - run["table_bytes"] for run in ours) / 1e6
    figures += [
        Figure("  of the first call recognition", median_of(ours, "recognise_ms"), "ms"),
        Figure("  tables alone, memory reused (peer: the bare arithmetic)", tables, "ms", bare, at_most=2 * bare),
        Figure("  tables alone, first call (peer: the bare arithmetic)", median_of(ours, "tables_first_ms"), "ms",
               median_of(ours, "bare_first_ms")),
        Figure("  repair of a cable of a leaf, proof included", median_of(ours, "repair_leaf_ms"), "ms",
               at_most=size.repair_ms),
        Figure("  repair of a cable above", median_of(ours, "repair_above_ms"), "ms", at_most=size.repair_ms),
        Figure("  the slowest of 50 repairs", median_of(ours, "repair_worst_ms"), "ms"),
        Figure("  memory besides the tables", extra, "MB", at_most=size.extra_mb),
        Figure("  time a table byte, memory reused", again * 1e6 / ours[0]["table_bytes"], "ns"),
    ]  # fmt: skip
    if ours[0]["checked_ms"]:
        walked = median_of(ours, "checked_ms")
        figures.append(Figure("  compute_routes(): the same, and every path walked", walked, "ms"))
    return figures


def dragonfly_plus(repeats: int) -> list[Figure]:
    runs = [run_json("routing_bench", DRAGONFLY_PLUS_10368) for _ in range(repeats)]
    name = f'dragonfly+, {runs[0]["hosts"]:,} hosts / {runs[0]["switches"]:,} switches'
    return [
        Figure(f"{name}: tables and proof, first call", median_of(runs, "first_ms"), "ms", at_most=500),
        Figure("  every path walked besides", median_of(runs, "check_ms"), "ms"),
    ]


def measure(smoke: bool, folder: Path) -> list[Figure]:
    figures: list[Figure] = []
    for size in SMALL if smoke else SIZES:
        figures += of_one_size(size, fresh(folder / size.shape.replace(":", "_")), 1 if smoke else RUNS)
    return figures if smoke else figures + dragonfly_plus(3)

"""How fast heddle routes, beside OpenSM's ftree on the same fabric in the same run, and what the tables are worth."""

import json
import subprocess
import tempfile
from pathlib import Path

from bench_figures import Figure
from harness.opensm_tables import opensm_tables
from harness.process import HarnessError
from harness.programs import program

# PGFT shapes: (m; w; p) by level.
SMALL = "4,4,8:1,4,4:1,1,1"
HOSTS_432 = "6,6,12:1,6,6:1,1,1"
HOSTS_1944 = "18,18,6:1,18,9:1,1,2"
HOSTS_3456 = "12,12,24:1,12,12:1,1,1"
HOSTS_11664 = "18,18,36:1,18,18:1,1,1"
HOSTS_40960 = "32,32,40:1,32,32:1,1,1"


def our_times(shape: str, repeats: int) -> dict:
    done = subprocess.run(
        [str(program("routing_bench")), shape, str(repeats)], stdout=subprocess.PIPE, timeout=600, check=True
    )
    return json.loads(done.stdout)


def heddle(*arguments: str) -> dict:
    done = subprocess.run(
        [str(program("heddle")), *arguments, "--json"], stdout=subprocess.PIPE, timeout=600, check=False
    )
    if done.returncode > 1:
        raise HarnessError(f"heddle {' '.join(arguments)} ended with {done.returncode}")
    return json.loads(done.stdout)


def against_ftree(shape: str, name: str, folder: Path, repeats: int, ratio: float | None) -> list[Figure]:
    """Ours and OpenSM's on one fabric: time and worth."""
    folder.mkdir(parents=True)
    topology = folder / "fabric.topo"
    generate = [str(program("heddle")), "generate", "fat-tree", "--shape", shape, "--out", str(topology)]
    subprocess.run(generate, stdout=subprocess.DEVNULL, timeout=120, check=True)
    ours = our_times(shape, repeats)
    ftree = opensm_tables(topology, "ftree", folder / "ftree", 600)
    (folder / "ftree.lfts").write_text(ftree.tables, encoding="utf-8")
    heddle("route", str(topology), "--lfts-out", str(folder / "ours.lfts"))
    mine = heddle("check", str(topology), str(folder / "ours.lfts"))["score"]
    theirs = heddle("check", str(topology), str(folder / "ftree.lfts"))["score"]
    worth, peer_worth = mine["bisection_bandwidth_ratio"], theirs["bisection_bandwidth_ratio"]
    return [
        Figure(f"{name}: tables and proof, first call", ours["first_ms"], "ms", ftree.milliseconds),
        Figure("  times faster than ftree", ftree.milliseconds / ours["first_ms"], "x", 1.0, at_least=ratio),
        Figure("  with memory reused", ours["again_ms"], "ms", ftree.milliseconds),
        Figure("  effective bisection bandwidth", worth, "", peer_worth, at_least=0.995 * peer_worth),
        Figure("  greatest load on a shift", mine["shift_max"], "", theirs["shift_max"], at_most=1),
    ]


def measure(smoke: bool) -> list[Figure]:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as scratch:
        if smoke:
            return against_ftree(SMALL, "128 hosts", Path(scratch) / "small", 1, None)
        for name, shape, ratio in (("432 hosts", HOSTS_432, None), ("3,456 hosts", HOSTS_3456, 60)):
            figures += against_ftree(shape, name, Path(scratch) / shape.replace(":", "_"), 5, ratio)
    per_byte = []
    for shape in (HOSTS_432, HOSTS_1944, HOSTS_3456, HOSTS_11664, HOSTS_40960):
        times = our_times(shape, 3 if shape == HOSTS_40960 else 5)
        per_byte.append(times["again_ms"] * 1e6 / times["table_bytes"])
        name = f'{times["hosts"]:,} hosts / {times["switches"]:,} switches'
        limits = {HOSTS_11664: 250.0, HOSTS_40960: 2000.0}
        figures += [
            Figure(f"{name}: first call, proof included", times["first_ms"], "ms", at_most=limits.get(shape)),
            Figure("  of it recognition", times["recognise_ms"], "ms"),
            Figure("  of it the tables alone", times["tables_first_ms"], "ms"),
            Figure("  with memory reused, proof included", times["again_ms"], "ms"),
            Figure("  repair of one cable, proof included, median", times["repair_median_ms"], "ms",
                   at_most=5.0 if shape == HOSTS_11664 else None),
            Figure("  time a table byte, memory reused", per_byte[-1], "ns"),
        ]
    return figures

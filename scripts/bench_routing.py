"""heddle's routing beside OpenSM's own engines on the same fabrics: speed, memory, and what the tables are worth.

The peers run in-process (harness/opensm_engines.py), each engine in a process of its own. Full counts are in the
constants of the parts; --smoke measures one small fabric of each kind with one seed."""

import tempfile
from pathlib import Path

import bench_routing_dragonfly
import bench_routing_faults
import bench_routing_speed
import bench_routing_worth
from bench_figures import Figure
from harness.programs import ROOT

PICTURE = ROOT / "docs" / "routing-bench.svg"
PARTS = [bench_routing_speed, bench_routing_worth, bench_routing_faults, bench_routing_dragonfly]


def measure(smoke: bool) -> list[Figure]:
    figures: list[Figure] = []
    for part in PARTS:
        with tempfile.TemporaryDirectory(prefix="heddle-bench-") as scratch:
            figures += part.measure(smoke, Path(scratch))
    return figures

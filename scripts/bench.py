#!/usr/bin/env python3
"""./run bench [NAME] [--smoke]: every figure of NAME beside its peer's and its target, as a table and as JSON in
build/bench/NAME.json. Exits 1 if a target is missed. --smoke measures a small fabric to see that everything works."""

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import bench_events
import bench_failover
import bench_micro
import bench_routing
import bench_service
from bench_figures import Figure
from bench_picture import draw
from harness.process import HarnessError
from harness.programs import ROOT, build

BENCHES = {"service": bench_service, "routing": bench_routing, "events": bench_events, "micro": bench_micro}
BENCHES |= {"failover": bench_failover}
TARGETS = ["heddle", "heddled", "discovery_bench", "counters_bench", "micro_bench", "routing_bench", "fault_bench"]
TARGETS += ["churn_bench", "lanes_bench", "dragonfly_bench", "hybrid_bench", "whatif_bench", "heddle_opensm_engines"]
TARGETS += ["heddle_opensm"]


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def machine() -> dict:
    """Where the figures come from; the load is that of the moment before they were measured."""
    return {
        "processor": processor(),
        "cpus": len(os.sched_getaffinity(0)),
        "load_average": [round(value, 2) for value in os.getloadavg()],
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "kernel": platform.release(),
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def print_table(name: str, where: dict, figures: list[Figure]) -> None:
    print(f'\nbench {name}: {where["cpus"]} x {where["processor"]}, load average before {where["load_average"]}')
    rows = [("figure", "ours", "peer", "target", "")]
    rows += [figure.row() for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        print("  " + "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def run(name: str, smoke: bool) -> bool:
    """Measures, prints and writes; whether all targets hold."""
    where = machine()
    figures = BENCHES[name].measure(smoke)
    print_table(name, where, figures)
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    document = {"name": name, "smoke": smoke, "machine": where, "figures": [figure.json() for figure in figures]}
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"  written to {path}")
    picture = getattr(BENCHES[name], "PICTURE", None)
    if picture and not smoke:
        picture.write_text(draw(document), encoding="utf-8")
        print(f"  drawn in {picture}")
    return smoke or all(figure.holds() for figure in figures)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("name", nargs="?", default="all", choices=["all", *BENCHES])
    parser.add_argument("--smoke", action="store_true", help="a small fabric, no targets")
    options = parser.parse_args()
    names = list(BENCHES) if options.name == "all" else [options.name]
    try:
        build(*TARGETS)
        results = [run(name, options.smoke) for name in names]
    except (HarnessError, AssertionError, OSError, subprocess.SubprocessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbench: interrupted; everything is stopped", file=sys.stderr)
        return 130
    if not all(results):
        print("bench: a target is missed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The google-benchmark programs, as figures without targets."""

import json
import subprocess

from bench_figures import Figure
from harness.programs import program


def measure(smoke: bool) -> list[Figure]:
    argv = [str(program("micro_bench")), "--benchmark_format=json"]
    if smoke:
        argv += ["--benchmark_filter=radix:8$", "--benchmark_min_time=0.01"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600, check=True)
    rows = json.loads(done.stdout)["benchmarks"]
    return [Figure(row["name"], row["real_time"], row["time_unit"]) for row in rows]

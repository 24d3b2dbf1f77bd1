"""What each publication costs, in CPU time of one thread, by a google-benchmark program that runs the peers too."""

import json
import subprocess

from bench_figures import Figure
from harness.programs import program

# Name, ours, peer, and the most that ours may cost of the peer's time for as many bytes.
PAIRS = [
    ("rendering {lines:,.0f} lines (peer: snprintf)", "render_metrics", "print_lines", 0.75),
    ("compressing them (peer: zlib's gzip format, one call)", "prepare_body", "compress_body", 1.1),
]
REPETITIONS = 5


def measure(smoke: bool) -> list[Figure]:
    argv = [
        str(program("micro_bench")),
        "--benchmark_format=json",
        f"--benchmark_filter=radix:{8 if smoke else 24}$",
        f"--benchmark_repetitions={1 if smoke else REPETITIONS}",
        # By turns, so that all meet the same machine.
        "--benchmark_enable_random_interleaving=true",
    ]
    if smoke:
        argv.append("--benchmark_min_time=0.01")
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=900, check=True)
    fastest: dict[str, dict] = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        if row["run_type"] != "iteration":
            continue
        # What else the machine does makes a run slower, never faster.
        name = row["run_name"].split("/")[0]
        if name not in fastest or row["cpu_time"] < fastest[name]["cpu_time"]:
            fastest[name] = row
    figures = []
    for title, ours, peer, most in PAIRS:
        mine, other = fastest[ours], fastest[peer]
        figures += [
            Figure(title.format(**mine), mine["cpu_time"], mine["time_unit"], other["cpu_time"]),
            Figure("  bytes of text", mine["bytes_per_second"] / 1e6, "MB/s", other["bytes_per_second"] / 1e6),
            Figure("  of the peer's time", mine["cpu_time"] / other["cpu_time"], "x", 1.0, at_most=most),
        ]
    return figures

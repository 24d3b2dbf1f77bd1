"""Dragonflies and hybrids, whole and with faults, and what `heddle whatif` costs."""

from pathlib import Path

from bench_figures import Figure, progress
from bench_routing_parts import HOSTS_128, HOSTS_1944, run_json

SEEDS = 10
BEST_OF_OPENSM = 0.462  # effective bisection bandwidth of its best engine on the dragonfly below
FLOWS = 1024


def faults(name: str, tally: dict, lanes: int, worth: float | None, lane_key: str = "vls") -> list[Figure]:
    return [
        Figure(f'{name}: virtual lanes, the most of {tally["tried"]}', tally[lane_key], "", at_most=lanes),
        Figure("  effective bisection bandwidth, mean", tally["bisection_mean"], "", at_least=worth),
        Figure("  pairs not delivered, or cycles", tally["undelivered"] + tally["cycles"], "", at_most=0),
    ]


def dragonfly(shape: str, seeds: int) -> list[Figure]:
    progress("routing", f"dragonfly {shape}")
    answer = run_json("dragonfly_bench", "dragonfly", shape, str(seeds), "20,100", "0", seconds=1800)
    name = f'dragonfly, {answer["hosts"]:,} hosts / {answer["switches"]:,} switches'
    whole = answer["whole"]
    figures = [
        *faults(name, whole, 2, BEST_OF_OPENSM),
        Figure("  longest path, cables of the hosts included", whole["longest_hops"], "", at_most=5),
        *faults("  one cable or router away", answer["single"], 2, None),
    ]
    for fault, (lanes, worth) in zip(answer["faults"], ((3, 0.448), (4, None))):
        figures += faults(f'  {fault["permille"] / 10:g} % of cables away', fault["remembered"], lanes, worth)
    return figures


def dragonfly_plus(shape: str, seeds: int) -> list[Figure]:
    progress("routing", f"dragonfly+ {shape}")
    answer = run_json("dragonfly_bench", "dragonfly-plus", shape, str(seeds), "40,100", "2", seconds=1800)
    name = f'dragonfly+, {answer["hosts"]:,} hosts / {answer["switches"]:,} switches'
    figures = [
        *faults(f"{name}, host pairs", answer["whole"], 1, 0.55, "host_vls"),
        *faults("  one cable or switch away, host pairs", answer["single"], 1, None, "host_vls"),
    ]
    for fault, worth in zip(answer["faults"], (0.50, None)):
        share = f'  {fault["permille"] / 10:g} % of cables away'
        figures += faults(f"{share}, host pairs", fault["remembered"], 1, worth, "host_vls")
        figures.append(Figure("  with LIDs of switches", fault["remembered"]["vls"], "", at_most=2))
    shift = answer["shift"]
    return figures + [
        Figure("  group shift, LMC 2, LID by hash: rate over minimal routing's", shift["hashed_ratio"], "x", 1.0,
               at_least=2.5),
        Figure("  each flow over all its LIDs", shift["striped_ratio"], "x", 1.0, at_least=4),
    ]  # fmt: skip


def hybrid(shape: str) -> list[Figure]:
    progress("routing", f"hybrid {shape}")
    answer = run_json("hybrid_bench", shape)
    name = f'hybrid, {answer["hosts"]:,} hosts with two ports / {answer["switches"]:,} switches'
    return [
        Figure(f"{name}: ways from a leaf to both ports of a host that meet", answer["shared"], "", at_most=0),
        Figure(f'  each of {answer["leaves"]} leaves lost: hosts cut off', answer["cut_off"], "", at_most=0),
        Figure("  pairs of ports not delivered, or cycles", answer["undelivered"], "", at_most=0),
        Figure("  virtual lanes, the most", answer["vls"], "", at_most=1),
        Figure("  effective bisection bandwidth", answer["bisection"], ""),
    ]


def whatif(shape: str, flows: int) -> list[Figure]:
    answer = run_json("whatif_bench", shape, str(flows))
    name = f'whatif, {answer["hosts"]:,} hosts: max-min fair rates of {answer["flows"]:,} flows'
    return [Figure(name, answer["rates_ms"], "ms", at_most=50)]


def measure(smoke: bool, _: Path) -> list[Figure]:
    if smoke:
        figures = dragonfly("9,4,2,2", 1) + dragonfly_plus("3,2,2,2,2", 1) + hybrid("2,2,2,2,2")
        return figures + whatif(HOSTS_128, 100)
    figures = dragonfly("33,8,4,4", SEEDS) + dragonfly_plus("9,8,8,8,8", SEEDS)
    return figures + hybrid("6,8,8,16,8") + whatif(HOSTS_1944, FLOWS)

"""What tables of whole fabrics are worth: trees of several kinds, swapped cables, and virtual lanes elsewhere."""

import itertools
from pathlib import Path
from typing import NamedTuple

from bench_figures import Figure, progress
from bench_routing_parts import HOSTS_128, HOSTS_432, HOSTS_1944, fresh, run_json, run_quietly
from harness.opensm_engines import Job, run_engines, run_job_file

SEEDS = 50
TRADED = ("swaps", "crossed")
MOST_LOST = 1.0  # per cent of the bisection bandwidth, by swapped cables


class Tree(NamedTuple):
    name: str
    shape: str
    shift: int  # the largest load that a shift permutation may put on a cable
    breakage: str = "none"
    seeds: int = 1


TREES = [
    Tree("2 levels, 648 hosts", "18,36:1,18:1,1", 1),
    Tree("3 levels, 432 hosts", HOSTS_432, 1),
    Tree("3 levels with parallel cables, 1,944 hosts", HOSTS_1944, 1),
    Tree("2 levels with parallel cables, 72 hosts", "6,12:1,3:1,2", 1),
    Tree("2 levels, 2:1, 216 hosts", "12,18:1,6:1,1", 2),
    Tree("3 levels, 2:1, 256 hosts", "8,4,8:1,4,4:1,1,1", 2),
    Tree("3 levels, 5 of 12 pods, 180 hosts", "6,6,5:1,6,6:1,1,1", 1),
    Tree("3 levels, a quarter of 432 hosts away", HOSTS_432, 1, "hosts:250", 5),
]


def series(shape: str, breakage: str, seeds: int, folder: Path) -> dict:
    """fault_bench's answer, its peer being OpenSM's ftree with a file of the roots."""
    progress("routing", f"{shape}, {breakage}")
    fresh(folder)
    run_quietly("fault_bench", "fabrics", shape, breakage, str(seeds), str(folder))
    run_job_file(folder / "jobs", folder / "opensm")
    return run_json("fault_bench", "judge", shape, breakage, str(seeds), str(folder))


def of_whole_tree(tree: Tree, folder: Path) -> list[Figure]:
    answer = series(tree.shape, tree.breakage, tree.seeds, folder)
    ours, peer = answer["recognised"], answer["peer"]
    return [
        Figure(f"{tree.name}: effective bisection bandwidth", ours["bisection_mean"], "", peer["bisection_mean"]),
        Figure("  of ftree's, the least", ours["to_peer_worst"], "x", 1.0, at_least=0.995),
        Figure("  greatest load on a shift", ours["shift_max"], "", peer["shift_max"], at_most=tree.shift),
        Figure("  pairs not delivered, or cycles", ours["undelivered"] + ours["cycles"], "",
               peer["undelivered"] + peer["cycles"], at_most=0),
    ]  # fmt: skip


def traded(shape: str, ends: str, pairs: int, seeds: int, whole: float, folder: Path) -> list[Figure]:
    """`ends` "swaps": two cables between the same two levels, each where the other should be; "crossed": any ends of any
    two cables, half of which then join switches of one level and serve no tree: ftree's loss is the limit."""
    answer = series(shape, f"{ends}:{pairs}", seeds, folder)
    ours, peer = answer["recognised"], answer["peer"]
    what = "swapped" if ends == "swaps" else "with any ends traded"
    name = f'{answer["hosts"]:,} hosts, {pairs} pair{"s" if pairs > 1 else ""} of cables {what} ({seeds} seeds)'
    theirs = 100 * (1 - peer["bisection_mean"] / whole) if peer["tried"] else None
    return [
        Figure(f"{name}: bisection bandwidth lost, mean", 100 * (1 - ours["bisection_mean"] / whole), "%", theirs,
               at_most=MOST_LOST if ends == "swaps" else theirs),
        Figure("  the most", 100 * (1 - ours["bisection_worst"] / whole), "%"),
        Figure("  fabrics that are routed", ours["tried"], "", peer["tried"]),
        Figure("  pairs not delivered, or cycles", ours["undelivered"] + ours["cycles"], "", at_most=0),
    ]  # fmt: skip


def lanes(seeds: int, folder: Path) -> list[Figure]:
    """`layered` beside dfsssp; dfsssp's lanes are what it says that it needs, though it may have but eight."""
    progress("routing", "virtual lanes of other shapes")
    fabrics = run_json("lanes_bench", str(fresh(folder)), str(seeds))["fabrics"]
    figures = []
    for fabric in fabrics:
        (peer,) = run_engines([Job("dfsssp", Path(fabric["fabric"]))], folder / fabric["name"])
        figures += [
            Figure(f'{fabric["name"]}: virtual lanes (peer: dfsssp)', fabric["lanes"], "", peer.lanes,
                   at_most=peer.lanes),
            Figure("  pairs not delivered, or cycles", fabric["undelivered"] + fabric["cycles"], "", at_most=0),
        ]  # fmt: skip
    return figures


def measure(smoke: bool, folder: Path) -> list[Figure]:
    if smoke:
        figures = of_whole_tree(Tree("3 levels, 128 hosts", HOSTS_128, 1), folder / "tree")
        for ends in TRADED:
            figures += traded(HOSTS_128, ends, 1, 1, figures[0].value, folder / ends)
        return figures + lanes(1, folder / "lanes")
    figures = []
    whole: dict[str, float] = {}
    for i, tree in enumerate(TREES):
        of_tree = of_whole_tree(tree, folder / f"tree{i}")
        whole.setdefault(tree.shape, of_tree[0].value)
        figures += of_tree
    for shape in (HOSTS_432, HOSTS_1944):
        for ends, pairs in itertools.product(TRADED, (1, 2, 4)):
            figures += traded(shape, ends, pairs, SEEDS, whole[shape], folder / f"traded{len(figures)}")
    return figures + lanes(8, folder / "lanes")

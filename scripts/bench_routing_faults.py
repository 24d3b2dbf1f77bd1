"""What is left of the tables when cables and switches are away, and how many entries change for it."""

from pathlib import Path

from bench_figures import Figure, progress
from bench_routing_parts import HOSTS_128, HOSTS_432, HOSTS_1944, fresh, run_json, run_quietly
from bench_routing_worth import SEEDS, series
from harness.opensm_engines import run_job_file

SHARES = (1, 10, 50, 100)  # of a thousand
KINDS = ("cables", "switches")
FAULTS = 1000
OF_UNAVOIDABLE = 1.05


def of_ftree(kind: str, title: str, tally: dict, required: bool) -> list[Figure]:
    """`required`: from the broken fabric alone. A fabric that degraded while it ran keeps its places, which costs a
    little where whole switches are away, and is what keeps the churn low."""
    mean = 1.0 if required and kind == "cables" else None
    return [
        Figure(f"  of ftree's, {title}, mean", tally["to_peer_mean"], "x", 1.0, at_least=mean),
        Figure(f"  of ftree's, {title}, the least", tally["to_peer_worst"], "x", 1.0,
               at_least=0.99 if required else None),
    ]  # fmt: skip


def broken(shape: str, kind: str, permille: int, seeds: int, folder: Path) -> list[Figure]:
    answer = series(shape, f"{kind}:{permille}", seeds, folder)
    recognised, remembered, peer = answer["recognised"], answer["remembered"], answer["peer"]
    share = f"{permille / 10:g} % of {kind}"
    name = f'{answer["hosts"]:,} hosts, {share} away ({seeds} seeds)'

    def worst(*keys: str) -> int:
        return sum(recognised[key] + remembered[key] for key in keys)

    panel = "Effective bisection bandwidth, 1,944 hosts (peer: ftree with a file of the roots)"
    return [
        Figure(f"{name}: effective bisection bandwidth", recognised["bisection_mean"], "", peer["bisection_mean"],
               panel=panel if shape == HOSTS_1944 else None, label=share),
        *of_ftree(kind, "recognised as it is", recognised, True),
        *of_ftree(kind, "with remembered places", remembered, False),
        Figure("  pairs not delivered, switch LIDs included", worst("undelivered"), "", peer["undelivered"], at_most=0),
        Figure("  host pairs that up*/down* connects, not in lane 0", worst("not_in_lane_0"), "", at_most=0),
        Figure("  cycles", worst("cycles"), "", peer["cycles"], at_most=0),
        Figure("  virtual lanes, the most", max(recognised["lanes"], remembered["lanes"]), "", at_most=2),
    ]  # fmt: skip


def changes(shape: str, faults: int, folder: Path) -> list[Figure]:
    fresh(folder)
    progress("routing", f"{shape}, {faults} faults one after another")
    arguments = (shape, str(faults), "1", str(folder))
    run_quietly("churn_bench", *arguments, "fabrics")
    run_job_file(folder / "jobs", folder / "opensm")
    answer = run_json("churn_bench", *arguments, "judge")
    ours, peer = answer["cut"]["ours"], answer["cut"]["peer"]
    churn = answer["churn"]
    return [
        Figure("one leaf-to-middle cable cut: entries changed", ours["entries"], "", peer["entries"],
               panel="Entries changed by one cut cable, 1,944 hosts (peer: ftree)", label="entries"),
        Figure("  over the unavoidable", ours["entries"] / ours["unavoidable"], "x",
               peer["entries"] / peer["unavoidable"], at_most=OF_UNAVOIDABLE),
        Figure("  blocks of 64 LIDs to send", ours["blocks"], "", peer["blocks"],
               panel="Entries changed by one cut cable, 1,944 hosts (peer: ftree)", label="blocks to send"),
        Figure("  switches touched", ours["switches"], "", peer["switches"]),
        Figure("  entries that differ once it is back", answer["cut"]["left_over"], "", at_most=0),
        Figure(f"{faults:,} cables and switches one after another: changed over unavoidable, in sum",
               churn["entries"] / churn["unavoidable"], "x", at_most=OF_UNAVOIDABLE),
        Figure("  entries that differ from tables computed afresh", churn["differs_from_fresh"], "", at_most=0),
        Figure("  entries that differ once all is back", churn["left_over"], "", at_most=0),
        Figure("  the slowest repair, proof included", churn["worst_repair_ms"], "ms"),
    ]  # fmt: skip


def measure(smoke: bool, folder: Path) -> list[Figure]:
    if smoke:
        figures = broken(HOSTS_128, "cables", 50, 1, folder / "cables")
        return figures + changes(HOSTS_128, 50, folder / "changes")
    figures = []
    for shape in (HOSTS_432, HOSTS_1944):
        for kind in KINDS:
            for permille in SHARES:
                figures += broken(shape, kind, permille, SEEDS, folder / f"series{len(figures)}")
    return figures + changes(HOSTS_1944, FAULTS, folder / "changes")

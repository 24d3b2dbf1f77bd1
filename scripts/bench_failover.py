"""From a cut cable to the last table block acknowledged, in ibsim: OpenSM with heddle's fast repair, beside OpenSM alone
on the same cuts with ftree and a file of the roots, and with updn. OpenSM alone has the plugin loaded as well, for its
record of every acknowledged block, and for nothing else."""

import random
import re
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench_figures import Figure, progress
from harness.live_image import Cabling, Image, Loss, levels_of
from harness.netlist import Cable, Netlist
from harness.plugin import PluginManager
from harness.process import HarnessError
from harness.programs import generate
from harness.repair_journal import Record, Tail
from harness.simulator import Simulator

FULL_SHAPE = ["fat-tree", "--levels", "3", "--radix", "24"]  # 3,456 hosts, 720 switches
SMOKE_SHAPE = ["fat-tree", "--levels", "3", "--radix", "8"]
LARGE_SHAPE = ["fat-tree", "--shape", "18,18,36:1,18,18:1,1,1"]  # 11,664 hosts, 1,620 switches
CUTS, PEER_CUTS, SMOKE_CUTS = 100, 10, 2
SEED = 4
QUIET_SECONDS = 1.0  # without a line in OpenSM's log: no sweep follows


class Manager(PluginManager):
    """OpenSM with an engine of its own; the plugin keeps the record."""

    def __init__(self, simulator: Simulator, folder: Path, host: str, engine: str, mode: str, roots: Path):
        self.journal = folder / "journal"
        settings = {"root_guid_file": str(roots)} if engine != "heddle" else {}
        super().__init__(simulator, folder, host, f"fast_repair={mode} repair_log={self.journal}", settings=settings)
        self.engine = f"{engine},no_fallback"

    def rest(self, seconds: float = 120) -> None:
        """Until no sweep has begun for a while."""
        deadline = time.monotonic() + seconds
        size, since = -1, time.monotonic()
        while time.monotonic() - since < QUIET_SECONDS:
            self.check_running()
            now = self.log.stat().st_size + self.journal.stat().st_size
            if now != size:
                size, since = now, time.monotonic()
            if time.monotonic() > deadline:
                raise HarnessError(f"no end of sweeps ({self.log})")
            time.sleep(0.05)


class Outcome(NamedTuple):
    """Of one cut."""

    seconds: float  # until the last block that changes anything is acknowledged
    blocks: int  # that change something
    written: int  # all that were acknowledged
    by_sweep: int  # of the blocks: those that the sweep had still to change
    pairs: int  # of hosts that the cut took away
    pair_seconds: float
    unconnected: int  # pairs that stay so


class Trial:
    """One OpenSM on one simulator, cut after cut."""

    def __init__(self, topology: Path, folder: Path, engine: str, mode: str, roots: Path):
        self.netlist = Netlist.read(topology)
        folder.mkdir(parents=True)
        self.folder = folder
        self.simulator = Simulator(topology, folder)
        self.manager = Manager(self.simulator, folder / "opensm", self.netlist.hosts[0], engine, mode, roots)
        self.cabling = Cabling(self.netlist)
        self.tail = Tail(self.manager.journal)
        self.left_over = 0  # entries for hosts that were not as before when the cable was back

    def __enter__(self) -> "Trial":
        try:
            self.simulator.start(300)
            self.manager.start(600)
            self.manager.sweep_again(600)
            self.manager.rest()
            self.image = Image.dumped(self.simulator, self.folder)
            self.lids = list(self.cabling.host_lids(self.image))
            self.tail.new()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.manager.stop()
        self.simulator.stop()

    def act(self, command: str) -> tuple[float, list[Record]]:
        """When it was given, and what followed."""
        before = self.manager.sweeps()
        begin = time.time()
        self.simulator.console([command])
        self.manager.wait_for_sweeps(before + 1, 300)
        self.manager.rest()
        records = self.tail.new()
        if any(record.word == "lost" for record in records):
            raise HarnessError("the record has a gap")
        return begin, records

    def cut(self, cable: Cable) -> Outcome:
        image = self.image.copy()
        # Before the clock runs: this takes as long as it takes.
        loss = Loss(self.cabling, image, cable, self.lids, 0)
        loss.begin, records = self.act(f"Unlink {cable.a.console()}")
        last, blocks, written, by_sweep, has_run = loss.begin, 0, 0, 0, False
        for record in records:
            has_run = has_run or record.word == "run"
            if record.word != "held":
                continue
            written += 1
            change = image.apply(record)
            if change is None:
                continue
            last, blocks = record.time, blocks + 1
            by_sweep += has_run
            loss.changed(change[1], record.time)
        outcome = Outcome(last - loss.begin, blocks, written, by_sweep, loss.pairs, loss.pair_seconds, loss.count())
        for record in self.act(f"ReLink {cable.a.console()}")[1]:
            if record.word == "held":
                image.apply(record)
        for switch, row in self.image.rows.items():
            if image.rows[switch] != row:
                self.left_over += sum(image.port(switch, lid) != row[lid] for lid in self.lids)
        self.image = image
        return outcome


def roots_of(netlist: Netlist, path: Path) -> Path:
    """The switches farthest from hosts, one GUID a line."""
    level = levels_of(netlist)
    top = max(level.values())
    path.write_text("".join(f"0x{node[2:]}\n" for node in netlist.switches if level[node] == top), encoding="utf-8")
    return path


def run(
    topology: Path, folder: Path, engine: str, mode: str, cuts: list[Cable], roots: Path
) -> tuple[list[Outcome], Trial]:
    with Trial(topology, folder, engine, mode, roots) as trial:
        outcomes = []
        for number, cable in enumerate(cuts):
            progress("failover", f"{engine}, cut {number + 1} of {len(cuts)}")
            outcomes.append(trial.cut(cable))
        return outcomes, trial


def figures_of(ours: list[Outcome], peers: dict[str, list[Outcome]], smoke: bool) -> list[Figure]:
    def of(outcomes: list[Outcome], key: str, how=statistics.median) -> float:
        return how([getattr(outcome, key) for outcome in outcomes])

    figures = []
    for name, theirs in peers.items():
        # The first cuts are those that the peer saw as well; targets are for all of them.
        same = ours[: len(theirs)]
        figures += [
            Figure(f"the same {len(theirs)} cuts with OpenSM alone and {name}: last block, median",
                   of(same, "seconds") * 1e3, "ms", of(theirs, "seconds") * 1e3),
            Figure("  slowest", of(same, "seconds", max) * 1e3, "ms", of(theirs, "seconds", max) * 1e3),
            Figure("  blocks that change, median", of(same, "blocks"), "", of(theirs, "blocks")),
            Figure("  pairs of hosts cut off, median", of(same, "pairs"), "", of(theirs, "pairs")),
            Figure("  pair-seconds lost, median", of(same, "pair_seconds"), "s", of(theirs, "pair_seconds")),
            Figure("  pair-seconds lost, most", of(same, "pair_seconds", max), "s", of(theirs, "pair_seconds", max)),
            Figure("  pairs that stay unconnected", of(same, "unconnected", sum), "", of(theirs, "unconnected", sum)),
        ]  # fmt: skip
    return [
        Figure(f"{len(ours)} cuts: from the cut to the last block acknowledged, median", of(ours, "seconds") * 1e3,
               "ms", at_most=None if smoke else 30),
        Figure("  slowest", of(ours, "seconds", max) * 1e3, "ms", at_most=None if smoke else 150),
        Figure("  blocks that change, median", of(ours, "blocks"), ""),
        Figure("  blocks that change, most", of(ours, "blocks", max), ""),
        Figure("  blocks that the sweep changes after it", of(ours, "by_sweep", sum), "", at_most=0),
        Figure("  pair-seconds lost, median", of(ours, "pair_seconds"), "s"),
        Figure("  pairs of hosts that stay unconnected", of(ours, "unconnected", sum), "", at_most=0),
        *figures,
    ]  # fmt: skip


def lock_time(folder: Path, shape: list[str], smoke: bool) -> list[Figure]:
    """How long OpenSM's lock is held by the engine, at its first run and the next."""
    folder.mkdir()
    topology = generate(folder / "fabric.topo", *shape)
    simulator = Simulator(topology, folder)
    manager = PluginManager(simulator, folder / "opensm", Netlist.read(topology).hosts[0], "fast_repair=off")
    try:
        simulator.start(600)
        manager.start(900)
        manager.sweep_again(900)
        line = r"heddle: routed with .* (\d+) hosts, (\d+) switches.*; lock held for ([\d.]+) ms"
        runs = re.findall(line, manager.text())
    finally:
        manager.stop()
        simulator.stop()
    if len(runs) < 2:
        raise HarnessError("the log tells no time of the lock")
    hosts, switches = int(runs[0][0]), int(runs[0][1])
    target = None if smoke else 500
    return [
        Figure(f"OpenSM's lock held by the engine, {hosts:,} hosts / {switches:,} switches, first run",
               float(runs[0][2]), "ms", at_most=target),
        Figure("  the next run", float(runs[-1][2]), "ms", at_most=target),
    ]  # fmt: skip


def measure(smoke: bool) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="heddle-failover-") as name:
        folder = Path(name)
        topology = generate(folder / "fabric.topo", *(SMOKE_SHAPE if smoke else FULL_SHAPE))
        netlist = Netlist.read(topology)
        roots = roots_of(netlist, folder / "roots")
        cables = [cable for cable in netlist.cables if cable.between_switches()]
        cuts = random.Random(SEED).sample(cables, SMOKE_CUTS if smoke else CUTS)
        peer_cuts = cuts if smoke else cuts[:PEER_CUTS]
        ours, trial = run(topology, folder / "heddle", "heddle", "on", cuts, roots)
        peers = {
            engine: run(topology, folder / engine, engine, "off", peer_cuts, roots)[0] for engine in ("ftree", "updn")
        }
        figures = figures_of(ours, peers, smoke)
        figures.append(Figure("entries that differ once a cable is back", trial.left_over, "", at_most=0))
        progress("failover", "the engine alone")
        return figures + lock_time(folder / "large", SMOKE_SHAPE if smoke else LARGE_SHAPE, smoke)

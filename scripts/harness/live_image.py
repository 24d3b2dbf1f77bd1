"""What the switches of a simulated fabric hold, kept up to date from a plugin's repair_log, and what of a fabric's traffic
a dead cable takes with it until new entries are in place."""

import itertools
import os
import re
import subprocess
from pathlib import Path
from typing import Iterator

from .netlist import Cable, End, Netlist
from .process import HarnessError
from .repair_journal import Record
from .simulator import Simulator

NOWHERE = 255
MOST_HOPS = 16


class Image:
    """Forwarding tables by switch; ports as in LinearForwardingTable."""

    def __init__(self, rows: dict[str, bytearray]):
        self.rows = rows

    @staticmethod
    def dumped(simulator: Simulator, folder: Path, seconds: float = 300) -> "Image":
        """As dump_fts reads them; a file, as the text is long."""
        path = folder / "dump_fts"
        with path.open("wb") as output:
            subprocess.run(
                ["dump_fts"],
                cwd=folder,
                env={**os.environ, **simulator.environment()},
                stdout=output,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                check=True,
            )
        rows: dict[str, bytearray] = {}
        row = bytearray()
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("0x"):
                    lid = int(line[2:6], 16)
                    if lid >= len(row):
                        row.extend(bytes([NOWHERE]) * (lid + 1 - len(row)))
                    row[lid] = int(line[7:10])
                elif head := re.match(r"Unicast.* guid 0x([0-9a-f]+)", line):
                    row = rows.setdefault(f"S-{head[1]}", bytearray())
        path.unlink()
        if not rows:
            raise HarnessError("dump_fts shows no table")
        length = (max(map(len, rows.values())) + 63) // 64 * 64
        for held in rows.values():
            held.extend(bytes([NOWHERE]) * (length - len(held)))
        return Image(rows)

    def copy(self) -> "Image":
        return Image({switch: bytearray(row) for switch, row in self.rows.items()})

    def apply(self, held: Record) -> tuple[str, range] | None:
        """Enters a block that was acknowledged; where it is, if that changes anything."""
        guid, number = held.place()
        switch, lids, ports = "S-" + guid[2:], range(number * 64, number * 64 + 64), held.ports()
        row = self.rows[switch]
        # What OpenSM never wrote it may hold as 0, and dump_fts leaves out.
        if lids.start >= len(row) or row[lids.start : lids.stop] == ports:
            return None
        row[lids.start : lids.stop] = ports
        return switch, lids

    def port(self, switch: str, lid: int) -> int:
        return self.rows[switch][lid]


class Cabling:
    """Who is behind a port."""

    def __init__(self, netlist: Netlist):
        self.peer: dict[End, End] = {}
        for cable in netlist.cables:
            self.peer[cable.a], self.peer[cable.b] = cable.b, cable.a
        self.hosts_of: dict[str, int] = {}
        for cable in netlist.cables:
            for end, other in ((cable.a, cable.b), (cable.b, cable.a)):
                if end.node.startswith("S-") and other.node.startswith("H-"):
                    self.hosts_of[end.node] = self.hosts_of.get(end.node, 0) + 1

    def arrives(self, image: Image, leaf: str, lid: int, dead: set[End]) -> bool:
        """Whether packets from the hosts of a leaf to a host's LID come to some host."""
        node = leaf
        for _ in range(MOST_HOPS):
            out = End(node, image.port(node, lid))
            if out in dead or out not in self.peer:
                return False
            node = self.peer[out].node
            if node.startswith("H-"):
                return True
        return False

    def host_lids(self, image: Image) -> Iterator[int]:
        """LIDs that some leaf hands to a host."""
        found = set()
        for switch in self.hosts_of:
            for lid, port in enumerate(image.rows[switch]):
                if port != NOWHERE and self.peer.get(End(switch, port), End("", 0)).node.startswith("H-"):
                    found.add(lid)
        return iter(sorted(found))


class Loss:
    """Pairs of hosts that a dead cable has cut off, until they are connected again."""

    def __init__(self, cabling: Cabling, image: Image, cable: Cable, host_lids: list[int], begin: float):
        self.cabling, self.image, self.begin = cabling, image, begin
        self.dead = {cable.a, cable.b}
        self.lost: dict[int, set[str]] = {}
        self.pair_seconds = 0.0
        affected = {lid for end in cable for lid in host_lids if image.port(end.node, lid) == end.port}
        for lid in affected:
            cut = {leaf for leaf in cabling.hosts_of if not cabling.arrives(image, leaf, lid, self.dead)}
            if cut:
                self.lost[lid] = cut
        self.pairs = self.count()

    def count(self) -> int:
        return sum(self.cabling.hosts_of[leaf] for leaves in self.lost.values() for leaf in leaves)

    def changed(self, lids: range, time: float) -> None:
        """A block of those LIDs is in place."""
        for lid in lids:
            for leaf in list(self.lost.get(lid, ())):
                if self.cabling.arrives(self.image, leaf, lid, self.dead):
                    self.lost[lid].discard(leaf)
                    self.pair_seconds += self.cabling.hosts_of[leaf] * (time - self.begin)


class Watch:
    """Judges every state of a tree's tables while a repair is written: from each switch to each host LID, what arrived goes
    on to arrive, nothing circles that did not, and nothing goes up after it went down, which is what a dependency cycle
    in one lane needs."""

    ARRIVES, LOST, CIRCLES = "arrives", "lost", "circles"

    def __init__(self, netlist: Netlist, image: Image, dead: set[End], host_lids: list[int]):
        self.cabling, self.image, self.dead = Cabling(netlist), image, dead
        self.level = levels_of(netlist)
        self.lids = set(host_lids)
        self.faults: list[str] = []
        self.states = 0
        self.fate: dict[tuple[str, int], str] = {}
        for lid in host_lids:
            self.judge(lid, first=True)

    def applied(self, lids: range) -> None:
        """A block of those LIDs is in place."""
        self.states += 1
        for lid in lids:
            if lid in self.lids:
                self.judge(lid, first=False)

    def judge(self, lid: int, first: bool) -> None:
        for switch in self.image.rows:
            fate, turns = self.walk(switch, lid)
            before = self.fate.get((switch, lid))
            self.fate[switch, lid] = fate
            if first:
                continue
            if before == self.ARRIVES and fate != self.ARRIVES:
                self.faults.append(f"{switch} to LID {lid} {fate}")
            elif before != self.CIRCLES and fate == self.CIRCLES:
                self.faults.append(f"{switch} to LID {lid} circles")
            if turns:
                self.faults.append(f"{switch} to LID {lid} goes up after down")

    def walk(self, switch: str, lid: int) -> tuple[str, bool]:
        node, went_down = switch, False
        for _ in range(MOST_HOPS):
            out = End(node, self.image.port(node, lid))
            if out in self.dead or out not in self.cabling.peer:
                return self.LOST, False
            behind = self.cabling.peer[out].node
            if behind.startswith("H-"):
                return self.ARRIVES, False
            is_down = self.level[behind] < self.level[node]
            if went_down and not is_down:
                return self.LOST, True
            went_down, node = is_down, behind
        return self.CIRCLES, False


def levels_of(netlist: Netlist) -> dict[str, int]:
    """Steps from the nearest host."""
    near: dict[str, set[str]] = {}
    for a, b in ((cable.a.node, cable.b.node) for cable in netlist.cables):
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    level: dict[str, int] = {}
    ring = set(netlist.hosts)
    for step in itertools.count():
        level.update({node: step for node in ring})
        ring = {other for node in ring for other in near.get(node, ())} - set(level)
        if not ring:
            return level

"""Tables as OpenSM's tools print them; what its own routing engines make of a fabric, and the lanes that they need."""

import re
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from .netlist import Netlist
from .process import HarnessError
from .simulator import Simulator, SubnetManager


def entries(text: str) -> dict[tuple[str, int], int]:
    """Ports by switch GUID and LID of what dump_fts prints."""
    found: dict[tuple[str, int], int] = {}
    guid = ""
    for line in text.splitlines():
        if head := re.match(r"Unicast.* guid (0x[0-9a-f]+)", line):
            guid = head[1]
        elif entry := re.match(r"(0x[0-9a-f]+) (\d+)", line):
            found[guid, int(entry[1], 16)] = int(entry[2])
    return found


def multicast_ports(text: str, group: int) -> dict[str, set[int]]:
    """Ports of a multicast LID by switch, for switches of up to 9 ports, of what `dump_fts -M` prints: a column a port."""
    found: dict[str, set[int]] = {}
    switch = ""
    ports: dict[int, int] = {}
    for line in text.splitlines():
        if head := re.match(r"Multicast mlids .* guid 0x([0-9a-f]+)", line):
            switch = f"S-{head[1]}"
        elif line.strip().startswith("Ports:"):
            ports = {match.start(): int(match[0]) for match in re.finditer(r"\d+", line)}
        elif (entry := re.match(r"(0x[0-9a-f]+) ", line)) and int(entry[1], 16) == group:
            found[switch] = {ports[match.start()] for match in re.finditer("x", line) if match.start() > 1}
    return found


class EngineTables(NamedTuple):
    tables: str | None  # as dump_fts prints them; none if the lanes of the fabric did not suffice
    milliseconds: float | None  # from the line of its log that routing begins to that all switches are configured
    lanes: int  # "Virtual Lanes needed" of its log; 1 for engines that have no lanes


class _Trial(SubnetManager):
    # Without QoS it programs no lanes; the log tells how many an engine needs.
    OPTIONS = SubnetManager.OPTIONS | {"qos": "TRUE"}
    LOG_FLAGS = "0x07"  # also when routing begins

    def too_few_lanes(self) -> bool:
        return b"Not enough VLs" in self.log.read_bytes()

    def sweeps(self) -> int:
        # It would try the same again and again.
        return 1 if self.too_few_lanes() else super().sweeps()


def _moment(log: str, text: str) -> datetime:
    """When a line was logged; the log names no year."""
    found = re.search(rf"^(\w{{3}} \d\d \d\d:\d\d:\d\d) (\d{{6}}) .*{text}", log, re.MULTILINE)
    if not found:
        raise HarnessError(f"OpenSM's log has no line '{text}'")
    return datetime.strptime(f"2000 {found[1]} {found[2]}", "%Y %b %d %H:%M:%S %f")


def opensm_tables(topology: Path, engine: str, folder: Path, seconds: float = 120) -> EngineTables:
    """Runs OpenSM with `engine`, and no other in its place, on a simulated fabric until the subnet is up."""
    folder.mkdir(parents=True, exist_ok=True)
    simulator = Simulator(topology, folder)
    manager = _Trial(simulator, folder / "opensm", Netlist.read(topology).hosts[0], f"{engine},no_fallback")
    try:
        simulator.start(seconds)
        manager.start(seconds)
        log = manager.log.read_text(errors="replace")
        needed = [int(lanes) for lanes in re.findall(r"Virtual Lanes needed: (\d+)", log)] or [1]
        if manager.too_few_lanes():
            return EngineTables(None, None, needed[-1])
        if f"{engine} tables configured" not in log:
            raise HarnessError(f"OpenSM has not routed {topology} with {engine}")
        spent = _moment(log, f"{engine} tables configured on all switches") - _moment(log, "building routing with")
        tables = simulator.tool("dump_fts", seconds=seconds)
        return EngineTables(tables, spent.total_seconds() * 1000, needed[-1])
    finally:
        manager.stop()
        simulator.stop()

"""What OpenSM's own routing engines make of a fabric: their tables, and the virtual lanes that they need."""

import re
from pathlib import Path
from typing import NamedTuple

from .netlist import Netlist
from .process import HarnessError
from .simulator import Simulator, SubnetManager


class EngineTables(NamedTuple):
    tables: str | None  # as dump_fts prints them; none if the lanes of the fabric did not suffice
    lanes: int  # "Virtual Lanes needed" of its log; 1 for engines that have no lanes


class _Trial(SubnetManager):
    # Without QoS it programs no lanes; the log tells how many an engine needs.
    OPTIONS = SubnetManager.OPTIONS | {"qos": "TRUE"}

    def too_few_lanes(self) -> bool:
        return b"Not enough VLs" in self.log.read_bytes()

    def sweeps(self) -> int:
        # It would try the same again and again.
        return 1 if self.too_few_lanes() else super().sweeps()


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
            return EngineTables(None, needed[-1])
        if f"{engine} tables configured" not in log:
            raise HarnessError(f"OpenSM has not routed {topology} with {engine}")
        return EngineTables(simulator.tool("dump_fts", seconds=seconds), needed[-1])
    finally:
        manager.stop()
        simulator.stop()

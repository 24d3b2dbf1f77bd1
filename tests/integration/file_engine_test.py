"""heddle's tables without its plugin: OpenSM's `file` engine writes what `heddle route --lfts-out` made."""

import contextlib
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Iterator

from plugin_case import DRAGONFLY, TREE2, TREE3, judge_tables

from harness.netlist import Netlist
from harness.opensm_tables import entries
from harness.programs import generate, heddle
from harness.simulator import Simulator, SubnetManager


class FileManager(SubnetManager):
    """Routes with tables from a file, and with nothing else."""

    def __init__(self, simulator: Simulator, folder: Path, attach_to: str, tables: Path):
        super().__init__(simulator, folder, attach_to, "file,no_fallback")
        self.OPTIONS = SubnetManager.OPTIONS | {"lfts_file": str(tables)}


@contextlib.contextmanager
def running(manager: SubnetManager) -> Iterator[SubnetManager]:
    try:
        manager.start()
        yield manager
    finally:
        manager.stop()


class FileEngine(unittest.TestCase):
    def check(self, shape: list[str]) -> None:
        with TemporaryDirectory() as name:
            self.folder = Path(name)
            self.simulator = Simulator(generate(self.folder / "plain", *shape), self.folder)
            self.simulator.start()
            try:
                self.check_running()
            finally:
                self.simulator.stop()

    def route(self, *options: str) -> Path:
        """Tables of heddle's for the fabric as it is now."""
        fabric, tables = self.folder / "fabric", self.folder / "mine"
        fabric.write_text(self.simulator.tool("ibnetdiscover"), encoding="utf-8")
        done = heddle("route", str(fabric), "--max-lanes", "1", "--lfts-out", str(tables), *options)
        # A cut leaves switch LIDs out of one lane, which counts as not good; hosts are judged below.
        self.assertIn(done.returncode, (0, 1) if options else (0,), done.stdout + done.stderr)
        return tables

    def check_written(self, mine: Path) -> None:
        held = self.folder / "held"
        held.write_text(self.simulator.tool("dump_fts"), encoding="utf-8")
        self.assertEqual(entries(held.read_text()), entries(mine.read_text()))
        judge_tables(self, self.folder / "fabric", held)

    def check_running(self) -> None:
        netlist = Netlist.read(self.simulator.topology)
        opensm = self.folder / "opensm"  # the LIDs that OpenSM gave out stay in a file there
        with running(SubnetManager(self.simulator, opensm, netlist.hosts[0])):
            others = entries(self.simulator.tool("dump_fts"))
            mine = self.route()
        self.assertNotEqual(entries(mine.read_text()), others)
        with running(FileManager(self.simulator, opensm, netlist.hosts[0], mine)) as manager:
            self.check_written(mine)
            cable = next(cable for cable in netlist.cables if cable.between_switches())
            self.simulator.console([f"Unlink {cable.a.console()}"])
            manager.wait_for_sweeps(2, 60)
            self.assertEqual(entries(self.simulator.tool("dump_fts")), entries(mine.read_text()), "a file repairs nothing")
            before = self.folder / "before"
            before.write_text(mine.read_text())
            self.assertNotEqual(self.route("--previous", str(before)).read_text(), before.read_text())
            manager.sweep_again()
            self.check_written(mine)
            self.assertIn("file tables configured on all switches", manager.log.read_text(errors="replace"))

    def test_tree_of_two_levels(self):
        self.check(TREE2)

    def test_tree_of_three_levels(self):
        self.check(TREE3)

    def test_dragonfly_in_the_one_lane_that_a_file_can_say(self):
        self.check(DRAGONFLY)


if __name__ == "__main__":
    unittest.main(verbosity=2)

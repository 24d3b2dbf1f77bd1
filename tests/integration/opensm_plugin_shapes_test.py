"""Bring-up on fabrics of every shape: what the switches hold is what `heddle route` makes, sound for `heddle check` and
route_check with the switches' own LIDs, and free of credit loops for ibdmchk; likewise in one lane, as far as that goes."""

import json
import os
import re
import unittest
from pathlib import Path

from plugin_case import DRAGONFLY, DRAGONFLY_PLUS, TREE2, TREE3, PluginCase, Running
from rail_fabric import Rails

from harness.ibdmchk import LOG_FLAGS, credit_loop
from harness.opensm_tables import entries
from harness.programs import heddle


def real_rails() -> str | None:
    """40 switches of a GPU cluster, where HEDDLE_SHARED has it."""
    shared = os.environ.get("HEDDLE_SHARED")
    return (Path(shared) / "fabrics" / "ndr-rails-40sw.topo").read_text(encoding="utf-8") if shared else None


class Shapes(PluginCase):
    def check_with_lanes(self, shape: list[str] | str, engine: str, *, needs_lanes: bool) -> None:
        with self.running(shape, qos=True, log_flags=LOG_FLAGS) as running:
            levels, maps = running.folder / "levels", running.folder / "maps"
            self.check_tables(running, engine, "--sl-out", str(levels), "--sl2vl-out", str(maps))
            self.assertNotIn("heddle: ERR", running.manager.text())
            dumps, fabric = running.manager.folder, running.folder / "fabric"
            self.assertEqual(entries((dumps / "opensm-lfts.dump").read_text(encoding="utf-8")), running.tables())
            self.assertFalse(credit_loop(dumps, fabric, levels, maps))
            # Adapters alone: they are all that it judges.
            self.assertEqual(credit_loop(dumps), needs_lanes)
            self.check_levels(running, levels)
            self.assertEqual(running.manager.engines(), ["heddle"])

    def check_levels(self, running: Running, levels: Path) -> None:
        """Path records say them: of a few pairs that have one above 0, and of a pair that has not."""
        raised = [tuple(map(int, line.split())) for line in levels.read_text(encoding="utf-8").splitlines()]
        a, b = running.lid(running.netlist.hosts[0]), running.lid(running.netlist.hosts[-1])
        named = {(source, destination) for source, destination, _ in raised}
        plain = [] if (a, b) in named else [(a, b, 0)]
        for source, destination, level in [*raised[:: len(raised) // 3 + 1], *plain]:
            text = running.simulator.tool("saquery", "-p", "--src-to-dst", f"{source}:{destination}")
            self.assertRegex(text, rf"\bsl\.+0x{level:x}\b")

    def check_in_one_lane(self, shape: list[str] | str, *, delivers_all_adapters: bool) -> None:
        with self.running(shape, log_flags=LOG_FLAGS) as running:
            self.assertIn(" 1 lane, ", running.manager.text())
            # What one lane does not hold is left out with an alarm that counts right.
            fabric, tables = running.files()
            found = json.loads(heddle("check", str(fabric), str(tables), "--switch-lids", "--json").stdout)
            said = re.search(r"ERR HD02: (\d+) pairs", running.manager.text())
            self.assertEqual(found["unreachable"], int(said[1]) if said else 0)
            self.assertEqual((found["looping"], found["cycle"]), (0, []))
            if delivers_all_adapters:
                self.judge(fabric, tables)
                self.assertFalse(credit_loop(running.manager.folder))
            else:
                self.assertIsNotNone(said)
            self.assertEqual(running.manager.engines(), ["heddle"])

    def check(
        self, shape: list[str] | str, engine: str, *, needs_lanes: bool = False, delivers_all_in_one: bool = True
    ) -> None:
        with self.subTest(lanes="all"):
            self.check_with_lanes(shape, engine, needs_lanes=needs_lanes)
        with self.subTest(lanes="one"):
            self.check_in_one_lane(shape, delivers_all_adapters=delivers_all_in_one)

    def test_fat_tree_of_two_levels(self):
        self.check(TREE2, "fat-tree")

    def test_fat_tree_of_three_levels(self):
        self.check(TREE3, "fat-tree")

    def test_dragonfly(self):
        self.check(DRAGONFLY, "dragonfly", needs_lanes=True)

    def test_dragonfly_plus(self):
        self.check(DRAGONFLY_PLUS, "dragonfly-plus")

    # Those on spines reach each other by way of a leaf, up after down.
    def test_rails_with_aggregation_nodes_on_every_switch(self):
        self.check(Rails().text(), "fat-tree", delivers_all_in_one=False)
        if real := real_rails():
            with self.subTest(fabric="real"):
                self.check(real, "fat-tree", needs_lanes=True, delivers_all_in_one=False)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""The routing engine in a real OpenSM on a simulator: its tables are proved good, they are what `heddle route` makes of
the same fabric, and where the engine does not serve OpenSM routes with the next."""

import re
import unittest

from plugin_case import DRAGONFLY, TREE2, TREE3, PluginCase, Running

from harness.opensm_tables import entries
from harness.process import wait_until
from harness.programs import heddle


class OpensmPlugin(PluginCase):
    def check_trees(self, shape: list[str]) -> None:
        with self.running(shape) as running:
            self.check_tables(running, "fat-tree")
            before = running.tables()
            a, b = running.lid(running.netlist.hosts[0]), running.lid(running.netlist.hosts[-1])
            self.assertIn("To ca", running.simulator.tool("ibtracert", str(a), str(b)))
            running.manager.sweep_again()
            self.assertEqual(running.tables(), before)
            cable = next(cable for cable in running.netlist.cables if cable.between_switches())
            self.change(running, f"Unlink {cable.a.console()}")
            self.assertNotEqual(self.judge_now(running), before)
            self.change(running, f"ReLink {cable.a.console()}")
            wait_until("the tables of before", 30, lambda: running.tables() == before)
            self.assertEqual(set(running.manager.engines()), {"heddle"})

    def change(self, running: Running, command: str) -> None:
        sweeps = running.manager.sweeps()
        running.simulator.console([command])
        running.manager.wait_for_sweeps(sweeps + 1, 60)

    def test_tree_of_two_levels_is_routed_and_a_cut_cable_comes_back_to_the_same_tables(self):
        self.check_trees(TREE2)

    def test_tree_of_three_levels_is_routed_and_a_cut_cable_comes_back_to_the_same_tables(self):
        self.check_trees(TREE3)

    def test_slow_cable_gets_less_as_on_the_command_line(self):
        with self.running(TREE2, slow=True) as running:
            self.check_tables(running, "fat-tree")
            fabric, _ = running.files()
            text = fabric.read_text(encoding="utf-8")
            self.assertRegex(text, r" 1xHDR")
            whole = running.folder / "whole"
            whole.write_text(text.replace(" 1xHDR", " 4xHDR"), encoding="utf-8")
            tables = running.folder / "whole-tables"
            done = heddle("route", str(whole), "--lfts-out", str(tables))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(entries(tables.read_text(encoding="utf-8")), running.tables())

    def test_dragonfly_with_qos_gets_its_lanes_in_sl2vl_tables(self):
        with self.running(DRAGONFLY, qos=True) as running:
            levels, maps = running.folder / "levels", running.folder / "maps"
            self.check_tables(running, "dragonfly", "--sl-out", str(levels), "--sl2vl-out", str(maps))
            self.assertNotIn("HD05", running.manager.text())
            text = running.files()[0].read_text(encoding="utf-8")
            lids = dict(re.findall(r'^Switch\s+\d+ "S-([0-9a-f]+)".* lid (\d+) ', text, re.MULTILINE))
            wanted = [line.split() for line in maps.read_text(encoding="utf-8").splitlines()]
            self.assertGreater(len(wanted), 0)
            for guid, into, out, *lanes in wanted[::7]:
                table = running.simulator.tool("smpquery", "sl2vl", lids[guid.removeprefix("0x")], out)
                shown = re.search(rf"in +{into}, out +{out}: \|(.*)\|", table)
                self.assertIsNotNone(shown, table)
                # Ports of the simulator have eight data lanes.
                self.assertEqual([int(lane) for lane in shown[1].split("|")][:8], [int(lane) for lane in lanes[:8]])
                self.assertNotEqual(lanes[0], "0")

    def test_dragonfly_without_qos_is_routed_in_one_lane(self):
        with self.running(DRAGONFLY) as running:
            self.judge_now(running)
            self.assertEqual(running.manager.engines(), ["heddle"])
            self.assertIn(" 1 lane, ", running.manager.text())
            self.assertIn("ERR HD05: up-down in place of dragonfly", running.manager.text())

    def test_path_records_carry_the_level_of_the_tables(self):
        with self.running(DRAGONFLY, "engine=layered", qos=True) as running:
            levels = running.folder / "levels"
            self.check_tables(running, "layered", "--sl-out", str(levels), route=("--engine", "layered"))
            raised = [line.split() for line in levels.read_text(encoding="utf-8").splitlines()]
            self.assertGreater(len(raised), 0)
            for source, destination, level in raised[:4]:
                text = running.simulator.tool("saquery", "-p", "--src-to-dst", f"{source}:{destination}")
                self.assertRegex(text, rf"\bsl\.+0x{int(level):x}\b")

    def test_next_engine_routes_where_the_engine_fails(self):
        with self.running(TREE2, "test_fail=1") as running:
            self.judge_now(running)
            self.assertEqual(running.manager.engines(), ["updn"])
            self.assertIn("ERR HD01: no tables, the next engine has its turn: test_fail=1", running.manager.text())

    def test_next_engine_routes_where_the_options_are_wrong(self):
        with self.running(TREE2, "max_lanes=many") as running:
            self.assertEqual(running.manager.engines(), ["updn"])
            self.assertEqual(running.manager.text().count("ERR HD03"), 1)
            self.assertIn("max_lanes=many: not a number from 1 to 15", running.manager.text())

    def test_options_come_from_a_file_and_what_stands_beside_it_holds_over_it(self):
        files = {"options": "# as an operator writes it\nengine=layered threads=1  # one will do\nplaces=none\n"}
        with self.running(TREE2, "config=FOLDER/options", files=files) as running:
            self.check_tables(running, "layered", route=("--engine", "layered"))
            self.assertFalse((running.manager.folder / "heddle-places").exists())
        with self.running(TREE2, "config=FOLDER/options engine=auto", files=files) as running:
            self.check_tables(running, "fat-tree")

    def test_next_engine_routes_where_the_file_of_options_is_wrong_or_missing(self):
        files = {"options": "threads=1\nmax_lanes=many\n"}
        for name, reason in (("options", ":2: max_lanes=many: not a number from 1 to 15"), ("nowhere", ": cannot be opened: ")):
            with self.subTest(name=name), self.running(TREE2, f"config=FOLDER/{name}", files=files) as running:
                self.judge_now(running)
                self.assertEqual(running.manager.engines(), ["updn"])
                self.assertEqual(running.manager.text().count("ERR HD"), 1)
                said = f"ERR HD03: not loaded: event_plugin_options: {running.folder}/{name}{reason}"
                self.assertIn(said, running.manager.text())


if __name__ == "__main__":
    unittest.main(verbosity=2)

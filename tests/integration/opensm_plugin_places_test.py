"""What was once there outlives OpenSM: one that is killed and started anew while something is away makes the tables of
before, and when it is back those of the healthy fabric. Without the file it does not."""

import shutil
import unittest
from pathlib import Path

from plugin_case import DRAGONFLY, TREE2, TREE3, PluginCase, Running, Tables, leaf_of

from harness.opensm_tables import entries
from harness.process import wait_until
from harness.programs import heddle

FILE = "heddle-places"


class Places(PluginCase):
    def start_anew(self, running: Running) -> None:
        running.manager.kill()
        running.manager.start()
        running.manager.settle()
        self.assertEqual(set(running.manager.engines()), {"heddle"})

    def file(self, running: Running) -> Path:
        return running.manager.folder / FILE

    def wait_for_file(self, running: Running) -> str:
        wait_until("the file of places", 10, self.file(running).exists)
        return self.file(running).read_text(encoding="utf-8")

    def part_to_cut(self, running: Running, what: str) -> str:
        """As ibsim's console takes it. A leaf is one of the first, so that those that are left are counted otherwise."""
        cables = running.netlist.cables
        if what == "cable":
            return next(cable for cable in cables if cable.between_switches()).a.console()
        kept = leaf_of(running, running.manager.attach_to)
        leaf = next(leaf for host in running.netlist.hosts if (leaf := leaf_of(running, host)) != kept)
        return f'"{leaf}"'

    def cut_and_restart(self, running: Running, what: str) -> tuple[Tables, Tables, Tables, Tables]:
        """Whole, damaged, damaged after the restart, whole after the return."""
        # With lanes `heddle check` would ask for them too.
        whole = running.tables() if running.qos else self.judge_now(running)
        part = self.part_to_cut(running, what)
        self.change(running, f"Unlink {part}")
        damaged = running.tables()
        self.assertNotEqual(damaged, whole)
        self.start_anew(running)
        again = running.tables()
        self.change(running, f"ReLink {part}")
        return whole, damaged, again, running.tables()

    def check_restart(self, shape: list[str], what: str, **named) -> None:
        with self.running(shape, **named) as running:
            text = self.wait_for_file(running)
            whole, damaged, again, back = self.cut_and_restart(running, what)
            self.assertEqual(again, damaged)
            self.assertEqual(back, whole)
            self.assertIn("nodes remembered in", running.manager.text())
            self.assertEqual(self.file(running).read_text(encoding="utf-8"), text)
            self.assertNotIn("HD08", running.manager.text())

    def test_a_restart_while_a_cable_is_away_moves_nothing(self):
        self.check_restart(TREE2, "cable")

    def test_a_restart_while_a_leaf_is_away_moves_nothing(self):
        self.check_restart(TREE3, "leaf")

    def test_a_restart_while_a_switch_of_a_dragonfly_is_away_moves_nothing(self):
        self.check_restart(DRAGONFLY, "leaf", qos=True)

    def test_without_the_file_the_restart_moves_routes(self):
        with self.running(TREE3, "places=none") as running:
            _, damaged, again, _ = self.cut_and_restart(running, "leaf")
            self.assertNotEqual(again, damaged)
            self.assertFalse(self.file(running).exists())

    def test_the_command_line_makes_the_same_tables_from_the_file(self):
        with self.running(TREE3) as running:
            self.wait_for_file(running)
            self.change(running, f"Unlink {self.part_to_cut(running, 'leaf')}")
            self.start_anew(running)
            fabric, tables = running.files()
            slots, mine = running.folder / "slots", running.folder / "mine"
            shutil.copy(self.file(running), slots)
            done = heddle("route", str(fabric), "--slots", str(slots), "--lfts-out", str(mine))
            self.assertEqual(done.returncode, 0, done.stderr)
            live = entries(tables.read_text(encoding="utf-8"))
            self.assertEqual(entries(mine.read_text(encoding="utf-8")), live)
            done = heddle("route", str(fabric), "--lfts-out", str(mine))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(entries(mine.read_text(encoding="utf-8")), live)

    def test_a_file_of_no_use_is_told_and_kept_aside(self):
        with self.running(TREE2) as running:
            whole = self.judge_now(running)
            good = self.wait_for_file(running)
            self.file(running).write_text(bad := good[: len(good) // 2], encoding="utf-8")
            self.start_anew(running)
            self.assertEqual(self.judge_now(running), whole)
            self.assertEqual(running.manager.text().count("ERR HD08"), 1)
            self.assertRegex(running.manager.text(), rf"ERR HD08: places: {self.file(running)}:\d+: ")
            aside = self.file(running).with_name(f"{FILE}.bad")
            self.assertEqual(aside.read_text(encoding="utf-8"), bad)
            self.assertEqual(self.wait_for_file(running), good)

    def test_without_its_folder_it_is_told_once_and_routes_are_made(self):
        with self.running(TREE2, "places=/nowhere/at/all") as running:
            self.judge_now(running)
            wait_until("the line", 10, lambda: "ERR HD08" in running.manager.text())
            running.manager.sweep_again()
            self.assertEqual(running.manager.text().count("ERR HD08"), 1)
            self.assertIn("places: /nowhere/at/all: cannot be written: No such file", running.manager.text())


if __name__ == "__main__":
    unittest.main(verbosity=2)

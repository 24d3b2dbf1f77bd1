"""Fast repair under a real OpenSM: what a death needs is in the switches before OpenSM's sweep has routed, the sweep
finds nothing to add, and observing writes nothing."""

import os
import random
import unittest

import opensm_plugin_cables_test as cables
import opensm_plugin_changes_test as changes
import opensm_plugin_settings_test as settings
from plugin_case import TREE2, TREE3, PluginCase, Running, cables_of, leaf_of, spine_of

from harness.live_image import Cabling, Image, Watch
from harness.netlist import Cable
from harness.process import wait_until
from harness.repair_journal import Record, Tail

JOURNAL = "repair_log=FOLDER/journal"
TREE128 = ["fat-tree", "--levels", "3", "--radix", "8"]
# Cuts whose every state is judged; a thousand take half an hour.
REPLAYS = int(os.environ.get("HEDDLE_REPLAYS", "8"))
SEED = int(os.environ.get("HEDDLE_SEED", "1"))


def of(records: list[Record], word: str) -> list[Record]:
    return [record for record in records if record.word == word]


class Repair(PluginCase):
    def act(self, running: Running, *commands: str) -> list[Record]:
        """What the journal says of it, until OpenSM has nothing more to write."""
        tail = self.tail(running)
        tail.new()
        running.simulator.console(list(commands))
        records: list[Record] = []

        def has_run() -> bool:
            records.extend(tail.new())
            return bool(of(records, "run"))

        wait_until("a run of the engine", 60, has_run)
        running.manager.settle()
        return records + tail.new()

    def act_to_run(self, running: Running, *commands: str) -> list[Record]:
        return self.to_run(self.act(running, *commands))

    def tail(self, running: Running) -> Tail:
        if getattr(running, "tail", None) is None:
            running.tail = Tail(running.folder / "journal")
        return running.tail

    @staticmethod
    def to_run(records: list[Record]) -> list[Record]:
        """Up to the first run of the engine, which is the last of them."""
        return records[: next(i for i, record in enumerate(records) if record.word == "run") + 1]

    def check_written(self, records: list[Record]) -> None:
        """Each step is in place before the next is sent, all before the engine runs, and nothing is left to it."""
        waiting: dict[tuple[str, int], bytes] = {}
        step = "0"
        for record in records:
            if record.word == "set":
                if record.rest[0] != step:
                    self.assertFalse(waiting, f"step {record.rest[0]} does not wait for the one before")
                step = record.rest[0]
                waiting[record.place()] = record.ports()
            elif record.word == "held" and waiting.get(record.place()) == record.ports():
                del waiting[record.place()]
        self.assertTrue(of(records, "set"))
        self.assertTrue(of(records, "done"))
        self.assertFalse(waiting)

    def cut_and_return(self, running: Running, cable: Cable) -> None:
        with self.subTest(cable=cable):
            before = self.judge_now(running)
            records = self.act_to_run(running, f"Unlink {cable.a.console()}")
            self.check_written(records)
            self.assertEqual(len(of(records, "dead")), 1, records)
            self.assertEqual(records[-1].rest[-1], "0", "the sweep has nothing to add")
            after = self.judge_now(running)
            self.assertNotEqual(after, before)
            # What comes back is left to the sweep.
            records = self.act_to_run(running, f"ReLink {cable.a.console()}")
            self.assertFalse(of(records, "set"))
            self.assertEqual(self.judge_now(running), before)

    def test_a_cut_is_repaired_before_the_sweep_which_has_nothing_to_add(self):
        for shape in (TREE2, TREE3):
            with self.subTest(shape=shape), self.running(shape, options=f"fast_repair=on {JOURNAL}") as running:
                cables = [cable for cable in running.netlist.cables if cable.between_switches()]
                for cable in cables[:: len(cables) // 4]:
                    self.cut_and_return(running, cable)
                # Also where OpenSM's own requests go, and its own switch's traps.
                leaf = leaf_of(running, running.netlist.hosts[0])
                for cable in cables_of(running, leaf)[:2]:
                    self.cut_and_return(running, cable)
                self.assertIn("entries as foreseen; it sends 0 blocks", running.manager.text())

    def replay(self, running: Running, image: Image, lids: list[int], cables: list[Cable], records: list[Record]) -> int:
        """Judges every state of a repair; then brings the image up to date. How many states there were."""
        dead = {end for cable in cables for end in cable}
        watch = Watch(running.netlist, image, dead, lids)
        repairing = True
        for record in records:
            if record.word == "run":
                repairing = False  # what OpenSM's sweep writes has no order
            change = image.apply(record) if record.word == "held" else None
            if change and repairing:
                watch.applied(change[1])
        self.assertEqual(watch.faults, [], f"seed {SEED}, {cables}")
        return watch.states

    def test_no_state_on_the_way_loses_a_pair_circles_or_turns_up_after_down(self):
        chance = random.Random(SEED)
        with self.running(TREE128, options=f"fast_repair=on {JOURNAL}") as running:
            running.manager.settle()
            cables = [cable for cable in running.netlist.cables if cable.between_switches()]
            image = Image.dumped(running.simulator, running.folder)
            lids = list(Cabling(running.netlist).host_lids(image))
            before, states = image.copy(), 0
            for _ in range(REPLAYS):
                cut = chance.sample(cables, chance.choice((1, 1, 2)))
                records = self.act(running, *(f"Unlink {cable.a.console()}" for cable in cut))
                states += self.replay(running, image, lids, cut, records)
                for record in of(self.act(running, *(f"ReLink {cable.a.console()}" for cable in cut)), "held"):
                    image.apply(record)
                self.assertEqual(image.rows, before.rows)
            self.assertGreater(states, REPLAYS)
            print(f"{REPLAYS} cuts and returns, {states} states judged")

    def test_observing_foretells_what_the_sweep_writes_and_writes_nothing(self):
        with self.running(TREE3, options=JOURNAL) as running:
            cable = cables_of(running, leaf_of(running, running.netlist.hosts[-1]))[0]
            records = self.act_to_run(running, f"Unlink {cable.a.console()}")
            foretold = of(records, "would")
            self.assertTrue(foretold)
            self.assertFalse(of(records, "set"))
            self.assertEqual(int(records[-1].rest[-1]), len(foretold))
            tables = self.judge_now(running)
            for record in foretold:
                guid, number = record.place()
                lids = range(number * 64, number * 64 + 64)
                held = {(guid, lid): tables[guid, lid] for lid in lids if (guid, lid) in tables}
                self.assertEqual(held, record.entries())
            self.assertIn("not written: fast_repair=observe", running.manager.text())

    def test_a_dying_spine_is_one_repair(self):
        with self.running(TREE3, options=f"fast_repair=on {JOURNAL}") as running:
            before = self.judge_now(running)
            spine = spine_of(running, leaf_of(running, running.netlist.hosts[-1]))
            records = self.act_to_run(running, f'Unlink "{spine}"')
            self.check_written(records)
            self.assertEqual(len(of(records, "done")), 1)
            self.assertEqual(len(of(records, "dead")), len(cables_of(running, spine)))
            tables = self.judge_now(running)
            # Of what was written the sweep takes back only ways to what is gone.
            for record in of(records, "set"):
                for place, port in record.entries().items():
                    self.assertIn(tables.get(place), (port, None))
            self.act(running, f'ReLink "{spine}"')
            self.assertEqual(self.judge_now(running), before)

    def test_a_switch_that_says_so_in_its_switchinfo_alone_is_heard(self):
        settings = {"sweep_on_trap": "FALSE", "sweep_interval": "1"}
        with self.running(TREE3, options=f"fast_repair=on test_deaf=1 {JOURNAL}", settings=settings) as running:
            cable = cables_of(running, leaf_of(running, running.netlist.hosts[-1]))[0]
            records = self.act_to_run(running, f"Unlink {cable.a.console()}")
            self.assertFalse(of(records, "trap"))
            self.check_written(records)
            self.judge_now(running)

    def check_off(self, running: Running, cable: Cable) -> None:
        tail = self.tail(running)
        tail.new()
        records: list[Record] = []

        def has_written() -> bool:
            records.extend(tail.new())
            return bool(of(records, "held"))

        running.simulator.console([f"Unlink {cable.a.console()}"])
        running.manager.settle()
        self.judge_now(running)
        wait_until("the sweep's writes in the journal", 20, has_written)
        self.assertEqual({record.word for record in records} - {"trap", "held"}, set())

    def test_switched_off_nothing_is_asked_and_a_file_switches_while_opensm_runs(self):
        with self.running(TREE2, options=f"fast_repair=off {JOURNAL}") as running:
            self.check_off(running, cables_of(running, leaf_of(running, running.netlist.hosts[-1]))[0])
        with self.running(TREE3, options=f"fast_repair=on fast_repair_file=FOLDER/mode {JOURNAL}") as running:
            cables = cables_of(running, leaf_of(running, running.netlist.hosts[-1]))
            self.check_written(self.act_to_run(running, f"Unlink {cables[0].a.console()}"))
            mode = running.folder / "mode"
            mode.write_text("off\n", encoding="utf-8")
            wait_until("off", 10, lambda: "heddle: fast repair: off" in running.manager.text())
            self.check_off(running, cables[1])
            mode.write_text("nonsense\n", encoding="utf-8")  # what the options say holds
            wait_until("on again", 10, lambda: running.manager.text().count("heddle: fast repair: on") == 2)
            self.check_written(self.act_to_run(running, f"Unlink {cables[2].a.console()}"))
            self.judge_now(running)

    def test_a_log_that_cannot_be_written_is_an_error_and_opensm_goes_on_without(self):
        with self.running(TREE2, options="repair_log=/nowhere/journal") as running:
            line = "ERR HD03: not loaded: event_plugin_options: repair_log=/nowhere/journal: "
            self.assertIn(line, running.manager.text())
            self.assertEqual(set(running.manager.engines()), {"updn"})


class ChangesUnderRepair(changes.Changes):
    """All that comes and goes ends with the same tables where repairs are written before the sweep."""

    OPTIONS = "fast_repair=on"


class CablesUnderRepair(cables.Cables):
    OPTIONS = "fast_repair=on"


class SettingsUnderRepair(settings.Settings):
    OPTIONS = "fast_repair=on"


if __name__ == "__main__":
    unittest.main(verbosity=2)

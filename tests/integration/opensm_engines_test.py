"""OpenSM's engines in-process make the tables that OpenSM itself makes of the same fabric on a simulator: what the
routing bench compares with is OpenSM's own work."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from harness.opensm_engines import Job, run_engines  # noqa: E402
from harness.opensm_tables import entries, opensm_tables  # noqa: E402
from harness.programs import heddle  # noqa: E402

TREE = ["fat-tree", "--shape", "4,4,4:1,4,4:1,1,1"]
DRAGONFLY = ["dragonfly", "--routers-per-group", "4", "--hosts-per-router", "2", "--global-links", "1", "--groups", "5"]


class OpensmEngines(unittest.TestCase):
    def compare(self, shape: list[str], engine: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            plain, fabric = folder / "plain", folder / "fabric"
            self.assertEqual(heddle("generate", *shape, "--out", str(plain)).returncode, 0)
            # With LIDs, which the simulator loads and OpenSM keeps.
            done = heddle("route", str(plain), "--slots", str(fabric))
            self.assertEqual(done.returncode, 0, done.stderr)
            theirs = opensm_tables(fabric, engine, folder / "real")
            tables = folder / "tables"
            # Twice in one run: nothing of the first may help or hinder the second.
            jobs = [Job(engine, fabric), Job(engine, fabric, tables=tables)]
            for run in run_engines(jobs, folder / "engines"):
                self.assertTrue(run.routed)
                self.assertEqual(run.lanes, theirs.lanes)
            mine = entries(tables.read_text(encoding="utf-8"))
            self.assertGreater(len(mine), 0)
            self.assertEqual(mine, entries(theirs.tables))

    def test_ftree_makes_the_tables_that_it_makes_on_a_simulator(self):
        self.compare(TREE, "ftree")

    def test_updn_makes_the_tables_that_it_makes_on_a_simulator(self):
        self.compare(TREE, "updn")

    def test_minhop_makes_the_tables_that_it_makes_on_a_simulator(self):
        self.compare(TREE, "minhop")

    def test_dfsssp_makes_the_tables_and_needs_the_lanes_that_it_does_on_a_simulator(self):
        self.compare(DRAGONFLY, "dfsssp")


if __name__ == "__main__":
    unittest.main(verbosity=2)

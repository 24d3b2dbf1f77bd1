"""heddle check beside ibdmchk: the same tables of OpenSM's engines, the same verdict on credit loops."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from harness.ibdmchk import LOG_FLAGS, credit_loop  # noqa: E402
from harness.netlist import Netlist  # noqa: E402
from harness.programs import heddle  # noqa: E402
from harness.simulator import Simulator  # noqa: E402

DRAGONFLY = ["dragonfly", "--routers-per-group", "4", "--hosts-per-router", "2", "--global-links", "1", "--groups", "5"]
FAT_TREE = ["fat-tree", "--levels", "2", "--radix", "8"]
THREE_LEVELS = ["fat-tree", "--levels", "3", "--radix", "4"]


class CreditLoops(unittest.TestCase):
    def judge(self, shape: list[str], engine: str, roots: list[str] | None = None) -> tuple[bool, bool]:
        """Whether there is a cycle, by ibdmchk and by heddle check."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            netlist = folder / "netlist"
            done = heddle("generate", *shape, "--out", str(netlist))
            self.assertEqual(done.returncode, 0, done.stderr)
            simulator = Simulator(netlist, folder)
            simulator.start()
            try:
                self.route(simulator, folder, engine, roots)
            finally:
                simulator.stop()
            return credit_loop(folder), self.heddle_check(folder)

    def route(self, simulator: Simulator, folder: Path, engine: str, roots: list[str] | None) -> None:
        host = Netlist.read(simulator.topology).hosts[0]
        log = folder / "osm.log"
        argv = ["opensm", "-F", "/dev/null", "-R", f"{engine},no_fallback", "-o", "-D", LOG_FLAGS, "-f", str(log)]
        if roots:
            (folder / "roots").write_text("".join(f"{guid}\n" for guid in roots), encoding="utf-8")
            argv += ["-a", str(folder / "roots")]
        env = {**os.environ, **simulator.environment(host), "OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)}
        subprocess.run(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )
        self.assertIn(b"SUBNET UP", log.read_bytes())
        (folder / "lfts").write_text(simulator.tool("dump_fts", attach_to=host), encoding="utf-8")
        (folder / "fabric").write_text(simulator.tool("ibnetdiscover", attach_to=host), encoding="utf-8")

    def heddle_check(self, folder: Path) -> bool:
        done = heddle("check", str(folder / "fabric"), str(folder / "lfts"), "--permutations", "0")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        cyclic = "Dependency cycle" in done.stdout
        self.assertEqual(done.returncode, 1 if cyclic else 0, done.stdout)
        return cyclic

    def test_min_hop_on_a_dragonfly_has_a_loop_for_both(self):
        self.assertEqual(self.judge(DRAGONFLY, "minhop"), (True, True))

    def test_up_down_on_a_dragonfly_has_none_for_both(self):
        self.assertEqual(self.judge(DRAGONFLY, "updn", self.first_switch(DRAGONFLY)), (False, False))

    def test_fat_trees_have_none_for_both(self):
        for shape, engine in ((FAT_TREE, "ftree"), (FAT_TREE, "minhop"), (THREE_LEVELS, "updn")):
            with self.subTest(shape=shape, engine=engine):
                self.assertEqual(self.judge(shape, engine), (False, False))

    def first_switch(self, shape: list[str]) -> list[str]:
        done = heddle("generate", *shape)
        self.assertEqual(done.returncode, 0, done.stderr)
        return ["0x" + Netlist.parse(done.stdout).switches[0].split("-")[1]]


if __name__ == "__main__":
    unittest.main()

"""Every cable of small fabrics is cut and comes back, one after another, under one OpenSM with heddle's engine."""

import unittest

from plugin_case import PluginCase, Running, Tables, core_cables, leaf_of

from harness.netlist import Cable

# The smallest with two ways between any two leaves, two spines of a group, two cables of a spine to other groups.
TREE = ["fat-tree", "--levels", "3", "--radix", "4"]
DRAGONFLY = ["dragonfly", "--routers-per-group", "3", "--hosts-per-router", "1", "--global-links", "1", "--groups", "4"]
DRAGONFLY_PLUS = [
    *("dragonfly-plus", "--groups", "3", "--leaves", "2", "--spines", "2"),
    *("--hosts-per-leaf", "2", "--global-links", "2"),
]


class Cables(PluginCase):
    def cut_and_return(self, running: Running, engine: str, cable: Cable, before: Tables) -> None:
        """What is still connected is delivered, in the lanes too, and it is all as before when the cable is back."""
        self.change(running, f"Unlink {cable.a.console()}")
        try:
            self.check_remembered(running, engine)
            self.assertNotEqual(running.tables(), before)
        finally:
            self.change(running, f"ReLink {cable.a.console()}")
        self.assertEqual(running.tables(), before)

    def check_every_cable(self, shape: list[str], engine: str) -> None:
        # Not all switches of a damaged tree reach each other in one lane.
        with self.running(shape, qos=True) as running:
            before = running.tables()
            for cable in core_cables(running):
                with self.subTest(cable=cable):
                    self.cut_and_return(running, engine, cable, before)
            self.assertEqual(set(running.manager.engines()), {"heddle"})

    def test_each_cable_of_a_tree_is_cut_and_returns_to_the_same_tables(self):
        self.check_every_cable(TREE, "fat-tree")

    def test_each_cable_of_a_dragonfly_is_cut_and_returns_to_the_same_tables(self):
        self.check_every_cable(DRAGONFLY, "dragonfly")

    def test_each_cable_of_a_dragonfly_plus_is_cut_and_returns_to_the_same_tables(self):
        self.check_every_cable(DRAGONFLY_PLUS, "dragonfly-plus")

    def test_each_cable_of_a_host_is_cut_and_returns_to_the_same_tables(self):
        with self.running(TREE) as running:
            before = self.judge_now(running)
            for host in running.netlist.hosts:
                if host == running.manager.attach_to:
                    continue  # without it nobody writes anything
                with self.subTest(host=host):
                    # The ways to its place stay, and end at its leaf.
                    last = ("0x" + leaf_of(running, host).split("-")[1], running.lid(host))
                    cable = next(cable for cable in running.netlist.cables if host in (cable.a.node, cable.b.node))
                    self.change(running, f"Unlink {cable.a.console()}")
                    try:
                        left = self.judge_now(running)
                        self.assertEqual(left, {place: port for place, port in before.items() if place != last})
                    finally:
                        self.change(running, f"ReLink {cable.a.console()}")
                    self.assertEqual(running.tables(), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""What comes and goes under a real OpenSM with heddle's engine: the tables are sound all the while, and when all is back
they are those of before."""

import os
import subprocess
import unittest

from plugin_case import DRAGONFLY_PLUS, TREE2, TREE3, PluginCase, Running, Tables, cables_of, leaf_of, spine_of

from harness.netlist import Cable
from harness.opensm_tables import multicast_ports
from harness.process import wait_until


class Changes(PluginCase):
    def leave_and_return(self, running: Running, before: Tables, *nodes: str) -> None:
        with self.subTest(nodes=nodes):
            self.change(running, *(f'Unlink "{node}"' for node in nodes))
            self.assertNotEqual(self.judge_now(running), before)
            self.assertIn("known part", running.manager.text())
            self.change(running, *(f'ReLink "{node}"' for node in nodes))
            self.assertEqual(self.judge_now(running), before)

    def check_parts(self, shape: list[str]) -> None:
        with self.running(shape) as running:
            before = self.judge_now(running)
            host = running.netlist.hosts[-1]
            leaf = leaf_of(running, host)
            spine = spine_of(running, leaf)
            self.leave_and_return(running, before, host)
            self.leave_and_return(running, before, leaf)
            self.leave_and_return(running, before, spine)
            self.leave_and_return(running, before, leaf, spine)
            self.assertEqual(set(running.manager.engines()), {"heddle"})

    def test_a_host_a_leaf_and_a_spine_of_two_levels_die_and_return(self):
        self.check_parts(TREE2)

    def test_a_host_a_leaf_and_a_spine_of_three_levels_die_and_return(self):
        self.check_parts(TREE3)

    def test_switches_of_a_dragonfly_plus_die_and_return(self):
        with self.running(DRAGONFLY_PLUS, qos=True) as running:
            before = running.tables()
            leaf = leaf_of(running, running.netlist.hosts[-1])
            for nodes in ([leaf], [spine_of(running, leaf)], [leaf, spine_of(running, leaf)]):
                with self.subTest(nodes=nodes):
                    self.change(running, *(f'Unlink "{node}"' for node in nodes))
                    self.check_remembered(running, "dragonfly-plus")
                    self.assertNotEqual(running.tables(), before)
                    self.change(running, *(f'ReLink "{node}"' for node in nodes))
                    self.assertEqual(running.tables(), before)

    def test_two_cables_are_cut_at_once(self):
        with self.running(TREE3) as running:
            before = self.judge_now(running)
            leaf = leaf_of(running, running.netlist.hosts[-1])
            first, second = cables_of(running, leaf)[:2]
            other = cables_of(running, spine_of(running, leaf))[-1]
            for pair in ((first, second), (first, other)):
                self.change(running, *(f"Unlink {cable.a.console()}" for cable in pair))
                self.assertNotEqual(self.judge_now(running), before)
                # One after the other, and not in the order in which they went.
                self.change(running, f"ReLink {pair[1].a.console()}")
                self.assertNotEqual(self.judge_now(running), before)
                self.change(running, f"ReLink {pair[0].a.console()}")
                self.assertEqual(self.judge_now(running), before)


class Multicast(PluginCase):
    GROUP = 0xC000  # IPv4 broadcast, which OpenSM makes and osmtest joins

    def join(self, running: Running, host: str) -> None:
        """OpenSM's own test program joins groups and leaves its host in that of IPv4 broadcast."""
        environment = {**os.environ, **running.simulator.environment(host)}
        for flow in ("c", "m"):  # the second reads what the first writes
            subprocess.run(
                ["osmtest", "-f", flow, "-M", "1", "-i", str(running.folder / f"inventory-{host}")],
                cwd=running.folder,
                env=environment,
                capture_output=True,
                timeout=60,
                check=False,
            )

    def tree(self, running: Running) -> dict[str, set[int]]:
        """Ports of the group by switch."""
        return multicast_ports(running.simulator.tool("dump_fts", "-M"), self.GROUP)

    def check_tree(self, running: Running, hosts: list[str], down: set[Cable]) -> set[Cable]:
        """The group is a tree that holds the hosts. Its cables between switches."""
        tree = self.tree(running)
        inner: set[Cable] = set()
        reached = set()
        for cable in set(running.netlist.cables) - down:
            used = [end.node.startswith("H-") or end.port in tree.get(end.node, set()) for end in cable]
            if not all(used):
                continue
            if cable.between_switches():
                inner.add(cable)
            else:
                reached |= {end.node for end in cable if end.node.startswith("H-")}
        self.assertEqual(reached, set(hosts))
        # Connected, and one cable fewer than switches: no circle.
        nodes = {end.node for cable in inner for end in cable}
        seen = {leaf_of(running, hosts[0])}
        while more := {end.node for cable in inner if seen & {c.node for c in cable} for end in cable} - seen:
            seen |= more
        self.assertTrue({leaf_of(running, host) for host in hosts} <= seen, tree)
        self.assertEqual(seen, nodes)
        self.assertEqual(len(inner), len(nodes) - 1)
        return inner

    def test_trees_are_made_of_the_hops_that_the_engine_gives(self):
        with self.running(TREE3) as running:
            hosts = [running.netlist.hosts[2], running.netlist.hosts[20], running.netlist.hosts[-1]]
            for host in hosts:
                self.join(running, host)
            wait_until("the hosts in the tree", 20, lambda: len(self.tree(running)) > 1)
            running.manager.sweep_again()
            cable = sorted(self.check_tree(running, hosts, set()))[0]
            running.simulator.console([f"Unlink {cable.a.console()}"])
            running.manager.settle()
            self.assertNotIn(cable, self.check_tree(running, hosts, {cable}))
            running.simulator.console([f"ReLink {cable.a.console()}"])
            running.manager.settle()
            self.check_tree(running, hosts, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)

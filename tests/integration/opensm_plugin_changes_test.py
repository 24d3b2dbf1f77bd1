"""What comes and goes under a real OpenSM with heddle's engine, and what else OpenSM is asked to do: the tables are sound
all the while, and when all is back they are those of before."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from plugin_case import DRAGONFLY, TREE2, TREE3, PluginCase, Running, Tables

from harness.netlist import Cable
from harness.opensm_tables import multicast_ports
from harness.plugin import PluginManager
from harness.process import HarnessError, wait_until

# A standby that notices within some 3 s that its master is gone.
TWO_MANAGERS = {"sminfo_polling_timeout": "1000", "polling_retry_number": "2", "sm_priority": "5"}


def leaf_of(running: Running, host: str) -> str:
    for cable in running.netlist.cables:
        if host in (cable.a.node, cable.b.node):
            return cable.b.node if cable.a.node == host else cable.a.node
    raise HarnessError(f"{host} has no cable")


def cables_of(running: Running, switch: str) -> list[Cable]:
    """To other switches."""
    cables = [cable for cable in running.netlist.cables if cable.between_switches()]
    return [cable for cable in cables if switch in (cable.a.node, cable.b.node)]


def spine_of(running: Running, leaf: str) -> str:
    cable = cables_of(running, leaf)[0]
    return cable.b.node if cable.a.node == leaf else cable.a.node


def port_guid(running: Running, host: str) -> str:
    text = running.simulator.topology.read_text(encoding="utf-8")
    return "0x" + re.search(rf'^Ca.*"{host}".*\n\[1\]\(([0-9a-f]+)\)', text, re.MULTILINE)[1]


class Changes(PluginCase):
    def change(self, running: Running, *commands: str) -> None:
        """Until OpenSM knows and has nothing more to write."""
        running.simulator.console(list(commands))
        running.manager.settle()

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

    def test_every_port_has_two_lids_with_lmc_1(self):
        for shape, engine, qos in ((TREE2, "fat-tree", False), (DRAGONFLY, "dragonfly", True)):
            with self.subTest(engine=engine), self.running(shape, qos=qos, settings={"lmc": "1"}) as running:
                lanes = ("--sl-out", str(running.folder / "levels"), "--sl2vl-out", str(running.folder / "maps"))
                self.check_tables(running, engine, *(lanes if qos else ()))
                before = running.tables()
                hosts, switches = len(running.netlist.hosts), len(running.netlist.switches)
                self.assertEqual(len({lid for _, lid in before}), 2 * hosts + switches)
                host = running.netlist.hosts[-1]
                lid = running.lid(host)
                text = running.simulator.tool("ibtracert", str(running.lid(running.netlist.hosts[0])), str(lid + 1))
                self.assertIn("To ca", text)
                self.change(running, f'Unlink "{host}"')
                leaf = "0x" + leaf_of(running, host).split("-")[1]
                judged_by = [word.replace("-out", "") for word in lanes] if qos else []
                if qos:  # no line may name what is not there
                    levels = [line.split() for line in Path(lanes[1]).read_text(encoding="utf-8").splitlines()]
                    gone = {str(lid), str(lid + 1)}
                    kept = [" ".join(line) for line in levels if not gone & set(line[:2])]
                    Path(lanes[1]).write_text("\n".join([*kept, ""]), encoding="utf-8")
                self.assertFalse({(leaf, lid), (leaf, lid + 1)} & set(self.judge_now(running, *judged_by)))
                self.change(running, f'ReLink "{host}"')
                self.assertEqual(running.tables(), before)

    def test_partitions_are_kept(self):
        with self.running(TREE2) as running:
            a, b, c = running.netlist.hosts[1], running.netlist.hosts[-1], running.netlist.hosts[5]
            partitions = running.folder / "partitions.conf"
            partitions.write_text(
                "Default=0x7fff, ipoib : ALL=limited, SELF=full ;\n"
                f"gpu=0x8001 : {port_guid(running, a)}=full, {port_guid(running, b)}=full ;\n",
                encoding="utf-8",
            )
            running.manager.stop()
            running.manager = running.another_manager("partitioned", running.netlist.hosts[0])
            running.manager.OPTIONS["partition_config_file"] = str(partitions)
            running.manager.start()
            self.check_tables(running, "fat-tree")
            lids = {host: str(running.lid(host)) for host in (a, b, c)}
            for host, expected in ((a, True), (b, True), (c, False)):
                keys = running.simulator.tool("smpquery", "pkeys", lids[host])
                self.assertEqual("0x8001" in keys, expected, keys)
            # Asked by one of the partition: to others the SA tells nothing of it.
            record = ("saquery", "--pkey", "0x8001", "--slid", lids[a], "--dlid")
            self.assertIn("0x8001", running.simulator.tool(*record, lids[b], "PR", attach_to=a))
            self.assertNotIn("0x8001", running.simulator.tool(*record, lids[c], "PR", attach_to=a))

    def test_with_the_unicast_cache_tables_are_those_of_before_too(self):
        with self.running(TREE2, settings={"use_ucast_cache": "TRUE"}) as running:
            before = self.judge_now(running)
            host = running.netlist.hosts[-1]
            leaf = leaf_of(running, host)
            cut = cables_of(running, leaf)[0].a.console()
            runs = len(running.manager.changed())

            def change(command: str) -> None:
                sweeps = running.manager.sweeps()
                running.simulator.console([command])
                running.manager.wait_for_sweeps(sweeps + 1, 60)
                # A dying node sends traps for some time; the last sweep is one that began after them.
                running.manager.sweep_again()

            for node in (host, leaf):
                change(f'Unlink "{node}"')
                self.judge_now(running)
                change(f'ReLink "{node}"')
                self.assertEqual(self.judge_now(running), before)
            self.assertIn("using cached routing", running.manager.text())
            self.assertEqual(len(running.manager.changed()), runs, "the cache has asked no engine")
            change(f"Unlink {cut}")
            self.assertNotEqual(self.judge_now(running), before)
            self.assertGreater(len(running.manager.changed()), runs)
            change(f'Unlink "{host}"')
            self.judge_now(running)
            change(f"ReLink {cut}")
            change(f'ReLink "{host}"')
            self.assertEqual(self.judge_now(running), before)
            self.assertEqual(set(running.manager.engines()), {"heddle"})

    def test_one_operational_lane_is_one_lane_though_ports_could_do_with_more(self):
        with self.running(DRAGONFLY, qos=True, settings={"max_op_vls": "1"}) as running:
            self.judge_now(running, "--switch-lids")
            self.assertIn(" 1 lane, ", running.manager.text())
            self.assertEqual(set(running.manager.engines()), {"heddle"})


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


class Takeover(PluginCase):
    ATTEMPTS = 4

    def standby(self, running: Running, name: str) -> PluginManager:
        manager = running.another_manager(name, running.netlist.hosts[-1])
        manager.launch()
        try:
            wait_until("a standby SM", 30, lambda: manager.states()[-1:] == ["STANDBY"])
        except HarnessError:
            manager.stop()
            raise
        return manager

    def attempt(self, shape: list[str], qos: bool) -> bool:
        """False where the second SM stays in DISCOVERING, as it sometimes does on the simulator, also without plugins."""
        with self.running(shape, qos=qos, settings=TWO_MANAGERS) as running:
            before = self.judge_now(running) if not qos else running.tables()
            standby = self.standby(running, "standby")
            try:
                running.manager.kill()
                running.manager = standby
                try:
                    running.manager.wait_for_sweeps(1, 30)
                except HarnessError:
                    running.manager.check_running()
                    if running.manager.states()[-1] != "DISCOVERING":
                        raise
                    return False
                self.assertEqual(running.manager.states()[-1], "MASTER")
                self.assertEqual(running.manager.engines(), ["heddle"])
                self.assertEqual(running.tables(), before)
                lanes = ("--sl-out", str(running.folder / "sl"), "--sl2vl-out", str(running.folder / "maps"))
                self.check_tables(running, "dragonfly" if qos else "fat-tree", *(lanes if qos else ()))
                return True
            finally:
                if running.manager is not standby:
                    standby.stop()

    def check_takeover(self, shape: list[str], qos: bool) -> None:
        self.assertTrue(any(self.attempt(shape, qos) for _ in range(self.ATTEMPTS)), "always in DISCOVERING")

    def test_a_standby_takes_over_a_tree_and_changes_no_entry(self):
        self.check_takeover(TREE2, qos=False)

    def test_a_standby_takes_over_a_dragonfly_and_changes_no_entry(self):
        self.check_takeover(DRAGONFLY, qos=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)

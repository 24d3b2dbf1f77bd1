"""What else OpenSM is asked to do, by its options and by signals, while heddle's engine routes."""

import re
import unittest
from pathlib import Path

from plugin_case import DRAGONFLY, TREE2, PluginCase, Running, cables_of, leaf_of

from harness import sent_blocks
from harness.process import wait_until


def port_guid(running: Running, host: str) -> str:
    text = running.simulator.topology.read_text(encoding="utf-8")
    return "0x" + re.search(rf'^Ca.*"{host}".*\n\[1\]\(([0-9a-f]+)\)', text, re.MULTILINE)[1]


class Settings(PluginCase):
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

    def write_partition(self, running: Running, members: list[str]) -> Path:
        path = running.folder / "partitions.conf"
        named = ", ".join(f"{port_guid(running, host)}=full" for host in members)
        text = f"Default=0x7fff, ipoib : ALL=limited, SELF=full ;\ngpu=0x8001 : {named} ;\n"
        path.write_text(text, encoding="utf-8")
        return path

    def in_partition(self, running: Running, host: str) -> bool:
        return "0x8001" in running.simulator.tool("smpquery", "pkeys", str(running.lid(host)))

    def test_partitions_are_kept_and_read_anew_on_sighup(self):
        with self.running(TREE2) as running:
            a, b, c = running.netlist.hosts[1], running.netlist.hosts[-1], running.netlist.hosts[5]
            before = running.tables()
            running.manager.stop()
            running.manager = running.another_manager("partitioned", running.netlist.hosts[0])
            running.manager.OPTIONS["partition_config_file"] = str(self.write_partition(running, [a, b]))
            running.manager.start()
            self.check_tables(running, "fat-tree")
            self.assertEqual([self.in_partition(running, host) for host in (a, b, c)], [True, True, False])
            # Asked by one of the partition: to others the SA tells nothing of it.
            lids = {host: str(running.lid(host)) for host in (a, b, c)}
            record = ("saquery", "--pkey", "0x8001", "--slid", lids[a], "--dlid")
            self.assertIn("0x8001", running.simulator.tool(*record, lids[b], "PR", attach_to=a))
            self.assertNotIn("0x8001", running.simulator.tool(*record, lids[c], "PR", attach_to=a))
            self.write_partition(running, [a, c])
            running.manager.settle()
            self.assertEqual([self.in_partition(running, host) for host in (a, b, c)], [True, False, True])
            self.assertIn("0x8001", running.simulator.tool(*record, lids[c], "PR", attach_to=a))
            self.assertEqual(running.tables(), before)

    def test_sighup_reads_no_options_of_the_plugin(self):
        with self.running(TREE2) as running:
            before = running.tables()
            running.manager.OPTIONS["event_plugin_options"] = "engine=layered socket=none"
            running.manager.reread_options()
            running.manager.settle()
            self.assertEqual(running.tables(), before)
            running.manager.kill()
            running.manager.start()  # what the text holds now does matter
            self.check_tables(running, "layered", route=("--engine", "layered"))

    def test_qos_that_is_switched_on_by_sighup_gives_a_dragonfly_its_lanes(self):
        with self.running(DRAGONFLY) as running:
            one_lane = running.tables()
            self.assertIn("ERR HD05: up-down in place of dragonfly", running.manager.text())
            running.manager.OPTIONS["qos"] = "TRUE"
            running.manager.reread_options()
            running.manager.settle()
            lanes = ("--sl-out", str(running.folder / "sl"), "--sl2vl-out", str(running.folder / "maps"))
            self.check_tables(running, "dragonfly", *lanes)
            running.manager.OPTIONS["qos"] = "FALSE"
            running.manager.reread_options()
            running.manager.settle()
            self.assertEqual(self.judge_now(running), one_lane)

    def test_sweeps_without_a_change_send_no_block(self):
        for shape, qos in ((TREE2, False), (DRAGONFLY, True)):
            named = {"qos": qos, "log_flags": sent_blocks.LOG_FLAGS}
            with self.subTest(shape=shape), self.running(shape, **named) as running:
                manager = running.manager

                def sent(since: int = 0) -> list[sent_blocks.SentBlock]:
                    return sent_blocks.sent_blocks(manager.text()[since:], running.netlist, manager.attach_to)

                before = running.tables()
                self.assertEqual(len(sent()), len(running.netlist.switches))
                since = len(manager.text())
                for _ in range(5):
                    manager.sweep_again()
                self.assertEqual(manager.changed()[1:], [0] * 5)
                self.assertEqual(sent(since), [])
                self.assertEqual(running.tables(), before)

    def test_without_a_fallback_the_engine_routes_alone(self):
        with self.running(TREE2, engines="heddle,no_fallback") as running:
            self.check_tables(running, "fat-tree")

    def test_without_a_fallback_a_failing_engine_leaves_the_tables_as_they_are(self):
        with self.running(TREE2, engines="heddle,no_fallback") as running:
            before = running.tables()
            running.manager.stop()
            running.manager = running.another_manager("failing", running.netlist.hosts[0])
            running.manager.OPTIONS["event_plugin_options"] += " test_fail=1"
            running.manager.launch()
            given_up = "No routing engine able to successfully configure"
            wait_until("it to give up", 30, lambda: given_up in running.manager.text())
            self.assertIn("ERR HD01: no tables", running.manager.text())
            self.assertEqual((running.manager.sweeps(), running.manager.engines()), (0, []))
            self.assertEqual(running.tables(), before)

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


if __name__ == "__main__":
    unittest.main(verbosity=2)

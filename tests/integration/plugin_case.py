"""What the tests of the OpenSM plugin have in common: a simulator, an OpenSM with the plugin, and two judges."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from harness.netlist import Cable, Netlist  # noqa: E402
from harness.opensm_tables import entries  # noqa: E402
from harness.plugin import PluginManager  # noqa: E402
from harness.programs import generate, heddle  # noqa: E402
from harness.simulator import Simulator  # noqa: E402

TREE2 = ["fat-tree", "--levels", "2", "--radix", "8"]
TREE3 = ["fat-tree", "--shape", "4,4,4:1,4,4:1,1,1"]
DRAGONFLY = ["dragonfly", "--routers-per-group", "4", "--hosts-per-router", "2", "--global-links", "1", "--groups", "5"]
DRAGONFLY_PLUS = [
    *("dragonfly-plus", "--groups", "5", "--leaves", "2", "--spines", "2"),
    *("--hosts-per-leaf", "2", "--global-links", "2"),
]

Tables = dict[tuple[str, int], int]


def narrow(topology: Path, cable: Cable) -> None:
    """Has ibsim bring up a cable with one lane."""
    lines, node = [], ""
    for line in topology.read_text(encoding="utf-8").splitlines():
        if line.startswith("Switch"):
            node = line.split('"')[1]
        for end in cable:
            if node == end.node and line.startswith(f"[{end.port}]"):
                line = line.replace("4xHDR", "1xHDR")
        lines.append(line + "\n")
    topology.write_text("".join(lines), encoding="utf-8")


class Running:
    """A simulator and an OpenSM with the plugin. `shape` is what `heddle generate` takes, or a topology's text. FOLDER in
    the options stands for that of the test, in which `files` are written before."""

    def __init__(
        self,
        folder: Path,
        shape: list[str] | str,
        options: str = "",
        qos: bool = False,
        settings: dict[str, str] | None = None,
        slow: bool = False,
        files: dict[str, str] | None = None,
        engines: str = "heddle,updn",
        log_flags: str = PluginManager.LOG_FLAGS,
    ):
        self.folder = folder
        for name, text in (files or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        topology = folder / "plain"
        if isinstance(shape, str):
            topology.write_text(shape, encoding="utf-8")
        else:
            generate(topology, *shape)
        self.netlist = Netlist.read(topology)
        if slow:
            narrow(topology, next(cable for cable in self.netlist.cables if cable.between_switches()))
        self.simulator = Simulator(topology, folder)
        self.options, self.qos, self.settings = options.replace("FOLDER", str(folder)), qos, settings
        self.engines, self.log_flags = engines, log_flags
        self.manager = self.another_manager("opensm", self.netlist.hosts[0])

    def another_manager(self, name: str, host: str) -> PluginManager:
        manager = PluginManager(self.simulator, self.folder / name, host, self.options, self.qos, self.settings)
        manager.engine, manager.LOG_FLAGS = self.engines, self.log_flags
        return manager

    def files(self) -> tuple[Path, Path]:
        """The fabric and the tables as they are now."""
        fabric, tables = self.folder / "fabric", self.folder / "tables"
        fabric.write_text(self.simulator.tool("ibnetdiscover"), encoding="utf-8")
        tables.write_text(self.simulator.tool("dump_fts"), encoding="utf-8")
        return fabric, tables

    def tables(self) -> Tables:
        return entries(self.simulator.tool("dump_fts"))

    def lid(self, host: str) -> int:
        text = self.simulator.tool("ibnetdiscover")
        return int(re.search(rf'^Ca.*"{host}".*\n\[1\].*# lid (\d+)', text, re.MULTILINE)[1])


def judge_tables(case: unittest.TestCase, fabric: Path, tables: Path, *options: str) -> None:
    """Delivered and free of cycles, by `heddle check` and, where ROUTE_CHECK names it, by a program that shares no line
    with it."""
    checked = heddle("check", str(fabric), str(tables), *options)
    case.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
    if "ROUTE_CHECK" in os.environ:
        outside = subprocess.run(
            [os.environ["ROUTE_CHECK"], str(fabric), str(tables), *options, "--perms", "1"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        case.assertEqual(outside.returncode, 0, outside.stdout + outside.stderr)


def leaf_of(running: Running, host: str) -> str:
    cable = next(cable for cable in running.netlist.cables if host in (cable.a.node, cable.b.node))
    return cable.b.node if cable.a.node == host else cable.a.node


def core_cables(running: Running) -> list[Cable]:
    """From switch to switch."""
    return [cable for cable in running.netlist.cables if cable.between_switches()]


def cables_of(running: Running, switch: str) -> list[Cable]:
    """To other switches."""
    return [cable for cable in core_cables(running) if switch in (cable.a.node, cable.b.node)]


def spine_of(running: Running, leaf: str) -> str:
    cable = cables_of(running, leaf)[0]
    return cable.b.node if cable.a.node == leaf else cable.a.node


class PluginCase(unittest.TestCase):
    OPTIONS = ""  # that all of its plugins have, before their own

    @contextlib.contextmanager
    def running(self, shape: list[str] | str, options: str = "", **named) -> Iterator[Running]:
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
            running = Running(Path(name), shape, f"{self.OPTIONS} {options}".strip(), **named)
            stack.callback(running.simulator.stop)
            try:
                running.simulator.start()
                running.manager.start()
                yield running
                running.manager.check_running()
            except BaseException:
                print(running.manager.text()[-3000:])
                raise
            finally:
                running.manager.stop()
            said = (running.manager.folder / "osm.out").read_text(errors="replace")
            self.assertNotIn("Sanitizer", said)  # at the end, too

    def change(self, running: Running, *commands: str) -> None:
        """Until OpenSM knows and has nothing more to write."""
        running.simulator.console(list(commands))
        running.manager.settle()

    def judge(self, fabric: Path, tables: Path, *options: str) -> None:
        judge_tables(self, fabric, tables, *options)

    def judge_now(self, running: Running, *options: str) -> Tables:
        """What the switches hold, judged."""
        fabric, tables = running.files()
        self.judge(fabric, tables, *options)
        return entries(tables.read_text(encoding="utf-8"))

    def check_tables(self, running: Running, engine: str, *lane_files: str, route: tuple[str, ...] = ()) -> None:
        """Sound, and the same as the command line's."""
        fabric, tables = running.files()
        mine = running.folder / "mine"
        done = heddle("route", str(fabric), "--lfts-out", str(mine), "--json", *route, *lane_files)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["engine"], engine)
        self.assertEqual(entries(mine.read_text(encoding="utf-8")), entries(tables.read_text(encoding="utf-8")))
        self.judge(fabric, tables, "--switch-lids", *(word.replace("-out", "") for word in lane_files))
        self.assertEqual(set(running.manager.engines()), {"heddle"})
        self.assertIn(f"heddle: routed with {engine}: ", running.manager.text())

    def check_remembered(self, running: Running, engine: str) -> None:
        """Likewise, with lanes, while something is away that the engine has seen before."""
        slots = running.folder / "slots"
        # `heddle route` writes what it remembers, too.
        shutil.copy(running.manager.folder / "heddle-places", slots)
        lanes = ("--sl-out", str(running.folder / "levels"), "--sl2vl-out", str(running.folder / "maps"))
        self.check_tables(running, engine, *lanes, route=("--slots", str(slots)))

"""ibsim and OpenSM: an InfiniBand subnet in memory, and the tools of infiniband-diags on it."""

import glob
import itertools
import os
import re
import signal
import subprocess
from pathlib import Path

from .process import Child, HarnessError, wait_until

_instances = itertools.count()


def preload_library() -> str:
    found = glob.glob("/usr/lib/*/umad2sim/libumad2sim.so")
    if not found:
        raise HarnessError("libumad2sim.so is not installed (package libumad2sim0)")
    return found[0]


class Simulator:
    """One ibsim. Its console is a pipe, so it ends with us."""

    def __init__(self, topology: Path, folder: Path):
        self.topology = topology
        self.folder = folder
        self.socket_name = f"heddle{os.getpid()}x{next(_instances)}"
        self._batches = itertools.count()
        self._process: Child | None = None

    def start(self, seconds: float = 60) -> None:
        text = self.topology.read_text(encoding="utf-8", errors="replace")
        switches = len(re.findall(r"^Switch", text, re.MULTILINE))
        nodes = switches + len(re.findall(r"^(?:Ca|Rt)\b", text, re.MULTILINE))
        ports = sum(int(count) + 1 for count in re.findall(r"^(?:Switch|Ca|Rt)\s+(\d+)", text, re.MULTILINE))
        if not nodes:
            raise HarnessError(f"no nodes in {self.topology}")
        argv = ["ibsim", "-s", "-N", str(nodes + 16), "-S", str(switches + 16), "-P", str(ports + 64), "-L", "49152"]
        log = self.folder / "ibsim.log"
        log.write_bytes(b"")
        self._process = Child([*argv, str(self.topology)], log, {"IBSIM_SOCKNAME": self.socket_name}, subprocess.PIPE)
        self._process.wait_for_output("simulator ready", seconds)

    def stop(self) -> None:
        if self._process:
            self._process.stop()
            self._process = None

    def running(self) -> bool:
        return self._process is not None and self._process.running()

    def environment(self, attach_to: str | None = None) -> dict[str, str]:
        """For a program that shall see this fabric. `attach_to` is a node id such as H-0002c90300000000."""
        env = {"IBSIM_SOCKNAME": self.socket_name, "LD_PRELOAD": preload_library()}
        if attach_to:
            env["SIM_HOST"] = attach_to
        return env

    def console(self, lines: list[str], seconds: float = 10) -> None:
        """Runs console commands as one batch and waits until they are done."""
        number = next(self._batches)
        mark = f"batch-{number}-done"
        batch = self.folder / f"batch{number % 2}"
        batch.write_text("\n".join([*lines, f"# {mark}", ""]), encoding="utf-8")
        log = self._process.log
        # What it prints a command is of no use and grows by megabytes; its descriptor appends.
        os.truncate(log, 0)
        self._process.write(f"!{batch}\n")
        self._process.wait_for_output(mark, seconds)

    def tool(self, *argv: str, attach_to: str | None = None, seconds: float = 60) -> str:
        """The output of a diagnostic program on this fabric; an error if it fails."""
        done = subprocess.run(
            argv,
            cwd=self.folder,
            env={**os.environ, **self.environment(attach_to)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
        if done.returncode != 0:
            raise HarnessError(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")


class SubnetManager:
    """One OpenSM on a simulator."""

    OPTIONS = {"force_log_flush": "TRUE", "max_wire_smps": "16"}
    LOG_FLAGS = "0x03"  # errors and what always appears

    def __init__(self, simulator: Simulator, folder: Path, attach_to: str, engine: str = "minhop"):
        self.simulator = simulator
        self.folder = folder
        self.engine = engine
        self.attach_to = attach_to
        self._process: Child | None = None

    def start(self, seconds: float = 120) -> None:
        self.launch()
        self.wait_for_sweeps(1, seconds)

    def launch(self) -> None:
        """Without waiting for anything: one that finds another master has no sweep to wait for."""
        self.folder.mkdir(parents=True, exist_ok=True)
        options = self._write_options()
        self.log = self.folder / "osm.log"
        self.log.write_bytes(b"")
        argv = ["opensm", "-F", str(options), "-R", self.engine, "-f", str(self.log), "-D", self.LOG_FLAGS]
        self._process = Child(argv, self.folder / "osm.out", self.environment())

    def _write_options(self) -> Path:
        options = self.folder / "opensm.conf"
        options.write_text("".join(f"{key} {value}\n" for key, value in self.OPTIONS.items()), encoding="utf-8")
        return options

    def reread_options(self) -> None:
        """Has it read OPTIONS anew and sweep; it takes some of them alone."""
        self._write_options()
        self._process.signal(signal.SIGHUP)

    def environment(self) -> dict[str, str]:
        env = self.simulator.environment(self.attach_to)
        return env | {"OSM_CACHE_DIR": str(self.folder), "OSM_TMP_DIR": str(self.folder)}

    def check_running(self) -> None:
        self._process.check_running()

    def sweeps(self) -> int:
        """How many times it has brought the subnet up."""
        return self.log.read_bytes().count(b"SUBNET UP")

    def wait_for_sweeps(self, count: int, seconds: float) -> None:
        def enough() -> bool:
            self._process.check_running()
            return self.sweeps() >= count

        wait_until(f"OpenSM's sweep number {count} ({self.log})", seconds, enough)

    def sweep_again(self, seconds: float = 60) -> None:
        before = self.sweeps()
        self._process.signal(signal.SIGHUP)
        self.wait_for_sweeps(before + 1, seconds)

    def stop(self) -> None:
        if self._process:
            self._process.stop()
            self._process = None

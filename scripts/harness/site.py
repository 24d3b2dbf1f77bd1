"""A whole installation in memory: simulator, subnet manager, heddled, and traffic if wanted."""

import contextlib
import tempfile
import threading
from pathlib import Path

from .daemon import Daemon
from .netlist import Cable, Netlist
from .process import HarnessError
from .programs import generate
from .simulator import Simulator, SubnetManager
from .traffic import Traffic


class Site:
    """OpenSM sits on the first host, heddled on the second; both are therefore never to be cut off."""

    def __init__(self, shape: list[str], settings: dict | None = None, ready_seconds: float = 60):
        """`shape`: what `heddle generate` takes. `ready_seconds`: how long the first complete sweep may take."""
        self._temporary = tempfile.TemporaryDirectory(prefix="heddle-site-")
        self.folder = folder = Path(self._temporary.name)
        self.ready_seconds = ready_seconds
        self.topology = generate(folder / "fabric.topo", *shape)
        self.netlist = Netlist.read(self.topology)
        if len(self.netlist.hosts) < 4:
            raise HarnessError("a site needs four hosts")
        self.simulator = Simulator(self.topology, folder)
        self.manager = SubnetManager(self.simulator, folder / "opensm", self.netlist.hosts[0])
        self.daemon = Daemon(self.simulator, folder, attach_to=self.netlist.hosts[1], settings=settings)

    def start(self) -> "Site":
        """Returns when the first complete sweep is served; stops what it started if that fails."""
        try:
            self.simulator.start()
            self.manager.start()
            self.daemon.start()
            self.daemon.wait_until_ready(self.ready_seconds)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Last in, first out; one that cannot be stopped keeps none of the others running."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._temporary.cleanup)
            stack.callback(self.simulator.stop)
            stack.callback(self.manager.stop)
            stack.callback(self.daemon.stop)

    def __enter__(self) -> "Site":
        return self.start()

    def __exit__(self, *_) -> None:
        self.stop()

    def core_cables(self) -> list[Cable]:
        return [cable for cable in self.netlist.cables if cable.between_switches()]

    def host_cable(self, host: str) -> Cable:
        return next(cable for cable in self.netlist.cables if host in (cable.a.node, cable.b.node))


class Mover:
    """Traffic in a thread of its own, a batch a second, until it is stopped or the simulator is gone."""

    PERIOD = 1.0

    def __init__(self, simulator: Simulator, traffic: Traffic):
        self._simulator = simulator
        self._traffic = traffic
        self._lock = threading.Lock()  # over _traffic, _down and the console
        self._down: set[Cable] = set()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mover", daemon=True)
        self.failure: Exception | None = None

    def start(self) -> "Mover":
        self._thread.start()
        return self

    def stop(self) -> None:
        self._ending.set()
        self._thread.join()

    def cut(self, cable: Cable) -> None:
        with self._lock:
            self._down.add(cable)
            self._simulator.console([f"Unlink {cable.a.console()}"])

    def restore(self, cable: Cable) -> None:
        """Both ends count that they were down, as real ports do."""
        with self._lock:
            self._down.discard(cable)
            self._simulator.console([f"ReLink {cable.a.console()}"])
            for end in cable:
                self._traffic.add(end, "PortCounters.LinkDownedCounter", 1)

    def _run(self) -> None:
        while not self._ending.wait(self.PERIOD):
            try:
                with self._lock:
                    self._simulator.console(self._traffic.commands(self.PERIOD, self._down))
            except (OSError, HarnessError) as error:
                self.failure = error
                return

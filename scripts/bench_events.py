"""From a cut cable to a subscriber of heddled, by way of a real OpenSM with the plugin, in ibsim; and what the plugin
costs OpenSM's threads."""

import random
import tempfile
import time
from pathlib import Path

from bench_figures import Figure, progress
from harness.daemon import Daemon
from harness.event_stream import EventStream
from harness.netlist import Netlist
from harness.plugin import PluginManager
from harness.process import HarnessError, wait_until
from harness.programs import generate
from harness.simulator import Simulator

FULL_SHAPE = ["fat-tree", "--levels", "3", "--radix", "24"]
SMOKE_SHAPE = ["fat-tree", "--levels", "2", "--radix", "8"]
SEED = 4
# In service: what is measured must not wait for a sweep of heddled's own.
PERIODS = {"periods": {"topology": "1m", "counters_data": "10s", "counters_errors": "30s", "counters_details": "5m"}}
# Longer than a trap takes, shorter than a sweep of OpenSM's: cuts meet it in all its states.
PAUSE = 0.3
PATIENCE = 5.0


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def cut_and_return(simulator: Simulator, netlist: Netlist, stream: EventStream, rounds: int) -> tuple[list[float], int]:
    """Milliseconds from a command to the first trap event, and how many commands brought none."""
    chance = random.Random(SEED)
    cables = [cable for cable in netlist.cables if cable.between_switches()]
    times, untold = [], 0
    for cable in chance.sample(cables, rounds):
        for command in ("Unlink", "ReLink"):
            begun = time.monotonic()
            simulator.console([f"{command} {cable.a.console()}"])
            try:
                times.append(1000 * (stream.wait_for("trap", begun, PATIENCE).at - begun))
            except HarnessError:
                untold += 1
            time.sleep(PAUSE)
    return times, untold


def measure(smoke: bool) -> list[Figure]:
    shape, rounds = (SMOKE_SHAPE, 3) if smoke else (FULL_SHAPE, 100)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        topology = generate(folder / "plain", *shape)
        netlist = Netlist.read(topology)
        simulator = Simulator(topology, folder)
        daemon = Daemon(simulator, folder, netlist.hosts[1], PERIODS)
        manager = PluginManager(simulator, folder / "opensm", netlist.hosts[0], f"socket={daemon.opensm_socket}")
        try:
            progress("events", f"{len(netlist.hosts)} hosts come up")
            simulator.start()
            manager.start()
            daemon.start()
            wait_until("OpenSM to be connected", 60, lambda: daemon.http.json("/v1/routing")["connected"])
            daemon.wait_until_ready(300)
            stream = EventStream(daemon.port)
            progress("events", f"{rounds} cables are cut and come back")
            times, untold = cut_and_return(simulator, netlist, stream, rounds)
            wait_until("the plugin to tell its state", 10, lambda: int(plugin_of(daemon)["events_taken"]) > 0)
            time.sleep(3)
            state = plugin_of(daemon)
            stream.close()
        finally:
            daemon.stop()
            manager.stop()
            simulator.stop()
    taken, slow = int(state["events_taken"]), int(state["slow_callbacks"])
    return [
        Figure("trap to subscriber, median", percentile(times, 0.5), "ms"),
        Figure("trap to subscriber, p99", percentile(times, 0.99), "ms", at_most=1000),
        Figure("trap to subscriber, slowest", max(times), "ms"),
        Figure("cuts and returns that no trap told", untold, ""),
        Figure("events taken by the plugin", taken, ""),
        Figure("of them dropped", int(state["events_dropped"]), "", at_most=0),
        Figure("share of callbacks over 50 us", slow / taken, "", at_most=0.01),
        Figure("slowest callback", 1e6 * state["slowest_callback_seconds"], "us", at_most=1000),
    ]


def plugin_of(daemon: Daemon) -> dict:
    [manager] = daemon.http.json("/v1/routing")["managers"]
    return manager

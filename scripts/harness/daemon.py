"""heddled as a child on a simulator."""

import signal
from pathlib import Path

from .http_client import HttpClient
from .process import Child, free_port, wait_until
from .programs import program, sanitizer_environment
from .simulator import Simulator

# Much shorter than in service: tests and the demo shall see things soon.
FAST_PERIODS = {
    "periods": {"topology": "1s", "counters_data": "1s", "counters_errors": "1s", "counters_details": "5s"},
}


def yaml_text(settings: dict) -> str:
    """Two levels of mappings, which is all that the configuration has."""
    lines: list[str] = []
    for key, value in settings.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {inner}: {leaf}" for inner, leaf in value.items()]
        else:
            lines.append(f"{key}: {value}")
    return "\n".join(lines) + "\n"


class Daemon:
    """One heddled on a free port of the loopback."""

    def __init__(self, simulator: Simulator, folder: Path, attach_to: str | None = None, settings: dict | None = None):
        self.simulator = simulator
        self.attach_to = attach_to
        self.port = free_port()
        self.http = HttpClient(self.port)
        self.log = folder / "heddled.log"
        self.opensm_socket = folder / "opensm.sock"
        self.control_socket = folder / "control.sock"
        self.config = folder / "heddled.yaml"
        self.settings = {
            "fabric": "simulated",
            "listen": {"address": "127.0.0.1", "port": self.port},
            # Its own: the defaults are one service's of the machine.
            "opensm": {"socket": self.opensm_socket},
            "control": {"socket": self.control_socket},
            **FAST_PERIODS,
            **(settings or {}),
        }
        self._process: Child | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> Child:
        assert self._process is not None, "heddled was not started"
        return self._process

    def write_config(self, text: str | None = None) -> None:
        self.config.write_text(text if text is not None else yaml_text(self.settings), encoding="utf-8")

    def start(self, seconds: float = 20) -> None:
        """Returns when it answers; it need not be ready yet."""
        self.write_config()
        env = self.simulator.environment(self.attach_to) | sanitizer_environment()
        self._process = Child([str(program("heddled")), "--config", str(self.config)], self.log, env)

        def alive() -> bool:
            self.process.check_running()
            return self.http.status_of("/healthz") == 200

        wait_until(f"heddled to answer on port {self.port}", seconds, alive)

    def ready(self) -> bool:
        self.process.check_running()
        return self.http.status_of("/readyz") == 200

    def wait_until_ready(self, seconds: float = 60) -> None:
        wait_until("heddled to be ready", seconds, self.ready, interval=0.1)

    def reload(self) -> None:
        self.process.signal(signal.SIGHUP)

    def completed(self, job: str) -> int:
        """How often a periodic job has run to its end, by /v1/status."""
        for entry in self.http.json("/v1/status")["jobs"]:
            if entry["name"] == job:
                return entry["completed"]
        return 0

    def wait_for_rounds(self, job: str, rounds: int = 2, seconds: float = 20) -> None:
        """Until `job` has begun and ended at least once from now on: the one under way may have begun before."""
        goal = self.completed(job) + rounds
        wait_until(f"{rounds} rounds of {job}", seconds, lambda: self.completed(job) >= goal)

    def stop(self, seconds: float = 5) -> int | None:
        if self._process is None:
            return None
        status = self._process.stop(seconds)
        self._process = None
        return status

"""Child processes that cannot outlive us, and waits that cannot last for ever."""

import ctypes
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, TypeVar

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)

T = TypeVar("T")


class HarnessError(Exception):
    """Something that was waited for did not happen, or a program ended that should run."""


def _die_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def wait_until(what: str, seconds: float, probe: Callable[[], T], interval: float = 0.05) -> T:
    """The first true value of `probe`; an error that says `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise HarnessError(f"waited {seconds:g} s in vain: {what}")
        time.sleep(interval)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Child:
    """One running program with its output in a file, in whose folder it runs: ibsim's preload library leaves a tree of
    its own in the working directory of a program that is killed. Start it from the main thread: the kernel kills it
    when the thread that started it ends."""

    def __init__(self, argv: list[str], log: Path, env: dict[str, str] | None = None, stdin: int = subprocess.DEVNULL):
        self.name = Path(argv[0]).name
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                argv,
                cwd=log.parent,
                stdin=stdin,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                # A session of its own: Ctrl-C reaches us alone, and we stop the children in order.
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def running(self) -> bool:
        return self._process.poll() is None

    def returncode(self) -> int | None:
        return self._process.poll()

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def write(self, text: str) -> None:
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    def check_running(self) -> None:
        if not self.running():
            tail = "\n".join(self.output().splitlines()[-20:])
            raise HarnessError(f"{self.name} ended with {self.returncode()}:\n{tail}")

    def wait_for_output(self, text: str, seconds: float) -> None:
        def seen() -> bool:
            found = text in self.output()
            if not found:
                self.check_running()
            return found

        wait_until(f"{self.name} to print '{text}' ({self.log})", seconds, seen)

    def signal(self, number: int) -> None:
        if self.running():
            self._process.send_signal(number)

    def wait(self, seconds: float) -> int:
        """The exit status; an error if it has not ended in time."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise HarnessError(f"{self.name} did not end within {seconds:g} s") from None

    def stop(self, seconds: float = 5) -> int:
        """SIGTERM, and SIGKILL if that is not enough."""
        self.signal(signal.SIGTERM)
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass  # what was buffered for a program that has ended
        return self._process.returncode

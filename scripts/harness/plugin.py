"""OpenSM with heddle's plugin on a simulator."""

import re
import signal
import subprocess
import time
from pathlib import Path

from .process import HarnessError
from .programs import build_folder, sanitizer_environment
from .simulator import Simulator, SubnetManager


def plugin_folder() -> Path:
    """Where the built libheddle.so is."""
    folder = build_folder() / "plugins" / "opensm"
    if not (folder / "libheddle.so").exists():
        raise HarnessError(f"{folder}/libheddle.so is not built")
    return folder


def sanitizer_library() -> str | None:
    """The library of AddressSanitizer that a plugin built with it needs: it wants to be loaded before all others."""
    done = subprocess.run(
        ["ldd", str(plugin_folder() / "libheddle.so")], stdout=subprocess.PIPE, encoding="utf-8", check=True
    )
    found = re.search(r"(/\S*libasan\S*)", done.stdout)
    return found[1] if found else None


class PluginManager(SubnetManager):
    """OpenSM with `-R heddle,updn` and the plugin; `options` are its event_plugin_options, `settings` further lines of
    opensm.conf."""

    def __init__(
        self,
        simulator: Simulator,
        folder: Path,
        attach_to: str,
        options: str = "",
        qos: bool = False,
        settings: dict[str, str] | None = None,
    ):
        super().__init__(simulator, folder, attach_to, "heddle,updn")
        self.OPTIONS = SubnetManager.OPTIONS | {"event_plugin_name": "heddle", "qos": "TRUE" if qos else "FALSE"}
        self.OPTIONS |= settings or {}
        # Where no heddled of the test's own is named, none of the machine's is to be told.
        self.OPTIONS["event_plugin_options"] = options if "socket=" in options else f"{options} socket=none".strip()

    def environment(self) -> dict[str, str]:
        env = super().environment() | {"LD_LIBRARY_PATH": str(plugin_folder())}
        if library := sanitizer_library():
            env["LD_PRELOAD"] = f"{library}:{env['LD_PRELOAD']}"
            # OpenSM ends with much unreturned.
            env["ASAN_OPTIONS"] = f"{sanitizer_environment()['ASAN_OPTIONS']}:detect_leaks=0"
        return env

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def engines(self) -> list[str]:
        """Whose tables were written, sweep by sweep."""
        return re.findall(r"(\w+) tables configured on all switches", self.text())

    def changed(self) -> list[int]:
        """Of how many entries the plugin said that they changed, run by run."""
        return [int(count) for count in re.findall(r"heddle: routed with .* (\d+) of \d+ entries changed", self.text())]

    def states(self) -> list[str]:
        """MASTER, STANDBY, … in the order in which it entered them."""
        return re.findall(r"Entering (\w+) state", self.text())

    def settle(self, seconds: float = 60) -> None:
        """Sweeps until a sweep that began later than this call finds nothing to change."""
        deadline = time.monotonic() + seconds
        while True:
            self.sweep_again(seconds)
            if self.changed()[-1] == 0:
                return
            if time.monotonic() > deadline:
                raise HarnessError(f"the tables still change after {seconds:g} s ({self.log})")

    def kill(self) -> None:
        """Without a farewell."""
        self._process.signal(signal.SIGKILL)
        self._process.wait(10)

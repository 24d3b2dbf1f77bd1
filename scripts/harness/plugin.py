"""OpenSM with heddle's plugin on a simulator."""

import re
import signal
from pathlib import Path

from .process import HarnessError
from .programs import build_folder
from .simulator import Simulator, SubnetManager


def plugin_folder() -> Path:
    """Where the built libheddle.so is."""
    folder = build_folder() / "plugins" / "opensm"
    if not (folder / "libheddle.so").exists():
        raise HarnessError(f"{folder}/libheddle.so is not built")
    return folder


class PluginManager(SubnetManager):
    """OpenSM with `-R heddle,updn` and the plugin; `options` are its event_plugin_options."""

    def __init__(self, simulator: Simulator, folder: Path, attach_to: str, options: str = "", qos: bool = False):
        super().__init__(simulator, folder, attach_to, "heddle,updn")
        self.OPTIONS = SubnetManager.OPTIONS | {"event_plugin_name": "heddle", "qos": "TRUE" if qos else "FALSE"}
        if options:
            self.OPTIONS["event_plugin_options"] = options

    def environment(self) -> dict[str, str]:
        return super().environment() | {"LD_LIBRARY_PATH": str(plugin_folder())}

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def engines(self) -> list[str]:
        """Whose tables were written, sweep by sweep."""
        return re.findall(r"(\w+) tables configured on all switches", self.text())

    def sweep_again(self, seconds: float = 60) -> None:
        before = self.sweeps()
        self._process.signal(signal.SIGHUP)
        self.wait_for_sweeps(before + 1, seconds)

"""The cabling of an ibnetdiscover text, as the console of ibsim names it."""

import re
from pathlib import Path
from typing import NamedTuple

_NODE = re.compile(r'^(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"(?:\s+#\s*"(.*?)")?')
_CABLE = re.compile(r'^\[(\d+)\](?:\([0-9a-fA-F]+\))?\s+"([^"]+)"\[(\d+)\]')


class End(NamedTuple):
    node: str  # S-0002c90000000000
    port: int

    @property
    def guid(self) -> str:
        return "0x" + self.node.split("-")[1]

    def console(self) -> str:
        """As ibsim's console takes it."""
        return f'"{self.node}"[{self.port}]'


class Cable(NamedTuple):
    a: End
    b: End

    def between_switches(self) -> bool:
        return self.a.node.startswith("S-") and self.b.node.startswith("S-")


class Netlist(NamedTuple):
    switches: list[str]
    hosts: list[str]
    names: dict[str, str]
    cables: list[Cable]

    @staticmethod
    def read(path: Path) -> "Netlist":
        return Netlist.parse(path.read_text(encoding="utf-8", errors="replace"))

    @staticmethod
    def parse(text: str) -> "Netlist":
        switches: list[str] = []
        hosts: list[str] = []
        names: dict[str, str] = {}
        cables: set[Cable] = set()
        current = ""
        for line in text.splitlines():
            node = _NODE.match(line)
            if node:
                current = node.group(2)
                names[current] = node.group(3) or ""
                if node.group(1) == "Switch":
                    switches.append(current)
                elif node.group(1) == "Ca":
                    hosts.append(current)
                continue
            cable = _CABLE.match(line)
            if cable:
                ends = sorted([End(current, int(cable.group(1))), End(cable.group(2), int(cable.group(3)))])
                cables.add(Cable(*ends))
        return Netlist(switches, hosts, names, sorted(cables))

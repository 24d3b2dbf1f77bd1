"""A measured figure with what it is compared with."""

import sys
from dataclasses import dataclass


def shown(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    count = unit == "" and value == int(value)
    digits = 0 if count or abs(value) >= 1000 else 1 if abs(value) >= 100 else 3
    return f"{value:,.{digits}f} {unit}".strip()


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: str
    peer: float | None = None  # the same figure of the program it is compared with
    at_most: float | None = None
    at_least: float | None = None
    panel: str | None = None  # of the picture (bench_picture.py), if it has a place there
    label: str | None = None  # its name there

    def holds(self) -> bool:
        """Whether the target is met; true without one."""
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    def target(self) -> str:
        if self.at_most is not None:
            return f"<= {shown(self.at_most, self.unit)}"
        if self.at_least is not None:
            return f">= {shown(self.at_least, self.unit)}"
        return "-"

    def row(self) -> tuple[str, str, str, str, str]:
        verdict = "" if self.target() == "-" else "ok" if self.holds() else "MISSED"
        return self.name, shown(self.value, self.unit), shown(self.peer, self.unit), self.target(), verdict

    def json(self) -> dict:
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "peer": self.peer,
            "at_most": self.at_most,
            "at_least": self.at_least,
            "holds": self.holds(),
            "panel": self.panel,
            "label": self.label,
        }


def progress(bench: str, text: str) -> None:
    """What is measured now, for whoever waits."""
    print(f"bench {bench}: {text} …", file=sys.stderr, flush=True)

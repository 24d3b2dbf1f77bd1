"""Moves the counters of a simulated fabric: ibsim itself carries no traffic."""

import math
from typing import Iterator

from .netlist import Cable, End, Netlist

LINK_BYTES_PER_SECOND = 25e9  # 4xHDR
PACKET_BYTES = 4096
WORD_BYTES = 4  # PortXmitData and PortRcvData count words
MAX_32_BIT = 2**32 - 1
MAX_16_BIT = 2**16 - 1


class Traffic:
    """A flow in both directions of every link, different from link to link and slowly changing; and counters that
    grow steadily besides (errors, waiting). The counters are absolute, as ibsim's console wants them."""

    def __init__(self, netlist: Netlist):
        self._cables = netlist.cables
        self._bytes: dict[End, list[float]] = {end: [0.0, 0.0] for cable in netlist.cables for end in cable}
        self._growing: dict[tuple[End, str], list[float]] = {}
        self._seconds = 0.0

    def grow(self, end: End, counter: str, per_second: float) -> None:
        """Lets `counter`, an ibsim field such as PortCounters.SymbolErrorCounter, grow."""
        self._growing[end, counter] = [0.0, per_second]

    def add(self, end: End, counter: str, amount: float) -> None:
        """Adds to a counter once."""
        self._growing.setdefault((end, counter), [0.0, 0.0])[0] += amount

    def _utilisation(self, index: int, direction: int) -> float:
        # Irrational steps spread the links evenly over 10 % .. 60 %; every 31st link is a busy one.
        base = 0.1 + 0.5 * math.modf((index * 2 + direction) * 0.6180339887)[0]
        if index % 31 == 7:
            base = 0.85
        return base * (1 + 0.1 * math.sin(self._seconds / 7 + index))

    def commands(self, seconds: float, down: set[Cable] = frozenset()) -> list[str]:
        """Lets time pass and returns the console commands that show it; links in `down` carry nothing."""
        self._seconds += seconds
        for index, cable in enumerate(self._cables):
            if cable in down:
                continue
            for direction, (sender, receiver) in enumerate([(cable.a, cable.b), (cable.b, cable.a)]):
                moved = self._utilisation(index, direction) * LINK_BYTES_PER_SECOND * seconds
                self._bytes[sender][0] += moved
                self._bytes[receiver][1] += moved
        for state in self._growing.values():
            state[0] += state[1] * seconds
        return list(self._commands())

    def _commands(self) -> Iterator[str]:
        for end, (sent, received) in self._bytes.items():
            prefix = f"PerformanceSet {end.console()} PortCountersExtended."
            for way, octets in (("Xmit", sent), ("Rcv", received)):
                yield f"{prefix}Port{way}Data={int(octets / WORD_BYTES)}"
                yield f"{prefix}Port{way}Pkts={int(octets / PACKET_BYTES)}"
                yield f"{prefix}PortUnicast{way}Pkts={int(octets / PACKET_BYTES)}"
        for (end, counter), (value, _) in self._growing.items():
            limit = MAX_32_BIT if counter.endswith("PortXmitWait") else MAX_16_BIT
            yield f"PerformanceSet {end.console()} {counter}={min(int(value), limit)}"

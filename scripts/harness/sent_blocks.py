"""Which table blocks an OpenSM has sent, from the log of one with the flag that shows every packet."""

import re
from typing import NamedTuple

from .live_image import Cabling
from .netlist import End, Netlist

LOG_FLAGS = "0x23"  # what else is logged, and frames

_DUMP = re.compile(
    r"method\.+0x2 \(SubnSet\).*?attr_id\.+0x19 \(LinearForwardingTable\).*?attr_mod\.+0x([0-9a-fA-F]+).*?"
    r"Initial path: ([0-9,]+)\n.*?Reserved: [^\n]*((?:\s+[0-9A-F]{2}){64})",
    re.DOTALL,
)


class SentBlock(NamedTuple):
    switch: str
    number: int
    ports: bytes


def sent_blocks(log: str, netlist: Netlist, host: str) -> list[SentBlock]:
    """In the order in which they were sent by an OpenSM on the first port of `host`."""
    cabling = Cabling(netlist)
    found = []
    for dump in log.split("SMP dump:")[1:]:
        if block := _DUMP.search(dump):
            node = host
            for port in block[2].split(",")[1:]:
                node = cabling.peer[End(node, int(port))].node
            found.append(SentBlock(node, int(block[1], 16), bytes.fromhex(block[3])))
    return found

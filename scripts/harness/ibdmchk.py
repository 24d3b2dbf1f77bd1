"""ibdmchk: the judge of credit loops that comes with ibutils."""

import re
import subprocess
from pathlib import Path

from .netlist import Netlist
from .process import HarnessError

LOG_FLAGS = "0x43"  # has OpenSM write the files that it reads


def _sources(fabric: Path) -> dict[int, str]:
    """GUIDs of the adapters by their LIDs, of an ibnetdiscover text."""
    found: dict[int, str] = {}
    guid = ""
    for line in fabric.read_text(encoding="utf-8").splitlines():
        if head := re.match(r'(?:Ca\s+\d+\s+"H-([0-9a-f]+)")|(?:Switch|Rt)\s', line):
            guid = head[1] or ""
        elif guid and (port := re.match(r"\[\d+\]\([0-9a-f]+\).*?# lid (\d+) ", line)):
            found[int(port[1])] = f"0x{guid}"
    return found


def _write_levels(fabric: Path, levels: Path, out: Path) -> None:
    """Lines 'slid dlid sl' with the GUID of the source's node in place of its LID, for all pairs of adapters: of others
    ibdmchk knows nothing, and what is not named it does not take for 0."""
    sources = _sources(fabric)
    named: dict[tuple[int, int], str] = {}
    for line in levels.read_text(encoding="utf-8").splitlines():
        source, destination, level = line.split()
        named[int(source), int(destination)] = level
    with out.open("w", encoding="utf-8") as file:
        for source, guid in sorted(sources.items()):
            for destination in sorted(sources):
                file.write(f"{guid} {destination} {named.get((source, destination), 0)}\n")


def _write_maps(fabric: Path, maps: Path, out: Path) -> None:
    """Lines 'switch_guid in out vl0 .. vl15' as eight bytes of two lanes each, and such lines for the pairs of
    ports that are not named, whose lane is the level."""
    ports: dict[str, set[int]] = {}
    for cable in Netlist.read(fabric).cables:
        for end in cable:
            if end.node.startswith("S-"):
                ports.setdefault(end.guid, set()).add(end.port)
    lanes = {
        (guid, into, to): range(16) for guid, those in ports.items() for into in those for to in those if into != to
    }
    for line in maps.read_text(encoding="utf-8").splitlines():
        guid, *numbers = line.split()
        into, to, *named = map(int, numbers)
        lanes[guid, into, to] = named
    with out.open("w", encoding="utf-8") as file:
        for (guid, into, to), row in sorted(lanes.items()):
            pairs = " ".join(f"0x{a:x}{b:x}" for a, b in zip(row[::2], row[1::2]))
            file.write(f"{guid} {into} {to} {pairs}\n")


def credit_loop(
    dumps: Path, fabric: Path | None = None, levels: Path | None = None, maps: Path | None = None, seconds: float = 60
) -> bool:
    """Whether the packets of adapters can wait for each other in a circle. `dumps` holds what an OpenSM with LOG_FLAGS
    has written; `levels` and `maps` are files of `heddle route`, and `fabric` the text that they belong to."""
    argv = ["ibdmchk", "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"]
    if levels and levels.stat().st_size:
        _write_levels(fabric, levels, dumps / "ibdmchk-sl")
        argv += ["-c", "ibdmchk-sl"]
    if maps and maps.stat().st_size:
        _write_maps(fabric, maps, dumps / "ibdmchk-sl2vl")
        argv += ["-d", "ibdmchk-sl2vl"]
    done = subprocess.run(
        argv,
        cwd=dumps,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=seconds,
        check=False,
    )
    # Its exit status says nothing (it crashes at its end); its verdict is a line.
    text = done.stdout.decode(errors="replace")
    verdicts = re.findall(r"-I- no credit loops found|-E- credit loops in routing", text)
    if len(verdicts) != 1:
        raise HarnessError(f"ibdmchk gives {len(verdicts)} verdicts:\n{text[-2000:]}")
    return verdicts[0].startswith("-E-")

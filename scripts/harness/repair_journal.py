"""What the plugin's option repair_log writes: requests of repairs and what came back, with times."""

from pathlib import Path
from typing import NamedTuple


class Record(NamedTuple):
    time: float  # seconds since 1970
    word: str  # trap, dead, say, set, would, held, done, run, nothing, lost
    rest: list[str]

    def place(self) -> tuple[str, int]:
        """GUID and number of a block, of set, would and held."""
        guid, number = self.rest[-3:-1]
        return guid, int(number)

    def ports(self) -> bytes:
        return bytes.fromhex(self.rest[-1])

    def entries(self) -> dict[tuple[str, int], int]:
        """As harness.opensm_tables.entries() has them; what leads nowhere is left out."""
        guid, number = self.place()
        return {(guid, number * 64 + i): port for i, port in enumerate(self.ports()) if port != 255}


class Tail:
    """What was appended since it was last asked."""

    def __init__(self, path: Path):
        self.path = path
        self.position = 0

    def new(self) -> list[Record]:
        records = []
        with self.path.open("rb") as file:
            file.seek(self.position)
            # The last line may still be on its way.
            for line in file.read().split(b"\n")[:-1]:
                time, word, *rest = line.decode(errors="replace").split(" ")
                records.append(Record(float(time), word, rest))
                self.position += len(line) + 1
        return records

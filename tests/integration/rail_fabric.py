"""A small fabric of rails, as GPU clusters have them: each adapter of a host has a leaf of its own, two cables join each
leaf to each spine, and on the last port of every switch sits an aggregation node."""

from typing import NamedTuple

RATE = "4xHDR"  # the fastest that ibsim knows


class Rails(NamedTuple):
    units: int = 2  # of hosts that share their leaves
    hosts: int = 4  # a unit
    rails: int = 4
    spines: int = 3
    bundle: int = 2

    def ports(self) -> int:
        """Of each switch; the last is that of its aggregation node."""
        return max(self.hosts + self.spines * self.bundle, self.units * self.rails * self.bundle) + 1

    def text(self) -> str:
        """As ibnetdiscover prints it."""
        adapters: dict[str, tuple[str, tuple[str, int]]] = {}  # name and socket by GUID
        cables: dict[tuple[str, int], tuple[str, int]] = {}
        names: dict[str, str] = {}

        def plug(a: tuple[str, int], b: tuple[str, int]) -> None:
            cables[a], cables[b] = b, a

        def switch(number: int, name: str) -> str:
            guid = f"2c902{number:011x}"
            names[guid] = name
            adapter(f"2c903{number:011x}", "Mellanox Technologies Aggregation Node", (guid, self.ports()))
            return guid

        def adapter(guid: str, name: str, socket: tuple[str, int]) -> None:
            adapters[guid] = (name, socket)
            plug((guid, 1), socket)

        spines = [switch(0x1000 + 16 * s, f"MF0;spine-{s}:MQM9700/U1") for s in range(self.spines)]
        for leaf in range(self.units * self.rails):
            unit, rail = divmod(leaf, self.rails)
            guid = switch(16 * leaf, f"MF0;leaf-{unit}-{rail}:MQM9700/U1")
            for host in range(self.hosts):
                number = unit * self.hosts + host
                adapter(f"2c901{4096 * number + 16 * rail:011x}", f"host{number:04} mlx5_{rail}", (guid, host + 1))
            for place in range(self.spines * self.bundle):
                spine, cable = divmod(place, self.bundle)
                plug((guid, self.hosts + place + 1), (spines[spine], leaf * self.bundle + cable + 1))

        def end(of: tuple[str, int]) -> str:
            return f'"H-{of[0]:0>16}"[1]({int(of[0], 16) + 1:x})' if of[0] in adapters else f'"S-{of[0]:0>16}"[{of[1]}]'

        lines = []
        for guid, name in names.items():
            lines += ["", "vendid=0x2c9", "devid=0xd2f2", f"sysimgguid=0x{guid}", f"switchguid=0x{guid}({guid})"]
            lines.append(f'Switch\t{self.ports()} "S-{guid:0>16}"\t\t# "{name}" enhanced port 0 lid 0 lmc 0')
            for port in range(1, self.ports() + 1):
                if far := cables.get((guid, port)):
                    far_name = adapters[far[0]][0] if far[0] in adapters else names[far[0]]
                    lines.append(f'[{port}]\t{end(far)} \t\t# "{far_name}" lid 0 {RATE}')
        for guid, (name, socket) in adapters.items():
            lines += ["", "vendid=0x2c9", "devid=0x1021", f"sysimgguid=0x{guid}", f"caguid=0x{guid}"]
            lines.append(f'Ca\t1 "H-{guid:0>16}"\t\t# "{name}"')
            lines.append(f'[1]({int(guid, 16) + 1:x}) \t{end(socket)}\t\t# lid 0 lmc 0 "{names[socket[0]]}" lid 0 {RATE}')
        return "\n".join([*lines, ""])

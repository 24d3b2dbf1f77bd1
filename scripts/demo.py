#!/usr/bin/env python3
"""./run demo: a simulated fabric of 128 hosts and 12 switches under a real OpenSM, watched by heddled, on which
something happens. Ctrl-C ends everything. With --once: checks that what should be served is, and exits 0 or 1."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time

from demo_view import Story, live_screen, summary
from harness.process import HarnessError, wait_until
from harness.programs import build
from harness.site import Mover, Site
from harness.traffic import Traffic

SHAPE = ["fat-tree", "--levels", "2", "--radix", "32", "--parallel-links", "4", "--pods", "8"]
HOSTS, SWITCHES, LINKS = 128, 12, 256
FIRST_SWEEP_SECONDS = 120
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DOWN_SECONDS, UP_SECONDS = 15, 25  # of the link that goes down and comes back


def tell_story(site: Site) -> tuple[Story, Mover]:
    """Traffic everywhere, a noisy link, one that waits; the one that will go down is chosen too."""
    core = site.core_cables()
    story = Story(noisy=core[5], waiting=core[42], flapping=core[77])
    traffic = Traffic(site.netlist)
    traffic.grow(story.noisy.a, "PortCounters.SymbolErrorCounter", 12)
    traffic.grow(story.waiting.a, "PortCounters.PortXmitWait", 1_500_000)
    return story, Mover(site.simulator, traffic).start()


def check_once(site: Site, story: Story, mover: Mover) -> list[tuple[str, bool, str]]:
    """(what, whether it holds, the figure) for everything that must be served."""
    http = site.daemon.http
    checks: list[tuple[str, bool, str]] = []

    def check(what: str, holds: bool, figure: object) -> None:
        checks.append((what, holds, str(figure)))

    def eventually(what: str, seconds: float, probe) -> None:
        begun = time.monotonic()
        try:
            wait_until(what, seconds, probe, interval=0.2)
            check(what, True, f"after {time.monotonic() - begun:.1f} s")
        except HarnessError as error:
            check(what, False, error)

    fabric = http.json("/v1/fabric")
    kinds = {kind: count for kind, count in fabric["nodes"].items() if count}
    check("nodes: 128 host adapters, 12 switches", kinds == {"host_adapter": HOSTS, "switch": SWITCHES}, kinds)
    check("links: 256", fabric["links"] == LINKS, fabric["links"])
    check("the snapshot is not stale", not fabric["stale"], fabric["stale_reason"] or "fresh")
    masters = [manager["name"] for manager in fabric["subnet_managers"] or [] if manager["state"] == "master"]
    check("the master subnet manager is named", len(masters) == 1, ", ".join(masters) or "none")
    tables = fabric["tables"] or {"switches_known": 0, "completed_at": "never"}
    known = tables["switches_known"]
    check("forwarding tables of 12 switches are known", known == SWITCHES, f"{known}, read {tables['completed_at']}")
    entries = forwarding_entries(site)
    # Each end port and each switch has a LID, and every switch must know the way to all of them.
    check(
        "every switch's table leads to every LID",
        len(entries) == SWITCHES and min(entries) >= HOSTS + SWITCHES,
        f"{min(entries, default=0)} to {max(entries, default=0)} entries",
    )
    check("partition tables were read", bool(tables.get("partition_tables")), tables.get("partition_tables", 0))

    def moving() -> bool:
        metrics = http.metrics()
        ends = [end for cable in site.netlist.cables for end in cable]
        return all(carried(metrics, end) > 1e6 for end in ends)

    eventually(f"all {2 * LINKS} port ends count traffic", 30, moving)
    noisy, waiting = story.noisy.a, story.waiting.a
    eventually(
        "the noisy link counts symbol errors",
        15,
        lambda: (
            http.metrics().value("infiniband_switch_port_symbol_error_total", guid=noisy.guid, port=str(noisy.port)) or 0
        )
        > 0,
    )
    eventually(
        "the waiting link counts its waits",
        15,
        lambda: (
            http.metrics().value("infiniband_switch_port_transmit_wait_total", guid=waiting.guid, port=str(waiting.port))
            or 0
        )
        > 0,
    )
    mover.cut(story.flapping)
    eventually("a cut link is told as an event", 20, lambda: told(site, "link_down", story))
    mover.restore(story.flapping)
    eventually("its return is told as an event", 20, lambda: told(site, "link_up", story))
    check("the traffic went on", mover.failure is None, mover.failure or "ok")
    return checks


def forwarding_entries(site: Site) -> list[int]:
    """Entries with a port in the forwarding table of each switch, 0 where it was not read."""
    http = site.daemon.http
    details = [http.json(f"/v1/nodes/{node['guid']}?lfts=true") for node in http.pages("/v1/nodes?kind=switch")]
    return [len((detail["forwarding"] or {}).get("lfts", [])) for detail in details]


def carried(metrics, end) -> float:
    kind = "switch" if end.node.startswith("S-") else "hca"
    name = f"infiniband_{kind}_port_transmit_data_bytes_total"
    return metrics.value(name, guid=end.guid, port=str(end.port)) or 0


def told(site: Site, kind: str, story: Story) -> bool:
    ends = [{"guid": end.guid, "port": end.port} for end in story.flapping]
    return any(event["at"] in ends for event in site.daemon.http.pages(f"/v1/events?kind={kind}"))


def run_once(site: Site) -> int:
    story, mover = tell_story(site)
    try:
        checks = check_once(site, story, mover)
        print(summary(site, story).text())
    finally:
        mover.stop()
    for what, holds, figure in checks:
        print(f"  {'ok    ' if holds else 'FAILED'} {what} ({figure})")
    return 0 if all(holds for _, holds, _ in checks) else 1


def run_live(site: Site) -> int:
    story, mover = tell_story(site)
    terminal = sys.stdout.isatty()
    if terminal:
        print("\x1b[2J", end="")
    begun = time.monotonic()
    down = False
    try:
        while True:
            if mover.failure:
                raise mover.failure
            phase = (time.monotonic() - begun) % (DOWN_SECONDS + UP_SECONDS)
            wanted_down = phase >= UP_SECONDS
            if wanted_down != down:
                (mover.cut if wanted_down else mover.restore)(story.flapping)
                down = wanted_down
            found = summary(site, story)
            size = shutil.get_terminal_size()
            print(live_screen(found, size.columns, size.lines) if terminal else found.text() + "\n\n", end="", flush=True)
            time.sleep(1 if terminal else 10)
    finally:
        mover.stop()


def interrupt(*_) -> None:
    # What follows is the cleaning up, some seconds at most: a second Ctrl-C must not cut it short.
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run demo", description=__doc__)
    parser.add_argument("--once", action="store_true", help="check, print a summary and exit 0 or 1; needs no terminal")
    options = parser.parse_args()
    for number in ENDING_SIGNALS:
        signal.signal(number, interrupt)
    try:
        build("heddle", "heddled")
        print("demo: starting ibsim, OpenSM and heddled …", file=sys.stderr)
        with Site(SHAPE, ready_seconds=FIRST_SWEEP_SECONDS) as site:
            return run_once(site) if options.once else run_live(site)
    except KeyboardInterrupt:
        print("\ndemo: everything is stopped", file=sys.stderr)
        return 130 if options.once else 0
    except BrokenPipeError:
        # Nobody reads on, as with `| head`; Python's own last flush must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1 if options.once else 0
    except (HarnessError, OSError, AssertionError, subprocess.SubprocessError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

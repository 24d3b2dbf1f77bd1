"""What the demo prints: one screen, made of what heddled answers over HTTP."""

from datetime import datetime, timezone
from typing import NamedTuple

from harness.netlist import Cable, End
from harness.site import Site

TALKERS = 5
EVENTS = 6
WIDTH = 100  # of lines that go to a file


class Story(NamedTuple):
    """The links on which something happens."""

    noisy: Cable
    waiting: Cable
    flapping: Cable


def age_seconds(time: str | None) -> str:
    if not time:
        return "never"
    moment = datetime.fromisoformat(time.replace("Z", "+00:00"))
    return f"{max(0.0, (datetime.now(timezone.utc) - moment).total_seconds()):.1f} s ago"


def gigabytes(rate: float | None) -> str:
    return "    -     " if rate is None else f"{rate / 1e9:5.1f} GB/s"


def end_name(end: dict) -> str:
    return f'{end["name"]}/{end["port"]}'


def link_of(links: list[dict], cable: Cable) -> dict | None:
    wanted = {(end.guid, end.port) for end in cable}
    return next((link for link in links if {(link[e]["guid"], link[e]["port"]) for e in ("a", "b")} == wanted), None)


def top_talkers(links: list[dict]) -> list[str]:
    flows = []
    for link in links:
        for sender, receiver, field in (("a", "b", "a_to_b_bytes_per_second"), ("b", "a", "b_to_a_bytes_per_second")):
            if link[field] is not None:
                flows.append((link[field], end_name(link[sender]), end_name(link[receiver])))
    flows.sort(reverse=True)
    return [f"  {gigabytes(rate)}  {sender} -> {receiver}" for rate, sender, receiver in flows[:TALKERS]]


def counter_line(site: Site, end: End, name: str) -> str:
    port = site.daemon.http.json(f"/v1/ports/{end.guid}/{end.port}")
    counter = next((counter for counter in port["counters"] if counter["counter"] == name), None)
    place = f'{port["name"]}/{port["port"]}'
    if counter is None:
        return f"{place}: not read yet"
    at_least = "at least " if counter["at_least"] else ""
    peer = f' -> {end_name(port["peer"])}' if port["peer"] else ""
    return f'{place}{peer}: {at_least}{int(counter["value"]):,} {name.replace("_", " ")}'


def link_line(site: Site, links: list[dict], cable: Cable) -> str:
    ends = [f"{site.netlist.names[end.node]}/{end.port}" for end in cable]
    return f"{ends[0]} -- {ends[1]}: {'up' if link_of(links, cable) else 'DOWN'}"


class Summary(NamedTuple):
    """What was found out in one look at heddled."""

    state: list[str]
    talkers: list[str]
    links: list[str]
    events: list[str]
    addresses: list[str]

    def lines(self, talkers: int = TALKERS, events: int = EVENTS) -> list[str]:
        return [
            *self.state,
            "",
            "busiest directions",
            *self.talkers[:talkers],
            "",
            *self.links,
            "",
            "last events",
            *self.events[-events:],
            "",
            *self.addresses,
        ]

    def text(self) -> str:
        return "\n".join(clipped(line, WIDTH) for line in self.lines())


def summary(site: Site, story: Story) -> Summary:
    http = site.daemon.http
    url = site.daemon.url
    status = http.json("/v1/status")
    fabric = http.json("/v1/fabric")
    links = http.pages("/v1/links?limit=1000")
    events = http.pages("/v1/events?limit=1000")
    jobs = {job["name"]: job for job in status["jobs"]}
    sweep, data = jobs["topology"], jobs["counters_data"]
    state = "ready" if status["ready"] else f'not ready: {status["not_ready_reason"]}'
    return Summary(
        state=[
            f'heddle {status["version"]} watches fabric "{status["fabric"]}" ({state}{", STALE" if status["stale"] else ""})',
            f'  sweep     {age_seconds(sweep["last_completed_at"])}, took {sweep["last_duration_seconds"] * 1000:.0f} ms,'
            f' {sweep["completed"]} so far',
            f'  counters  {age_seconds(data["last_completed_at"])}, took {data["last_duration_seconds"] * 1000:.0f} ms,'
            f' {status["ports_fresh"]} of {status["ports_asked"]} ports answered',
            f'  fabric    {fabric["nodes"]["host_adapter"]} host adapters, {fabric["nodes"]["switch"]} switches,'
            f' {fabric["links"]} links, {status["metric_series"]:,} metric series',
        ],
        talkers=top_talkers(links),
        links=[
            f"noisy     {counter_line(site, story.noisy.a, 'symbol_errors')}",
            f"waiting   {counter_line(site, story.waiting.a, 'xmit_wait')}",
            f"flapping  {link_line(site, links, story.flapping)}",
        ],
        events=[f'  {event["time"][11:19]} {event["severity"]:7} {event["text"]}' for event in events],
        addresses=[
            f"  {url}/metrics    {url}/v1/events",
            f"  {url}/v1/fabric  {url}/openapi.json",
            f"  {url}/v1/links?degraded=true",
            f"  ./run heddle status --server {url}",
        ],
    )


def clipped(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"


def live_screen(found: Summary, columns: int, rows: int) -> str:
    """The summary from the top left corner, made to fit; the rest of each line and of the screen cleared: no flicker.
    A line that is too long would wrap, and a screen that is too high scroll, and either spoil the next one."""
    lines: list[str] = []
    for talkers, events in ((TALKERS, EVENTS), (4, 4), (3, 3), (2, 2), (1, 1)):
        lines = found.lines(talkers, events)
        lines[-1] += "    Ctrl-C ends it"
        if len(lines) < rows:
            break
    return "\x1b[H" + "".join(f"{clipped(line, columns - 1)}\x1b[K\n" for line in lines[: max(1, rows - 1)]) + "\x1b[J"

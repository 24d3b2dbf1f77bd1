"""A subscriber of heddled's stream of events."""

import contextlib
import http.client
import json
import threading
import time
from typing import NamedTuple

from .process import wait_until


class Arrival(NamedTuple):
    at: float  # time.monotonic()
    event: dict


class EventStream(threading.Thread):
    """Reads /v1/events from now on, each event with the time at which it came, until it is closed."""

    def __init__(self, port: int):
        super().__init__(daemon=True)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self._connection.request("GET", "/v1/events", headers={"Accept": "text/event-stream"})
        self._response = self._connection.getresponse()
        self._arrivals: list[Arrival] = []
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            for line in self._response:
                if line.startswith(b"data:"):
                    self._arrivals.append(Arrival(time.monotonic(), json.loads(line[5:])))

    def of_kind(self, kind: str, since: float = 0) -> list[Arrival]:
        return [arrival for arrival in list(self._arrivals) if arrival.event["kind"] == kind and arrival.at >= since]

    def wait_for(self, kind: str, since: float = 0, seconds: float = 10) -> Arrival:
        """The first that came after `since`."""
        return wait_until(f"an event '{kind}'", seconds, lambda: self.of_kind(kind, since), interval=0.002)[0]

    def close(self) -> None:
        self._connection.close()

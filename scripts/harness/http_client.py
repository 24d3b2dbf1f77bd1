"""What a client of heddled sees: answers over HTTP and the Prometheus text."""

import http.client
import json
import re
import time
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes
    seconds: float

    def json(self) -> Any:
        return json.loads(self.body)


class HttpClient:
    def __init__(self, port: int, timeout: float = 10):
        self.port = port
        self.timeout = timeout

    def get(self, target: str, headers: dict[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        try:
            begun = time.perf_counter()
            connection.request("GET", target, headers=headers or {})
            response = connection.getresponse()
            body = response.read()
            seconds = time.perf_counter() - begun
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, body, seconds)
        finally:
            connection.close()

    def status_of(self, target: str) -> int | None:
        """Nothing where nobody answers."""
        try:
            return self.get(target).status
        except (OSError, http.client.HTTPException):
            return None

    def json(self, target: str) -> Any:
        answer = self.get(target)
        if answer.status != 200:
            raise AssertionError(f"GET {target}: {answer.status} {answer.body[:300]!r}")
        return answer.json()

    def pages(self, target: str, field: str = "items") -> list[Any]:
        """All elements of a paged list: follows the Link header with rel="next"."""
        elements: list[Any] = []
        following: str | None = target
        while following:
            answer = self.get(following)
            if answer.status != 200:
                raise AssertionError(f"GET {following}: {answer.status} {answer.body[:300]!r}")
            elements += answer.json()[field]
            match = re.search(r'<([^>]+)>;\s*rel="next"', answer.headers.get("link", ""))
            following = match.group(1) if match else None
        return elements

    def metrics(self) -> "Metrics":
        answer = self.get("/metrics")
        if answer.status != 200:
            raise AssertionError(f"GET /metrics: {answer.status}")
        return Metrics(answer.body.decode())


_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="((?:\\.|[^"\\])*)"')


class Sample(NamedTuple):
    labels: dict[str, str]
    value: float


class Metrics:
    """A scrape, by metric name."""

    def __init__(self, text: str):
        self.families: dict[str, list[Sample]] = {}
        for line in text.splitlines():
            match = _SAMPLE.match(line)
            if match:
                labels = dict(_LABEL.findall(match.group(2) or ""))
                self.families.setdefault(match.group(1), []).append(Sample(labels, float(match.group(3))))

    def samples(self, name: str, **labels: str) -> list[Sample]:
        wanted = labels.items()
        return [sample for sample in self.families.get(name, []) if wanted <= sample.labels.items()]

    def value(self, name: str, **labels: str) -> float | None:
        """The value of the only series with these labels; nothing if it is absent."""
        found = self.samples(name, **labels)
        if len(found) > 1:
            raise AssertionError(f"{len(found)} series of {name} have {labels}")
        return found[0].value if found else None

    def total(self, name: str) -> float:
        return sum(sample.value for sample in self.samples(name))

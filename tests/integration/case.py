"""What the integration cases share: one site a class, and a look at heddled's log where a case fails."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from harness.process import wait_until  # noqa: E402
from harness.site import Site  # noqa: E402

# 8 leaves with 4 hosts each under 4 spines: 32 hosts, 12 switches, 64 links.
SHAPE = ["fat-tree", "--levels", "2", "--radix", "8"]
HOSTS, SWITCHES, LINKS = 32, 12, 64


class SiteCase(unittest.TestCase):
    """`self.site` runs and is ready; cases of one class share it and leave it as they found it."""

    settings: dict = {}
    site: Site

    @classmethod
    def setUpClass(cls) -> None:
        cls.site = Site(SHAPE, settings=cls.settings)
        try:
            cls.site.start()
        except BaseException:
            cls._show_log()
            raise

    @classmethod
    def tearDownClass(cls) -> None:
        cls._show_log()
        try:
            cls.site.manager.check_running()
        finally:
            cls.site.stop()

    @classmethod
    def _show_log(cls) -> None:
        log = cls.site.daemon.log
        if log.exists():
            print("--- the end of heddled's log ---", *log.read_text(errors="replace").splitlines()[-25:], sep="\n")

    @property
    def http(self):
        return self.site.daemon.http

    def wait_for(self, what: str, probe, seconds: float = 20):
        return wait_until(what, seconds, probe, interval=0.1)

    def last_event(self) -> int:
        """The sequence number of the newest event."""
        events = self.http.pages("/v1/events?limit=1000")
        return events[-1]["sequence"] if events else 0

    def wait_for_event(self, kind: str, since: int, end=None, seconds: float = 20) -> dict:
        """The first event of `kind` after `since` that is about `end`, a port, or any."""

        def find():
            for event in self.http.pages(f"/v1/events?kind={kind}&since={since}"):
                places = [place for place in (event["at"], event["peer"]) if place]
                if end is None or {"guid": end.guid, "port": end.port} in places:
                    return event
            return None

        return self.wait_for(f"an event {kind} about {end}", find, seconds)


def main() -> None:
    unittest.main(verbosity=2)

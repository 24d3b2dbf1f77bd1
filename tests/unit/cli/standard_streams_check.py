#!/usr/bin/env python3
"""heddle where nobody reads its output, or where its standard streams are closed.
usage: standard_streams_check.py HEDDLE TOPOLOGY"""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HEDDLE, TOPOLOGY = sys.argv[1:]
HEADER = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
EVENT = b'data: {"time": "now", "kind": "link_down", "severity": "error", "text": "gone"}\n\n'


def serve_quiet_stream(listening: socket.socket) -> None:
    """One event, and then nothing but heartbeats for as long as the client stays."""
    client, _ = listening.accept()
    with client:
        client.recv(65536)
        client.sendall(HEADER + EVENT)
        try:
            while True:
                time.sleep(0.1)
                client.sendall(b": alive\n\n")
        except OSError:
            pass


def followed_events_end_with_their_reader() -> None:
    """As in `heddle events --follow | head -1`, which otherwise holds one of heddled's places for streams for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve_quiet_stream, args=(listening,), daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        heddle = subprocess.Popen([HEDDLE, "events", "--follow", "--server", url], stdout=subprocess.PIPE)
        try:
            line = heddle.stdout.readline()
            assert b"link_down" in line, line
            assert heddle.poll() is None, "ended while it was read"
            heddle.stdout.close()
            status = heddle.wait(timeout=20)
            assert status == 0, f"status {status}"
        finally:
            heddle.kill()
            heddle.wait()


def close_output() -> None:
    os.close(1)


def a_file_does_not_take_the_place_of_closed_output() -> None:
    with tempfile.TemporaryDirectory() as folder:
        tables = [Path(folder) / name for name in ("usual", "closed")]
        for path, prepare, wanted in zip(tables, (None, close_output), (0, 2)):
            # pylint: disable-next=subprocess-popen-preexec-fn
            ended = subprocess.run(
                [HEDDLE, "route", TOPOLOGY, "--lfts-out", path],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=prepare,
                timeout=20,
                check=False,
            )
            assert ended.returncode == wanted, (path.name, ended)
        usual, closed = (path.read_bytes() for path in tables)
        assert usual and usual == closed, "what is printed went into the file"


def main() -> None:
    followed_events_end_with_their_reader()
    a_file_does_not_take_the_place_of_closed_output()
    print("streams that are closed are seen")


if __name__ == "__main__":
    main()

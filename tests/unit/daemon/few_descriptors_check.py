#!/usr/bin/env python3
"""heddled under a limit of 256 open files goes on answering newcomers, however many idle connections are open.
usage: few_descriptors_check.py HEDDLED"""

import http.client
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

LIMIT = 256
CLIENTS = 600


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT // 2, LIMIT))


def check(heddled: subprocess.Popen) -> None:
    line = heddled.stdout.readline()
    address = re.search(r"http://(.+)$", line.strip())
    assert address, f"unexpected first line: {line!r}"
    idle = []
    for number in range(CLIENTS):
        client = http.client.HTTPConnection(address.group(1), timeout=10)
        client.request("GET", "/healthz")
        status = client.getresponse().status
        assert status == 200, f"client {number}: {status}"
        idle.append(client)
    files = len(os.listdir(f"/proc/{heddled.pid}/fd"))
    assert files > LIMIT // 2, f"the soft limit was not raised: {files} open files"
    # umad, had it a device, and /proc need some still.
    assert files <= LIMIT - 8, f"{files} open files under a limit of {LIMIT}"
    print(f"{CLIENTS} clients answered with {files} open files")


def main() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, CLIENTS + 100), hard))
    heddled = subprocess.Popen(
        [str(Path(sys.argv[1])), "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        preexec_fn=few_descriptors,
    )
    try:
        check(heddled)
        heddled.terminate()
        assert heddled.wait(timeout=20) == 0, "heddled did not end in order"
    finally:
        heddled.kill()
        heddled.wait()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What heddled says to an odd command line, and what it does where its standard streams are closed or full.
usage: command_line_check.py HEDDLED"""

import http.client
import os
import socket
import subprocess
import sys
import time

HEDDLED = sys.argv[1]


def run(*arguments: str, stdout=subprocess.PIPE) -> tuple[int, str]:
    """Exit status and what is said on standard error."""
    ended = subprocess.run(
        [HEDDLED, *arguments], stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", timeout=20, check=False
    )
    return ended.returncode, ended.stderr


def refused(text: str, *arguments: str) -> None:
    status, said = run(*arguments)
    assert status == 2 and text in said, f"{arguments}: status {status}, {said!r}"


def full_output_is_an_error() -> None:
    with open("/dev/full", "wb") as full:
        for arguments in (["--check-config"], ["--version"], ["--help"]):
            status, said = run(*arguments, stdout=full)
            assert (status, said) == (2, "heddled: standard output cannot be written\n"), (arguments, status, said)


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def close_standard_streams() -> None:
    for descriptor in range(3):
        os.close(descriptor)


def healthy(port: int) -> bool:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        client.request("GET", "/healthz")
        return client.getresponse().status == 200
    except ConnectionError:
        return False
    finally:
        client.close()


def closed_streams_are_not_taken_by_files_or_sockets() -> None:
    """Else what is logged is written into them."""
    port = free_port()
    # pylint: disable-next=subprocess-popen-preexec-fn
    heddled = subprocess.Popen([HEDDLED, "--listen", f"127.0.0.1:{port}"], preexec_fn=close_standard_streams)
    try:
        deadline = time.monotonic() + 20
        while not healthy(port):
            assert heddled.poll() is None, f"ended with {heddled.returncode}"
            assert time.monotonic() < deadline, "does not answer"
            time.sleep(0.05)
        held = [os.readlink(f"/proc/{heddled.pid}/fd/{descriptor}") for descriptor in range(3)]
        assert held == ["/dev/null"] * 3, held
        heddled.terminate()
        assert heddled.wait(timeout=20) == 0, "did not end in order"
    finally:
        heddled.kill()
        heddled.wait()


def main() -> None:
    refused("an argument is empty", "--config", "", "--check-config")
    refused("an argument is empty", "--listen", "", "--check-config")
    refused("/nonexistent: cannot be read: No such file or directory", "--config", "/nonexistent")
    full_output_is_an_error()
    closed_streams_are_not_taken_by_files_or_sockets()
    print("odd command lines and streams are met as they should be")


if __name__ == "__main__":
    main()

"""What the parts of bench_routing share."""

import json
import subprocess
from pathlib import Path

from harness.programs import program

# PGFT shapes: (m; w; p) by level.
HOSTS_128 = "4,4,8:1,4,4:1,1,1"
HOSTS_432 = "6,6,12:1,6,6:1,1,1"
HOSTS_1944 = "18,18,6:1,18,9:1,1,2"
HOSTS_3456 = "12,12,24:1,12,12:1,1,1"
HOSTS_11664 = "18,18,36:1,18,18:1,1,1"
HOSTS_40960 = "32,32,40:1,32,32:1,1,1"


def run_json(name: str, *arguments: str, seconds: float = 1200) -> dict:
    """The object that one of our measuring programs prints."""
    done = subprocess.run(
        [str(program(name)), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=seconds, check=True
    )
    return json.loads(done.stdout)


def run_quietly(name: str, *arguments: str, seconds: float = 1200) -> None:
    subprocess.run(
        [str(program(name)), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        timeout=seconds,
        check=True,
    )


def fresh(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder

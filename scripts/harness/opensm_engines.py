"""OpenSM's own routing engines on fabrics from files, in-process: tests/bench/opensm_engines says how."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from .process import HarnessError
from .programs import program

PLUGIN = "heddle_opensm_engines"


class Job(NamedTuple):
    engine: str
    fabric: Path
    roots: Path | None = None
    tables: Path | None = None  # bare rows if the name ends in .rows, else as dump_fts prints them

    def line(self) -> str:
        return " ".join(str(word) for word in (self.engine, self.fabric, self.roots or "-", self.tables or "-"))


class EngineRun(NamedTuple):
    routed: bool
    milliseconds: float | None  # hop tables and forwarding tables together; none if the engine gave up
    lanes: int = 1  # "Virtual Lanes needed" of dfsssp, whether or not there are as many


def run_job_file(jobs: Path, folder: Path, seconds: float = 600) -> list[EngineRun]:
    """What became of each line, one engine after another, each in a process of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results"
    results.unlink(missing_ok=True)
    (folder / "osm.log").unlink(missing_ok=True)
    options = folder / "opensm.conf"
    # Without the flush what an engine has logged is lost with its process.
    options.write_text(
        f"event_plugin_name {PLUGIN}\nevent_plugin_options {jobs} {results}\nforce_log_flush TRUE\n", encoding="utf-8"
    )
    library = program(f"lib{PLUGIN}.so")
    env = {"LD_LIBRARY_PATH": str(library.parent), "OSM_CACHE_DIR": str(folder), "OSM_TMP_DIR": str(folder)}
    # The plugin ends it before it looks for the port with that GUID. Its log says how many lanes dfsssp needs.
    argv = ["opensm", "-F", str(options), "-g", "0x1", "-f", str(folder / "osm.log"), "-D", "0x03", "-o"]
    with (folder / "osm.out").open("wb") as output:
        done = subprocess.run(
            argv,
            cwd=folder,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    wanted = len(jobs.read_text(encoding="utf-8").splitlines())
    if done.returncode != 0 or len(lines) != wanted:
        tail = (folder / "osm.out").read_text(errors="replace")[-2000:]
        raise HarnessError(f"OpenSM with {PLUGIN} ended with {done.returncode} after {len(lines)} of {wanted}:\n{tail}")
    needed = iter(re.findall(r"Virtual Lanes needed: (\d+)", (folder / "osm.log").read_text(errors="replace")))
    runs = []
    for line in lines:
        run = json.loads(line)
        spent = run["matrices_ms"] + run["tables_ms"] if run["routed"] else None
        runs.append(EngineRun(run["routed"], spent, int(next(needed)) if run["engine"] == "dfsssp" else 1))
    return runs


def run_engines(jobs: list[Job], folder: Path, seconds: float = 600) -> list[EngineRun]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "jobs"
    path.write_text("".join(job.line() + "\n" for job in jobs), encoding="utf-8")
    return run_job_file(path, folder, seconds)

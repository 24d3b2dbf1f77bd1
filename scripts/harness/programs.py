"""The built programs: where they are, and running the command line."""

import os
import subprocess
from pathlib import Path

from .process import HarnessError

ROOT = Path(__file__).resolve().parents[2]
# umad2sim reads past a block of its own; without this every ASan program dies there at once.
HARNESS = Path(__file__).parent


def build_folder() -> Path:
    """The build to use: HEDDLE_BUILD_DIR, else the release preset's."""
    return Path(os.environ.get("HEDDLE_BUILD_DIR", ROOT / "build" / "release"))


def build(*targets: str) -> None:
    """Builds what is not up to date, in the release preset; a build that somebody else made is used as it is."""
    if "HEDDLE_BUILD_DIR" in os.environ:
        return
    argv = [str(ROOT / "scripts" / "build.sh"), *targets]
    # In our own group: Ctrl-C reaches it too, and sudo can ask for a password.
    with subprocess.Popen(argv) as process:
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if status != 0:
        raise HarnessError(f"the build ended with {status}")


def program(name: str) -> Path:
    rooms = {"heddle": "src/cli", "heddled": "src/daemon"}
    path = build_folder() / rooms.get(name, "tests/bench") / name
    if not path.exists():
        raise HarnessError(f"{path} is not built")
    return path


def sanitizer_environment() -> dict[str, str]:
    """Lets programs built with ASan or TSan run under the simulator's preload library; no effect on others."""
    own = {
        "ASAN_OPTIONS": [f"suppressions={HARNESS / 'asan.supp'}", "verify_asan_link_order=0"],
        "TSAN_OPTIONS": [f"suppressions={HARNESS / 'tsan.supp'}"],
    }
    return {
        name: ":".join(filter(None, [os.environ.get(name, ""), *options])) for name, options in own.items()
    }


def heddle(*arguments: str, seconds: float = 60) -> subprocess.CompletedProcess:
    """Runs the command line to its end; texts in stdout and stderr."""
    return subprocess.run(
        [str(program("heddle")), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )


def generate(path: Path, *arguments: str) -> Path:
    """Writes what `heddle generate …` prints to `path`."""
    done = heddle("generate", *arguments)
    if done.returncode != 0:
        raise HarnessError(f"heddle generate {' '.join(arguments)}: {done.stderr}")
    path.write_text(done.stdout, encoding="utf-8")
    return path

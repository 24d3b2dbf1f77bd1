#!/usr/bin/env python3
"""Checks what each room of src/ and plugins/ may include and use (ARCHITECTURE.md, "Rooms and arrows").

check_layering.py ROOT prints one line a violation and exits 1 if there is any. The tables below are the only place
where the rules stand as data.
"""

import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

# A -> B: A may include B. What is not listed is forbidden; a room may always include itself.
LIBRARY_ROOMS = ["model", "routing", "mad", "health", "pool", "simulation", "discovery", "counters", "exporter", "host"]
ARROWS = {
    "model": [],
    "routing": ["model"],
    "mad": ["model"],
    "health": ["model", "routing"],
    "pool": ["model", "routing", "health"],
    "simulation": ["model", "routing", "mad"],
    "discovery": ["model", "mad"],
    "counters": ["model", "mad"],
    "exporter": ["model", "routing", "health", "pool"],
    "host": ["model", "pool"],
    "cli": LIBRARY_ROOMS,
    "daemon": LIBRARY_ROOMS + ["cli", "plugins/abi"],
    "plugins/abi": [],
    "plugins/opensm": ["plugins/abi", "model", "mad", "routing", "discovery"],
}

# Headers that do not come with the compiler, as regular expressions on what stands between < and >. Rooms that are
# not listed may use any.
LIBRARIES = {
    "model": [r"tl/expected\.hpp", r"fmt/.*"],
    "routing": [r"fmt/.*"],
    "health": [r"fmt/.*"],
    "pool": [r"fmt/.*"],
    "simulation": [r"fmt/.*"],
    "mad": [r"fmt/.*", r"infiniband/umad.*\.h", r"(poll|unistd|fcntl|errno|endian)\.h", r"sys/.*\.h"],
    "discovery": [r"fmt/.*"],
    "counters": [r"fmt/.*"],
    "exporter": [r"fmt/.*", r"boost/json.*", r"zlib\.h"],
    "plugins/abi": [],
}

# The same input gives the same bytes: no input or output, no clock, no thread, no environment.
PURE_ROOMS = ["model", "routing", "health", "pool", "simulation", "exporter", "plugins/abi"]
IMPURE_HEADERS = {"thread", "future", "mutex", "condition_variable", "iostream", "fstream", "filesystem"}
IMPURE_CODE = [
    (re.compile(r"\bclock::now\s*\(|_clock::now\b|\bClock::now\b"), "reads a clock"),
    (re.compile(r"\brandom_device\b"), "takes randomness that has no seed"),
    (re.compile(r"\bgetenv\s*\("), "reads the environment"),
]

# The one place where a pure room may start threads: those that its caller lends it (house: "no thread of their own
# choosing"), whose number never shows in a result.
THREAD_OWNER = "src/routing/workers.cpp"

# One file a program pays for Beast (compile time), with its header; the rest of it sees plain requests and answers.
BEAST_ROOMS = ["daemon", "cli"]
# The file that makes tl::expected nodiscard before it is included.
EXPECTED_OWNER = "src/model/result.hpp"

SOURCES = {".cpp", ".hpp", ".c", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


class Violation(NamedTuple):
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class Source(NamedTuple):
    file: str  # relative to the root
    room: str
    text: str

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def code(self) -> str:
        """The text with comments and strings blanked, offsets kept; includes are read from `text`."""
        return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), self.text)


def room_of(relative: Path) -> str | None:
    parts = relative.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[0] == "plugins" and len(parts) > 2:
        return f"plugins/{parts[1]}"
    return None


def sources_under(root: Path) -> Iterator[Source]:
    for top in ("src", "plugins"):
        for path in sorted((root / top).rglob("*")):
            relative = path.relative_to(root)
            room = room_of(relative)
            if path.suffix in SOURCES and room is not None:
                yield Source(relative.as_posix(), room, path.read_text(encoding="utf-8"))


def room_included(target: str) -> str | None:
    """The room that a quoted include names; nothing for a file beside the including one."""
    parts = target.split("/")
    if len(parts) < 2:
        return None
    return f"plugins/{parts[1]}" if parts[0] == "plugins" else parts[0]


def check_source(source: Source) -> Iterator[Violation]:
    if source.room not in ARROWS:
        yield Violation(source.file, 1, f"room '{source.room}' is not in the table of arrows")
        return
    for match in INCLUDE.finditer(source.text):
        line = source.line_of(match.start(1))
        target = match.group(2)
        if match.group(1) == '"':
            room = room_included(target)
            if room not in (None, source.room, *ARROWS[source.room]):
                yield Violation(source.file, line, f"{source.room} may not include {room}: {target}")
            continue
        standard = "/" not in target and "." not in target
        allowed = LIBRARIES.get(source.room)
        if not standard and allowed is not None and not any(re.fullmatch(rule, target) for rule in allowed):
            yield Violation(source.file, line, f"{source.room} may not use the library header <{target}>")
        if source.room in PURE_ROOMS and target in IMPURE_HEADERS and source.file != THREAD_OWNER:
            yield Violation(source.file, line, f"{source.room} is pure and may not include <{target}>")
        if target == "tl/expected.hpp" and source.file != EXPECTED_OWNER:
            yield Violation(source.file, line, f"only {EXPECTED_OWNER} includes <{target}>")
    code = source.code()
    if source.room in PURE_ROOMS:
        for pattern, what in IMPURE_CODE:
            for match in pattern.finditer(code):
                yield Violation(source.file, source.line_of(match.start()), f"{source.room} is pure but {what}")
    for match in re.finditer(r"\busing\s+namespace\b", code):
        yield Violation(source.file, source.line_of(match.start()), "using namespace outside a test")


def stem(source: Source) -> str:
    """A source file and its header are one."""
    return source.file.rsplit(".", 1)[0]


def check_beast(sources: list[Source]) -> Iterator[Violation]:
    users: dict[str, list[Source]] = {}
    for source in sources:
        if any(match.group(2).startswith("boost/beast") for match in INCLUDE.finditer(source.text)):
            users.setdefault(source.room, []).append(source)
    for room, files in users.items():
        if room not in BEAST_ROOMS:
            yield Violation(files[0].file, 1, f"{room} may not use Beast")
        for extra in (file for file in files if stem(file) != stem(files[0])):
            yield Violation(extra.file, 1, f"{room} includes Beast in {files[0].file} already; one file pays for it")


def check(root: Path) -> list[Violation]:
    sources = list(sources_under(root))
    if not sources:
        return [Violation(str(root), 0, "no sources found")]
    found = [violation for source in sources for violation in check_source(source)]
    return sorted([*found, *check_beast(sources)])


def main() -> int:
    violations = check(Path(sys.argv[1]))
    for violation in violations:
        print(violation)
    print(f"layering: {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())

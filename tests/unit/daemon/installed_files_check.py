#!/usr/bin/env python3
"""What is installed is what heddled.service needs: it names nothing that is not there, and its user may open a umad
device, which belongs to root alone on Debian 12 otherwise.
usage: installed_files_check.py CMAKE BUILD_FOLDER PREFIX"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Below the prefix.
SERVICE = "lib/systemd/system/heddled.service"
USERS = "lib/sysusers.d/heddle.conf"
RULES = "lib/udev/rules.d/91-heddle-umad.rules"
OTHERS = [
    "sbin/heddled",
    "share/doc/heddle/heddled.md",
    "share/doc/heddle/heddled.yaml",
    "share/doc/heddle/metrics.md",
    "share/doc/heddle/rest.md",
    "share/heddle/heddled.schema.json",
]


def install(cmake: str, build: Path, root: Path) -> None:
    subprocess.run(
        [cmake, "--install", build, "--component", "daemon"],
        env={**os.environ, "DESTDIR": str(root)},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def values(unit: str, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", unit, re.MULTILINE)


def check_service(unit: str, root: Path, users: str) -> Path:
    """Returns the configuration that the unit starts heddled with."""

    def installed(name: str) -> Path:
        assert os.path.isabs(name), f"the unit names {name}, which is no whole path"
        path = root / name.lstrip("/")
        assert path.is_file(), f"the unit names {name}, which is not installed"
        return path

    (command,) = values(unit, "ExecStart")
    program, option, config = command.split()
    assert os.access(installed(program), os.X_OK), f"{program} cannot be executed"
    assert option == "--config", command
    (documentation,) = values(unit, "Documentation")
    installed(documentation.removeprefix("file:"))
    declared = re.findall(r"^u (\S+) ", users, re.MULTILINE)
    for key in ("User", "Group", "SupplementaryGroups"):
        for name in " ".join(values(unit, key)).split():
            assert name in declared, f"{key}={name}, which no sysusers.d file of heddle makes"
    assert values(unit, "User") == ["heddle"], "the unit has no user of its own"
    return installed(config)


def check_rule(text: str, group: str) -> None:
    (rule,) = [line for line in text.splitlines() if line and not line.startswith("#")]
    words = {word.strip() for word in rule.split(",")}
    wanted = {'SUBSYSTEM=="infiniband_mad"', 'KERNEL=="umad*"', f'GROUP="{group}"', 'MODE="0660"'}
    assert words == wanted, f"{rule} is not {', '.join(sorted(wanted))}"


def check_users(users: Path) -> None:
    """systemd itself makes user and group from the file, in an empty root."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "etc").mkdir()
        subprocess.run(["systemd-sysusers", f"--root={folder}", users], check=True)
        for name in ("passwd", "group"):
            made = (Path(folder) / "etc" / name).read_text(encoding="utf-8")
            assert re.search("^heddle:", made, re.MULTILINE), f"no heddle in {name}: {made}"


def main() -> None:
    cmake, build, prefix = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        install(cmake, build, root)
        below = root / prefix.lstrip("/")
        for name in [SERVICE, USERS, RULES, *OTHERS]:
            assert (below / name).is_file(), f"{name} is not installed"
        unit = (below / SERVICE).read_text(encoding="utf-8")
        config = check_service(unit, root, (below / USERS).read_text(encoding="utf-8"))
        check_rule((below / RULES).read_text(encoding="utf-8"), *values(unit, "Group"))
        check_users(below / USERS)
        checked = subprocess.run(
            [below / "sbin/heddled", "--config", config, "--check-config"], capture_output=True, check=False
        )
        assert (checked.returncode, checked.stdout) == (0, b"OK\n"), checked
        config.write_text("fabric: mine\n", encoding="utf-8")
        install(cmake, build, root)
        assert config.read_text(encoding="utf-8") == "fabric: mine\n", "the operator's configuration was written over"
    print("everything that the unit names is installed")


if __name__ == "__main__":
    main()

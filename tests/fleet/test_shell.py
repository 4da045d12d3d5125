"""The shell of the simulated cards, judged by programs that others wrote: what Debian's `mksh`, which is Android's
shell, and `toybox`, which is Android's tools, make of a line is what a card makes of it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.room import Adb, Room, Serial

PARAGRAPHS = (Path(__file__).parent / "lines.txt").read_text().split("\n\n")
LINES = [paragraph.strip("\n") for paragraph in PARAGRAPHS[1:]]
FOLDER = "/data/local/tmp/lines"


@pytest.fixture(scope="module")
def card(room: Room, adb: Adb) -> Serial:
    return adb.connect(room, 11)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every program that toybox has is toybox; the rest is coreutils'. So is `timeout`: toybox 0.8.9
    keeps the child's number in memory which the child overwrites, and half of the time it ends with 127 (its issue 389)."""
    folder = tmp_path_factory.mktemp("tools")
    names = subprocess.run(["toybox"], capture_output=True, check=True).stdout.decode().split()
    for name in set(names) - {"timeout"}:
        (folder / name).symlink_to(shutil.which("toybox"))
    (folder / "sh").symlink_to(shutil.which("mksh"))
    return folder


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory, card: Serial) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    for number, line in enumerate(LINES):
        (folder / f"{number}.sh").write_text(f"umask 022\n{line}\n")
    assert card("shell", f"mkdir -p {FOLDER}").returncode == 0
    assert card("push", folder, f"{FOLDER}/scripts").returncode == 0
    return folder


def test_there_are_many():
    assert len(LINES) >= 150 and all(LINES)


@pytest.mark.parametrize("number", range(len(LINES)), ids=lambda number: f"{number}")
def test_a_line_does_what_it_does_elsewhere(number: int, tmp_path: Path, tools: Path, scripts: Path, card: Serial):
    env = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": "/", "TZ": "UTC", "LC_ALL": "C"}
    real = subprocess.run(
        ["mksh", scripts / f"{number}.sh"], cwd=tmp_path, env=env, capture_output=True, stdin=subprocess.DEVNULL, timeout=30
    )
    there = f"{FOLDER}/{number}"
    # A second try begins as the first did.
    made = card("shell", f"rm -rf {there} && mkdir {there} && cd {there} && sh {FOLDER}/scripts/{number}.sh")
    assert (made.returncode, made.stdout.decode()) == (real.returncode, real.stdout.decode()), (
        f"{LINES[number]}\n-- mksh says on standard error: {real.stderr.decode()}\n-- the card: {made.stderr.decode()}"
    )

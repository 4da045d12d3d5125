"""A card without root, judged by programs that others wrote: Debian's `adb`, and what `toybox` says of folders and files
that are shut to it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.room import Adb, Room, Serial

CARD = 16
FOLDER = "/data/local/tmp/rights"
# One folder that is shut, one whose names can be read and nothing else, one with a file that is shut.
MAKES = (
    "mkdir shut names open; echo x >shut/file; echo y >names/file; echo z >open/file; echo w >open/other; "
    "chmod 0 open/file shut; chmod 400 names"
)
LINES = [
    "find .",
    "find shut open",
    "find shut/file",
    "find shut -maxdepth 0",
    "ls shut",
    "ls -d shut",
    "ls shut open",
    "ls open shut names",
    "ls -l shut",
    "cat open/file",
    "cat open/file open/other",
    "cat shut/file",
    "head -n 1 open/file",
    "wc -c open/file",
    "sha256sum open/file open/other",
    "cp open/file new",
    "cp open/other shut/new",
    "cp shut/file new",
    "mv shut/file new",
    "mv open/other shut",
    "ln -s x shut/new",
    "rm shut/file",
    "rm -f shut/file",
    "rmdir shut/new",
    "mkdir shut/new",
    "mkdir -p shut/new/other",
    "touch shut/new",
    "touch open/file",
    "chmod 600 shut/file",
    "chmod 700 shut && cat shut/file",
    "chown 0 open/other || echo refused",
    "du -a shut",
    "grep x open/other open/file",
    "grep -r x shut",
    "stat shut/file",
    "stat -c %a shut",
    "readlink -f shut/file",
    "truncate -s 0 open/file",
    "tar -cf all.tar shut open/other; tar -tf all.tar",
    "test -e shut/file || echo unseen; test -r open/file || echo unread; test -d shut && echo seen",
    "echo names/* shut/* open/*",
]


@pytest.fixture(scope="module")
def rootless(room: Room, adb: Adb) -> Serial:
    """A card that had root, an application and a file of root's, until it was restarted."""
    card = adb.connect(room, CARD)
    assert card("shell", "echo saved >/data/data/secret; chmod 600 /data/data/secret").returncode == 0
    room.faults(CARD, "rootless")
    assert card("shell", "id -u").stdout == b"0\n", "not before it restarts"
    boots = room.card(CARD)["boots"]
    assert card("reboot").returncode == 0
    room.wait(lambda: room.card(CARD)["boots"] > boots, "the card to restart")
    adb("disconnect", card.serial)
    return adb.connect(room, CARD)


def test_adb_says_that_there_is_no_root(rootless: Serial, tmp_path: Path):
    assert rootless("shell", "id -u").stdout == b"2000\n"
    assert rootless("root").stdout == b"adbd cannot run as root in production builds\n"
    assert b"Not running as root" in rootless("remount").stdout
    # The file service lists nothing where it may list nothing, without a word.
    listed = rootless("ls", "/data/data")
    assert (listed.returncode, listed.stdout, listed.stderr) == (0, b"", b"")
    pulled = rootless("pull", "/data/data/secret", tmp_path / "secret")
    assert pulled.returncode != 0 and b"Permission denied" in pulled.stdout + pulled.stderr, pulled
    file = tmp_path / "file"
    file.write_bytes(b"x")
    pushed = rootless("push", file, "/data/data/file")
    assert pushed.returncode != 0 and b"Permission denied" in pushed.stdout + pushed.stderr, pushed
    assert rootless("push", file, "/sdcard/file").returncode == 0
    assert rootless("shell", "cat /sdcard/file; stat -c %U /sdcard/file").stdout == b"xshell\n"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every program that toybox has is toybox."""
    folder = tmp_path_factory.mktemp("tools")
    for name in subprocess.run(["toybox"], capture_output=True, check=True).stdout.decode().split():
        (folder / name).symlink_to(shutil.which("toybox"))
    return folder


def here(line: str, tools: Path) -> subprocess.CompletedProcess[bytes]:
    """What the line makes of it on this machine, for somebody who is not root."""
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, check=True).stdout.decode().strip())
    as_somebody = []
    if os.geteuid() == 0:
        os.chown(folder, 2000, 2000)
        as_somebody = ["setpriv", "--reuid=2000", "--regid=2000", "--clear-groups"]
    env = {"PATH": f"{tools}:/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C"}
    try:
        line = f"umask 022; {MAKES}; {line}"
        return subprocess.run(
            [*as_somebody, "mksh", "-c", line], cwd=folder, env=env, capture_output=True, stdin=subprocess.DEVNULL, timeout=30
        )
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=True)
        shutil.rmtree(folder)


@pytest.mark.parametrize("line", LINES)
def test_what_is_shut_is_told_of_in_the_words_of_toybox(line: str, rootless: Serial, tools: Path):
    # The tools are reached through folders that pytest keeps to itself.
    for folder in (tools, *tools.parents):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o055)
    real = here(line, tools)
    clean = f"chmod -R 700 {FOLDER} 2>/dev/null; rm -rf {FOLDER}"
    made = rootless("shell", f"{clean}; mkdir {FOLDER} && cd {FOLDER} && umask 022; {MAKES}; {line}")
    # In which order a folder is read is the file system's affair.
    words = [(done.returncode, done.stdout.decode(), sorted(done.stderr.decode().splitlines())) for done in (made, real)]
    assert words[0] == words[1]

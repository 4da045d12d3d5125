"""One console a database: the second is refused in words that name database and holder, whichever way it came there."""

import fcntl
import shutil
import time
from pathlib import Path

import pytest
from told import WAITS

from support.client import Client
from support.server import ADMIN_PASSWORD, Server

AT_ONCE = 5
# What is promised to whoever starts a second console.
ENDS_WITHIN_S = 2


@pytest.fixture
def first(tmp_path: Path):
    with Server("sqlite", folder(tmp_path, "first"), demo=False).start() as server:
        yield server


def folder(root: Path, name: str) -> Path:
    made = root / name
    made.mkdir()
    return made


def refused(server: Server) -> str:
    """The words of a server that ends by itself."""
    server.launch()
    assert ended(server) == 1, server.tail()
    return server.tail()


def ended(server: Server, patience: float = 60) -> int:
    """It has to end at all; how soon is judged where several have tried."""
    until = time.monotonic() + patience
    while (code := server.ended()) is None:
        assert time.monotonic() < until, f"it goes on: {server.tail()}"
        time.sleep(0.05)
    return code


def names(words: str, holder: Server, database: Path) -> None:
    """Database, process, host, data folder and address of the holder."""
    data = holder.folder / "data"
    host = Path("/proc/sys/kernel/hostname").read_text().strip()
    for part in (
        "another server uses the database", f"the console at {holder.base}/", f"process {holder.process_id()} on {host}",
        f"data folder {data},", f"database {database},", "stop it first",
    ):  # fmt: skip
        assert part in words, f"{part}: {words}"


@pytest.mark.parametrize("way", ["another folder", "symbolic link", "hard link", "removed lock", "hard link and removed lock"])
def test_a_second_console_is_told_who_has_the_database(first: Server, tmp_path: Path, way: str) -> None:
    database = first.folder / "data" / "skyrack.db"
    name = folder(tmp_path, "elsewhere") / "company.db"
    if way == "symbolic link":
        name.symlink_to(database)
    elif way.startswith("hard link"):
        name.hardlink_to(database)
    else:
        name = database
    if way.endswith("removed lock"):
        database.with_name("skyrack.db.lock").unlink()
    with Server(f"sqlite:{name}", folder(tmp_path, "second"), demo=False) as second:
        names(refused(second), first, database)
        assert not (second.folder / "data").exists(), "who is refused leaves nothing"
    # The first notices nothing: what it writes is there, and the next start finds all of it.
    client = Client(first.base).login("admin", ADMIN_PASSWORD)
    client.post("/api/user/v1/designjet/permissions/group", {"groupName": "after-it"}).data
    assert first.stop() == 0, first.tail()
    with Server(f"sqlite:{name}", folder(tmp_path, "third"), demo=False) as third:
        # What is sealed needs the key of the installation.
        folder(third.folder, "data").chmod(0o700)
        shutil.copy2(first.folder / "data" / "master.key", third.folder / "data")
        client = Client(third.start().base).login("admin", ADMIN_PASSWORD)
        assert client.post("/api/user/v1/designjet/permissions/group/list", {"keyWord": "after-it"}).data["total"] == 1


def test_a_second_console_in_the_same_folder_is_told_who_has_it(first: Server) -> None:
    took = []
    with Server("sqlite", first.folder, demo=False) as second:
        second.log = first.folder / "second.log"
        for _ in range(AT_ONCE):
            started = time.monotonic()
            words = refused(second)
            took.append(time.monotonic() - started)
            assert f"another server uses {first.folder / 'data'}, the console at {first.base}/" in words, words
            assert "stop it first" in words, words
            second.log.unlink()
    WAITS.judge("a second console ends", took, ENDS_WITHIN_S)


def test_of_several_that_start_at_once_one_serves(tmp_path: Path) -> None:
    shared = folder(tmp_path, "shared") / "new.db"
    servers = [Server(f"sqlite:{shared}", folder(tmp_path, f"n{number}"), demo=False) for number in range(AT_ONCE)]
    try:
        for server in servers:
            server.launch()
        until, losers = time.monotonic() + 60, []
        while len(losers) < AT_ONCE - 1:
            losers += [server for server in servers if server not in losers and server.ended() is not None]
            assert time.monotonic() < until, f"{len(losers)} of {AT_ONCE} gave way"
            time.sleep(0.02)
        [winner] = [server for server in servers if server not in losers]
        while not winner._ready():
            assert winner.ended() is None and time.monotonic() < until, winner.tail()
            time.sleep(0.02)
        for loser in losers:
            words = loser.tail()
            assert f"another server uses the database {shared}, " in words, words
            assert f"process {winner.process_id()} on" in words, words
        assert Client(winner.base).login("admin", ADMIN_PASSWORD).token
    finally:
        for server in servers:
            server.kill()


def test_a_lock_that_a_kill_left_is_in_nobodys_way(first: Server, tmp_path: Path) -> None:
    database = first.folder / "data" / "skyrack.db"
    for number in range(3):
        first.kill()
        assert database.with_name("skyrack.db.lock").exists()
        first.start()
        assert Client(first.base).login("admin", ADMIN_PASSWORD).token, number
    first.kill()
    with Server(f"sqlite:{database}", folder(tmp_path, "second"), demo=False) as second:
        folder(second.folder, "data").chmod(0o700)
        shutil.copy2(first.folder / "data" / "master.key", second.folder / "data")
        second.start()
        names(refused(first), second, database)


def test_a_holder_that_says_nothing_is_waited_for_and_no_longer(tmp_path: Path) -> None:
    """What an earlier holder has left is not told as the present one's."""
    with Server("sqlite", tmp_path, demo=False) as server:
        server.start()
        server.kill()
        with (tmp_path / "data" / "skyrack.db").open("rb") as database:
            fcntl.flock(database, fcntl.LOCK_EX)
            words = refused(server)
        assert "skyrack.db, a process that has not said which it is: stop it first" in words, words
        server.start()

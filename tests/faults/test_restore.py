"""`skyrack backup verify` and `skyrack restore`: what is wrong is named, a refused or killed restore leaves nothing behind."""

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from control import Faults, build

from support.client import USER, Client
from support.server import ADMIN_PASSWORD, BINARY, DATABASES, Server, new_postgres_database

FILES = "/api/operation/v1/files"
UPLOADS = 12
CUSTOMERS = 40


@dataclass
class Company:
    """A stopped console, and its backup, sealed and plain."""

    server: Server
    sealed: Path
    plain: Path
    rows: str

    def key_to(self, data: Path) -> None:
        data.mkdir(mode=0o700, parents=True)
        shutil.copy2(self.server.folder / "data" / "master.key", data)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Company:
    folder = tmp_path_factory.mktemp("company")
    with Server("sqlite", folder, demo=False).start() as server:
        client = Client(server.base).login("admin", ADMIN_PASSWORD)
        for number in range(CUSTOMERS):
            client.post(f"{USER}/v1/client-users", {"name": f"customer{number}", "phone": f"139{number:08d}"}).data
        for number in range(UPLOADS):
            content = hashlib.sha256(str(number).encode()).hexdigest().encode() * 2000
            client.post(FILES, files={"file": (f"upload{number}.txt", content)}).data
        sealed, plain = folder / "company.skyrack", folder / "company.zip"
        assert server.run("backup", str(sealed)).returncode == 0
        made = server.run("backup", "--plain", str(plain))
        assert made.returncode == 0, made.stderr
        rows = made.stdout.splitlines()[0].rsplit(": ", 1)[1]
        assert server.stop() == 0, server.tail()
    return Company(server, sealed, plain, rows)


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("shim"))


class Machine:
    """Where a backup is restored: a folder, and a database of its own."""

    def __init__(self, database: str, folder: Path, env: dict[str, str] | None = None):
        self.data = folder / "data"
        self.server = Server(database, folder, demo=False, env=env)
        self.storage = self.server.storage()

    def begin(self, file: Path) -> subprocess.Popen[str]:
        command = [BINARY, "restore", str(file), *self.storage]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.server._env)

    def left(self) -> list[str]:
        return sorted(str(path.relative_to(self.data)) for path in self.data.rglob("*")) if self.data.exists() else []

    def must_be_whole(self, company: Company) -> None:
        """By the files alone: every row of a file has its content, and nothing else lies there."""
        with sqlite3.connect(self.data / "skyrack.db") as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("SELECT count(*) FROM client_user").fetchone() == (CUSTOMERS,)
            rows = database.execute("SELECT object_key, sha256 FROM operation_file").fetchall()
        database.close()
        folder = self.data / "objects"
        there = {path for path in folder.rglob("*") if path.is_file() and path.name != ".place"}
        assert len(rows) == UPLOADS and there == {folder / key for key, _ in rows}
        for key, sha256 in rows:
            assert hashlib.sha256((folder / key).read_bytes()).hexdigest() == sha256, key
        assert not [name for name in self.left() if "restoring" in name]

    def must_restore(self, company: Company, file: Path) -> None:
        done = self.server.run("restore", str(file))
        assert done.returncode == 0, done.stderr
        assert f"restored {company.rows}, as many as were backed up" in done.stdout, done.stdout
        assert "an unbroken chain" in done.stdout and "WARNING" not in done.stdout, done.stdout
        assert not [name for name in self.left() if "restoring" in name]
        client = Client(self.server.start().base).login("admin", ADMIN_PASSWORD)
        page = client.post(f"{USER}/v5/user/getPageUserInfo", {"pageNum": 1, "pageSize": 10, "keyWord": "customer"}).data
        assert page["total"] == CUSTOMERS
        objects = [path for path in (self.data / "objects").rglob("*") if path.is_file() and path.name != ".place"]
        assert len(objects) == UPLOADS, "files of an earlier attempt, or too few"
        assert self.server.stop() == 0, self.server.tail()


def spoilt(plain: Path, to: Path, without: list[str], changed: list[str]) -> None:
    """The zip with files left out and others changed, under a good trailer: only its list tells."""
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name in changed:
                content = bytes([content[0] ^ 1]) + content[1:]
            if name not in without:
                new.writestr(name, content)
        new.comment = bytes(48)
    body = to.read_bytes()[:-48]
    to.write_bytes(body + hashlib.sha256(body).digest() + len(body).to_bytes(8, "big") + b"SKYRKEND")


def test_a_whole_backup_is_told_as_whole(company: Company) -> None:
    for file in (company.sealed, company.plain):
        told = company.server.run("backup", "verify", str(file))
        assert told.returncode == 0 and told.stderr == "", told.stderr
        assert f"{file} is complete: {company.rows}" in told.stdout, told.stdout
        counts = {line.split()[0]: line.split()[1] for line in told.stdout.splitlines() if line.startswith("  ")}
        assert counts["client_user"] == str(CUSTOMERS) and counts["operation_file"] == str(UPLOADS)


def test_all_that_is_missing_or_damaged_is_named(company: Company, tmp_path: Path) -> None:
    with zipfile.ZipFile(company.plain) as backup:
        objects = sorted(name for name in backup.namelist() if name.startswith("objects/"))
    without, changed = [*objects[:5], "tables/client_user.jsonl"], [*objects[5:11], "tables/operator.jsonl"]
    file = tmp_path / "spoilt.zip"
    spoilt(company.plain, file, without, changed)
    machine = Machine("sqlite", tmp_path)
    for told in (machine.server.run("backup", "verify", str(file)), machine.server.run("restore", str(file))):
        assert told.returncode == 1 and "is complete" not in told.stdout, told
        for name in without:
            assert f"{named(name)} is missing\n" in told.stderr, f"{name}: {told.stderr}"
        for name in changed:
            assert f"{named(name)} was modified\n" in told.stderr, f"{name}: {told.stderr}"
        assert objects[11].removeprefix("objects/") not in told.stderr, "that one is whole"
        assert f"incomplete: {len(without) + len(changed)} problems in" in told.stderr, told.stderr
    assert machine.left() == [] and not machine.data.exists()


def named(name: str) -> str:
    kind, _, rest = name.partition("/")
    return f"file {rest}" if kind == "objects" else f"table {rest.removesuffix('.jsonl')}"


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("call", ["pwrite64", "write", "fsync", "rename"])
def test_a_restore_that_a_disk_refuses_leaves_nothing(
    company: Company, shim: Path, tmp_path: Path, call: str, error: str
) -> None:
    """From some call on every one fails, earlier and later ones, until the restore gets through."""
    data = tmp_path / "data"
    company.key_to(data)
    faults = Faults(shim, data, tmp_path / "control")
    machine = Machine("sqlite", tmp_path, env=faults.env)
    refusals, nth = 0, 1
    while True:
        faults.arm(call, error, nth, every=True)
        told = machine.server.run("restore", str(company.sealed))
        if not sum(faults.disarm()):
            assert told.returncode == 0, told.stderr
            break
        refusals += 1
        if told.returncode == 0 or "all rows and files were restored" in told.stderr:
            # What failed came after it, and the console may start.
            break
        assert told.returncode == 1 and "nothing was restored" in told.stderr, told
        assert machine.left() == ["master.key"], told.stderr
        nth *= 4
    assert refusals > 0, "nothing has failed, so nothing is proved"
    shutil.rmtree(data)
    company.key_to(data)
    machine.must_restore(company, company.sealed)


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_whichever_single_call_fails_the_old_or_the_new_state_is_whole(
    company: Company, shim: Path, tmp_path: Path, call: str
) -> None:
    """The first one fails and no other, then the second one and no other, until there are no more."""
    data = tmp_path / "data"
    company.key_to(data)
    faults = Faults(shim, data, tmp_path / "control")
    machine = Machine("sqlite", tmp_path, env=faults.env)
    old, new, nth = 0, [], 1
    while True:
        faults.arm(call, "EIO", nth)
        told = machine.server.run("restore", str(company.sealed))
        fired = sum(faults.disarm())
        if told.returncode == 0 or "nothing was restored" not in told.stderr:
            machine.must_be_whole(company)
            new.append(told.stderr)
            shutil.rmtree(data)
            company.key_to(data)
        else:
            assert machine.left() == ["master.key"], f"{call} {nth}: {told.stderr}"
            old += 1
        if not fired:
            assert told.returncode == 0, told.stderr
            break
        nth += 1
    assert old > UPLOADS, f"{old} calls failed before the new state was in place"
    if call == "fsync":
        assert any("the disk did not confirm the last step" in said for said in new), new
    machine.must_restore(company, company.sealed)


@pytest.mark.parametrize("database", DATABASES)
def test_a_killed_restore_is_run_again(company: Company, tmp_path: Path, database: str) -> None:
    """Killed later and later, until one ends by itself."""
    url = new_postgres_database() if database == "postgres" else database
    company.key_to(tmp_path / "data")
    machine = Machine(url, tmp_path)
    kills, patience = 0, 0.02
    while True:
        restore = machine.begin(company.sealed)
        until = time.monotonic() + patience
        while restore.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        if restore.poll() is not None:
            break
        os.kill(restore.pid, signal.SIGKILL)
        restore.communicate()
        kills, patience = kills + 1, patience * 1.6
    said, _ = restore.communicate()
    if restore.returncode:
        # The one before was killed after its last step.
        assert "the database is not empty" in said, said
    else:
        assert f"restored {company.rows}, as many as were backed up" in said, said
    assert kills > 2, "it was never killed in the middle"
    client = Client(machine.server.start().base).login("admin", ADMIN_PASSWORD)
    page = client.post(f"{USER}/v5/user/getPageUserInfo", {"pageNum": 1, "pageSize": 10, "keyWord": "customer"}).data
    assert page["total"] == CUSTOMERS
    assert not [name for name in machine.left() if "restoring" in name]
    assert machine.server.stop() == 0, machine.server.tail()

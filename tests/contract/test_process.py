"""The process: how it starts, what it refuses, how it stops."""

import os
import re
import shutil
import socket
import sqlite3
import subprocess
import zipfile
from pathlib import Path

import pytest
import requests
from support.client import Client
from support.server import ADMIN_PASSWORD, BINARY, DATABASES, ROOT, Server

CROWD = ("--customers", "5", "--against", "http://127.0.0.1:9", "--key", "SKY0123456789ABCDEF0123")


@pytest.fixture(params=DATABASES)
def fresh(request, tmp_path: Path):
    with Server(request.param, tmp_path, demo=False) as server:
        yield server


def test_an_empty_database_gets_one_administrator(fresh: Server):
    fresh.start()
    assert Client(fresh.base).login("admin", ADMIN_PASSWORD).token


def test_a_password_of_the_environment_does_not_stay_there(fresh: Server):
    fresh.start()
    pid = fresh._process.pid
    environment = Path(f"/proc/{pid}/environ").read_bytes()
    assert b"PATH=" in environment and ADMIN_PASSWORD.encode() not in environment
    assert b"SKYRACK_ADMIN_PASSWORD" not in environment
    command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    assert command[1] == b"serve", "it is the same command"
    assert Client(fresh.base).login("admin", ADMIN_PASSWORD).token
    # What is left of the way it came is empty.
    assert Path(f"/proc/{pid}/fd/0").read_bytes() == b""


def test_a_script_is_sent_packed_and_to_who_cannot_read_that_unpacked(fresh: Server):
    fresh.start()
    script = re.search(r'src="(/assets/[^"]+\.js)"', requests.get(fresh.base, timeout=10).text)[1]
    built = ROOT / "web/dist" / script.removeprefix("/")
    plain = requests.get(fresh.base + script, headers={"Accept-Encoding": "identity"}, timeout=10)
    assert plain.content == built.read_bytes() and "content-encoding" not in plain.headers
    packed = requests.get(fresh.base + script, headers={"Accept-Encoding": "gzip, br"}, stream=True, timeout=10)
    assert packed.raw.read(decode_content=False) == built.with_name(f"{built.name}.br").read_bytes()
    assert packed.headers["content-encoding"] == "br" and packed.headers["etag"] != plain.headers["etag"]
    for answer in (plain, packed):
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8", answer.headers
    again = {"Accept-Encoding": "identity", "If-None-Match": plain.headers["etag"]}
    assert requests.get(fresh.base + script, headers=again, timeout=10).status_code == 304
    assert requests.get(fresh.base + "/assets/none.js", timeout=10).status_code == 404


def test_a_password_of_the_environment_keeps_the_rules(tmp_path: Path):
    for password, why in (("adminx", "SKYRACK_ADMIN_PASSWORD"), ("Admin_2026sky", "SKYRACK_ADMIN_PASSWORD")):
        environment = {**os.environ, "SKYRACK_ADMIN_PASSWORD": password}
        arguments = [BINARY, "serve", "--data-dir", str(tmp_path), "--listen", "127.0.0.1:0"]
        refused = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=30)
        assert refused.returncode != 0 and why in refused.stderr, refused


@pytest.mark.parametrize("nowhere", [">/dev/full 2>/dev/full", ">/dev/null 2>/dev/full", ">&- 2>&-"])
def test_the_first_password_is_read_by_somebody_or_opens_nothing(tmp_path: Path, nowhere: str):
    environment = {name: value for name, value in os.environ.items() if name != "SKYRACK_ADMIN_PASSWORD"}

    def run(command: str, to: str) -> subprocess.CompletedProcess[str]:
        more = ["--listen", "127.0.0.1:0"] if command == "serve" else []
        arguments = ["sh", "-c", f'exec "$@" {to}', "sh", BINARY, command, "--data-dir", str(tmp_path / "data"), *more]
        return subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=60)

    def operators() -> list[tuple[str, int]]:
        with sqlite3.connect(tmp_path / "data" / "skyrack.db") as database:
            return database.execute("SELECT username, must_change FROM operator").fetchall()

    for command in ("serve", "migrate"):
        assert run(command, nowhere).returncode != 0
        assert operators() == [], f"{command} made somebody whose password nobody knows"
    # One of the two is enough.
    told = run("migrate", ">/dev/full")
    assert told.returncode == 0 and re.search(r"^First operator: admin   one-time password: \w{16} ", told.stderr), told
    assert [name for name, must_change in operators() if must_change] == ["admin"]
    again = run("migrate", "")
    assert again.returncode == 0 and "one-time password" not in again.stdout + again.stderr, "it is shown once"


def test_a_database_of_a_newer_program_is_left_alone(tmp_path: Path):
    with Server("sqlite", tmp_path, demo=False) as server:
        server.start()
        server.stop()
        with sqlite3.connect(tmp_path / "data" / "skyrack.db") as database:
            database.execute("INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20991231_000001_later', 0)")
        database.close()
        with pytest.raises(RuntimeError):
            server.start()
        assert "this database is newer than this program (migration m20991231_000001_later" in server.tail()


def test_other_machines_are_served_without_tls_only_on_purpose(tmp_path: Path):
    arguments = [BINARY, "serve", "--data-dir", str(tmp_path), "--listen", "0.0.0.0:0"]
    refused = subprocess.run(arguments, capture_output=True, text=True, timeout=30)
    assert refused.returncode != 0 and "--insecure-http" in refused.stderr
    assert not list(tmp_path.iterdir()), "nothing was begun"


def test_sessions_and_keys_outlive_a_restart(fresh: Server):
    client = Client(fresh.start().base).login("admin", ADMIN_PASSWORD)
    under_way = client.encrypt(ADMIN_PASSWORD)
    assert fresh.stop() == 0, fresh.tail()
    fresh.start()
    assert client.get(f"/api/v1.0/users/{client.id}/").data["name"]
    again = Client(fresh.base).try_login("admin", "", password=under_way)
    assert again.data["token"], "a sign-in that was under way must not break"


def test_a_new_master_key_wraps_every_secret_and_locks_nobody_out(fresh: Server):
    Client(fresh.start().base).login("admin", ADMIN_PASSWORD)
    refused = fresh.run("rotate-key")
    assert refused.returncode != 0 and "stop it first" in refused.stderr, "a server is at work"
    fresh.stop()
    key_file = fresh.folder / "data" / "master.key"
    before = key_file.read_text()
    done = fresh.run("rotate-key")
    assert done.returncode == 0 and "Master key 2" in done.stdout, done.stderr
    after = key_file.read_text()
    assert len(after.splitlines()) == 2 and before.strip().split(":")[-1] in after, "the old key stays for old backups"
    # What was sealed is under the new key alone.
    key_file.write_text(after.splitlines()[-1] + "\n")
    Client(fresh.start().base).login("admin", ADMIN_PASSWORD)


def test_a_lost_master_key_costs_what_it_sealed_and_nothing_else(fresh: Server):
    client = Client(fresh.start().base).login("admin", ADMIN_PASSWORD)
    client.post("/api/user/v1/designjet/permissions/group", {"groupName": "real-group"}).data
    fresh.stop()
    nothing = fresh.run("forget-secrets", "--yes")
    assert nothing.returncode == 0 and "nothing has to be forgotten" in nothing.stdout, nothing.stderr

    key_file = fresh.folder / "data" / "master.key"
    key_file.unlink()
    with pytest.raises(RuntimeError):
        fresh.start()
    assert "is missing, and this database keeps" in fresh.tail()
    assert not key_file.exists(), "a new key would look like the one that was lost"
    told = fresh.run("forget-secrets")
    assert not key_file.exists()
    assert "sign_in.pepper" in told.stdout and "can no longer be verified: admin." in told.stdout, told.stderr
    assert "Nothing was changed" in told.stdout
    with pytest.raises(RuntimeError):
        fresh.start()

    done = fresh.run("forget-secrets", "--yes")
    assert done.returncode == 0 and "Forgotten" in done.stdout, done.stderr
    let_in = fresh.run("admin", "reset-password", "admin")
    assert let_in.returncode == 0, let_in.stderr
    client = Client(fresh.start().base).login("admin", ADMIN_PASSWORD)
    groups = client.post("/api/user/v1/designjet/permissions/group/list", {"keyWord": "real"}).data
    assert groups["total"] == 1
    log = client.post("/v1/operation/log/list", {}).data["list"]
    assert [line["actionName"] for line in log if line["operatorName"] == "command line"] == [
        "命令行：重置密码",
        "命令行：清除无法解密的密钥",
    ]


def test_a_backup_is_sealed_verified_and_restored_on_a_fresh_machine(fresh: Server, tmp_path: Path):
    client = Client(fresh.start().base).login("admin", ADMIN_PASSWORD)
    client.post("/api/user/v1/designjet/permissions/group", {"groupName": "real-group"}).data
    file = tmp_path / "company.skyrack"
    made = fresh.run("backup", str(file))
    assert made.returncode == 0 and "sealed with master key 1" in made.stdout, made.stderr
    assert file.stat().st_mode & 0o777 == 0o600 and b"real-group" not in file.read_bytes()
    verified = fresh.run("backup", "verify", str(file))
    assert verified.returncode == 0 and "is complete" in verified.stdout, verified.stderr
    plain = tmp_path / "company.zip"
    assert fresh.run("backup", "--plain", str(plain)).returncode == 0 and zipfile.is_zipfile(plain)
    fresh.stop()

    for database in DATABASES:
        machine = tmp_path / f"other-{database}"
        machine.mkdir()
        with Server(database, machine, demo=False) as other:
            data = machine / "data"
            without = other.run("restore", str(file))
            assert without.returncode != 0 and "no master key in" in without.stderr, without.stdout
            assert not data.exists(), "a refused restore leaves nothing"
            data.mkdir(mode=0o700)
            shutil.copy2(fresh.folder / "data" / "master.key", data)

            content = bytearray(file.read_bytes())
            content[len(content) // 2] ^= 4
            (machine / "flipped").write_bytes(content)
            refused = other.run("restore", str(machine / "flipped"))
            assert refused.returncode != 0 and "is damaged" in refused.stderr, refused.stdout
            assert sorted(path.name for path in data.iterdir()) == ["master.key"]

            done = other.run("restore", str(file))
            assert done.returncode == 0 and "as many as were backed up" in done.stdout, done.stderr
            assert "WARNING" not in done.stdout, done.stdout
            again = Client(other.start().base).login("admin", ADMIN_PASSWORD)
            found = again.post("/api/user/v1/designjet/permissions/group/list", {"keyWord": "real"}).data
            assert found["total"] == 1
            busy = other.run("restore", str(file))
            assert busy.returncode != 0 and "stop it first" in busy.stderr, busy.stdout


@pytest.mark.parametrize("database", DATABASES)
def test_commands_that_write_beside_a_console_are_right_or_refused(database: str, tmp_path: Path):
    with Server(database, tmp_path / "one", demo=False) as one:
        one.folder.mkdir()
        admin = Client(one.start().base).login("admin", ADMIN_PASSWORD)
        backup = tmp_path / "company.skyrack"
        assert one.run("backup", str(backup)).returncode == 0
        # Another machine has a data directory of its own, and so does not see the lock of the first.
        (tmp_path / "two" / "data").mkdir(parents=True, mode=0o700)
        shutil.copy2(one.folder / "data" / "master.key", tmp_path / "two" / "data")
        address = one.storage()[3] if database == "postgres" else f"sqlite:{one.folder / 'data' / 'skyrack.db'}"
        two = Server(address, tmp_path / "two", demo=False)
        for machine in (one, two):
            for command in (["migrate"], ["seed", "--demo"], ["restore", str(backup)]):
                refused = machine.run(*command)
                assert refused.returncode != 0 and "stop it first" in refused.stderr, f"{command}: {refused}"
                # Whoever it is, he hears which database it is, and who has it.
                assert one.base in refused.stderr and "the console" in refused.stderr, refused.stderr
                if database == "postgres" and machine is two:
                    host, name = address.rsplit("@", 1)[-1].split("/")
                    assert f"the database {name} on {host}, " in refused.stderr, refused.stderr
                    assert f"(on {Path('/proc/sys/kernel/hostname').read_text().strip()}, " in refused.stderr, refused.stderr
            # Somebody who is locked out is let in while the console works: one transaction, which needs no fence.
            name = f"rescue{machine.folder.name}"
            made = machine.run("admin", "create", name)
            assert made.returncode == 0, made.stderr
            assert Client(one.base).login(name, ADMIN_PASSWORD).token
            again = machine.run("admin", "reset-password", name)
            assert again.returncode == 0, again.stderr
        verdict = admin.get("/api/user/v1/operation/log/verify").data
        assert verdict["ok"] is True, verdict
        one.stop()
        assert two.run("migrate").returncode == 0


def test_a_join_token_of_the_environment_does_not_stay_there(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as console:
        # It accepts, and never answers: the agent waits for it with its token.
        url = f"http://127.0.0.1:{console.getsockname()[1]}/"
        environment = {**os.environ, "SKYRACK_AGENT_TOKEN": "a-token-to-join-with", "MIMALLOC_ALLOW_THP": "1"}
        command = [BINARY, "agent", "--console", url, "--data-dir", str(tmp_path / "agent")]
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as agent:
            try:
                connection, _ = console.accept()
                with connection:
                    said = connection.recv(65536)
                    while b"a-token-to-join-with" not in said:
                        more = connection.recv(65536)
                        assert more, said
                        said += more
                    kept = Path(f"/proc/{agent.pid}/environ").read_bytes()
                    assert b"PATH=" in kept and b"a-token-to-join-with" not in kept and b"SKYRACK_AGENT_TOKEN" not in kept
                    # It gives memory back soon, but for what somebody wants otherwise.
                    assert {b"MIMALLOC_PURGE_DELAY=25", b"MIMALLOC_ALLOW_THP=1"} <= set(kept.split(b"\0"))
            finally:
                agent.kill()


def test_the_secret_of_a_crowd_neither_stays_in_the_environment_nor_goes_over_the_line():
    with socket.create_server(("127.0.0.1", 0)) as console:
        url = f"http://127.0.0.1:{console.getsockname()[1]}"
        command = [BINARY, "simulate", "--customers", "1", "--against", url, "--key", "SKY0123456789ABCDEF0123"]
        environment = {**os.environ, "SKYRACK_OPEN_SECRET": "a-secret-to-sign-with"}
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as crowd:
            try:
                connection, _ = console.accept()
                with connection:
                    said = b""
                    while b"\r\n\r\n" not in said:
                        more = connection.recv(65536)
                        assert more, said
                        said += more
                    assert said.startswith(b"GET /open/v1/app ") and b"x-sky-signature: " in said.lower(), said
                    kept = Path(f"/proc/{crowd.pid}/environ").read_bytes()
                    assert b"PATH=" in kept and b"SKYRACK_OPEN_SECRET" not in kept
                    assert b"a-secret-to-sign-with" not in kept + said
            finally:
                crowd.kill()


def test_nobody_else_can_read_what_the_server_keeps(tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    with Server("sqlite", tmp_path, demo=False) as server:
        Client(server.start().base).login("admin", ADMIN_PASSWORD)
        server.stop()
        (data / "skyrack.db").chmod(0o644)
        server.start()
        open_to_others = [str(path) for path in [data, *data.rglob("*")] if path.stat().st_mode & 0o077]
        assert open_to_others == []
        assert "others could read this" in server.tail()


def test_demo_data_never_goes_into_a_database_with_real_data(fresh: Server, tmp_path: Path):
    client = Client(fresh.start().base).login("admin", ADMIN_PASSWORD)
    client.post("/api/user/v1/designjet/permissions/group", {"groupName": "real-group"}).data
    fresh.stop()
    fresh._arguments.append("--demo")
    with pytest.raises(RuntimeError):
        fresh.start()


def test_a_wrong_flag_is_told_on_the_command_line(tmp_path: Path):
    for arguments in (["serve", "--listen", "nowhere"], ["serve", "--database", "mysql://x/y"], ["nonsense"],
                      ["simulate", "--customers", "5"], ["simulate", "--cards", "5", *CROWD], ["simulate", *CROWD]):
        run = subprocess.run(
            [BINARY, *arguments, *(["--data-dir", str(tmp_path)] if arguments[0] == "serve" else [])],
            capture_output=True, text=True, timeout=30,
        )
        assert run.returncode != 0 and (run.stderr or run.stdout).strip()
        assert "panicked" not in run.stderr + run.stdout


def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path):
    with Server("sqlite", tmp_path, demo=False).start(), Server("sqlite", tmp_path, demo=False) as second:
        with pytest.raises(RuntimeError, match="ended at start"):
            second.start()
        assert "panicked" not in second.tail()


def test_the_sample_configuration_is_the_configuration(tmp_path: Path):
    """Every key of deploy/skyrack.toml, uncommented, is known to the server and shows its default."""
    sample = (ROOT / "deploy/skyrack.toml").read_text()
    keys = re.sub(r"^#(?=\w+ = )", "", sample, flags=re.MULTILINE)
    file = tmp_path / "skyrack.toml"

    def migrate() -> subprocess.CompletedProcess[str]:
        arguments = [BINARY, "migrate", "--config", str(file), "--data-dir", str(tmp_path / "data")]
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60)

    file.write_text(keys)
    assert "\nreaders = 8" in keys and migrate().returncode == 0, migrate().stderr
    file.write_text('no_such_key = 1\n' + keys)
    refused = migrate()
    assert refused.returncode != 0 and "no_such_key" in refused.stderr
    missing = [key for key in re.findall(r"`(\w+)`", refused.stderr) if key != "no_such_key" and f"{key} = " not in sample and f"[{key}]" not in sample]
    assert missing == [], f"the sample does not show {missing}"

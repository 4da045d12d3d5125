"""The process: how it starts, what it refuses, how it stops."""

import re
import subprocess
from pathlib import Path

import pytest
from support.client import Client
from support.server import ADMIN_PASSWORD, BINARY, DATABASES, ROOT, Server


@pytest.fixture(params=DATABASES)
def fresh(request, tmp_path: Path):
    with Server(request.param, tmp_path, demo=False) as server:
        yield server


def test_an_empty_database_gets_one_administrator(fresh: Server):
    fresh.start()
    assert Client(fresh.base).login("admin", ADMIN_PASSWORD).token


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

    (fresh.folder / "data" / "master.key").unlink()
    with pytest.raises(RuntimeError):
        fresh.start()
    told = fresh.run("forget-secrets")
    assert "sign_in.pepper" in told.stdout and "can not be checked any more: admin." in told.stdout, told.stderr
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


def test_demo_data_never_goes_into_a_database_with_real_data(fresh: Server, tmp_path: Path):
    client = Client(fresh.start().base).login("admin", ADMIN_PASSWORD)
    client.post("/api/user/v1/designjet/permissions/group", {"groupName": "real-group"}).data
    fresh.stop()
    fresh._arguments.append("--demo")
    with pytest.raises(RuntimeError):
        fresh.start()


def test_a_wrong_flag_is_told_on_the_command_line(tmp_path: Path):
    for arguments in (["serve", "--listen", "nowhere"], ["serve", "--database", "mysql://x/y"], ["nonsense"]):
        run = subprocess.run(
            [BINARY, *arguments, *(["--data-dir", str(tmp_path)] if arguments[0] == "serve" else [])],
            capture_output=True, text=True, timeout=30,
        )
        assert run.returncode != 0 and (run.stderr or run.stdout).strip()
        assert "panicked" not in run.stderr + run.stdout


def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path):
    with Server("sqlite", tmp_path, demo=False).start(), Server("sqlite", tmp_path, demo=False) as second:
        with pytest.raises(RuntimeError, match="ended at start"):
            second.start(patience=10)
        assert "panicked" not in second.tail()


def test_the_sample_configuration_is_the_configuration(tmp_path: Path):
    """Every key of deploy/skyrack.toml, uncommented, is known to the server and shows its default."""
    sample = (ROOT / "deploy/skyrack.toml").read_text()
    keys = re.sub(r"^#(?=\w+ = )", "", sample, flags=re.MULTILINE)
    keys = re.sub(r"^tls_\w+ = .*$", "", keys, flags=re.MULTILINE)
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

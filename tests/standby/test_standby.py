"""What a standby console answers, when it refuses to start, and how it survives a lost database."""

import base64
import time
from pathlib import Path

import pytest
from pair import Console, Pair, wait
from support.client import Client
from support.fleet import FLEET, OPERATIONS, Agent, Site, settings
from support.server import ADMIN_PASSWORD, Server, postgres


def test_a_console_that_stands_by_says_who_is_active_and_nothing_else(tmp_path: Path):
    with Pair(tmp_path) as pair:
        assert pair.one.readiness()[0] == 200
        status, body = pair.two.readiness()
        assert (status, body["state"], body["status"], body["success"]) == (503, "standby", 5003, False)
        active = body["active"]
        assert (active["name"], active["address"]) == ("one", f"{pair.one.base}/")
        assert active["since"].endswith("Z")

        told = set()
        for language in ("zh", "en"):
            client = Client(pair.two.base, language=language)
            assert client.get("/healthz").http == 200
            for method, path in (("GET", "/"), ("POST", "/api/user/v1/client/login/getPbKey"), ("GET", "/metrics")):
                answer = client.call(method, path)
                told.add(answer.refused(503, 5003)["msg"])
                assert answer.headers["Retry-After"] == "1"
        assert len(told) == 2, "one sentence in each language"

        before = rows(pair)
        Client(pair.two.base).post("/api/user/v1/client/login/getPbKey").refused(503, 5003)
        assert rows(pair) == before


def rows(pair: Pair) -> list:
    """Who holds the lease: a standby console changes nothing in it."""
    with postgres(pair.database) as connection:
        return connection.run("SELECT epoch, name, since_at FROM console_lease")


def test_a_console_with_other_files_or_another_key_does_not_stand_by(tmp_path: Path):
    with Pair(tmp_path) as pair:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        third = Console("third", tmp_path, pair.database, elsewhere)
        with pytest.raises(RuntimeError, match="ended at start"):
            third.start()
        assert "keeps uploaded files in another place" in third.tail(), third.tail()

        fourth = Console("fourth", tmp_path, pair.database, tmp_path / "files")
        fourth._env["SKYRACK_MASTER_KEY"] = base64.b64encode(b"Y" * 32).decode()
        with pytest.raises(RuntimeError, match="ended at start"):
            fourth.start()
        assert "the same master key" in fourth.tail(), fourth.tail()
        assert pair.one.is_active() and pair.two.stands_by()

        refused = fourth.run("rotate-key")
        assert refused.returncode != 0 and "stop it first" in refused.stderr, refused.stderr


def test_two_data_directories_do_not_share_a_sqlite_file(tmp_path: Path):
    first, second = (Server("sqlite", folder(tmp_path, name), demo=False) for name in ("first", "second"))
    with first.start(), second:
        second._arguments += ["--database", f"sqlite:{tmp_path}/first/data/skyrack.db"]
        with pytest.raises(RuntimeError, match="ended at start with 1"):
            second.start()
        assert "another server uses" in second.tail() and "skyrack.db" in second.tail(), second.tail()
        assert first._ready()


def folder(root: Path, name: str) -> Path:
    made = root / name
    made.mkdir()
    return made


# Whose connections end first. Without those of the active console alone, the other one takes over a database that lets
# nobody in; it must wait for it as the first one does.
ALL, ACTIVE = "TRUE", "application_name <> 'skyrack standby'"


@pytest.mark.parametrize("ended", [ALL, ACTIVE], ids=["all", "active"])
def test_a_database_that_goes_and_comes_back(tmp_path: Path, ended: str):
    with Pair(tmp_path) as pair:
        admin = pair.client()
        admin.login("admin", ADMIN_PASSWORD)
        with postgres() as outside:
            name = pair.database.rsplit("/", 1)[-1]
            outside.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            backends = f"FROM pg_stat_activity WHERE datname = '{name}'"
            outside.run(f"SELECT pg_terminate_backend(pid) {backends} AND {ended}")
            if ended == ACTIVE:
                wait(lambda: "taking over" in pair.two.tail(), "two to take over", pair.two)
            for console in (pair.one, pair.two):
                wait(lambda console=console: state(console) == "noDatabase", f"{console.name} to notice", console)
                client = Client(console.base)
                client.token = admin.token
                client.get(f"/api/v1.0/users/{admin.id}/").refused(503, 5003)
            outside.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        consoles = (pair.one, pair.two)
        wait(lambda: [each.is_active() for each in consoles].count(True) == 1, "one to be active", pair.one)
        wait(lambda: [each.stands_by() for each in consoles].count(True) == 1, "one to stand by", pair.two)
        [active] = [each for each in consoles if each.is_active()]
        Client(active.base).login("admin", ADMIN_PASSWORD)


def state(console: Console) -> str | None:
    body = console.readiness()[1]
    return body and body.get("state")


CARDS = 48


def test_an_agent_follows_the_active_console_and_touches_a_card_once(tmp_path: Path):
    with Pair(tmp_path) as pair:
        admin = pair.client()
        admin.login("admin", ADMIN_PASSWORD)
        settings(admin, heartbeatSeconds=5, tasksPerHost=2, stopAtFailedPercent=100)
        site = Site(admin, tmp_path, CARDS)
        agent = Agent(pair.two, admin, site.id, tmp_path, pair.one).start()
        try:
            online = f"{FLEET}/cards?networkStatus=1&pageSize=1"
            wait(lambda: answer(admin, online)["total"] == CARDS, "all cards to be online", pair.one)
            body = {"selection": {"filter": {"roomId": site.id}}, "act": {"kind": "shell", "script": "effect once"}}
            made = admin.post(OPERATIONS, body).data
            pair.one.kill()
            pair.took_over(pair.two, time.monotonic())
            address = f"{OPERATIONS}/{made['id']}"
            wait(lambda: answer(admin, address)["state"] == 7, "the operation to end", pair.two, 120)
            assert max(site.effects("effect:once")) == 1, "a script ran twice"
            pair.one.stand_by()
            pair.two.freeze()
            pair.took_over(pair.one, time.monotonic())
            made = answer(admin, OPERATIONS, {**body, "act": {"kind": "shell", "script": "effect later"}})
            address = f"{OPERATIONS}/{made['id']}"
            wait(lambda: answer(admin, address)["state"] == 7, "the second operation to end", pair.one, 120)
            ended, effects = answer(admin, address), site.effects("effect:later")
            assert max(effects) == 1, "the agent has left the console that sleeps, and did it once"
            assert ended["succeeded"] == sum(effects), ended
        finally:
            agent.kill()
            site.room.stop()


def answer(admin: Client, address: str, body=None) -> dict:
    """The data of an answer, from whichever console is active; asked for until one answers."""
    until = time.monotonic() + 60
    while True:
        try:
            given = admin.get(address) if body is None else admin.post(address, body)
            if given.http != 503:
                return given.data
        except OSError:
            pass
        assert time.monotonic() < until, f"nobody answers {address}"
        time.sleep(0.1)

"""`kill -9` of the console while it renews ten thousand phones: each is renewed once, and the log is intact."""

import random
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
from load import CREATE, new_client_user
from support import log_chain
from support.client import Client
from support.fleet import FLEET, OPERATIONS
from support.server import ADMIN_PASSWORD, DATABASES, Server

PHONE = "/api/phone/v1/phones"
PHONES = 10_000
# Made by one call.
MOST = 5000
KILLS = 6
DAYS = 30
FINISHED = 7


@pytest.mark.parametrize("database", DATABASES)
def test_each_of_ten_thousand_phones_is_renewed_once(database: str, tmp_path: Path):
    with Server(database, tmp_path, demo=False).start() as server:
        admin = Client(server.base).login("admin", ADMIN_PASSWORD)
        expires = make(admin)
        made = admin.post(f"{PHONE}/renew", {"selection": {"filter": {}}, "days": DAYS}).data
        assert made["succeeded"] < PHONES, "some are left for the kills"
        done = [made["succeeded"], *kill_on_the_way(server, admin, made["id"])]
        ended = until_it_ends(admin, made["id"])
        assert (ended["total"], ended["succeeded"], ended["failed"]) == (PHONES, PHONES, 0), ended
        assert any(0 < count < PHONES for count in done), f"no kill came on the way: {done}"

        wanted = (expires + timedelta(days=DAYS)).isoformat()
        assert {datetime.fromisoformat(phone["expiresAt"]).isoformat() for phone in all_phones(admin)} == {wanted}
        assert server.stop() == 0, server.tail()
    rows = log_chain.lines(server)
    assert log_chain.first_fault(rows) is None
    print(f"{server.database}: {KILLS} kills, renewed when the console was there again: {done}")


def make(admin: Client) -> datetime:
    """As many phones, which expire at this moment."""
    user = admin.post(CREATE, new_client_user("k9phones", 1)).data["id"]
    room = admin.post(f"{FLEET}/rooms", {"name": "容灾机房", "city": "杭州"}).data["id"]
    expires = (datetime.now(UTC) + timedelta(days=10)).replace(microsecond=0)
    body = {"userId": user, "roomId": room, "plan": 2, "diskGb": 32, "expiresAt": expires.isoformat(), "count": MOST}
    for _ in range(PHONES // MOST):
        admin.post(PHONE, body).data
    return expires


def kill_on_the_way(server: Server, admin: Client, operation: int) -> list[int]:
    """Kills the console at random moments. Returns how many phones were renewed each time it was there again."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moment = random.Random(seed)
    done = []
    for _ in range(KILLS):
        time.sleep(moment.uniform(0.0, 0.4))
        server.kill()
        server.start()
        done.append(admin.get(f"{OPERATIONS}/{operation}").data["succeeded"])
    return done


def until_it_ends(admin: Client, operation: int) -> dict:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            now = admin.get(f"{OPERATIONS}/{operation}").data
            if now["state"] == FINISHED:
                return now
        except requests.ConnectionError:
            pass
        time.sleep(0.2)
    raise AssertionError(f"waited 120 s for operation {operation} to end")


def all_phones(admin: Client) -> list[dict]:
    phones: list[dict] = []
    while True:
        page = admin.get(f"{PHONE}?pageNum={len(phones) // 500 + 1}&pageSize=500").data
        phones += page["list"]
        if len(page["list"]) < 500:
            assert len(phones) == page["total"] == PHONES
            return phones

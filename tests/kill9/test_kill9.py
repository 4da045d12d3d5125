"""`kill -9` under load: what was acknowledged is there, once, and the operation log has it and is intact."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest
from load import CREATE, Load, new_client_user
from support import log_chain
from support.client import USER, Client
from support.server import ADMIN_PASSWORD, DATABASES, Server

KILLS = 10


@pytest.mark.parametrize("database", DATABASES)
def test_what_was_acknowledged_survives(database: str, tmp_path: Path):
    with Server(database, tmp_path, demo=False).start() as server:
        kill_under_load(server)


def kill_under_load(server: Server) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moment = random.Random(seed)
    admin = Client(server.base).login("admin", ADMIN_PASSWORD)

    with Load(admin, "k9n") as load:
        for _ in range(KILLS):
            load.wait_for(20)
            time.sleep(moment.uniform(0.02, 0.5))
            server.kill()
            server.start()
        load.wait_for(20)
    assert not load.refusals, load.refusals[:3]

    stored = Counter(all_names(admin, load.prefix))
    lost = [name for name in load.acknowledged if stored[name] == 0]
    assert lost == [], f"{len(lost)} of {len(load.acknowledged)} acknowledged writes are lost"
    assert max(stored.values()) == 1, "a write was made twice"
    assert len(stored) <= load.attempted

    assert server.stop() == 0, server.tail()
    rows = log_chain.lines(server)
    assert log_chain.first_fault(rows) is None
    logged = Counter(name for row in rows if (name := str(row[8])).startswith(load.prefix))
    assert logged == stored, "a write and its line in the log are one transaction"
    print(f"{server.database}: {len(load.acknowledged)} acknowledged, {len(stored)} stored, {KILLS} kills")


def all_names(admin: Client, prefix: str) -> list[str]:
    names: list[str] = []
    while True:
        query = {"pageNum": len(names) // 500 + 1, "pageSize": 500, "keyWord": prefix}
        page = admin.post(f"{USER}/v5/user/getPageUserInfo", query).data
        names += [user["name"] for user in page["list"]]
        if len(page["list"]) < 500:
            assert len(names) == page["total"]
            return names


def test_the_judge_of_the_chain_sees_every_kind_of_tampering(tmp_path: Path):
    """The control: a judge that finds no fault in a forged log proves nothing above."""
    with Server("sqlite", tmp_path, demo=False).start() as server:
        admin = Client(server.base).login("admin", ADMIN_PASSWORD)
        for number in range(3):
            admin.post(CREATE, new_client_user(f"forged{number}", number)).data
        assert server.stop() == 0
    rows = log_chain.lines(server)
    assert len(rows) >= 3 and log_chain.first_fault(rows) is None

    edited = [*rows[:1], (*rows[1][:3], "somebody else", *rows[1][4:]), *rows[2:]]
    assert log_chain.first_fault(edited) == "line 2 was changed"
    assert log_chain.first_fault([rows[0], *rows[2:]]) == "line 2 is missing"
    swapped = [rows[0], (2, *rows[2][1:]), (3, *rows[1][1:]), *rows[3:]]
    assert log_chain.first_fault(swapped) is not None

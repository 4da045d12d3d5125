"""`kill -9` and SIGSTOP of the active console under load: the other one takes over, nothing is lost, nothing is twice,
and one that wakes up answers and writes nothing.

`STANDBY_ROUNDS=20` makes 20 kills and 20 sleeps of it; `make test` does a few.
"""

import os
import random
import time
from collections import Counter
from pathlib import Path

import requests
from load import Load
from pair import Console, Either, Pair, wait
from support import log_chain
from support.client import USER, Client
from support.server import ADMIN_PASSWORD

ROUNDS = int(os.environ.get("STANDBY_ROUNDS", "3"))


def test_whoever_is_killed_is_followed(tmp_path: Path):
    with Pair(tmp_path) as pair:
        admin = sign_in(pair)
        moment = seeded()
        active, other, gaps = pair.one, pair.two, []
        with Load(admin, "k9s") as load:
            for _ in range(ROUNDS):
                load.wait_for(20)
                time.sleep(moment.uniform(0.02, 0.5))
                active.kill()
                gaps.append(pair.took_over(other, time.monotonic()))
                load.wait_for(5)
                active.stand_by()
                active, other = other, active
            load.wait_for(20)
        judge(pair, active, admin, load, "kill -9", gaps)


def test_whoever_sleeps_is_followed_and_wakes_up_to_nothing(tmp_path: Path):
    with Pair(tmp_path) as pair:
        admin = sign_in(pair)
        moment = seeded()
        active, other, gaps = pair.one, pair.two, []
        with Load(admin, "stop") as load:
            for _ in range(ROUNDS):
                load.wait_for(20)
                time.sleep(moment.uniform(0.02, 0.5))
                active.freeze()
                gaps.append(pair.took_over(other, time.monotonic()))
                load.wait_for(20)
                active.thaw()
                answers_nothing(active, admin)
                active, other = other, active
            load.wait_for(20)
        judge(pair, active, admin, load, "SIGSTOP", gaps)


def answers_nothing(woken: Console, admin: Either) -> None:
    """From the first moment awake it answers neither reads nor readiness, and it ends up on standby."""
    client = Client(woken.base)
    client.token = admin.token
    until = time.monotonic() + 60
    while not woken.stands_by():
        assert time.monotonic() < until, woken.tail()
        assert not woken.is_active(), "one that slept says that it is ready"
        try:
            answer = client.get(f"/api/v1.0/users/{admin.id}/", timeout=3)
        except requests.RequestException:
            continue
        answer.refused(503, 5003)


def judge(pair: Pair, active: Console, admin: Either, load: Load, what: str, gaps: list[float]) -> None:
    assert not load.refusals, load.refusals[:3]
    reader = Client(active.base)
    reader.token = admin.token
    stored = Counter(names(reader, load.prefix))
    lost = [name for name in load.acknowledged if stored[name] == 0]
    assert lost == [], f"{len(lost)} of {len(load.acknowledged)} acknowledged writes are lost"
    assert max(stored.values()) == 1, "a write was made twice"

    for console in (pair.one, pair.two):
        assert console.stop() == 0, console.tail()
    rows = log_chain.lines(active)
    assert log_chain.first_fault(rows) is None
    logged = Counter(name for row in rows if (name := str(row[8])).startswith(load.prefix))
    assert logged == stored, "a write and its line in the log are one transaction"
    [(epoch, released)] = log_chain.query(active, "SELECT epoch, is_released FROM console_lease")
    assert (epoch, released) == (len(gaps) + 1, True), "each change of hands has a number of its own"
    # The goal is 5 s, by the release build on a machine of its own: it is measured by this line. A busy one fails no test.
    print(f"{what}: {len(load.acknowledged)} acknowledged, {len(stored)} stored, {len(gaps)} takeovers, worst {max(gaps):.1f} s")


def names(admin: Client, prefix: str) -> list[str]:
    found: list[str] = []
    while True:
        query = {"pageNum": len(found) // 500 + 1, "pageSize": 500, "keyWord": prefix}
        page = admin.post(f"{USER}/v5/user/getPageUserInfo", query).data
        found += [user["name"] for user in page["list"]]
        if len(page["list"]) < 500:
            assert len(found) == page["total"]
            return found


def sign_in(pair: Pair) -> Either:
    admin = pair.client()
    admin.login("admin", ADMIN_PASSWORD)
    return admin


def seeded() -> random.Random:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    return random.Random(seed)


def test_a_console_that_is_stopped_hands_over_at_once(tmp_path: Path):
    with Pair(tmp_path) as pair:
        admin = sign_in(pair)
        assert pair.one.stop() == 0, pair.one.tail()
        wait(pair.two.is_active, "two to take over", pair.two)
        two = Client(pair.two.base)
        two.token = admin.token
        assert two.get(f"/api/v1.0/users/{admin.id}/").data["name"], "the session goes on at the other console"

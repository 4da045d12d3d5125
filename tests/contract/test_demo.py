"""The company that `--demo` shows: every room has an agent, a month lies behind it, and there is work."""

import time
from pathlib import Path

import pytest

from support.client import Client
from support.server import ADMIN_PASSWORD, Server

PATIENCE_S = 600  # The company furnishes itself beside whatever else the machine does: a busy one took over two minutes.
CARD = 1
SETTLED = 3
TRIES = 5


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def company(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    for _ in range(TRIES):
        with Server(request.param, tmp_path_factory.mktemp("company"), demo="whole").start() as server:
            # A port that a room has chosen may be that of another test by the time it listens there.
            if "has no agent" in server.tail(1_000):
                continue
            yield Client(server.base).login("admin", ADMIN_PASSWORD)
            return
    pytest.fail("a room of the demo company never had its ports")


def wait(what: str, found) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not found():
        assert time.monotonic() < deadline, what
        time.sleep(0.5)


def rooms(company: Client) -> list[dict]:
    return company.get("/api/fleet/v1/rooms?pageNum=1&pageSize=100").data["list"]


def operations(company: Client) -> list[dict]:
    """Those on cards; the phones' manager has begun some of his own."""
    found = company.get("/api/operation/v1/operations?pageNum=1&pageSize=100").data["list"]
    return [row for row in found if row["target"] == CARD]


def test_every_room_is_alive(company: Client) -> None:
    wait("a room has no cards online", lambda: all(room["counts"]["online"] > 100 for room in rooms(company)))
    agents = company.get("/api/fleet/v1/agents?pageNum=1&pageSize=100").data["list"]
    assert len(rooms(company)) == SETTLED + 1
    assert sorted(agent["roomId"] for agent in agents) == sorted(room["id"] for room in rooms(company))
    users = sum(room["counts"]["inUse"] for room in rooms(company))
    assert users > 100, "most cards of the settled rooms have users"


def test_a_month_lies_behind_it(company: Client) -> None:
    now = int(time.time())
    day = 86_400
    at = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))  # noqa: E731

    def points(room: dict) -> list[dict]:
        span = f"startTime={at(now - 29 * day)}&endTime={at(now)}"
        return company.get(f"/api/fleet/v1/metrics?scope=room&id={room['id']}&{span}").data["place"]

    def settled_rooms() -> list[dict]:
        return [room for room in rooms(company) if room["counts"]["inUse"]]

    wait("the settled rooms have users", lambda: len(settled_rooms()) == SETTLED)
    settled = settled_rooms()
    wait("a month of figures", lambda: all(len(points(room)) > 300 for room in settled))
    for room in settled:
        found = points(room)
        users = [point["inUse"] for point in found]
        assert max(users) > 1.5 * (min(users) + 1), "days have a rhythm"
        for point in found:
            states = ("idle", "inUse", "maintenance", "fault", "upgrading", "offline", "unknown")
            assert sum(point[state] for state in states) == room["counts"]["total"], point


def test_there_is_work_and_it_has_reasons(company: Client) -> None:
    wait("operations", lambda: len(operations(company)) == 6)
    # 7 is finished, 8 is cancelled.
    wait("four are finished", lambda: [row["state"] for row in operations(company)].count(7) >= 4)
    found = operations(company)
    assert [row["state"] for row in found].count(8) == 1
    assert any(row["failed"] and row["succeeded"] for row in found), "broken cards fail"
    assert {row["createdBy"] for row in found} == {"yunwei_zhao"}
    log = company.get("/api/user/v1/operation/log/verify").data
    assert log["ok"], "what the staff did lies in the chain like everything else"


def test_every_card_that_was_found_can_be_registered(company: Client) -> None:
    kinds = "/api/fleet/v1/findings?pageNum=1&pageSize=100&kind=1"
    wait("what was found", lambda: len(company.get(kinds).data["list"]) >= 5)
    for row in company.get(kinds).data["list"]:
        _ = company.post(f"/api/fleet/v1/findings/{row['id']}/fix", {}).data

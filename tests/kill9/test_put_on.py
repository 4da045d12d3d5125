"""`kill -9` of console and agent while phones come on cards: each phone on one card, each card says whose it is, and
those for whom there is none above the reserve wait."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from kills import kill_in_turn
from support.client import Client
from support.fleet import FLEET, Agent, Site, settings
from support.server import ADMIN_PASSWORD, DATABASES, Server
from support.wait import wait

CARDS = 24
PHONES = 32
# The last card is for a phone whose card has failed.
TAKEN = CARDS - 1
KILLS = 10
ON, AS_RECORDED, QUEUED = 1, 4, 1
PHONE = "/api/phone/v1/phones"


@pytest.mark.parametrize("database", DATABASES)
def test_each_phone_is_on_one_card_whoever_dies(database: str, tmp_path: Path):
    with Server(database, tmp_path, demo=False).start() as server:
        admin = Client(server.base).login("admin", ADMIN_PASSWORD)
        settings(admin, heartbeatSeconds=5, tasksPerHost=8, stopAtFailedPercent=100)
        site = Site(admin, tmp_path, CARDS)
        agent = Agent(server, admin, site.id, tmp_path).start()
        try:
            online = f"{FLEET}/cards?networkStatus=1&pageSize=1"
            wait(lambda: admin.get(online).data["total"] == CARDS, "all cards to be online")
            put_on_under_kills(server, admin, site, agent)
        finally:
            agent.kill()
            site.room.stop()


def put_on_under_kills(server: Server, admin: Client, site: Site, agent: Agent) -> None:
    user = {"name": "张三丰", "phone": "13800000001", "identCode": "ZSF1"}
    user = admin.post("/api/user/v1/client-users", user).data["id"]
    until = (datetime.now(timezone.utc) + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%SZ")
    wanted = {"userId": user, "plan": 2, "roomId": site.id, "diskGb": 1, "count": PHONES, "expiresAt": until}
    admin.post(PHONE, wanted).data
    admin.post(f"{PHONE}/put-on", {"selection": {"filter": {"roomId": site.id}}}).data

    kill_in_turn(server, agent, KILLS, 1.5)

    on = f"{PHONE}?useType={ON}&pageSize=100"
    wait(lambda: admin.get(on).data["total"] == TAKEN, "every card above the reserve to have a phone", 180)
    phones = admin.get(f"{PHONE}?pageSize=100").data["list"]
    held = [phone["card"]["id"] for phone in phones if phone["card"]]
    assert len(held) == len(set(held)) == TAKEN, "two phones on a card"
    waiting = [phone["underWay"] for phone in phones if not phone["card"]]
    assert sorted(place["position"] for place in waiting) == list(range(1, PHONES - TAKEN + 1)), waiting
    assert {place["state"] for place in waiting} == {QUEUED}

    def marks() -> list[tuple[int, int]]:
        cards = admin.get(f"{FLEET}/cards?pageSize=100").data["list"]
        return [(card["phone"]["id"], int(card["mark"].split(".")[0])) for card in cards if card["markState"] == AS_RECORDED]

    wait(lambda: len(marks()) == TAKEN, "every card with a phone to say whose it is")
    assert all(recorded == said for recorded, said in marks())
    # Each try restarts its card once at most, and each card with a phone has restarted.
    for phone in phones:
        if not phone["card"]:
            continue
        steps = [step for saga in admin.get(f"{PHONE}/{phone['id']}/sagas").data for step in saga["steps"]]
        assert [step["name"] for step in steps if step["state"] == 3] == [3, 4, 7, 8], steps
    reboots = site.effects("reboot")
    assert sum(count >= 1 for count in reboots) == TAKEN, reboots
    print(f"{server.database}: reboots of {CARDS} cards {sum(reboots)}")

"""`kill -9` of console and agent in the middle of operations: each card was touched at most once, and counted at the card."""

from pathlib import Path

import pytest
from kills import kill_in_turn
from support.client import Client
from support.fleet import FLEET, OPERATIONS, Agent, Site, settings
from support.server import ADMIN_PASSWORD, DATABASES, Server
from support.wait import wait

CARDS = 240
KILLS = 8
SUCCEEDED, FAILED, FINISHED = 3, 4, 7
# The share of the scripts that ran of which nobody can say how they ended.
MOST_INTERRUPTED = 0.05


@pytest.mark.parametrize("database", DATABASES)
def test_a_card_is_touched_once_whoever_dies(database: str, tmp_path: Path):
    with Server(database, tmp_path, demo=False).start() as server:
        admin = Client(server.base).login("admin", ADMIN_PASSWORD)
        settings(admin, heartbeatSeconds=5, tasksPerHost=2, stopAtFailedPercent=100)
        site = Site(admin, tmp_path, CARDS)
        agent = Agent(server, admin, site.id, tmp_path).start()
        try:
            online = f"{FLEET}/cards?networkStatus=1&pageSize=1"
            wait(lambda: admin.get(online).data["total"] == CARDS, "all cards to be online")
            script_under_kills(server, admin, site, agent)
            reboot_under_kills(server, admin, site, agent)
        finally:
            agent.kill()
            site.room.stop()


def script_under_kills(server: Server, admin: Client, site: Site, agent: Agent) -> None:
    """A script is never run twice. Where nobody can say whether it ran to its end, that is said, and it is not run again."""
    act = {"kind": "shell", "script": "effect once; sleep 1"}
    made = admin.post(OPERATIONS, {"selection": {"filter": {"roomId": site.id}}, "act": act}).data
    ended = kill_until_it_ends(server, admin, agent, made["id"])
    effects = site.effects("effect:once")
    reasons = {group["code"] for group in ended["reasons"]}
    assert max(effects) == 1, "a script ran twice"
    assert reasons <= {"interrupted"}, ended["reasons"]
    assert ended["succeeded"] + ended["failed"] == CARDS, ended
    assert ended["succeeded"] <= sum(effects) <= CARDS
    # What a script leaves on its card says how it ended, so that hardly any of those that ran is told as unknown.
    ran_and_unknown = sum(effects) - ended["succeeded"]
    assert ran_and_unknown <= sum(effects) * MOST_INTERRUPTED, f"{ran_and_unknown} of {sum(effects)} that ran: {ended['reasons']}"
    print(f"{server.database}: {ended['succeeded']} succeeded, {ended['failed']} interrupted, {sum(effects)} ran")


def reboot_under_kills(server: Server, admin: Client, site: Site, agent: Agent) -> None:
    """A reboot can be proved by the boot id: exactly one for each card, and each is known to have succeeded."""
    before = site.effects("reboot")
    assert sum(before) == 0
    selection = {"filter": {"roomId": site.id}}
    body = {"selection": selection, "act": {"kind": "reboot"}, "options": {"reason": "kill -9", "force": True}}
    made = admin.post(OPERATIONS, body).data
    ended = kill_until_it_ends(server, admin, agent, made["id"])
    left_out = ended["skipped"] + ended["incompatible"]
    assert ended["succeeded"] + left_out == CARDS, ended
    assert site.effects("reboot").count(1) == ended["succeeded"], "a card that was rebooted once succeeded, and no other"
    assert max(site.effects("reboot")) == 1, "a card was rebooted twice"


def kill_until_it_ends(server: Server, admin: Client, agent: Agent, operation: int) -> dict:
    kill_in_turn(server, agent, KILLS, 1.2)
    address = f"{OPERATIONS}/{operation}"
    wait(lambda: admin.get(address).data["state"] == FINISHED, "the operation to end", 120)
    return admin.get(address).data

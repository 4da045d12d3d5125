"""Webhooks: what an application is told, judged by a receiver that knows the page alone, also over a kill."""

import json
from pathlib import Path

import pytest
from support.client import Client
from support.hook_receiver import HookReceiver
from support.server import ADMIN_PASSWORD, DATABASES, Server
from support.wait import wait

APPS = "/api/platform/v1/open-apps"
DELIVERIES = "/api/platform/v1/open-deliveries"
DOOR = "/api/platform/v1/settings/open-door"


@pytest.fixture(params=DATABASES)
def fresh(request, tmp_path: Path):
    with Server(request.param, tmp_path, demo=False) as server:
        yield server.start()


def hooked(admin: Client, url: str) -> tuple[str, str, str]:
    """An application that is told there: the path of its webhook, and the name and the secret that sign."""
    door = admin.get(DOOR).data
    door = {name: value for name, value in door.items() if name not in ("updatedAt", "updatedBy")}
    admin.put(DOOR, {**door, "plainHttp": True}).data
    form = {"name": "商城", "owner": 1, "scopes": ["phone"], "perSecond": 50}
    hook = f"{APPS}/{admin.post(APPS, form).data['id']}/webhook"
    made = admin.post(f"{hook}/secret", {}).data
    admin.put(hook, {"url": url, "events": [2, 3, 4], "enabled": True}).data
    return hook, made["code"], made["secret"]


def test_what_is_sent_is_signed_as_the_page_says_and_the_secret_is_nowhere(fresh: Server):
    admin = Client(fresh.base).login("admin", ADMIN_PASSWORD)
    with HookReceiver() as receiver:
        hook, code, secret = hooked(admin, receiver.url)
        admin.post(f"{hook}/test", {}).data
        wait(lambda: receiver.heard, "the event")
        [heard] = receiver.heard
        assert heard.is_signed(secret) and not heard.is_signed("another")
        assert (heard.headers["x-sky-key"], heard.target) == (code, "/hook?to=me&at=2")
        event = json.loads(heard.body)
        assert sorted(event) == ["data", "id", "time", "type"] and event["type"] == "test"
        assert heard.headers["idempotency-key"] == event["id"]
        wait(lambda: admin.get(DELIVERIES).data["list"][0]["state"] == 2, "that it is written down")
        assert secret not in admin.get(hook).content.decode() + admin.get(DELIVERIES).content.decode()
    assert fresh.stop() == 0
    assert secret not in fresh.log.read_text()
    for file in (path for path in fresh.folder.rglob("*") if path.is_file()):
        assert secret.encode() not in file.read_bytes(), file


def test_a_console_that_is_killed_while_it_tells_tells_again_with_the_same_id(fresh: Server):
    admin = Client(fresh.base).login("admin", ADMIN_PASSWORD)
    with HookReceiver() as receiver:
        hook, _, secret = hooked(admin, receiver.url)
        receiver.pause = 4
        admin.post(f"{hook}/test", {}).data
        wait(lambda: receiver.heard, "the event")
        fresh.kill()
        receiver.pause = 0
        fresh.start()
        wait(lambda: len(receiver.heard) == 2, "the event once more")
        first, second = receiver.heard
        assert first.body == second.body and second.is_signed(secret)
        assert first.headers["x-sky-nonce"] != second.headers["x-sky-nonce"]
        again = Client(fresh.base).login("admin", ADMIN_PASSWORD)
        wait(lambda: again.get(DELIVERIES).data["list"][0]["state"] == 2, "that it is written down")
        assert again.get(DELIVERIES).data["list"][0]["tries"] == 1

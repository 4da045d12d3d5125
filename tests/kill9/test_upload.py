"""`kill -9` while a file comes in pieces: it goes on where the disk says, and is stored as it was sent."""

import hashlib
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from support.client import Client
from support.server import ADMIN_PASSWORD, DATABASES, Server

UPLOADS = "/api/operation/v1/files/uploads"
KILLS = 6
MB = 1 << 20


@pytest.mark.parametrize("database", DATABASES)
def test_a_file_goes_on_after_every_crash(database: str, tmp_path: Path):
    with Server(database, tmp_path, demo=False).start() as server:
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        moment = random.Random(seed)
        content = moment.randbytes(48 * MB)
        admin = Client(server.base).login("admin", ADMIN_PASSWORD)
        announced = {"fileName": "system.bin", "size": len(content), "modifiedAt": "2026-11-20T13:00:00Z"}
        address = f"{UPLOADS}/{admin.post(UPLOADS, announced).data['id']}"
        for _ in range(KILLS):
            killed_while_it_sends(server, admin, address, content, moment.uniform(0.005, 0.1))
        while (at := admin.get(address).data["offset"]) < len(content):
            append(admin, address, content, at)
        made = admin.post(f"{address}/finish", {"sha256": hashlib.sha256(content).hexdigest()}).data
        assert made["size"] == len(content)
        assert list((server.folder / "data" / "uploads").iterdir()) == [], "it has moved"


def append(admin: Client, address: str, content: bytes, at: int) -> None:
    """Sends the next piece slowly enough to be killed in it."""
    piece = content[at : at + 4 * MB]

    def parts() -> Iterator[bytes]:
        for part in range(0, len(piece), MB // 8):
            time.sleep(0.002)
            yield piece[part : part + MB // 8]

    headers = {"Content-Type": "application/partial-upload", "Upload-Offset": str(at)}
    assert admin.call("PATCH", address, data=parts(), headers=headers).data["offset"] == at + len(piece)


def killed_while_it_sends(server: Server, admin: Client, address: str, content: bytes, seconds: float) -> None:
    """What was acknowledged has come, and no more than was sent."""
    acknowledged = admin.get(address).data["offset"]
    killer = threading.Timer(seconds, server.kill)
    killer.start()
    try:
        while acknowledged < len(content):
            append(admin, address, content, acknowledged)
            acknowledged = min(acknowledged + 4 * MB, len(content))
    except requests.RequestException:
        pass
    killer.join()
    server.start()
    come = admin.get(address).data["offset"]
    assert acknowledged <= come <= len(content), f"{acknowledged} were acknowledged, {come} are there"
    print(f"{server.database}: {acknowledged} acknowledged, {come} there")

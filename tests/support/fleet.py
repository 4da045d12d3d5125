"""A simulated room that is registered in a console, with an agent as a process of its own."""

import ipaddress
import signal
import subprocess
from pathlib import Path
from typing import Any

import requests

from support.client import Client
from support.room import Room
from support.server import BINARY, Server, free_port

FLEET = "/api/fleet/v1"
OPERATIONS = "/api/operation/v1/operations"
PER_HOST = 8
PER_FRAME = 400
KIND = {"manufacturer": "瑞芯", "model": "RK3399-Card", "board": "RK_3399", "size": "4G/64G"}


def address(number: int) -> str:
    """The address of the card of this number, from 1, as `skyrack simulate --addresses` gives them."""
    return str(ipaddress.IPv4Address("127.64.0.0") + number)


def register(admin: Client, cards: int, port: int) -> int:
    """A room of the console with so many cards, an address each, on hosts of eight. Returns the room's id."""
    make = lambda path, body: admin.post(f"{FLEET}/{path}", body).data["id"]  # noqa: E731
    room = make("rooms", {"name": "仿真机房", "city": "杭州"})
    first, last = address(1), address(cards)
    plan = make(
        "address-plans",
        {
            "roomId": room,
            "name": "仿真",
            "intranet": {"startIp": first, "endIp": last, "startPort": port},
            "extranet": {"startIp": "203.0.113.9", "startPort": 20001, "endPort": 20000 + cards},
        },
    )
    for begin in range(0, cards, PER_FRAME):
        count = min(PER_FRAME, cards - begin)
        hosts = -(-count // PER_HOST)
        frame = make("frames", {"roomId": room, "name": f"S-{begin // PER_FRAME + 1:02}", "slots": hosts})
        for slot in range(1, hosts + 1):
            body = {"frameId": frame, "slot": slot, "name": f"sim-{frame}-{slot}", "positions": PER_HOST}
            make("hosts", body)
        body = {"planId": plan, "first": begin, "count": count, "frameId": frame, **KIND}
        admin.post(f"{FLEET}/cards/range", body).data
    return room


class Site:
    """Cards with an address each, on hosts of eight, in one room of the console."""

    def __init__(self, admin: Client, folder: Path, cards: int, *flags: str):
        self.cards = cards
        port = free_port()
        listen = ["--addresses", "--listen", f"127.0.0.1:{port}"]
        self.room = Room(folder, cards, *flags, listen=listen)
        self.id = register(admin, cards, port)

    def effects(self, what: str) -> list[int]:
        """How often something really happened, card by card."""
        answer = requests.get(f"{self.room.control}/effects", params={"what": what}, timeout=10)
        answer.raise_for_status()
        return answer.json()["cards"]


class Agent:
    """One `skyrack agent`. Kill it and start it again on the same folder as often as a test likes."""

    def __init__(self, server: Server, admin: Client, room: int, folder: Path, *others: Server):
        token = admin.post(f"{FLEET}/join-tokens", {"roomId": room}).data["token"]
        self.log = folder / "agent.log"
        self._command = [BINARY, "agent", "--console", ",".join(each.base for each in (server, *others)), "--token", token, "--name", "k9"]
        self._command += ["--data-dir", str(folder / "agent"), "--allow-loopback"]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Agent":
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGKILL)
            process.wait(10)


def settings(admin: Client, **changes: Any) -> None:
    """Changes device and global settings."""
    now = admin.get(f"{FLEET}/settings").data
    body = {key: value for key, value in now.items() if key != "secrets" and not key.startswith("updated")}
    admin.put(f"{FLEET}/settings", {**body, **changes}).data

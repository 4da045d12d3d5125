"""A room agent that says that all of its cards are well, and has files of its own instead of theirs."""

import base64
import json
import os
import queue
import socket
import struct
import threading
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import requests
from support.client import Client
from support.fleet import FLEET, OPERATIONS, register, settings

PATIENCE = 60
TEXT, BYTES, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Line:
    """The agent's connection: a WebSocket with what the protocol needs of one (RFC 6455, 5.2)."""

    def __init__(self, base: str, credential: str):
        address = urlsplit(base)
        self._socket = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        head = [
            "GET /agent/v1/connect HTTP/1.1",
            f"Host: {address.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
            f"Authorization: Bearer {credential}",
        ]
        self._socket.sendall("\r\n".join([*head, "", ""]).encode())
        self._from = self._socket.makefile("rb")
        answer = self._from.readline()
        assert b" 101 " in answer, answer
        while self._from.readline().strip():
            pass
        self._sending = threading.Lock()
        self._heard: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._socket.settimeout(None)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        try:
            while (kind := self._from.read(2)) and len(kind) == 2:
                size = kind[1] & 0x7F
                if size > 125:
                    size = int.from_bytes(self._from.read(2 if size == 126 else 8), "big")
                content = self._from.read(size)
                match kind[0] & 0x0F:
                    case 1:
                        self._heard.put(json.loads(content))
                    case 9:
                        self._send(PONG, content)
                    case 8:
                        break
        except OSError:
            pass
        self._heard.put(None)

    def _send(self, kind: int, content: bytes) -> None:
        size = len(content)
        long = struct.pack(">H", size) if size < 1 << 16 else struct.pack(">Q", size)
        head = bytes([0x80 | kind, 0x80 | (size if size < 126 else 126 if size < 1 << 16 else 127)])
        # A mask of zeros is a mask.
        with self._sending:
            self._socket.sendall(head + (b"" if size < 126 else long) + bytes(4) + content)

    def say(self, kind: str, **fields: Any) -> None:
        self._send(TEXT, json.dumps({"type": kind, **fields}).encode())

    def send(self, kind: int, content: bytes) -> None:
        """Sends whatever it is. Whoever has hung up hears nothing of it."""
        with suppress(OSError):
            self._send(kind, content)

    def is_heard(self) -> bool:
        """Whether the console still listens: it answers, or it has closed the connection."""
        report = {"card": 0, "probe": {"reached": True, "tcpOpen": True, "adbAnswers": True, "booted": True}}
        self.send(TEXT, json.dumps({"type": "reports", "seq": 7, "reports": [report]}).encode())
        while (message := self._heard.get(timeout=PATIENCE)) is not None:
            if message["type"] == "taken":
                return True
        return False

    def hear(self, kind: str) -> dict[str, Any]:
        """The next message of this kind; others are passed over."""
        while True:
            message = self._heard.get(timeout=PATIENCE)
            assert message is not None, f"the console closed the connection before it sent {kind}"
            if message["type"] == kind:
                return message

    def close(self) -> None:
        # Whoever still reads holds the socket open, and Python complains of one that only its collector closes.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._listener.join()
        self._from.close()
        self._socket.close()


class Agent:
    """Takes tasks for as many files as are to be sent. A task takes a few."""

    FILES_A_TASK = 3

    def __init__(self, base: str, admin: Client, files: int, protocol: int = 1):
        self._base, self._admin = base, admin
        settings(admin, graceSeconds=3600, tasksPerRoom=10_000, tasksPerFrame=5_000, tasksPerHost=256)
        cards = -(-files // self.FILES_A_TASK)
        self._room = register(admin, cards, 5555)
        token = admin.post(f"{FLEET}/join-tokens", {"roomId": self._room}).data["token"]
        joined = requests.post(f"{base}/agent/v1/enrol", json={"token": token, "name": "hostile", "version": "1"}, timeout=PATIENCE)
        self.credential = joined.json()["credential"]
        self._line = Line(base, self.credential)
        self._line.say("hello", protocol=protocol, version="1", held=[])
        self._free: list[int] = []
        while True:
            roster = self._line.hear("roster")
            self._free += [card["id"] for card in roster["cards"]]
            if roster["isLast"]:
                break
        assert len(self._free) == cards
        well = {"reached": True, "tcpOpen": True, "adbAnswers": True, "booted": True}
        for seq in (1, 2):
            self._line.say("reports", seq=seq, reports=[{"card": card, "probe": well} for card in self._free])
            assert self._line.hear("taken")["seq"] == seq

    def places(self, files: int, kind: str = "screenshot") -> list[str]:
        """An address for each of so many files: of tasks of cards that had none yet."""
        count = -(-files // self.FILES_A_TASK)
        cards, self._free = self._free[:count], self._free[count:]
        act = {"selection": {"ids": cards}, "act": {"kind": kind}, "options": {"reason": "测试"}}
        self._admin.post(OPERATIONS, act).data
        keys: list[dict[str, Any]] = []
        while len(keys) < len(cards):
            keys += self._line.hear("tasks")["tasks"]
        paths = [f"/agent/v1/tasks/{key['task']}/{key['attempt']}/file" for key in keys]
        return [path for path in paths for _ in range(self.FILES_A_TASK)][:files]

    def send(self, path: str, content: bytes) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.credential}"}
        return requests.put(self._base + path, data=content, headers=headers, timeout=PATIENCE)

    def close(self) -> None:
        self._line.close()

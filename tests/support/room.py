"""A simulated room as a process of its own, and Debian's `adb` to drive it."""

import itertools
import os
import subprocess
from pathlib import Path

import requests

from support.server import BINARY, free_port
from support.wait import wait

_rooms = itertools.count(1)


def own_address() -> str:
    """Below 127.64, where cards with an address each are; another one for each room of this machine."""
    process, room = os.getpid(), next(_rooms)
    return f"127.{1 + process % 60}.{process // 60 % 250}.{room % 250}"


class Room:
    """One `skyrack simulate` on free ports."""

    def __init__(self, folder: Path, cards: int = 3, *flags: str, listen: list[str] | None = None):
        folder.mkdir(exist_ok=True)
        self.log = folder / "room.log"
        # The cards take consecutive ports, at an address of this room's own: nobody else listens there.
        self.host, self.first = own_address(), 20_000
        self.control = f"http://127.0.0.1:{free_port()}"
        listen = listen or ["--listen", f"{self.host}:{self.first}"]
        command = [BINARY, "simulate", "--cards", str(cards), *listen]
        command += ["--control", self.control.removeprefix("http://"), "--boot-ms", "1000", *flags]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self.wait(lambda: requests.get(f"{self.control}/room", timeout=5).ok, "the room to be ready")

    def wait(self, done, what: str, patience: float = 60):
        """Asks until `done()` is true; a refused connection is a no."""
        wait(done, what, patience, 0.05, self._must_run)

    def _must_run(self):
        if self._process.poll() is not None:
            raise AssertionError(f"the room ended: {self.log.read_text()}")

    def card(self, number: int) -> dict:
        return requests.get(f"{self.control}/cards/{number}", timeout=5).json()

    def faults(self, number: int, *faults: str):
        requests.post(f"{self.control}/cards/{number}/faults", json={"faults": faults}, timeout=5).raise_for_status()

    def memory(self) -> int:
        """Bytes that are really in memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) << 10

    def stop(self) -> int:
        self._process.terminate()
        return self._process.wait(10)


class Adb:
    """Debian's client, with a server and keys of its own."""

    def __init__(self, folder: Path):
        home = folder / "home"
        home.mkdir()
        self._env = {**os.environ, "HOME": str(home), "ANDROID_ADB_SERVER_PORT": str(free_port())}

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["adb", *map(str, arguments)], env=self._env, input=stdin, capture_output=True, timeout=60)

    def popen(self, *arguments: str | Path) -> dict:
        """The same as something that runs: what `Popen` is told."""
        command = ["adb", *map(str, arguments)]
        return {"args": command, "env": self._env, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}

    def connect(self, room: Room, number: int) -> "Serial":
        serial = f"{room.host}:{room.first + number}"

        def connected() -> bool:
            self("connect", serial)
            return self("-s", serial, "get-state").stdout == b"device\n"

        room.wait(connected, f"adb to connect to {serial}")
        return Serial(self, serial)

    def stop(self):
        self("kill-server")


class Serial:
    """One card, by `adb -s`."""

    def __init__(self, adb: Adb, serial: str):
        self._adb, self.serial = adb, serial

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return self._adb("-s", self.serial, *arguments, stdin=stdin)

    def popen(self, *arguments: str | Path) -> dict:
        return self._adb.popen("-s", self.serial, *arguments)

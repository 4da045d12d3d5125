"""A simulated room as a process of its own, and Debian's `adb` to drive it."""

import os
import subprocess
import time
from pathlib import Path

import requests

from support.server import BINARY, free_port


class Room:
    """One `skyrack simulate` on free ports."""

    def __init__(self, folder: Path, cards: int = 3, *flags: str, listen: list[str] | None = None):
        self.log = folder / "room.log"
        # The cards take consecutive ports; below the range from which the system hands out its own.
        self.first = 20_000 + free_port() % 10_000
        self.control = f"http://127.0.0.1:{free_port()}"
        listen = listen or ["--listen", f"127.0.0.1:{self.first}"]
        command = [BINARY, "simulate", "--cards", str(cards), *listen]
        command += ["--control", self.control.removeprefix("http://"), "--boot-ms", "1000", *flags]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self.wait(lambda: requests.get(f"{self.control}/room", timeout=5).ok, "the room to be ready")

    def wait(self, done, what: str, patience: float = 30):
        """Asks until `done()` is true; a refused connection is a no."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            try:
                if done():
                    return
            except requests.ConnectionError:
                pass
            if self._process.poll() is not None:
                raise AssertionError(f"the room ended: {self.log.read_text()}")
            time.sleep(0.05)
        raise AssertionError(f"waited {patience} s for {what}")

    def card(self, number: int) -> dict:
        return requests.get(f"{self.control}/cards/{number}", timeout=5).json()

    def faults(self, number: int, *faults: str):
        requests.post(f"{self.control}/cards/{number}/faults", json={"faults": faults}, timeout=5).raise_for_status()

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

    def connect(self, room: Room, number: int) -> "Serial":
        serial = f"127.0.0.1:{room.first + number}"

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

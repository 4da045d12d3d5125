"""Two consoles on one PostgreSQL, and a client that finds the active one as a proxy would."""

import base64
import time
from pathlib import Path
from typing import Any

import requests
from support.client import Answer, Client
from support.server import Server, new_postgres_database

# One that sleeps accepts connections and never answers.
ANSWER_S = 1.0
MASTER_KEY = base64.b64encode(b"Z" * 32).decode()


class Console(Server):
    """One of several consoles on one database. Their files are in one folder, as on a shared disk."""

    def __init__(self, name: str, folder: Path, database: str, files: Path):
        data = folder / name / "data"
        data.mkdir(parents=True)
        (data / "objects").symlink_to(files)
        self._storage = ["--data-dir", str(data), "--database", database]
        self.name = name
        env = {"SKYRACK_MASTER_KEY": MASTER_KEY, "SKYRACK_CONSOLE_NAME": name}
        super().__init__("postgres", folder / name, demo=False, env=env)

    def readiness(self) -> tuple[int, Any]:
        """What `/readyz` says; 0 where nothing answers."""
        try:
            answer = requests.get(f"{self.base}/readyz", timeout=ANSWER_S, headers={"Connection": "close"})
        except requests.RequestException:
            return 0, None
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        return answer.status_code, answer.json() if is_json else None

    def is_active(self) -> bool:
        return self.readiness()[0] == 200

    def stands_by(self) -> bool:
        status, body = self.readiness()
        return status == 503 and body is not None and body.get("state") == "standby"

    def stand_by(self) -> "Console":
        """Starts it while another one is active."""
        self.launch()
        wait(self.stands_by, f"{self.name} to stand by", self)
        return self


class Pair:
    """Console `one`, which is active, and console `two`, which is on standby."""

    def __init__(self, folder: Path):
        self.database = new_postgres_database()
        files = folder / "files"
        files.mkdir()
        self.one, self.two = (Console(name, folder, self.database, files) for name in ("one", "two"))

    def __enter__(self) -> "Pair":
        self.one.start()
        self.two.stand_by()
        return self

    def __exit__(self, *_: object) -> None:
        for console in (self.one, self.two):
            if console._process is not None:
                console.thaw()
            console.kill()

    def client(self) -> "Either":
        return Either([self.one.base, self.two.base])

    def took_over(self, other: Console, since: float) -> float:
        """Waits until `other` is active, and says how long that took."""
        wait(other.is_active, f"{other.name} to take over", other, pause=0.02)
        return time.monotonic() - since


class Either(Client):
    """Asks the console that answered last; where it does not answer, or stands by, the other one is next."""

    def __init__(self, bases: list[str], **options: Any):
        super().__init__(bases[0], **options)
        self.bases = bases

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> Answer:
        try:
            answer = super().call(method, path, body, timeout=ANSWER_S * 3, **options)
        except requests.RequestException as error:
            self._turn()
            raise requests.ConnectionError(str(error)) from error
        if answer.http == 503:
            self._turn()
            time.sleep(0.02)
        return answer

    def _turn(self) -> None:
        self.base = self.bases[(self.bases.index(self.base) + 1) % len(self.bases)]

    def twin(self, **changes: Any) -> "Either":
        other = Either(self.bases)
        other.base = self.base
        other.token, other.id, other.group_id = self.token, self.id, self.group_id
        return other


def wait(done, what: str, console: Server, patience: float = 60, pause: float = 0.05) -> None:
    until = time.monotonic() + patience
    while not done():
        assert time.monotonic() < until, f"waited {patience} s for {what}:\n{console.tail()}"
        time.sleep(pause)

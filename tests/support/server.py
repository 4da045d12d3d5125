"""Starts the real server as a process of its own, on SQLite or on PostgreSQL."""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pg8000.native

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("TEST_BINARY", ROOT / "target/debug/skyrack"))
ADMIN_PASSWORD = "Rack_2026sky"
DATABASES = ("sqlite", "postgres")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def new_postgres_database() -> str:
    """Makes an empty database in the throw-away cluster and returns its URL."""
    given = os.environ.get("TEST_PG_URL")
    if not given:
        raise RuntimeError("TEST_PG_URL is not set: run the tests with scripts/with-postgres.sh")
    url = urlsplit(given)
    name = f"t_{uuid.uuid4().hex}"
    maintenance = pg8000.native.Connection(
        url.username, host=url.hostname, port=url.port, password=url.password, database=url.path.strip("/")
    )
    maintenance.run(f"CREATE DATABASE {name}")
    maintenance.close()
    return urlunsplit(url._replace(path=f"/{name}"))


class Server:
    """One `skyrack serve`. Stop it and start it again on the same data as often as a test likes."""

    def __init__(self, database: str, folder: Path, demo: bool = True, env: dict[str, str] | None = None):
        self.database = database
        self.folder = folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = folder / "server.log"
        self._arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", *self.storage()]
        if demo:
            self._arguments.append("--demo")
        self._env = {**os.environ, "SKYRACK_ADMIN_PASSWORD": ADMIN_PASSWORD, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def storage(self) -> list[str]:
        """The arguments that name data folder and database, the same ones for every subcommand."""
        if not hasattr(self, "_storage"):
            self._storage = ["--data-dir", str(self.folder / "data")]
            if self.database == "postgres":
                self._storage += ["--database", new_postgres_database()]
        return self._storage

    def start(self, patience: float = 60) -> "Server":
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [BINARY, *self._arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._env
            )
        deadline = time.monotonic() + patience
        while not self._ready():
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended at start with {self._process.returncode}:\n{self.tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"the server was not ready after {patience} s:\n{self.tail()}")
            time.sleep(0.05)
        return self

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop(self) -> int:
        """Asks it to stop, as systemd and Ctrl-C do, and returns its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """The power is gone as far as the process can tell: no handler runs."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(how)
        try:
            return process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise RuntimeError(f"the server did not stop on {how.name}:\n{self.tail()}") from None

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves nothing behind, however the test ended."""
        self.kill()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another subcommand of the binary on the same data."""
        return subprocess.run(
            [BINARY, *arguments, *self.storage()], capture_output=True, text=True, env=self._env, timeout=120
        )

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

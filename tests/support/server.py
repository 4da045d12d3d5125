"""Starts the real server as a process of its own, on SQLite or on PostgreSQL."""

import os
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pg8000.native

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("TEST_BINARY", ROOT / "target/debug/skyrack"))
ADMIN_PASSWORD = "Rack_2026sky"
DATABASES = ("sqlite", "postgres")
# Cards and stores of a test are on this machine, where a console connects to nothing otherwise.
SIMULATED = {"SKYRACK_ALLOW_OUTBOUND": '["127.0.0.0/8"]'}


_ports = iter(random.SystemRandom().sample(range(10_000, 20_000), 10_000))


def free_port() -> int:
    """A port that stays its owner's while he is stopped and started again.

    It lies below those that the system hands out (`ip_local_port_range`, from 32768): one of them is anybody's as soon
    as nobody listens there.
    """
    for port in _ports:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise RuntimeError("no port between 10000 and 20000 is free")


def postgres_server() -> str:
    """The URL of the throw-away cluster."""
    given = os.environ.get("TEST_PG_URL")
    if not given:
        raise RuntimeError("TEST_PG_URL is not set: run the tests with scripts/with-postgres.sh")
    return given


@contextmanager
def postgres(address: str | None = None) -> Iterator[pg8000.native.Connection]:
    """A connection to a database, or to the one from which others are made."""
    url = urlsplit(address or postgres_server())
    connection = pg8000.native.Connection(
        url.username, host=url.hostname, port=url.port, password=url.password, database=url.path.strip("/")
    )
    try:
        yield connection
    finally:
        connection.close()


def new_postgres_database() -> str:
    """Makes an empty database in the throw-away cluster and returns its URL."""
    name = f"t_{uuid.uuid4().hex}"
    with postgres() as maintenance:
        maintenance.run(f"CREATE DATABASE {name}")
    return urlunsplit(urlsplit(postgres_server())._replace(path=f"/{name}"))


class Server:
    """One `skyrack serve`. Stop it and start it again on the same data as often as a test likes.

    `database` is `sqlite`, `postgres` for a fresh one in the throw-away cluster, or the address of another. `demo` is the
    company at rest, `whole` the one where everything lives.
    """

    def __init__(self, database: str, folder: Path, demo: bool | str = True, env: dict[str, str] | None = None):
        self.database = database
        self.folder = folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = folder / "server.log"
        self._arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", *self.storage()]
        if demo:
            self._arguments += ["--demo"] if demo == "whole" else ["--demo", "--quiet"]
        self._env = {**os.environ, **SIMULATED, "SKYRACK_ADMIN_PASSWORD": ADMIN_PASSWORD, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def storage(self) -> list[str]:
        """The arguments that name data folder and database, the same ones for every subcommand."""
        if not hasattr(self, "_storage"):
            self._storage = ["--data-dir", str(self.folder / "data")]
            if self.database != "sqlite":
                url = new_postgres_database() if self.database == "postgres" else self.database
                self._storage += ["--database", url]
        return self._storage

    def launch(self) -> None:
        """Starts the process, and does not wait for it."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [BINARY, *self._arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._env
            )

    def start(self, patience: float = 60) -> "Server":
        self.launch()
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
        """Kills the process as a power cut would: no handler runs."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Suspends it, with every connection open, until it is thawed."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

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

    def ended(self) -> int | None:
        """The exit code, if it has ended by itself."""
        code = None if self._process is None else self._process.poll()
        if code is not None:
            self._process = None
        return code

    def is_up(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def until_up_or_ended(self, patience: float = 60) -> bool:
        """Waits for the one or the other. Answers whether it serves."""
        deadline = time.monotonic() + patience
        while self.is_up():
            if self._ready():
                return True
            assert time.monotonic() < deadline, f"it neither serves nor ends:\n{self.tail()}"
            time.sleep(0.02)
        return False

    def settle(self, patience: float = 1) -> None:
        """Waits until it answers that it is alive, or has ended."""
        deadline = time.monotonic() + patience
        while self._process is not None and self._process.poll() is None and time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.base}/healthz", timeout=1):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another subcommand of the binary on the same data."""
        return subprocess.run(
            [BINARY, *arguments, *self.storage()], capture_output=True, text=True, env=self._env, timeout=120
        )

    def process_id(self) -> int:
        """The process that serves; it has to be there."""
        assert self._process is not None and self._process.poll() is None, self.tail()
        return self._process.pid

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

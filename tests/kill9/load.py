"""Sixteen writers that go on through every crash and remember what was acknowledged."""

import threading
import time

import requests

from support.client import USER, Client

WORKERS = 16
CREATE = f"{USER}/v1/client-users"


def new_client_user(name: str, number: int) -> dict[str, object]:
    return {"name": name, "phone": f"139{number:08d}", "email": "", "remark": "kill -9"}


class Load:
    def __init__(self, signed_in: Client, prefix: str):
        self.prefix = prefix
        self.attempted = 0
        self.acknowledged: list[str] = []
        self.refusals: list[str] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(signed_in.twin(),), daemon=True) for _ in range(WORKERS)
        ]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=60)

    def _next(self) -> int:
        with self._lock:
            self.attempted += 1
            return self.attempted

    def _work(self, client: Client) -> None:
        while not self._stop.is_set():
            number = self._next()
            name = f"{self.prefix}{number}"
            try:
                answer = client.post(CREATE, new_client_user(name, number))
            except (requests.ConnectionError, requests.Timeout):
                # The server is down. What happened to this one nobody knows, and nothing was promised.
                time.sleep(0.05)
                continue
            with self._lock:
                if answer.body is not None and answer.status == 0:
                    self.acknowledged.append(name)
                elif answer.http != 503:
                    self.refusals.append(f"{answer.http} {answer.body}")

    def wait_for(self, count: int, patience: float = 60) -> None:
        """Until `count` more are acknowledged: a kill before anything was written would prove nothing."""
        wanted, deadline = len(self.acknowledged) + count, time.monotonic() + patience
        while len(self.acknowledged) < wanted:
            assert not self.refusals, self.refusals[:3]
            assert time.monotonic() < deadline, f"only {len(self.acknowledged)} of {wanted} were acknowledged"
            time.sleep(0.005)

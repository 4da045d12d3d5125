"""One server under load while its disk fails, and the judge of what it said."""

import hashlib
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests
from control import Faults, Tally, Target
from told import LEDGER, WAITS

from support import log_chain
from support.client import USER, Answer, Client
from support.server import ADMIN_PASSWORD, Server

CREATE = f"{USER}/v1/client-users"
LIST = f"{USER}/v5/user/getPageUserInfo"
FILES = "/api/operation/v1/files"
WRITERS = 4
# How long a server may take to write again once its disk does.
RECOVERS_WITHIN_S = 60
# What callers are told whose COMMIT was sent and never answered: it may be there or not.
IN_DOUBT = (
    "保存时与数据库的连接中断，无法确定是否已保存；请先查看结果，再决定是否重试",
    "The database connection was lost while saving; check whether it was saved before you try again",
    "控制台正在确认自身状态，操作结果未知，请稍后查看",
    "The console had to stop while processing this, so the result is unknown; check in a moment",
)
# So often people come again, at most, to see a call fail.
BURSTS = 30
# The list number of client users among the kept counters.
CLIENT_USERS = 1


class Site:
    def __init__(self, server: Server, faults: Faults | None = None):
        self.server = server
        self.faults = faults
        self.number = 0
        self._lock = threading.Lock()
        self.tally = Tally()
        self.uploads: dict[str, bytes] = {}
        # Without cookies: a session that has shown one belongs to that client alone, and several write here.
        self.client = Client(server.base).login("admin", ADMIN_PASSWORD).twin()

    def _next(self) -> int:
        with self._lock:
            self.number += 1
            return self.number

    def create(self, prefix: str) -> Answer | None:
        """One more client user; what came of it goes to the tally."""
        number = self._next()
        name = f"{prefix}n{number}e"
        body = {"name": name, "phone": f"139{number:08d}", "email": "", "remark": "faults"}
        return self._judge(name, lambda client: client.post(CREATE, body))

    def upload(self, prefix: str) -> Answer | None:
        """A file of its own content, larger than what a process buffers."""
        name = f"{prefix}n{self._next()}e.txt"
        content = hashlib.sha256(name.encode()).hexdigest().encode() * 700
        answer = self._judge(name, lambda client: client.post(FILES, files={"file": (name, content)}))
        if answer is not None and answer.http == 200:
            self.uploads[name] = content
        return answer

    def _judge(self, name, send) -> Answer | None:
        try:
            answer = send(self.client.twin())
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError):
            self.tally.add(self.tally.unknown, name)
            return None
        if answer.body is not None and answer.http == 200 and answer.status == 0:
            self.tally.add(self.tally.acknowledged, name)
        elif answer.http == 503 and answer.body["status"] == 5003:
            in_doubt = answer.body["msg"] in IN_DOUBT
            self.tally.add(self.tally.unknown if in_doubt else self.tally.refused, name)
        else:
            self.tally.add(self.tally.wrong, f"{name}: {answer.http} {answer.body}")
        return answer

    def burst(self, prefix: str, rounds: int = 5) -> None:
        """Several at once, so that they share commits."""

        def work(_: int) -> None:
            for turn in range(rounds):
                answer = self.create(prefix)
                if turn % 2:
                    answer = self.upload(prefix)
                if answer is None:
                    return

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(work, range(WRITERS)))

    def must_write(self, prefix: str, after: str = "") -> None:
        """Somebody is served again; how long that took is told, if it is `after` something."""
        started = time.monotonic()
        while True:
            before = len(self.tally.acknowledged)
            answer = self.create(prefix)
            took = time.monotonic() - started
            if len(self.tally.acknowledged) > before:
                break
            assert took < RECOVERS_WITHIN_S, f"no write for {RECOVERS_WITHIN_S} s: {answer}\n{self.server.tail()}"
            time.sleep(0.1)
        if after:
            WAITS.enter(f"the first write after {after}", took)

    def revive(self) -> bool:
        """Starts the server again if it has ended; then it must have said that it failed. Answers whether it had."""
        if self.server.is_up():
            return False
        code = self.server.ended()
        assert code is not None and code > 0, f"it ended with {code}:\n{self.server.tail()}"
        self.server.start()
        return True

    def restart(self, prefix: str) -> None:
        """Stops and starts it while something fails: it may end with an error, or not come up, but it may not hang."""
        self.server.stop()
        self.server.launch()
        if self.server.until_up_or_ended():
            # The next start has something new to anchor.
            self.create(prefix)

    def cell(self, target: Target, error: str, nth: int, every: bool = False) -> bool:
        """One fault under load, and service after it. Answers whether it happened."""
        prefix = f"f{self.number}x"
        self.must_write(prefix)
        failures, read = self.tally.failed(), self.server.log.stat().st_size
        self.faults.arm(target.call, error, nth, every, target.files)
        self._reach(target, prefix)
        fired = self.faults.disarm()
        # A process that stops itself takes a moment; one that goes on takes none.
        self.server.settle()
        ended = self.revive()
        heard = ended or self.tally.failed() > failures or self._has_warned(read)
        LEDGER.enter(target, error, every, fired, ended, heard)
        self.must_write(prefix)
        self.judge_lists(prefix)
        return sum(fired) > 0

    def _reach(self, target: Target, prefix: str) -> None:
        """Goes on until something has failed, or the server has ended, but not for ever."""
        for _ in range(1 if target.restarts else BURSTS):
            self.burst(prefix)
            if sum(self.faults.fired()) or not self.server.is_up():
                return
        for _ in range(target.restarts):
            self.restart(prefix)
            if sum(self.faults.fired()) or not self.server.is_up():
                return

    def _has_warned(self, since: int) -> bool:
        with self.server.log.open("rb") as log:
            log.seek(since)
            said = log.read()
        return b" WARN" in said or b"ERROR" in said

    def judge_lists(self, prefix: str) -> None:
        """What readers see now is what was acknowledged, each once, and nothing that was refused."""
        assert not self.tally.wrong, self.tally.wrong[:3]
        names: list[str] = []
        while True:
            page = self.client.post(LIST, {"pageNum": len(names) // 500 + 1, "pageSize": 500, "keyWord": prefix}).data
            names += [user["name"] for user in page["list"]]
            if len(page["list"]) < 500:
                break
        assert page["total"] == len(names) == len(set(names)), f"{page['total']} {len(names)} {len(set(names))}"
        said = [name for name in self.tally.acknowledged if name.startswith(prefix) and not name.endswith(".txt")]
        lost = set(said) - set(names)
        assert not lost, f"acknowledged and not there: {sorted(lost)[:5]} of {len(said)}"
        denied = set(names) & set(self.tally.refused)
        assert not denied, f"refused and there all the same: {sorted(denied)[:5]}"

    def judge_database(self) -> None:
        """The stopped server's database: whole, complete, counted right, every write with its line in the log."""
        assert self.server.stop() == 0, self.server.tail()
        query = lambda sql: log_chain.query(self.server, sql)  # noqa: E731
        rows = log_chain.lines(self.server)
        assert log_chain.first_fault(rows) is None
        stored = [name for (name,) in query("SELECT name FROM client_user")]
        assert len(stored) == len(set(stored))
        said = {name for name in self.tally.acknowledged if not name.endswith(".txt")}
        assert said <= set(stored), f"lost: {sorted(said - set(stored))[:5]}"
        logged = {str(row[8]) for row in rows if row[5] == "client_user_create"}
        assert logged == set(stored), "a write and its line in the log are one transaction"
        [(counted,)] = query(f"SELECT COALESCE(sum(n), 0) FROM kept_count WHERE list = {CLIENT_USERS} AND block = -1")
        assert counted == len(stored), f"{counted} counted, {len(stored)} there"
        if self.server.database == "sqlite":
            assert query("PRAGMA integrity_check") == [("ok",)]
        kept = dict(query("SELECT file_name, object_key FROM operation_file"))
        for name, content in self.uploads.items():
            assert name in kept, f"the upload {name} is lost"
            [found] = (self.server.folder / "data").rglob(Path(kept[name]).name)
            assert found.read_bytes() == content, f"the upload {name} is damaged"


def copied(template: Path, folder: Path) -> None:
    """A migrated database to begin with, which is made once."""
    shutil.copytree(template / "data", folder / "data")

"""Small file systems that fill up, and the load on them."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from site_under_load import LIST, WRITERS, Site
from told import WAITS

from support.client import USER, Answer

# What is promised: ten seconds at most to find out that a disk or a database is gone, and a refusal at once from then on.
FOUND_OUT_WITHIN_S = 10
AT_ONCE_S = 1
# Who has no answer by then is waiting for ever.
LATE_S = 3 * FOUND_OUT_WITHIN_S
# Fewer would not say what is usual.
ENOUGH = 5


def root(*command: str | Path) -> None:
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, *command], check=True, capture_output=True)


@contextmanager
def small_disk(place: Path, system: str, size_mb: int) -> Iterator[Path]:
    """A file system of its own. A machine that lets nobody mount one cannot try this, and says so; CI has to."""
    place.mkdir()
    try:
        if system == "tmpfs":
            root("mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", place)
        else:
            image = place.with_name("image")
            with image.open("wb") as file:
                file.truncate(size_mb << 20)
            root("mkfs.ext4", "-q", "-m", "0", image)
            root("mount", "-o", "loop", image, place)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        why = f"no {system} can be mounted here: {getattr(error, 'stderr', error)}"
        assert not os.environ.get("CI"), f"CI must not skip: {why}"
        pytest.skip(why)
    try:
        root("chown", str(os.geteuid()), place)
        yield place
    finally:
        root("umount", "-l", place)


def fill(disk: Path) -> None:
    """Takes what is free, as a log or a dump of somebody else does."""
    with (disk / "stuffing").open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1 << 9):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue


class Refusals:
    """How long refusals took, one caller beside the writers."""

    def __init__(self) -> None:
        self.took: list[float] = []

    def add(self, send: Callable[[], object]) -> object:
        started = time.monotonic()
        answer = send()
        self.took.append(time.monotonic() - started)
        assert self.took[-1] < FOUND_OUT_WITHIN_S, f"an answer took {self.took[-1]:.1f} s"
        return answer

    def judge(self, after: str) -> None:
        assert len(self.took) >= ENOUGH, self.took
        WAITS.judge(f"a refusal after {after}", self.took, AT_ONCE_S)


@contextmanager
def writers(site: Site, prefix: str) -> Iterator[None]:
    """Several that write and upload all the time, whatever they hear."""
    stop = threading.Event()

    def work() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            answer = site.upload(prefix) if turn % 3 == 0 else site.create(prefix)
            if answer is None or answer.http != 200:
                time.sleep(0.02)

    with together([work] * WRITERS, stop):
        yield


@contextmanager
def reader(site: Site, prefix: str) -> Iterator[None]:
    """One that reads all the time, and is always served: whatever he has seen is there the next time."""
    stop = threading.Event()
    failures: list[object] = []
    reads = 0

    def work() -> None:
        nonlocal reads
        seen, client = 0, site.client.twin()
        while not stop.is_set():
            try:
                page = client.post(LIST, {"pageNum": 1, "pageSize": 10, "keyWord": prefix}).data
                assert page["total"] >= seen, f"{seen} were there, and now {page['total']}"
                seen, reads = page["total"], reads + 1
            except (AssertionError, OSError) as error:
                failures.append(error)
            time.sleep(0.02)

    with together([work], stop):
        yield
    assert not failures, f"{len(failures)} of {reads + len(failures)} reads failed: {failures[:3]}"
    assert reads >= ENOUGH, f"{reads} reads say nothing"


# What is read while the database comes and goes: a list that grows, and one that stays as it is.
GROUPS = f"{USER}/v1/designjet/permissions/group/all"


@contextmanager
def readers(site: Site, prefix: str) -> Iterator[None]:
    """Several that read all the time while the database comes and goes. Each answer is a right one or says that the
    service is away, within what is promised: none is late, none is an error of the console's own, and none has less than
    one before."""
    stop = threading.Event()
    failures: list[str] = []
    counted = {"right": 0, "refused": 0, "dropped": 0}
    groups = site.client.twin().get(GROUPS).data
    lock = threading.Lock()

    def count(what: str) -> None:
        with lock:
            counted[what] += 1

    def ask(grows: bool) -> Answer:
        client = site.client.twin()
        if not grows:
            return client.get(GROUPS, timeout=LATE_S)
        return client.post(LIST, {"pageNum": 1, "pageSize": 10, "keyWord": prefix}, timeout=LATE_S)

    def work(grows: bool) -> None:
        seen = 0
        while not stop.is_set():
            started = time.monotonic()
            try:
                answer = ask(grows)
            except requests.Timeout:
                failures.append(f"no answer within {LATE_S} s")
                continue
            except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
                # On the way from serving to standing by a console drops the connections that it has.
                count("dropped")
                time.sleep(0.02)
                continue
            took = time.monotonic() - started
            if took > FOUND_OUT_WITHIN_S:
                failures.append(f"{answer.http} took {took:.1f} s")
            body = answer.body or {}
            if answer.http == 503 and body.get("status") == 5003 and body.get("msg"):
                count("refused")
            elif answer.http != 200 or body.get("status") != 0:
                failures.append(f"{answer.http} {answer.content[:200]!r}")
            elif grows and answer.data["total"] < seen:
                failures.append(f"{seen} were there, and now {answer.data['total']}")
            elif not grows and answer.data != groups:
                failures.append(f"other groups than before: {answer.data}")
            else:
                seen = answer.data["total"] if grows else 0
                count("right")
            time.sleep(0.02)

    with together([lambda: work(True), lambda: work(False)] * 2, stop):
        yield
    assert not failures, f"{len(failures)} of these are wrong beside {counted}: {failures[:3]}"
    assert counted["right"] >= ENOUGH and counted["refused"] + counted["dropped"] > 0, f"it says nothing: {counted}"


@contextmanager
def together(works: list[Callable[[], None]], stop: threading.Event) -> Iterator[None]:
    """Each in a thread of its own, until `stop`."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=60)
        assert not any(thread.is_alive() for thread in threads), "somebody still waits"


def until(done: Callable[[], bool], what: str, patience: float = 60) -> None:
    deadline = time.monotonic() + patience
    while not done():
        assert time.monotonic() < deadline, f"waited {patience} s for {what}"
        time.sleep(0.05)

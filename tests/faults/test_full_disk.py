"""Disks that really fill up: refused in words, read from as ever, written to again as soon as there is space."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from site_under_load import RECOVERS_WITHIN_S, Site

from support.server import Server

SIZE_MB = 24
# A file that takes space until it is deleted.
BALLAST_MB = 4
SYSTEMS = ("tmpfs", "ext4")
# Those who waited for the disk waited for ten seconds and more. How long a refusal takes is for `make bench`.
REFUSED_WITHIN_S = 9


def root(*command: str | Path) -> None:
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, *command], check=True, capture_output=True)


@pytest.fixture(params=SYSTEMS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    if request.param == "tmpfs":
        root("mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", place)
    else:
        image = tmp_path / "image"
        with image.open("wb") as file:
            file.truncate(SIZE_MB << 20)
        root("mkfs.ext4", "-q", "-m", "0", image)
        root("mount", "-o", "loop", image, place)
    try:
        root("chown", str(os.geteuid()), place)
        yield place
    finally:
        root("umount", "-l", place)


def test_a_full_disk_loses_nothing_and_is_used_again(disk: Path) -> None:
    """The server's log is on that disk as well: a line that cannot be logged fails no request."""
    (disk / "ballast").write_bytes(bytes(BALLAST_MB << 20))
    with Server("sqlite", disk, demo=False).start() as server:
        site = Site(server)
        site.must_write("full")
        (disk / "filler").write_bytes(bytes(1 << 20))
        fill(disk)
        until_refused(site)
        for _ in range(10):
            started = time.monotonic()
            answer = site.create("full")
            assert answer is not None and answer.http in (200, 503), answer
            assert time.monotonic() - started < REFUSED_WITHIN_S, "a refusal is told at once"
            site.upload("full")
            site.judge_lists("full")
        assert site.client.get("/readyz").http == 503
        assert server.ended() is None, "a full disk is no reason to end"

        (disk / "ballast").unlink()
        (disk / "filler").unlink()
        deadline = time.monotonic() + RECOVERS_WITHIN_S
        site.must_write("full")
        while site.client.get("/readyz").http != 200:
            assert time.monotonic() < deadline, "it does not know that there is space again"
            time.sleep(0.1)
        for _ in range(20):
            site.must_write("full")
        site.judge_lists("full")
        site.judge_database()


def fill(disk: Path) -> None:
    """Takes what is free, as a log or a dump of somebody else does."""
    with (disk / "stuffing").open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1 << 9):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue


def until_refused(site: Site) -> None:
    """The database has some space of its own left in its files."""
    for _ in range(2000):
        answer = site.create("full")
        if answer is not None and answer.http == 503:
            return
    raise AssertionError("the disk never was full")

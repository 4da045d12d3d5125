"""Disks that really fill up under load: refused in words, read from as ever, written to again as soon as there is space."""

import os
import pwd
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from site_under_load import Site
from small_disk import Refusals, fill, reader, small_disk, until, writers

from support.postgres import Cluster
from support.server import Server

SIZE_MB = 24
# A file that takes space until it is deleted.
BALLAST_MB = 4
SYSTEMS = ("tmpfs", "ext4")
# A cluster has some 40 MB before anything is written to it.
POSTGRES_MB = 120
# Written by all together in each state of the disk.
SOME = 30


@pytest.fixture(params=SYSTEMS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", request.param, SIZE_MB) as place:
        yield place


def test_a_full_disk_loses_nothing_and_is_used_again(disk: Path) -> None:
    """The server's log is on that disk as well: a line that cannot be logged fails no request. Who reads notices
    nothing of all this."""
    (disk / "ballast").write_bytes(bytes(BALLAST_MB << 20))
    with Server("sqlite", disk, demo=False).start() as server:
        site = Site(server)
        with writers(site, "full"), reader(site, "full"):
            acknowledged(site, SOME)
            fill(disk)
            refused(site, SOME)
            refusals = Refusals()
            for _ in range(10):
                answer = refusals.add(lambda: site.create("full"))
                assert answer is not None and answer.http in (200, 503), answer
            refusals.judge("a full disk was found")
            assert refusals.add(lambda: site.client.get("/readyz")).http == 503
            assert server.is_up(), "a full disk is no reason to end"
        site.judge_lists("full")
        with writers(site, "full"), reader(site, "full"):
            (disk / "stuffing").unlink()
            (disk / "ballast").unlink()
            site.must_write("full", after="a full disk has space again")
            until(lambda: site.client.get("/readyz").http == 200, "the server to know that there is space again")
            acknowledged(site, SOME)
            # Once more, from a disk that was full before.
            fill(disk)
            refused(site, SOME)
            (disk / "stuffing").unlink()
            site.must_write("full", after="a full disk has space again")
            acknowledged(site, SOME)
        site.judge_lists("full")
        site.judge_database()


def test_a_full_disk_of_uploaded_files_costs_uploads_and_nothing_else(tmp_path: Path) -> None:
    """A disk of their own: what needs no file goes on, and `/readyz` says which disk it is."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with (
        small_disk(data / "objects", "tmpfs", SIZE_MB) as disk,
        Server("sqlite", tmp_path, demo=False).start() as server,
    ):
        site = Site(server)
        with writers(site, "up"), reader(site, "up"):
            acknowledged(site, SOME)
            fill(disk)
            refused(site, SOME)
            acknowledged(site, SOME)
            words = site.client.twin().call("GET", "/readyz", language="en").refused(503, 5003)["msg"]
            assert "disk of uploaded files is full" in words, words
            assert server.is_up(), "a full disk is no reason to end"
            (disk / "stuffing").unlink()
            until(lambda: site.client.get("/readyz").http == 200, "the server to know that there is space again")
            before = len(site.uploads)
            until(lambda: len(site.uploads) > before + 5, "uploads to be taken again")
        assert site.tally.refused and all(name.endswith(".txt") for name in site.tally.refused), site.tally.refused[:5]
        site.judge_lists("up")
        site.judge_database()


def test_a_log_that_has_no_space_disturbs_nobody(disk: Path, tmp_path: Path) -> None:
    """Standard output and standard error of the server lead to a file on a disk that is full from its start."""
    server = Server("sqlite", tmp_path, demo=False)
    server.log = disk / "server.log"
    server.log.touch()
    fill(disk)
    with server.start():
        site = Site(server)
        with writers(site, "log"), reader(site, "log"):
            acknowledged(site, 3 * SOME)
        assert site.client.get("/readyz").http == 200, "it is not a disk that the server needs"
        with pytest.raises(OSError):
            (disk / "more").write_bytes(bytes(1 << 20))
        assert not site.tally.failed(), (site.tally.refused[:3], site.tally.unknown[:3])
        site.judge_lists("log")
        site.judge_database()


def test_a_full_disk_of_postgres_loses_nothing_and_is_used_again(tmp_path: Path) -> None:
    """PostgreSQL's own answer to it may be an error for each statement, or to end and not to come up again."""
    # Not a folder of pytest's: see `support.postgres`.
    with (
        tempfile.TemporaryDirectory(prefix="skyrack-small-") as folder,
        small_disk(Path(folder) / "disk", "tmpfs", POSTGRES_MB) as disk,
    ):
        os.chmod(folder, 0o755)
        if os.geteuid() == 0:
            os.chown(disk, pwd.getpwnam("postgres").pw_uid, -1)
        with Cluster(disk / "cluster") as cluster, Server(cluster.url, tmp_path, demo=False).start() as server:
            site = Site(server)
            for turn in range(2):
                with writers(site, f"pg{turn}x"):
                    acknowledged(site, SOME)
                    fill(disk)
                    refused(site, SOME)
                    refusals = Refusals()
                    for _ in range(10):
                        # On the way from serving to standing by it drops the connections that it has.
                        refusals.add(lambda: site.create(f"pg{turn}x"))
                    refusals.judge("a full disk of PostgreSQL was found")
                    assert server.is_up(), "a full disk is no reason to end"
                    (disk / "stuffing").unlink()
                    cluster.revive()
                    site.must_write(f"pg{turn}x", after="a full disk of PostgreSQL has space again")
                    acknowledged(site, SOME)
                until(lambda: is_ready(site), "the server to know that there is space again")
                assert site.create(f"pg{turn}x").http == 200, site.tally.wrong[-3:]
                site.judge_lists(f"pg{turn}x")
            site.judge_database()


def is_ready(site: Site) -> bool:
    try:
        return site.client.get("/readyz").http == 200
    except requests.ConnectionError:
        return False


def acknowledged(site: Site, count: int) -> None:
    wanted = len(site.tally.acknowledged) + count
    until(lambda: len(site.tally.acknowledged) >= wanted, f"{count} writes to be acknowledged: {site.tally.refused[-1:]}")


def refused(site: Site, count: int) -> None:
    """The database has some space of its own left in its files."""
    wanted = len(site.tally.refused) + count
    until(lambda: len(site.tally.refused) >= wanted, f"{count} writes to be refused")
    assert not site.tally.wrong, site.tally.wrong[:3]

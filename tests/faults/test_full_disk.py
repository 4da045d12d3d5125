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

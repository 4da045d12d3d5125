"""PostgreSQL goes away, restarts or stands still: callers hear it at once, and the first write afterwards works."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from site_under_load import Site
from small_disk import Refusals, readers, until, writers

from support.postgres import Cluster
from support.server import Server

TIMES = 2


def crash(cluster: Cluster) -> Callable[[], object]:
    """Nobody is told, and the next start recovers."""
    cluster.stop("immediate")
    return cluster.start


def stop(cluster: Cluster) -> Callable[[], object]:
    """Sessions are ended with 57P01, "terminating connection due to administrator command", whatever they are at."""
    cluster.stop("fast")
    return cluster.start


def freeze(cluster: Cluster) -> Callable[[], object]:
    """Connections stay open and nothing is answered, as on a machine that swaps or a disk that hangs."""
    frozen = cluster.processes()
    for process in frozen:
        os.kill(process, signal.SIGSTOP)

    def thaw() -> None:
        for process in frozen:
            os.kill(process, signal.SIGCONT)

    return thaw


@pytest.mark.parametrize("go_away", [crash, stop, freeze], ids=lambda how: how.__name__)
def test_an_outage_is_told_at_once_and_leaves_nothing_behind(tmp_path: Path, go_away) -> None:
    with Cluster() as cluster, Server(cluster.url, tmp_path, demo=False).start() as server:
        site = Site(server)
        for outage in range(TIMES):
            prefix = f"o{outage}x"
            site.must_write(prefix)
            with writers(site, prefix), readers(site, prefix):
                come_back = go_away(cluster)
                try:
                    hear(site)
                finally:
                    come_back()
                site.must_write(prefix, after="a lost PostgreSQL is back")
                until(lambda: is_ready(site), "the server to know that the database is back")
            # The first that asks, whoever it is, gets his answer.
            answer = site.create(prefix)
            assert answer is not None and answer.http == 200, answer
            site.judge_lists(prefix)
        assert server.is_up()
        site.judge_database()


def hear(site: Site) -> None:
    """What callers hear, from the first moment of an outage on."""
    known = Refusals()
    for path in ("/readyz", "/api/user/v1/designjet/permissions/group/all"):
        # Until it is found out; an answer that was on its way may still be good.
        words = ""
        while "database" not in words:
            answer = known.add(lambda path=path: ask(site, path))
            if answer is not None and answer.http != 200:
                words = answer.refused(503, 5003)["msg"]
            assert len(known.took) < 1000, f"nobody says that it is the database: {words}"
    # From now on it is known: what waits has to be refused, not gathered.
    known = Refusals()
    for _ in range(10):
        answer = known.add(lambda: ask(site, "/readyz"))
        assert answer is None or answer.refused(503, 5003)["msg"], answer
    known.judge("a lost PostgreSQL was found")


def ask(site: Site, path: str):
    """A console that changes from serving to standing by drops the connections that it has."""
    try:
        return site.client.twin().call("GET", path, language="en")
    except requests.ConnectionError:
        return None


def is_ready(site: Site) -> bool:
    answer = ask(site, "/readyz")
    return answer is not None and answer.http == 200


def test_a_restart_under_load_is_a_503_and_never_a_500(tmp_path: Path) -> None:
    """Restarts as an administrator does them, one after the other, with no time in between to settle."""
    with Cluster() as cluster, Server(cluster.url, tmp_path, demo=False).start() as server:
        site = Site(server)
        with writers(site, "r"), readers(site, "r"):
            for mode in ("fast", "immediate") * TIMES:
                site.must_write("r")
                cluster.stop(mode)
                cluster.start()
            # A short one may fall between two writes. The last one lasts until somebody has noticed it.
            noticed = len(site.tally.refused) + len(site.tally.unknown)
            cluster.stop("fast")
            until(lambda: len(site.tally.refused) + len(site.tally.unknown) > noticed, "a write to meet the restart")
            cluster.start()
        until(lambda: is_ready(site), "the server to serve again")
        answer = site.create("r")
        assert answer is not None and answer.http == 200, answer
        site.judge_lists("r")
        site.judge_database()

"""PostgreSQL goes away and comes back: callers hear it at once, and the first write afterwards works."""

import threading
import time
from pathlib import Path

import requests
from site_under_load import Site

from support.postgres import Cluster
from support.server import Server

OUTAGES = 3
# Those who waited for a connection waited for ten seconds and more, on an idle machine.
TOLD_WITHIN_S = 9


def test_an_outage_is_told_at_once_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with Cluster() as cluster:
        with Server(cluster.url, tmp_path, demo=False).start() as server:
            site = Site(server)
            for outage in range(OUTAGES):
                prefix = f"o{outage}x"
                under_load(site, prefix, cluster)
                # The first that asks, whoever it is, gets his answer.
                assert site.create(prefix).http == 200, site.tally.wrong[-3:]
                site.judge_lists(prefix)
            site.judge_database()


def under_load(site: Site, prefix: str, cluster: Cluster) -> None:
    site.must_write(prefix)
    load = threading.Thread(target=site.burst, args=(prefix, 200), daemon=True)
    load.start()
    time.sleep(0.3)
    cluster.stop()
    for path in ("/readyz", "/api/user/v1/designjet/permissions/group/all"):
        started = time.monotonic()
        answer = site.client.twin().call("GET", path, language="en")
        took = time.monotonic() - started
        message = answer.refused(503, 5003)["msg"]
        assert "database" in message, message
        assert took < TOLD_WITHIN_S, f"{path} took {took:.1f} s"
    # An hour of it is a second of it many times: what waits has to be refused, not gathered.
    time.sleep(1)
    started = time.monotonic()
    assert site.client.get("/readyz").http == 503
    assert time.monotonic() - started < TOLD_WITHIN_S, "by now it is known"
    load.join(timeout=60)
    assert not load.is_alive(), "somebody still waits"
    cluster.start()
    deadline = time.monotonic() + 60
    while not is_ready(site):
        assert time.monotonic() < deadline, "it does not know that the database is back"
        time.sleep(0.05)


def is_ready(site: Site) -> bool:
    """A console that changes from standing by to serving drops the connections that it has."""
    try:
        return site.client.get("/readyz").http == 200
    except requests.ConnectionError:
        return False

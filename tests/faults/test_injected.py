"""Calls on the database's and the files' own folder fail while people write: nothing that was acknowledged is lost.

560 cells: seven calls, four errors, the first to the twentieth call from the moment on. `make test` takes a sample,
`make faults` all of them. Beside them the same calls fail every time until somebody mends the disk.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from control import CALLS, ERRORS, Faults, build
from site_under_load import RESTARTS, Site, copied

from support.server import Server

NTH = range(1, 21)
IS_WHOLE = os.environ.get("FAULTS") == "whole"
# The sample of calls that are rare costs restarts, so it takes an early one.
EARLY = range(2, 5)
# Calls that fail for good: the two errors that disks really have.
LASTING = [(call, error) for call in CALLS for error in ("EIO", "ENOSPC")]


def cells(call: str, error: str) -> list[int]:
    """Which calls fail. The sample is another one each time, and printed, so that it can be repeated."""
    if IS_WHOLE:
        return list(NTH)
    seed = int(os.environ.get("FAULTS_SEED", random.randrange(1 << 16)))
    print(f"FAULTS_SEED={seed}")
    return [1, random.Random(f"{seed} {call} {error}").choice(EARLY if call in RESTARTS else NTH[1:])]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    with Server("sqlite", folder, demo=False).start() as server:
        assert server.stop() == 0, server.tail()
    return folder


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def site(template: Path, shim: Path, tmp_path: Path) -> Iterator[Site]:
    copied(template, tmp_path)
    faults = Faults(shim, tmp_path / "data", tmp_path / "control")
    with Server("sqlite", tmp_path, demo=False, env=faults.env).start() as server:
        yield Site(server, faults)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_fails(site: Site, call: str) -> None:
    for error in ERRORS:
        fired = 0
        for nth in cells(call, error):
            print(f"{call} {error} {nth}")
            fired += site.cell(call, error, nth)
        assert fired > 0, f"no {call} has failed with {error}, so nothing is proved"
    site.judge_database()


@pytest.mark.parametrize(("call", "error"), LASTING)
def test_a_call_fails_until_the_disk_is_mended(site: Site, call: str, error: str) -> None:
    assert site.cell(call, error, 1 if call in RESTARTS else 3, every=True) > 0, "nothing has failed"
    site.judge_database()


def test_the_shim_reaches_the_engine(site: Site) -> None:
    """The control: a suite whose faults never arrive would prove nothing."""
    site.must_write("control")
    site.faults.arm("pwrite64", "ENOSPC", 1, every=True)
    answer = site.create("control")
    assert answer is not None and answer.refused(503, 5003)["msg"].startswith("服务器磁盘已满"), answer
    english = site.client.call("GET", "/readyz", language="en")
    assert "disk is full" in english.refused(503, 5003)["msg"], english
    assert site.faults.disarm() > 0
    site.must_write("control")
    assert site.client.get("/readyz").http == 200
    site.judge_database()

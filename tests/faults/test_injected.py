"""Calls on the database's and the files' own folder fail while people write: nothing that was acknowledged is lost.

720 cells: seven calls, two of them on SQLite's files and on others, four errors, the first to the twentieth call from the
moment on. `make test` takes a sample, `make faults` all of them. Beside them the same calls fail every time until somebody
mends the disk. A cell in which nothing fails proves nothing, and is a failure.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from control import ERRORS, TARGETS, Faults, Target, build
from site_under_load import Site, copied

from support.server import Server

NTH = range(1, 21)
IS_WHOLE = os.environ.get("FAULTS") == "whole"
# What is rare costs restarts, so the sample takes an early one.
EARLY = range(1, 4)
# The two errors that disks really have, which last until somebody does something about them.
LASTING = ("EIO", "ENOSPC")


def cells(target: Target, error: str) -> list[int]:
    """Which calls fail. The sample is another one each time, and printed, so that it can be repeated."""
    if IS_WHOLE:
        return list(NTH)
    seed = int(os.environ.get("FAULTS_SEED", random.randrange(1 << 16)))
    print(f"FAULTS_SEED={seed}")
    return [random.Random(f"{seed} {target} {error}").choice(EARLY if target.restarts else NTH)]


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


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_call_fails(site: Site, target: Target) -> None:
    missed = []
    for error in ERRORS:
        for nth in cells(target, error):
            print(f"{target} {error} {nth}")
            if not site.cell(target, error, nth):
                missed.append(f"{error} {nth}")
    site.judge_database()
    assert not missed, f"{target} has not failed with {missed}, so nothing is proved"


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_call_fails_until_the_disk_is_mended(site: Site, target: Target) -> None:
    for error in LASTING:
        assert site.cell(target, error, 1 if target.restarts else 3, every=True), f"{error}: nothing has failed"
    site.judge_database()


def test_the_shim_reaches_the_engine(site: Site) -> None:
    """The control: a suite whose faults never arrive would prove nothing."""
    site.must_write("control")
    site.faults.arm("pwrite64", "ENOSPC", 1, every=True)
    answer = site.create("control")
    assert answer is not None and answer.refused(503, 5003)["msg"].startswith("服务器磁盘已满"), answer
    english = site.client.call("GET", "/readyz", language="en")
    assert "disk is full" in english.refused(503, 5003)["msg"], english
    assert sum(site.faults.disarm()) > 0
    site.must_write("control")
    assert site.client.get("/readyz").http == 200
    site.judge_database()

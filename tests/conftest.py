"""Fixtures of the Python tests: a server on each database, and an administrator signed in to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.client import Client
from support.report import Report
from support.server import ADMIN_PASSWORD, DATABASES, Server
from support.staff import Staff


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tell", metavar="FILE", help="where to tell what passed, failed and was flaky (scripts/gate)")


def pytest_configure(config: pytest.Config) -> None:
    if path := config.getoption("--tell"):
        config.pluginmanager.register(Report(Path(path)))


_refused: dict[str, str] = {}
"""Why a server did not start, by its database."""


@pytest.fixture(scope="session", params=DATABASES)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with demo data for all tests of a database. They share it, so each makes what it needs."""
    # One that cannot start is not started again for each of the tests that wait for it.
    if why := _refused.get(request.param):
        pytest.fail(why)
    folder: Path = tmp_path_factory.mktemp(request.param)
    try:
        running = Server(request.param, folder).start()
    except RuntimeError as error:
        _refused[request.param] = str(error)
        raise
    yield running
    assert running.stop() == 0, running.tail()


@pytest.fixture(scope="session")
def admin(server: Server) -> Client:
    """The full administrator. Nobody else signs in as him: that would displace this session."""
    return Client(server.base).login("admin", ADMIN_PASSWORD)


@pytest.fixture(scope="session")
def staff(admin: Client) -> Staff:
    return Staff(admin)


@pytest.fixture
def stranger(server: Server) -> Client:
    """A client without a session."""
    return Client(server.base)

"""A server that the tests of a file share."""

from collections.abc import Iterator

import pytest
from support.client import Client
from support.server import ADMIN_PASSWORD, Server


# Each of its connections to SQLite keeps some megabytes of pages that it has read, whoever asked for them, and which of them
# are used is chance: with two it is known what they take.
CONNECTIONS = {"SKYRACK_READERS": "2"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("sqlite", tmp_path_factory.mktemp("hostile"), demo=False, env=CONNECTIONS).start() as running:
        yield running
        assert running.stop() == 0, running.tail()


@pytest.fixture(scope="module")
def admin(server: Server) -> Client:
    # A twin shows no cookie, so that its session stays open to others.
    return Client(server.base).login("admin", ADMIN_PASSWORD).twin()

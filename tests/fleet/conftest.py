from collections.abc import Iterator
from pathlib import Path

import pytest

from support.room import Adb, Room, Serial


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """One room for all; each test takes a card of its own, by number."""
    running = Room(tmp_path_factory.mktemp("room"), 17, "--auth", "approves")
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    client = Adb(tmp_path_factory.mktemp("adb"))
    yield client
    client.stop()


@pytest.fixture
def card(request: pytest.FixtureRequest, room: Room, adb: Adb) -> Serial:
    """The card whose number the test's mark names."""
    return adb.connect(room, request.node.get_closest_marker("card").args[0])


def pytest_configure(config: pytest.Config):
    config.addinivalue_line("markers", "card(number): the card that the test works on")

"""The controls: what the judge of the hostile files has to see, it sees."""

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import listed
import pytest
from corpus import Hostile
from doors import DIED, Doors, Sending
from reader import read
from room import Agent
from sheets import workbooks
from support.client import Client
from support.server import ADMIN_PASSWORD, ROOT, Server
from test_hostile import GROWTH_OF_ONE
from watch import MEGABYTE, Watch

HARMLESS = [Hostile("harmless", "picture", b"no picture")]


@dataclass
class Spoilt(Doors):
    """Uploads where each hostile file meets something, and where nothing else goes wrong: what is seen, the judge saw."""

    meets: Callable[[], int] = int

    def ask(self, sending: Sending) -> tuple[int, str]:
        return self.meets(), ""

    def good_ones(self) -> Iterator[str]:
        return itertools.repeat("")


def test_the_judge_sees_an_error_of_the_servers_own_a_wait_without_others_and_a_death(tmp_path: Path):
    with Server("sqlite", tmp_path, demo=False).start() as server:
        admin = Client(server.base).login("admin", ADMIN_PASSWORD).twin()
        agent = Agent(server.base, admin, 400)

        def dies() -> int:
            server.kill()
            return 415

        for meets, told in ((lambda: 503, "harmless at .*: 503"), (lambda: 429, "harmless at .*: 429"), (dies, DIED)):
            with pytest.raises(AssertionError, match=told):
                Spoilt(server, admin, agent, meets=meets).send_all(HARMLESS, 1)
        agent.close()


def test_the_limits_are_what_holds():
    """The control: with wide limits the same files take what they want, with narrow ones their reader ends."""
    table = ("姓名\n" + "张三\n" * 150_000).encode()
    assert read(table, "rows", answer=64 * MEGABYTE).told == {"end": {"rows": 150_001}}
    assert read(table, "rows", answer=64 << 10).code != 0, "an answer has no limit"
    strings = next(content for name, content in workbooks() if name == "tiny-strings-1000000")
    wide, narrow = (read(strings, "rows", memory=size * MEGABYTE) for size in (512, 16))
    assert set(wide.told) == {"end"} and narrow.code != 0, "memory has no limit"
    assert wide.memory > narrow.memory + 16 * MEGABYTE


def test_the_judge_sees_a_server_that_grows():
    """The control: a process that takes 64 MB is found to have grown."""
    script = (
        "import sys\nprint(flush=True)\nsys.stdin.readline()\n"
        "kept = bytearray(64 << 20)\nprint(flush=True)\nsys.stdin.readline()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        # It has to have begun: a program that starts grows as well.
        process.stdout.readline()
        with Watch(process.pid) as watch:
            process.stdin.write("\n")
            process.stdin.flush()
            process.stdout.readline()
        assert watch.growth > GROWTH_OF_ONE
        process.stdin.write("\n")


def test_a_new_upload_is_missed_in_whichever_document_crate_and_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in (*listed.DOCUMENTS, "crates/fleet/src/agent_link/mod.rs"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(listed, "ROOT", tmp_path)
    assert listed.unknown() == []
    door = tmp_path / "api/open.json"
    document = json.loads(door.read_text())
    document["paths"]["/open/v1/pictures"] = {"post": {"requestBody": {"content": {"image/png": {}}}}}
    door.write_text(json.dumps(document))
    other = tmp_path / "crates/phones/src/link.rs"
    other.parent.mkdir(parents=True)
    other.write_text(
        'Router::new().route("/agent/v1/copies", get(one).patch(two).layer(DefaultBodyLimit::max(9)))\n'
        '.route(\n    "/agent/v1/whole",\n    routing::put(three),\n)\n.route("/agent/v1/read", get(put_aside))\n'
        '.nest("/agent/v2", more())'
    )
    told = listed.unknown()
    for name in ("POST /open/v1/pictures", "PATCH /agent/v1/copies", "PUT /agent/v1/whole", "NEST /agent/v2"):
        assert any(line.startswith(f"{name}: ") for line in told), told
    assert not any("/agent/v1/read" in line for line in told), told

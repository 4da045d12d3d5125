"""Hundreds of hostile files through the uploads of a running server, and straight to its reader.

The server neither ends nor answers an error of its own, and hardly grows; what reads stays within its limits.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from corpus import Hostile, corpus
from packages import package
from sheets import good, workbooks
from support.client import Answer, Client
from support.server import ADMIN_PASSWORD, BINARY, Server
from watch import MEGABYTE, Watch, status

FILES = "/api/operation/v1/files"
# Each with a table that it takes: unknown headings are refused.
IMPORTS = {
    "/api/user/v1/client-users/import": (("姓名", "张三"), ("手机号", "13900000000")),
    "/api/fleet/v1/cards/import": (("机房", "一号"), ("内网 IP", "10.0.0.1")),
    "/api/phone/v1/phones/import": (
        ("用户手机号或识别码", "13900000000"),
        ("套餐", "VIP"),
        ("归属机房", "一号"),
        ("云盘 (GB)", "32"),
        ("有效天数", "30"),
    ),
}
SENDERS = 4
# One upload may cost 32 MB and fifty at once 256: four are between the two, nearer to one.
GROWTH = 48 * MEGABYTE
MOST_ROWS = 200_000
# What the server gives a reader beyond the program itself, which is about as large again as it is on the disk.
LIMITS = {"memory": 512 * MEGABYTE, "processor_s": 30, "stack": 8 * MEGABYTE, "answer": 64 << 10}
READER = LIMITS["memory"] + 128 * MEGABYTE
# What a reader is asked about files of a kind that no upload takes yet.
KINDS = {
    "picture": ("picture", "qrImage"),
    "tar": ("systemPackage",),
    "apk": ("systemPackage",),
    "certificate": ("certificate",),
    "sheet": (),
}


@pytest.fixture(scope="module")
def files() -> list[Hostile]:
    found = corpus()
    assert len({each.name for each in found}) == len(found) >= 500
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server("sqlite", tmp_path_factory.mktemp("hostile"), demo=False).start() as running:
        yield running
        assert running.stop() == 0, running.tail()


def upload(client: Client, path: str, name: str, content: bytes) -> Answer:
    return client.post(path, files={"file": (name, content)})


def test_a_server_outlives_what_is_sent_to_it(server: Server, files: list[Hostile]):
    # A twin shows no cookie, so that its session stays open to others.
    admin = Client(server.base).login("admin", ADMIN_PASSWORD).twin()
    process = server.process_id()

    def send(each: Hostile) -> list[str]:
        client = admin.twin()
        # Whatever it is, it is sent as what is looked into: a package, and what is a table as one too.
        ways = [(FILES, "hostile.apk")] + [(path, "hostile.xlsx") for path in IMPORTS if each.kind == "sheet"]
        faults = []
        for path, name in ways:
            answer = upload(client, path, name, each.content)
            if answer.http not in (200, 400, 413, 415):
                faults.append(f"{each.name} at {path}: {answer.http} {answer.body}")
            elif each.is_refused and answer.http == 200 and answer.data["isPackage"]:
                faults.append(f"{each.name} was taken for a package")
        return faults

    # What its first files and its first callers at once need is no growth by hostile ones.
    ways = [(FILES, "good.apk", package()), *((path, "good.xlsx", good(*columns)) for path, columns in IMPORTS.items())] * SENDERS
    with ThreadPoolExecutor(SENDERS) as pool:
        assert all(answer.http == 200 for answer in pool.map(lambda way: upload(admin.twin(), *way), ways))

    with Watch(process) as watch, ThreadPoolExecutor(SENDERS) as pool:
        faults = [fault for found in pool.map(send, files) for fault in found]
    assert faults == []
    assert server.process_id() == process and status(process, "Threads"), server.tail()
    assert watch.growth <= GROWTH, f"the server grew by {watch.growth // MEGABYTE} MB"
    assert watch.most_at_once <= 2, "more files were read at once than it allows"
    assert 0 < watch.largest <= READER, f"a reader took {watch.largest // MEGABYTE} MB"
    assert len(watch.confined) > len(files) // 4, "hardly any reader was seen confined"
    print(f"{len(files)} files, {len(watch.seen)} readers seen, {len(watch.confined)} confined")
    print(f"the server grew by {watch.growth // MEGABYTE} MB, the largest reader had {watch.largest // MEGABYTE} MB")
    # And it goes on reading honest ones, the largest tables among them.
    assert upload(admin, FILES, "good.apk", package()).data["isPackage"] is True
    users, cards, _ = IMPORTS
    assert upload(admin, users, "good.xlsx", good(*IMPORTS[users])).data["totalRows"] == 1
    honest = {
        users: "姓名,手机号\n" + "".join(f"n{n},139{n:08}\n" for n in range(MOST_ROWS)),
        cards: "机房,内网 IP\n" + "".join(f"一号,10.0.{n // 250}.{n % 250}\n" for n in range(MOST_ROWS)),
    }
    with Watch(process) as large, ThreadPoolExecutor(2) as pool:
        for told in pool.map(lambda path: upload(admin.twin(), path, "large.csv", honest[path].encode()), honest):
            assert told.data["totalRows"] == MOST_ROWS
    # Two tables of the largest size at once are work, not harm; what they take is told.
    print(f"with the largest honest tables it grew by {large.growth // MEGABYTE} MB")


@dataclass
class Read:
    """How a reader ended, and the most memory that it had."""

    code: int
    answer: bytes
    memory: int

    @property
    def told(self) -> object:
        return json.loads(self.answer.splitlines()[-1])


def read(content: bytes, what: object, **limits: int) -> Read:
    """Asks a reader as the server does."""
    ask = json.dumps({"what": what, "limits": LIMITS | limits})
    with tempfile.TemporaryFile() as sent, tempfile.TemporaryFile() as answer:
        sent.write(content)
        sent.seek(0)
        process = subprocess.Popen(
            [BINARY, "inspect", ask], stdin=sent, stdout=answer, stderr=subprocess.DEVNULL, env={"MIMALLOC_ARENA_RESERVE": "0"}
        )
        memory = 0
        while process.poll() is None:
            memory = max(memory, status(process.pid, "VmHWM") or 0)
            time.sleep(0.002)
        answer.seek(0)
        return Read(process.returncode, answer.read(), memory)


def test_a_reader_answers_about_every_kind_or_ends(files: list[Hostile]):
    """Pictures, system packages, certificates and others, which no upload takes yet."""
    asked = [(each, kind) for each in files for kind in KINDS[each.kind]]
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda one: (*one, read(one[0].content, {"content": one[1]})), asked))
    for each, kind, found in ended:
        assert found.memory <= READER, f"{each.name}: {found.memory // MEGABYTE} MB"
        # A process that ends by its limits or by a signal is a refusal; one that answers says which rule was broken.
        if found.code == 0:
            assert set(found.told) <= {"content", "refused"}, f"{each.name}: {found.told}"
    keys = [found for each, kind, found in ended if each.name.startswith("certificate/key")]
    assert keys and all(found.told["refused"]["code"] == "certificate.privateKey" for found in keys)
    outcomes = Counter("answered" if found.code == 0 else f"ended with {found.code}" for _, _, found in ended)
    taken = [each.name for each, _, found in ended if found.code == 0 and "content" in found.told]
    print(f"{len(ended)} asked: {dict(outcomes)}; {len(taken)} taken")
    # None of these needs more than a reader may have: each is answered.
    assert outcomes == {"answered": len(ended)}


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
        assert watch.growth > GROWTH
        process.stdin.write("\n")

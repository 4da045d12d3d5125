"""What a lying agent tells: papers about copies of phones, messages on its connection, requests to join."""

import json
from collections.abc import Iterator
from random import Random

from room import BYTES, TEXT

PAPER = 4 << 20
FRAME = 1 << 20


def paper(packs: list[object] | None = None, **manifest: object) -> bytes:
    return json.dumps({"manifest": {"version": 1, "packages": [], **manifest}, "packs": packs or []}).encode()


def many(item: str, size: int) -> str:
    """A list of `item` in about so many bytes."""
    return "[" + ",".join([item] * (size // (len(item) + 1))) + "]"


def papers(random: Random) -> Iterator[tuple[str, bytes]]:
    around = '{"manifest":{"version":1,"packages":%s},"packs":%s}'
    room = PAPER - 100
    yield "nothing", b""
    yield "spaces", b" " * PAPER
    yield "too-large", b" " * (PAPER + 1)
    yield "packages", (around % (many('{"name":""}', room), "[]")).encode()
    yield "packs", (around % ("[]", many('""', room))).encode()
    yield "dropped", paper(dropped=[{"path": "a", "why": "cache", "amount": {"files": 1, "bytes": 1}}] * 50_000)
    yield "unknown", (around % ("[]", "[]")).replace("{", '{"x":' + many("0", room // 2) + ",", 1).encode()
    yield "nested", b"[" * PAPER
    yield "nested-closed", (around % ("[" * 500_000 + "]" * 500_000, "[]")).encode()
    yield "nested-maps", b'{"manifest":' * 300_000
    yield "long-name", paper(packages=[{"name": "a" * (1 << 20)}])
    yield "long-path", paper(dropped=[{"path": "/" * (1 << 20), "why": "cache", "amount": {"files": 1, "bytes": 1}}])
    yield "long-pack", paper(["a" * (1 << 20)])
    yield "nul", paper(phone="\0" * 200, packages=[{"name": "\0"}])
    yield "numbers", paper(version=1 << 40, entries=-1)
    yield "digits", b'{"manifest":{"version":' + b"9" * 1_000_000 + b',"packages":[]}}'
    yield "twice", paper()[:-1] + b"," + paper()[1:]
    yield "no-utf-8", b'{"manifest":{"version":1,"phone":"\xff","packages":[]}}'
    yield "surrogate", b'{"manifest":{"version":1,"phone":"\\ud800","packages":[]}}'
    yield "foreign", json.dumps({"token": "a", "name": "b", "version": "c"}).encode()
    yield "picture", b"\x89PNG\r\n\x1a\n" + random.randbytes(500)
    for at in range(4):
        yield f"cut-{at}", paper(phone="a")[: 10 * (at + 1)]


def messages(random: Random) -> Iterator[tuple[str, int, bytes]]:
    def said(kind: str, **fields: object) -> bytes:
        return json.dumps({"type": kind, **fields}).encode()

    foreign = {"book": "operation", "task": 1_000_000_000, "attempt": 1}
    result = {**foreign, "outcome": {"end": "succeeded"}, "output": ""}
    yield "nothing", TEXT, b""
    yield "nested", TEXT, b"[" * (FRAME // 2)
    yield "nested-reports", TEXT, b'{"type":"reports","seq":1,"reports":' + b"[" * (FRAME // 2)
    yield "too-large", TEXT, b" " * (FRAME + 1)
    yield "no-utf-8", TEXT, b'{"type":"\xff"}'
    yield "unknown", TEXT, said("riddle")
    yield "again-hello", TEXT, said("hello", protocol=1, version="1", held=[])
    yield "reports", TEXT, said("reports", seq=1, reports=[{"card": n} for n in range(20_000)])
    yield "reports-of-others", TEXT, said("reports", seq=1, reports=[{"card": n} for n in range(10_000, 12_000)])
    yield "metrics", TEXT, said("reports", seq=1 << 63, reports=[{"card": -1}])
    yield "sightings", TEXT, said("sightings", cards=[{"address": "x"}] * 5_000)
    yield "sweep", TEXT, said("sweep", cards=[], isLast=True)
    yield "results-of-others", TEXT, said("results", results=[result] * 2_000)
    yield "results-of-phones", TEXT, said("results", results=[{**result, "book": "phone"}] * 2_000)
    yield "output", TEXT, said("results", results=[{**result, "output": "\0" * 100_000}])
    yield "progress", TEXT, said("progress", tries=[{**foreign, "book": "phone", "done": (1 << 64) - 1, "total": 0}] * 2_000)
    yield "shell-of-others", TEXT, said("shellEnded", stream=1 << 40, exit=None, reason="a" * 500_000)
    yield "copy-of-others", TEXT, said("copySeen", stream=9, look={"found": "failed", "code": "locked", "reason": ""})
    yield "bytes", BYTES, random.randbytes(5)
    yield "bytes-of-others", BYTES, (1 << 40).to_bytes(8, "big") + random.randbytes(100_000)


def joins() -> Iterator[tuple[str, bytes]]:
    good = {"token": "skyjoin_of-nobody", "name": "a", "version": "1"}
    yield "nothing", b""
    yield "nested", b"[" * 16_000
    yield "too-large", json.dumps({**good, "name": "a" * 20_000}).encode()
    yield "nul", json.dumps({**good, "name": "a\0b"}).encode()
    yield "no-text", json.dumps({**good, "token": 7}).encode()
    yield "nobodys", json.dumps(good).encode()

"""Zips and Android packages that lead out, lie, burst or nest."""

import struct
from collections.abc import Iterator
from random import Random

import axml
from files import gif, png, tar_header
from zips import FOLDER, LINK, Entry, Lies, bomb, build, entry

OUTSIDE = [
    "../a", "a/../../b", "/etc/passwd", "..", "a/..", "C:/a", "C:\\a", "\\\\host\\share", "a\\..\\..\\b", "a\0b", "a\nb", "\x1b[2J",
    "\u202egpj.exe", "a\u2066b", "", "x" * 1025, "x/" * 600 + "y", "a:b", "~\x7f", "./../a",
]  # fmt: skip


def package(*more: Entry, manifest: bytes | None = None, lies: Lies | None = None, before: bytes = b"") -> bytes:
    first = entry("AndroidManifest.xml", axml.manifest() if manifest is None else manifest)
    return build([first, entry("classes.dex", b"dex\n035\0"), *more], lies, before)


def refused(random: Random) -> Iterator[tuple[str, bytes]]:
    """Whoever takes one of these for a package that can be installed is wrong."""
    for number, name in enumerate(OUTSIDE):
        yield f"outside-{number}", package(entry(name, "x"))
        yield f"outside-stored-{number}", package(entry(name, "x", method=0))
    for number, mode in enumerate((LINK, 0o010644, 0o020644, 0o060644, 0o140644)):
        yield f"special-{number}", package(entry("a", "/etc/passwd", mode=mode))
    for name in ("classes.dex", "./classes.dex", "classes.dex/", "AndroidManifest.xml"):
        yield f"twice-{name}", package(entry(name, "other"))
    for megabytes in (65, 100, 200, 400):
        yield f"bomb-{megabytes}", package(bomb("assets/a", megabytes))
        yield f"bombs-{megabytes}", package(*(bomb(f"assets/{n}", megabytes // 4) for n in range(5)))
    for lie in (0, 1, 1 << 20, 0xFFFFFFFE):
        yield f"size-{lie}", package(entry("a", b"content" * 100, size=lie))
        yield f"packed-{lie}", package(entry("a", b"content" * 100, packed_size=lie))
        yield f"crc-{lie}", package(entry("a", b"content" * 100, crc=lie))
    yield "encrypted", package(entry("a", b"content", flags=0x801))
    yield "folder-with-content", package(entry("a/", b"content", mode=FOLDER))
    for method in (1, 6, 9, 12, 14, 93, 95, 98, 99, 0xFFFF):
        yield f"method-{method}", package(entry("a", b"content", method=method))
    yield "entries", build([entry(f"{n}", method=0) for n in range(50_001)])
    for before in (b"MZ" + bytes(500), b"#!/bin/sh\nexit\n", b"%PDF-1.7\n", png(1, 1), gif(1, 1, 1, (1, 1)), b"\x7fELF" + bytes(60), tar_header(b"a")):
        yield f"behind-{before[:4].hex()}", package(before=before)


def doubtful(random: Random) -> Iterator[tuple[str, bytes]]:
    """These may be taken or refused, as long as they do no harm."""
    for depth in (10, 100, 1000, 40_000, 200_000):
        yield f"nested-{depth}", package(manifest=axml.manifest(depth=depth))
        hidden = bytearray(axml.manifest(depth=depth))
        at = hidden.index(b"\x02\x01\x10\x00")
        hidden[at + 4 : at + 8] = axml.words(axml.NONE)
        yield f"nested-hidden-{depth}", package(manifest=bytes(hidden))
    for count in (0, 7, 1 << 16, 1 << 20, 1 << 31, axml.NONE):
        yield f"pool-count-{count}", package(manifest=axml.manifest(pool_bytes=axml.pool(["a"] * 6, count=count)))
        yield f"pool-start-{count}", package(manifest=axml.manifest(pool_bytes=axml.pool(["a"] * 6, start=count)))
        yield f"pool-long-{count}", package(manifest=axml.manifest(pool_bytes=axml.pool(["a"] * 6, long=count)))
        yield f"attributes-{count}", package(manifest=axml.manifest(count=count & 0xFFFF))
    yield "pool-huge", package(manifest=axml.manifest(pool_bytes=axml.pool(["x" * 30_000] * 60)))
    yield "pool-many", package(manifest=axml.manifest(pool_bytes=axml.pool([""] * 200_000)))
    yield "ids", package(manifest=axml.manifest(ids=500_000))
    yield "name-long", package(manifest=axml.manifest("a." * 15_000))
    yield "name-odd", package(manifest=axml.manifest("\u202e../../a\x00=1+1"))
    yield "manifest-empty", package(manifest=b"\x03\x00\x08\x00")
    yield "manifest-zeros", package(manifest=b"\x03\x00\x08\x00" + bytes(1 << 20))
    yield "manifest-large", package(manifest=axml.manifest() + bytes(6 << 20))
    whole = axml.manifest()
    for at in range(30):
        bent = bytearray(whole)
        for _ in range(4):
            bent[random.randrange(8, len(bent))] = random.randrange(256)
        yield f"manifest-bent-{at}", package(manifest=bytes(bent))
        yield f"manifest-cut-{at}", package(manifest=whole[: 8 + at * 12])
    inner = package()
    for depth in range(1, 9):
        inner = build([entry("AndroidManifest.xml", axml.manifest()), entry("inner.apk", inner)])
        yield f"zip-in-zip-{depth}", inner
    good = package()
    for at in range(1, 20):
        yield f"cut-{at}", good[: len(good) * at // 20]
        bent = bytearray(good)
        bent[random.randrange(len(bent))] ^= 1 << random.randrange(8)
        yield f"bent-{at}", bytes(bent)
    for number, lies in enumerate(
        [Lies(count=n) for n in (0, 1, 1000, 0xFFFF)]
        + [Lies(directory_size=n) for n in (0, 1, 0xFFFFFFFF)]
        + [Lies(directory_at=n) for n in (0, 1, 0xFFFFFFFF)]
        + [Lies(comment=b"PK\x05\x06" + bytes(18)), Lies(comment=b"x" * 65_535), Lies(comment_length=65_535)]
        + [Lies(count=0xFFFF, zip64=each) for each in ((1 << 40, 100, 0, None), (3, 1 << 62, 0, None), (3, 100, 1 << 63, None), (3, 100, 0, 1 << 60), (60_000, 0, 0, 0), (0, 0, 0, None))]
    ):
        yield f"end-{number}", package(lies=lies)
    wide = struct.pack("<HHQQ", 1, 16, 1 << 62, 1 << 62)
    yield "zip64-sizes", package(entry("a", "x", size=0xFFFFFFFF, packed_size=0xFFFFFFFF, extra=wide))
    yield "extra", package(entry("a", "x", extra=struct.pack("<HH", 1, 60_000)))
    yield "simulated", b"SIMULATED-APK\ncom.example.app\n1\na\n\n21\n" + bytes(1000)

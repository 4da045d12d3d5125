"""Zips made by hand, so that they can lie in each of their fields."""

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

FILE, FOLDER, LINK = 0o100644, 0o040755, 0o120777


@dataclass
class Entry:
    """A file in a zip. A field that is None gets its true value."""

    name: bytes
    content: bytes = b""
    mode: int = FILE
    # Already packed: raw deflate and the sum and size of what it unpacks to.
    packed: bytes | None = None
    crc: int | None = None
    size: int | None = None
    packed_size: int | None = None
    flags: int = 0x800
    method: int = 8
    extra: bytes = b""

    def data(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method != 8:
            return self.content
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        return packer.compress(self.content) + packer.flush()


def entry(name: str, content: bytes | str = b"", **fields: object) -> Entry:
    content = content.encode() if isinstance(content, str) else content
    return replace(Entry(name.encode("utf-8", "surrogateescape"), content), **fields)


def bomb(name: str, megabytes: int, head: bytes = b"", fill: bytes = b"\0") -> Entry:
    """An entry of `megabytes` of one byte: one packed megabyte, as often as it takes."""
    block = fill * (1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    one = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    crc = zlib.crc32(head)
    for _ in range(megabytes):
        crc = zlib.crc32(block, crc)
    return Entry(name.encode(), packed=first + one * megabytes + packer.flush(), crc=crc, size=len(head) + (megabytes << 20))


@dataclass
class Lies:
    """What the end of a zip states wrongly; None means the true value."""

    count: int | None = None
    directory_size: int | None = None
    directory_at: int | None = None
    comment: bytes = b""
    comment_length: int | None = None
    # The records of zip64: how many entries, how large a directory, where it is, where the record is.
    zip64: tuple[int, int, int, int | None] | None = None


def build(entries: Iterable[Entry], lies: Lies | None = None, before: bytes = b"") -> bytes:
    lies = lies or Lies()
    out, directory, count = bytearray(before), bytearray(), 0
    for each in entries:
        data = each.data()
        crc = zlib.crc32(each.content) if each.crc is None else each.crc
        size = len(each.content) if each.size is None else each.size
        packed_size = len(data) if each.packed_size is None else each.packed_size
        common = struct.pack(
            "<HHHHIIIHH", each.flags, each.method, 0, 0x5A21, crc, packed_size & 0xFFFFFFFF, size & 0xFFFFFFFF,
            len(each.name), len(each.extra),
        )  # fmt: skip
        at = len(out)
        out += b"PK\x03\x04" + struct.pack("<H", 20) + common + each.name + each.extra + data
        directory += b"PK\x01\x02" + struct.pack("<HH", 0x031E, 20) + common
        directory += struct.pack("<HHHII", 0, 0, 0, each.mode << 16, at) + each.name + each.extra
        count += 1
    at = len(out)
    out += directory
    if lies.zip64:
        entries64, size64, at64, record_at = lies.zip64
        record = len(out) if record_at is None else record_at
        out += b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, entries64, entries64, size64, at64)
        out += b"PK\x06\x07" + struct.pack("<IQI", 0, record, 1)

    def told(lie: int | None, truth: int) -> int:
        return truth if lie is None else lie

    total = told(lies.count, count) & 0xFFFF
    out += b"PK\x05\x06" + struct.pack(
        "<HHHHIIH", 0, 0, total, total, told(lies.directory_size, len(directory)) & 0xFFFFFFFF,
        told(lies.directory_at, at) & 0xFFFFFFFF, told(lies.comment_length, len(lies.comment)),
    )  # fmt: skip
    return bytes(out) + lies.comment

"""Manifests of Android packages in binary XML, true and false (AOSP `ResourceTypes.h`)."""

import struct

NONE = 0xFFFFFFFF


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *(value & NONE for value in values))


def chunk(kind: int, head_size: int, body: bytes, size: int | None = None) -> bytes:
    return struct.pack("<HHI", kind, head_size, (8 + len(body)) if size is None else size & NONE) + body


def pool(strings: list[str], count: int | None = None, start: int | None = None, long: int | None = None) -> bytes:
    offsets, data = [], bytearray()
    for text in strings:
        offsets.append(len(data))
        units = text.encode("utf-16-le")
        length = len(units) // 2 if long is None else long
        data += struct.pack("<H", length & 0xFFFF) + units + b"\0\0"
    data += bytes(-len(data) % 4)
    count = len(strings) if count is None else count
    start = 28 + 4 * len(strings) if start is None else start
    return chunk(0x0001, 28, words(count, 0, 0, start, 0) + words(*offsets) + bytes(data))


def element(name: int, attributes: bytes = b"", count: int | None = None) -> bytes:
    count = len(attributes) // 20 if count is None else count
    head = words(1, NONE, NONE, name) + struct.pack("<HHHHHH", 20, 20, count, 0, 0, 0)
    return chunk(0x0102, 16, head + attributes)


def manifest(
    package: str = "com.example.app", depth: int = 0, pool_bytes: bytes | None = None, ids: int = 2, count: int | None = None
) -> bytes:
    strings = ["versionCode", "versionName", "package", "manifest", package, "1.0"]
    texts = pool(strings) if pool_bytes is None else pool_bytes
    resources = chunk(0x0180, 8, words(*([0x0101021B, 0x0101021C] * ids)[:ids]))
    attributes = words(NONE, 0, NONE, 0x10000008, 7) + words(NONE, 1, 5, 0x03000008, 5) + words(NONE, 2, 4, 0x03000008, 4)
    end = chunk(0x0103, 16, words(1, NONE, NONE, 3))
    body = texts + resources + element(3, attributes, count) + element(3) * depth + end * (depth + 1)
    return chunk(0x0003, 8, body)

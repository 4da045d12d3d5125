"""Archives, pictures and certificates that are not what they say."""

import base64
import gzip
import io
import struct
import tarfile
import zlib
from collections.abc import Iterator
from random import Random


def png_chunk(kind: bytes, body: bytes, length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    return struct.pack(">I", length) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, depth: int = 8, colour: int = 2, interlace: int = 0, data: bytes = b"", *more: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + b"".join(more) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")


def gif(width: int, height: int, frames: int, frame: tuple[int, int]) -> bytes:
    picture = b"," + struct.pack("<HHHHB", 0, 0, *frame, 0) + b"\x02\x02\x4c\x01\x00"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + picture * frames + b";"


def jpeg(width: int, height: int, components: int = 3, tail: bytes = b"") -> bytes:
    body = struct.pack(">BHHB", 8, height, width, components) + b"\x01\x22\x00" * components
    return b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0" + struct.pack(">H", 2 + len(body)) + body + tail


def pictures(random: Random) -> Iterator[tuple[str, bytes]]:
    zeros = zlib.compress(bytes(32 << 20), 9)
    for width, height in ((0, 0), (1, 0), (1 << 31, 1), ((1 << 31) - 1, (1 << 31) - 1), (65535, 65535), (40_000_001, 1), (6324, 6324), (100_000, 400)):
        for depth, colour, interlace in ((1, 0, 0), (8, 2, 0), (16, 6, 0), (16, 6, 1), (8, 3, 1)):
            yield f"png-{width}x{height}-{depth}-{colour}-{interlace}", png(width, height, depth, colour, interlace, zeros)
    notes = zlib.compress(bytes(64 << 20), 9)
    for kind in (b"zTXt", b"iCCP", b"iTXt"):
        body = b"a\0\0" + notes if kind != b"iTXt" else b"a\0\1\0\0\0" + notes
        yield f"png-{kind.decode()}", png(8, 8, 8, 2, 0, zlib.compress(bytes(200)), *[png_chunk(kind, body)] * 3)
    yield "png-length", png(8, 8)[:33] + struct.pack(">I", 0xFFFFFFF0) + b"IDAT"
    yield "png-frames", png(5000, 5000, 8, 2, 0, zeros, png_chunk(b"acTL", struct.pack(">II", 0xFFFFFFF, 0)))
    for size in ((65535, 65535), (6000, 6000), (1, 1), (0, 0)):
        for frames in (1, 2000):
            yield f"gif-{size[0]}-{frames}", gif(*size, frames, size)
    yield "gif-outside", gif(10, 10, 3, (65535, 65535))
    for width, height in ((65535, 65535), (65500, 600), (0, 0), (1, 65535)):
        for components in (1, 3, 255):
            yield f"jpeg-{width}x{height}-{components}", jpeg(width, height, components, random.randbytes(2000))
    yield "jpeg-segments", b"\xff\xd8" + b"\xff\xe1\xff\xff" * 100_000


def tar_header(name: bytes, kind: bytes = b"0", size: bytes | int = 0, **fields: bytes) -> bytes:
    size = b"%011o\0" % size if isinstance(size, int) else size
    head = bytearray(512)
    head[:100], head[100:108], head[124:136] = name.ljust(100, b"\0")[:100], b"0000644\0", size
    head[156:157], head[257:265] = kind, b"ustar\x0000"
    head[157:257] = fields.get("link", b"").ljust(100, b"\0")
    head[345:500] = fields.get("prefix", b"").ljust(155, b"\0")
    head[148:156] = b"        "
    head[148:156] = fields.get("sum", b"%06o\0 " % sum(head))
    return bytes(head)


def pax(**records: str) -> bytes:
    body = b""
    for key, value in records.items():
        rest = f" {key.replace('_', '.')}={value}\n".encode()
        length = len(rest)
        while len(str(length)) + len(rest) != length:
            length += 1
        body += str(length).encode() + rest
    return tar_header(b"pax", b"x", len(body)) + body + bytes(-len(body) % 512)


END = bytes(1024)


def tars(random: Random) -> Iterator[tuple[str, bytes]]:
    plain = tar_header(b"a", size=3) + b"abc".ljust(512, b"\0")
    for number, name in enumerate((b"../a", b"/etc/passwd", b"a/../../b", b"a\\b", b"C:a", b"\x1b[2J", b"a\xff\xfe", b"", b"." * 99)):
        yield f"name-{number}", gzip.compress(tar_header(name) + END, mtime=0)
        yield f"prefix-{number}", gzip.compress(tar_header(b"a", prefix=name) + END, mtime=0)
        yield f"pax-name-{number}", gzip.compress(pax(path=name.decode("latin-1")) + plain + END, mtime=0)
    for kind in b"123456SVMNKDAg":
        yield f"kind-{kind}", gzip.compress(tar_header(b"a", bytes([kind]), link=b"/etc/passwd") + END, mtime=0)
    for number, size in enumerate((b"77777777777\0", b"\xff" * 12, b"\x80" + b"\xff" * 11, b"-0000000001\0", b"9999999999\0\0", b"            ")):
        yield f"size-{number}", gzip.compress(tar_header(b"a", size=size) + END, mtime=0)
        yield f"long-{number}", gzip.compress(tar_header(b"././@LongLink", b"L", size) + plain + END, mtime=0)
    for number, size in enumerate(("0", "513", "99999999999999999999", "-1", "1024", "x")):
        # CVE-2025-62518: whoever takes the size of the header instead finds other entries.
        inner = tar_header(b"../inside", size=0) + bytes(512)
        yield f"desync-{number}", gzip.compress(pax(size=size) + tar_header(b"a", size=0) + inner + END, mtime=0)
    yield "sparse", gzip.compress(pax(GNU_sparse_size="99999999999") + plain + END, mtime=0)
    yield "records", gzip.compress(tar_header(b"p", b"x", 5) + b"99 a=".ljust(512, b"\0") + plain + END, mtime=0)
    yield "sum", gzip.compress(tar_header(b"a", sum=b"000000\0 ") + END, mtime=0)
    yield "no-end", gzip.compress(plain, mtime=0)
    yield "half-end", gzip.compress(plain + bytes(512) + plain + END, mtime=0)
    yield "behind", gzip.compress(plain + END + b"hidden" + END, mtime=0)
    yield "two-members", gzip.compress(plain + END, mtime=0) + gzip.compress(plain, mtime=0)
    yield "trailing", gzip.compress(plain + END, mtime=0) + b"PK\x03\x04"
    yield "many", gzip.compress(b"".join(tar_header(b"f%d" % n) for n in range(51_000)) + END, 1, mtime=0)
    yield "many-headers", gzip.compress(pax(path="a") * 60_000 + plain + END, 1, mtime=0)
    for megabytes in (65, 200):
        head = tar_header(b"a", size=megabytes << 20)
        yield f"bomb-{megabytes}", gzip.compress(head + bytes(megabytes << 20) + END, 9, mtime=0)
    whole = gzip.compress(plain * 20 + END, mtime=0)
    for at in range(1, 10):
        yield f"cut-{at}", whole[: len(whole) * at // 10]
        yield f"bent-{at}", whole[: at * 3] + random.randbytes(2) + whole[at * 3 + 2 :]
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", format=tarfile.GNU_FORMAT) as tar:
        link = tarfile.TarInfo("x" * 300)
        link.type, link.linkname = tarfile.SYMTYPE, "/" + "y" * 300
        tar.addfile(link)
    yield "gnu-link", archive.getvalue()


def der(tag: int, body: bytes, length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    if length < 0x80:
        return bytes([tag, length]) + body
    size = (length.bit_length() + 7) // 8
    return bytes([tag, 0x80 | size]) + length.to_bytes(size, "big") + body


def pem(label: str, body: bytes) -> bytes:
    lines = base64.encodebytes(body).decode().replace("\n\n", "\n")
    return f"-----BEGIN {label}-----\n{lines}-----END {label}-----\n".encode()


def certificates(random: Random) -> Iterator[tuple[str, bytes]]:
    key = der(0x30, b"\x02\x01\x00" + random.randbytes(100))
    for label in ("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "CERTIFICATE", "private key"):
        yield f"key-{label[:8].strip()}-{len(label)}", pem(label, key)
    yield "key-der", key
    yield "key-behind", pem("CERTIFICATE", der(0x30, bytes(50))) + pem("PRIVATE KEY", key)
    for depth in (100, 5000, 15_000):
        nested = b""
        for _ in range(depth):
            nested = der(0x30, nested)[: 60_000]
        yield f"deep-{depth}", nested
        yield f"deep-pem-{depth}", pem("CERTIFICATE", nested[:40_000])
        yield f"endless-{depth}", b"\x30\x80" * depth
    for length in (0x7F, 0xFFFF, 0xFFFFFFFF, (1 << 64) - 1, (1 << 800) - 1):
        yield f"length-{length.bit_length()}", der(0x30, b"\x30\x03", length)
    yield "begin", b"-----BEGIN CERTIFICATE-----\n" * 2000
    yield "no-end", b"-----BEGIN CERTIFICATE-----\n" + b"A" * 60_000
    yield "no-base64", b"-----BEGIN CERTIFICATE-----\n" + b"\xff" * 60_000 + b"\n-----END CERTIFICATE-----\n"
    yield "many", pem("CERTIFICATE", der(0x30, bytes(10))) * 600
    yield "huge", pem("CERTIFICATE", random.randbytes(5_000_000))
    for size in (1, 2, 100, 60_000):
        yield f"random-{size}", b"\x30\x82" + random.randbytes(size)

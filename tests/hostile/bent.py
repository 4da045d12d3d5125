"""Good files of each kind, bent a little: what a broken disk, a broken program or somebody patient makes of them."""

import gzip
import io
import struct
import tarfile
import zlib
from collections.abc import Iterator
from random import Random

from files import gif, jpeg, png
from packages import package
from sheets import good, parts, rows
from zips import build

ROWS = [["姓名", "手机号", "备注"], ["张三", "13900000001", "=1+1"], ["李四", "13900000002", "&#xD800;"]]


def bend(random: Random, content: bytes) -> bytes:
    """Some of the changes that a file may suffer, one after the other."""
    bent = bytearray(content)
    for _ in range(random.randint(1, 6)):
        at, size = random.randrange(len(bent) + 1), random.choice((1, 2, 4, 8, 64))
        match random.randrange(6):
            case 0:
                bent[at : at + 1] = bytes([random.randrange(256)])
            case 1:
                bent[at : at + size] = random.randbytes(size)
            case 2:
                del bent[at : at + size]
            case 3:
                bent[at:at] = bent[at : at + size] * random.choice((1, 2, 50))
            case 4:
                # The ends of what numbers can say.
                bent[at : at + 4] = random.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f"))
            case 5:
                bent[at:at] = random.choice((b"\0", b"\r\n", b'"', b"<", b"PK\x05\x06", b"\xef\xbb\xbf", b"\x1a"))
    return bytes(bent)


def packages(random: Random) -> Iterator[tuple[str, bytes]]:
    whole = package()
    for at in range(140):
        yield f"bent-{at}", bend(random, whole)


def workbooks(random: Random) -> Iterator[tuple[str, bytes]]:
    """The zip bent around its parts, and the parts bent inside a zip that is sound."""
    whole, sheet = good(*zip(*ROWS[:2], strict=True)), rows(*ROWS).encode()
    for at in range(70):
        yield f"around-{at}", bend(random, whole)
    for at in range(70):
        yield f"inside-{at}", build(parts(bend(random, sheet)))
    plain = parts(sheet)
    for at in range(60):
        which = random.randrange(len(plain))
        bent = [part if n != which else type(part)(part.name, bend(random, part.content)) for n, part in enumerate(plain)]
        yield f"part-{at}", build(bent)


def texts(random: Random) -> Iterator[tuple[str, bytes]]:
    whole = "\r\n".join(",".join(row) for row in ROWS)
    for name in ("utf-8", "utf-8-sig", "gbk", "utf-16"):
        for at in range(15):
            yield f"{name}-{at}", bend(random, whole.encode(name, "ignore"))


def pictures(random: Random) -> Iterator[tuple[str, bytes]]:
    pixels = zlib.compress(b"".join(b"\0" + random.randbytes(60) for _ in range(20)))
    wholes = {
        "png": png(20, 20, 8, 2, 0, pixels),
        "gif": gif(20, 20, 3, (20, 20)),
        "jpeg": jpeg(20, 20, 3, random.randbytes(500)),
        "bmp": b"BM" + struct.pack("<IHHIIiiHHIIiiII", 254, 0, 0, 54, 40, 8, 8, 1, 24, 0, 200, 0, 0, 0, 0) + bytes(200),
        "webp": b"RIFF" + struct.pack("<I", 500) + b"WEBPVP8 " + struct.pack("<I", 488) + random.randbytes(488),
    }
    for name, whole in wholes.items():
        for at in range(16):
            yield f"{name}-{at}", bend(random, whole)


def gzipped(random: Random) -> Iterator[tuple[str, bytes]]:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name in ("a", "b/c", "d" * 120):
            entry = tarfile.TarInfo(name)
            entry.size = 300
            tar.addfile(entry, io.BytesIO(random.randbytes(300)))
    for at in range(20):
        yield f"inside-{at}", gzip.compress(bend(random, made.getvalue()), mtime=0)

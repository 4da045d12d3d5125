"""Faults that are switched while a server runs: the Python half of `shim.c`."""

import errno
import mmap
import os
import struct
import subprocess
import threading
from pathlib import Path

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "openat", "rename")
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS")
SIZE = 5 * 4 + 1024


def build(folder: Path) -> Path:
    """Compiles the shim. Every machine that builds Rust has a C compiler."""
    shim = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", shim, source, "-ldl"], check=True)
    return shim


class Faults:
    """The control file of one server, and the environment that makes it listen."""

    def __init__(self, shim: Path, folder: Path, path: Path):
        path.write_bytes(bytes(SIZE))
        self.env = {"LD_PRELOAD": str(shim), "FAULTS_CONTROL": str(path)}
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), SIZE)
        name = os.fsencode(folder)
        self._map[20 : 20 + len(name)] = name

    def arm(self, call: str, error: str, nth: int, every: bool = False) -> None:
        """The `nth` call from now on fails (1 is the next), or every one from that on."""
        self._map[:20] = struct.pack("<5I", 0, getattr(errno, error), nth - 1, every, 0)
        # Last, since it is what arms.
        self._map[:4] = struct.pack("<I", 1 << CALLS.index(call))

    def disarm(self) -> int:
        """Everything works again. Answers how many calls have failed."""
        self._map[:4] = bytes(4)
        return struct.unpack("<I", self._map[16:20])[0]


class Tally:
    """What several writers were told."""

    def __init__(self) -> None:
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self.unknown: list[str] = []
        self.wrong: list[str] = []
        self._lock = threading.Lock()

    def add(self, kind: list[str], what: str) -> None:
        with self._lock:
            kind.append(what)

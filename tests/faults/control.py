"""Faults that are switched while a server runs: the Python half of `shim.c`."""

import errno
import mmap
import os
import struct
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "openat", "rename")
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS")
FILES = {"SQLite's": 1, "others": 2, "any": 3}
# The words before the folder's name.
HEAD = struct.Struct("<7I")
SIZE = HEAD.size + 1024


@dataclass(frozen=True)
class Target:
    """A call that fails, and on whose files."""

    call: str
    files: str = "any"
    # A call that is rare while the server runs is made when it stops and starts: so often, at most, to see it.
    restarts: int = 0

    def __str__(self) -> str:
        return self.call if self.files == "any" else f"{self.call} of {self.files}"


# What is called on SQLite's files and on others is tried on both: under load, uploads alone open files, and most of what
# is flushed is the database's. SQLite opens and shortens its files when the server starts; nothing but the anchors of the
# log calls `fdatasync`, one at each stop.
TARGETS = (
    Target("pwrite64"),
    Target("write"),
    Target("fdatasync", restarts=24),
    Target("fsync", "SQLite's"),
    Target("fsync", "others"),
    Target("ftruncate", restarts=8),
    Target("openat", "SQLite's", restarts=4),
    Target("openat", "others"),
    Target("rename"),
)


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
        self._map[HEAD.size : HEAD.size + len(name)] = name

    def arm(self, call: str, error: str, nth: int, every: bool = False, files: str = "any") -> None:
        """The `nth` call on these files from now on fails (1 is the next), or every one from that on."""
        HEAD.pack_into(self._map, 0, 0, getattr(errno, error), nth - 1, every, FILES[files], 0, 0)
        # Last, since it is what arms.
        self._map[:4] = struct.pack("<I", 1 << CALLS.index(call))

    def fired(self) -> tuple[int, int]:
        """How many calls have failed since it was armed: on SQLite's files, and on others."""
        return HEAD.unpack_from(self._map)[5:]

    def disarm(self) -> tuple[int, int]:
        """Everything works again. Answers how many calls have failed."""
        self._map[:4] = bytes(4)
        return self.fired()


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

    def failed(self) -> int:
        """How many have heard that something is wrong."""
        return len(self.refused) + len(self.unknown)

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

    def fired(self) -> int:
        """How many calls have failed since it was armed."""
        return struct.unpack("<I", self._map[16:20])[0]

    def disarm(self) -> int:
        """Everything works again. Answers how many calls have failed."""
        self._map[:4] = bytes(4)
        return self.fired()


@dataclass
class Kind:
    """What came of the cells of one call and one error."""

    cells: int = 0
    reached: int = 0
    fired: int = 0
    ended: int = 0


class Ledger:
    """How often each kind of fault really happened. A cell in which nothing failed proves nothing: it is not counted as
    held, and told as not reached."""

    def __init__(self) -> None:
        self.kinds: dict[tuple[str, str, str], Kind] = {}

    def enter(self, call: str, error: str, lasting: bool, fired: int, ended: bool) -> None:
        kind = self.kinds.setdefault((call, error, "until mended" if lasting else "once"), Kind())
        kind.cells += 1
        kind.reached += fired > 0
        kind.fired += fired
        kind.ended += fired > 0 and ended

    def table(self) -> list[str]:
        row = "{:<12} {:<8} {:<13} {:>6} {:>8} {:>12} {:>7} {:>14}".format
        lines = [row("call", "error", "fails", "cells", "held", "not reached", "fired", "server ended")]
        for names, kind in self.kinds.items():
            lines.append(row(*names, kind.cells, kind.reached, kind.cells - kind.reached, kind.fired, kind.ended))
        sums = [sum(getattr(kind, of) for kind in self.kinds.values()) for of in ("cells", "reached", "fired", "ended")]
        return [*lines, row("together", "", "", sums[0], sums[1], sums[0] - sums[1], sums[2], sums[3])]


LEDGER = Ledger()


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

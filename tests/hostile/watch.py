"""What a process and its children take, from the figures that the system keeps of them."""

import threading
import time
from pathlib import Path

KILOBYTE, MEGABYTE = 1024, 1 << 20
# How much the server may grow above what it takes at rest, its readers apart: by one sender, and by fifty at once.
GROWTH_OF_ONE, GROWTH_OF_MANY = 32 * MEGABYTE, 256 * MEGABYTE


def status(process: int, field: str) -> int | None:
    """A figure of a process; None once it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    found = [line for line in lines if line.startswith(f"{field}:")]
    return int(found[0].split()[1]) * (KILOBYTE if "kB" in found[0] else 1) if found else None


def children(process: int) -> set[int]:
    found: set[int] = set()
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found |= {int(child) for child in thread.read_text().split()}
        except OSError:
            continue
    return found


def own(process: int) -> int:
    """Bytes of memory that are the process's own. Pages of its program's file are the system's, and a test's program is
    large: those that are read for the first time say nothing about what it was sent."""
    return status(process, "RssAnon") or 0


def at_rest(process: int) -> int:
    """The same once the process has given back what it took for its last work: the least of some time."""
    least = own(process)
    for _ in range(20):
        time.sleep(0.1)
        least = min(least, own(process))
    return least


class Watch:
    """Looks at a process and its children, again and again, while something goes on."""

    def __init__(self, process: int):
        self.process = process
        self.before = at_rest(process)
        self.most = self.before
        self.most_at_once = 0
        self.largest = 0
        # What goes on, and how much was taken above rest while which of that was, each time that it was more than ever.
        self.during = ""
        self.steps: dict[str, int] = {}
        self.seen: set[int] = set()
        self.confined: set[int] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        earlier: set[int] = set()
        while not self._stop.is_set():
            taken = own(self.process)
            if taken > self.most:
                self.most = taken
                self.steps[self.during] = self.growth
            now = children(self.process)
            # The threads' children are not read at one moment: only who is there twice was there with all the others.
            both, earlier = now & earlier, now
            self.most_at_once = max(self.most_at_once, len(both))
            self.seen |= now
            for child in now:
                self.largest = max(self.largest, status(child, "VmHWM") or 0)
                if status(child, "Seccomp") == 2:
                    self.confined.add(child)
            time.sleep(0.003)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    @property
    def growth(self) -> int:
        """By how many bytes the process was larger than at rest before the watch, at most."""
        return self.most - self.before

    @property
    def told(self) -> str:
        """By how much it grew, and while what was sent, each step of a megabyte or more."""
        told, last = [], 0
        for during, growth in self.steps.items():
            if growth - last >= MEGABYTE:
                told.append(f"{growth / MEGABYTE:.1f} MB during {during}")
                last = growth
        return f"the server grew by {self.growth // MEGABYTE} MB: " + "; ".join(told)

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.most = max(self.most, own(self.process))

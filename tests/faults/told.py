"""What a run tells at its end: which faults really happened, and how long people waited."""

import statistics
from dataclasses import dataclass

from control import Target


@dataclass
class Kind:
    """What came of the cells of one call and one error."""

    cells: int = 0
    reached: int = 0
    in_database: int = 0
    in_others: int = 0
    ended: int = 0
    unheard: int = 0


class Ledger:
    """How often each kind of fault really happened. A cell in which nothing failed proves nothing: it is not counted as
    held, and told as not reached."""

    def __init__(self) -> None:
        self.kinds: dict[tuple[str, str, str], Kind] = {}

    def enter(
        self, target: Target, error: str, lasting: bool, fired: tuple[int, int], ended: bool, heard: bool
    ) -> None:
        """`heard`: somebody was refused, the server ended, or its log has a warning."""
        kind = self.kinds.setdefault((str(target), error, "until mended" if lasting else "once"), Kind())
        reached = sum(fired) > 0
        kind.cells += 1
        kind.reached += reached
        kind.in_database += fired[0]
        kind.in_others += fired[1]
        kind.ended += reached and ended
        kind.unheard += reached and not heard

    def table(self) -> list[str]:
        row = "{:<20} {:<7} {:<13} {:>6} {:>5} {:>12} {:>10} {:>10} {:>13} {:>8}".format
        heads = ("cells", "held", "not reached", "of SQLite", "of others", "server ended", "unheard")
        lines = [row("call", "error", "fails", *heads)]
        sums = [0] * len(heads)
        for names, kind in self.kinds.items():
            missed = kind.cells - kind.reached
            found = (kind.cells, kind.reached, missed, kind.in_database, kind.in_others, kind.ended, kind.unheard)
            lines.append(row(*names, *found))
            sums = [before + one for before, one in zip(sums, found, strict=True)]
        return [*lines, row("together", "", "", *sums)]


class Waits:
    """How long people waited for what is promised in seconds. A busy machine delays some of them, so that no single one
    is judged."""

    def __init__(self) -> None:
        self.kinds: dict[str, list[float]] = {}

    def enter(self, what: str, *seconds: float) -> None:
        self.kinds.setdefault(what, []).extend(seconds)

    def judge(self, what: str, seconds: list[float], promised: float) -> None:
        """What waits for a disk, a lock or a lost database delays them all, and so the one in the middle."""
        self.enter(what, *seconds)
        assert statistics.median(seconds) < promised, f"{what}: {sorted(seconds)}, {promised} s are promised"

    def table(self) -> list[str]:
        row = "{:<58} {:>6} {:>8} {:>8}".format
        lines = [row("seconds", "times", "median", "longest")]
        for what, seconds in self.kinds.items():
            lines.append(row(what, len(seconds), f"{statistics.median(seconds):.2f}", f"{max(seconds):.2f}"))
        return lines


LEDGER = Ledger()
WAITS = Waits()

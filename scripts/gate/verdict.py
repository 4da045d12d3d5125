"""The end of a run's output, short enough for its last sixty lines, and enough to know what to mend.

First what failed: suite, test, place and the first lines of the error; twenty failures at most, the others by name.
Then what was flaky, the seconds of every step, what is dearer than was forecast, what builds took, and as last line the sum.
"""

from itertools import zip_longest
from pathlib import Path
from textwrap import wrap

import builds
import costs
from results import Failure, Result

LINES = 60
IN_FULL = 20
FLAKY_IN_FULL = 6
# How many lines of errors the flaky ones may fill together.
FLAKY_LINES = 6
COLUMNS = 3
WIDTH = 220


def cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def table(results: dict[str, Result], seconds: dict[str, float], processor: dict[str, float]) -> list[str]:
    """Three steps a line, in the order in which they ended, downwards: counts, seconds, seconds of processors."""
    cells = []
    for name, took in seconds.items():
        told = results.get(name)
        counts = f"{told.passed:>5} passed {len(told.failed):>3} failed" if told else " " * 23
        cells.append(f"{name:<13}{counts}{took:>5.0f} s{processor.get(name, 0):>5.0f} cpu")
    rows = (len(cells) + COLUMNS - 1) // COLUMNS
    columns = [cells[at * rows : (at + 1) * rows] for at in range(COLUMNS)]
    return ["  " + "    ".join(line).rstrip() for line in zip_longest(*columns, fillvalue="")]


def grouped(results: dict[str, Result]) -> list[tuple[str, Failure, list[str]]]:
    """Failures, those of one suite with the same error as one: the first of them, and the names of the others."""
    found: dict[tuple[str, str], tuple[str, Failure, list[str]]] = {}
    for suite, told in results.items():
        for failure in told.failed:
            key = (suite, "\n".join(failure.text.splitlines()[:4]))
            if failure.text and key in found:
                found[key][2].append(failure.name)
            else:
                found[key if failure.text else (suite, failure.name)] = (suite, failure, [])
    return list(found.values())


def failures(results: dict[str, Result], logs: str, room: int) -> list[str]:
    found = grouped(results)
    if not found:
        return []
    full, rest = found[:IN_FULL], found[IN_FULL:]
    names = "; ".join(f"{suite} > {failure.name}" for suite, failure, _ in rest)
    named = wrap(f"and {len(rest)} more: {names}", WIDTH, max_lines=5, placeholder=" …") if rest else []
    each = max(1, (room - len(named)) // len(full))
    out = []
    for suite, failure, others in full:
        head = f"FAILED {suite}" + (f" > {failure.name}" if failure.name else "")
        text = failure.text.splitlines() or ["it told nothing"]
        place = f" at {failure.place}" if failure.place else ""
        log = f" ({logs}/{suite}.log)"
        too = f" and {len(others)} more with the same error" if others else ""
        if each < 3:
            out += [cut(f"{head}{too}{place}{log}: {text[0]}")] if each == 1 else [cut(f"{head}{too}{place}{log}"), cut(f"    {text[0]}")]
            continue
        out.append(cut(f"{head}{place}{log}"))
        out += [cut(f"    {line}") for line in text[: each - 1 - bool(too)]]
        if too:
            out.append(cut(f"   {too}: {', '.join(others)}"))
    return out + named


def unlucky(flaky: list[tuple[str, Failure]]) -> list[str]:
    """What passed after another try, and why it did not at once: a few lines each while they are few."""
    out = []
    for suite, failure in flaky[:FLAKY_IN_FULL]:
        place = f" at {failure.place}" if failure.place else ""
        out.append(cut(f"FLAKY {suite} > {failure.name}{place}"))
        out += [cut(f"    {line}") for line in failure.text.splitlines()[: FLAKY_LINES // len(flaky)]]
    if rest := flaky[FLAKY_IN_FULL:]:
        out.append(cut(f"FLAKY and {len(rest)} more: {'; '.join(f'{suite} > {failure.name}' for suite, failure in rest)}"))
    return out


def verdict(
    results: dict[str, Result],
    seconds: dict[str, float],
    processor: dict[str, float],
    whole: float,
    logs: Path,
    root: Path,
) -> list[str]:
    """The lines to print. The last one is the sum over everything that ran."""
    passed = sum(told.passed for told in results.values())
    failed = sum(len(told.failed) for told in results.values())
    skipped = sum(told.skipped for told in results.values())
    flaky = [(suite, failure) for suite, told in results.items() for failure in told.flaky]
    folder = str(logs.relative_to(root)) if logs.is_relative_to(root) else str(logs)

    busy = sum(processor.values())
    end = [f"Seconds of {len(seconds)} steps, {whole:.0f} in all, {busy:.0f} of processors; logs are in {folder}:", *table(results, seconds, processor)]
    end += map(cut, [*costs.told(processor, logs), *builds.told()])
    tell = unlucky(flaky)
    tell += end + [f"flaky: {len(flaky)}", f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")]
    return failures(results, folder, LINES - len(tell) - 1) + tell

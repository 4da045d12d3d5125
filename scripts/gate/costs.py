"""What the suites take of the processors, and what docs/testing.md forecasts for as many screens as there are: a run that takes
more says so. It fails for nothing: what is dear is mended, or measured and written down."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from plan import CHECKS

# The build has linted: what this check takes is the compiler's.
CHEAP = tuple(name for name in CHECKS if name != "clippy")
ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/testing.md"
SCREENS = ROOT / "web/src/api/catalogue.ts"
# So many groups of `cargo` are named; the others are one.
NAMED = 8


def screens(file: Path = SCREENS) -> int:
    """How many screens the console has."""
    return len(re.findall(r"^  \w+: \{ code: '\w+', path: '", file.read_text(), re.MULTILINE))


def forecast(count: int, table: Path = TABLE) -> dict[tuple[str, ...], float]:
    """By suites the seconds of processors that so many screens cost: of the table with the columns `a screen` and `besides`."""
    lines = table.read_text().splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith("| suite |") and "| a screen | besides |" in line]
    assert len(heads) == 1, f"{table.name} has {len(heads)} tables of what a screen costs"
    columns = [cell.strip() for cell in lines[heads[0]].strip("|").split("|")]
    found = {}
    for line in lines[heads[0] + 2 :]:
        if not line.startswith("|"):
            break
        cells = dict(zip(columns, (cell.strip() for cell in line.strip("|").split("|")), strict=True))
        names = re.findall(r"`(\w+)`", cells["suite"])
        names += CHEAP if "the checks" in cells["suite"] else ()
        # The sum has no names.
        if names:
            each, besides = (float(cells[column].replace(",", "") or 0) for column in ("a screen", "besides"))
            found[tuple(names)] = each * count + besides
    return found


def exceeded(processor: dict[str, float], count: int, table: Path = TABLE) -> list[str]:
    """One line if suites have taken more than that. Of several that are forecast together all have to have run."""
    over = []
    for names, most in forecast(count, table).items():
        took = sum(processor.get(name, 0) for name in names)
        if took > most and all(name in processor for name in names):
            over.append(f"{', '.join(names if len(names) < 4 else (*names[:3], '…'))} {took:.0f} of {most:.0f}")
    said = "; ".join(over)
    return [f"WARNING: dearer than docs/testing.md forecasts for {count} screens, in seconds of processors: {said}"] if over else []


def by_group(report: Path) -> list[str]:
    """One line that says where the time of `cargo` goes: for how long the tests of each group ran, added up."""
    try:
        suites = list(ElementTree.parse(report).iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return []
    times = {suite.get("name", ""): sum(float(case.get("time", 0)) for case in suite.iter("testcase")) for suite in suites}
    dear = sorted(times.items(), key=lambda one: -one[1])
    named = [f"{name} {seconds:.0f}" for name, seconds in dear[:NAMED]]
    others = [f"{len(dear) - NAMED} others {sum(seconds for _, seconds in dear[NAMED:]):.0f}"] if len(dear) > NAMED else []
    return [f"Seconds of the tests of cargo, added up by group: {', '.join(named + others)}"] if dear else []


def told(processor: dict[str, float], logs: Path) -> list[str]:
    return [*by_group(logs / "cargo.xml"), *exceeded(processor, screens())]

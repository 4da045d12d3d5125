"""How long builds take, as `make times` measured them last. Every run tells it at its end; to measure it there would take
minutes each time, and the figures of a busy machine are worth nothing. A figure that nobody has measured, or not for long, is
told as such.

`builds.py WHAT OF SECONDS MOST` keeps a figure, with the date and the commit.
"""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

FILE = Path(__file__).with_name("builds.json")
CRATES = Path(__file__).resolve().parents[2] / "crates"
CHECK = "cargo check after a change in"
TESTS = "the tests of all calls compiled after a change in"
RELEASE = "the release binary"
# A figure of so many days ago says little of now.
OLD = 14


def groups(crates: Path = CRATES) -> list[str]:
    """The crates of domains."""
    heads = sorted(crates.glob("*/src/lib.rs"))
    return [head.parts[-3] for head in heads if "pub const DOMAINS:" in head.read_text()]


def wanted() -> dict[str, list[str]]:
    """What is measured: a change in any domain, the tests of any group, and a release from nothing (`ALL=1 make times`)."""
    return {CHECK: ["base", *groups()], TESTS: groups(), RELEASE: ["from cold"]}


def kept(file: Path = FILE) -> list[dict]:
    return json.loads(file.read_text()) if file.exists() else []


def keep(what: str, of: str, seconds: float, most: int, commit: str, file: Path = FILE) -> None:
    """Keeps a figure in the place of the last one of the same name."""
    now = {"what": what, "of": of, "seconds": seconds, "most": most, "date": date.today().isoformat(), "commit": commit}
    others = [old for old in kept(file) if (old["what"], old["of"]) != (what, of)]
    lines = ",\n".join(json.dumps(figure) for figure in sorted([*others, now], key=lambda one: (one["what"], one["of"])))
    file.write_text(f"[\n{lines}\n]\n")


def line(what: str, of: list[str], figures: list[dict], today: date) -> str:
    """A kind of build: what was measured of it, with what takes too long and what is old, and what was not measured."""
    words = [f"{one['of']} {one['seconds']:.1f}{' TOO LONG' if one['seconds'] > one['most'] else ''}" for one in figures]
    said = []
    if figures:
        first, last = (pick(figures, key=lambda one: one["date"]) for pick in (min, max))
        days = (today - date.fromisoformat(first["date"])).days
        age = f", {days} days OLD" if days > OLD else ""
        said.append(f"{', '.join(words)} s, of {last['most']} at most ({last['date']}, {last['commit']}{age})")
    missing = [name for name in of if name not in {one["of"] for one in figures}]
    if missing:
        said.append(f"NOT MEASURED {', '.join(missing)}")
    return f"  {what}: {'; '.join(said)}"


def told(file: Path = FILE, of: dict[str, list[str]] | None = None, today: date | None = None) -> list[str]:
    """A line for each kind of build."""
    figures, of = kept(file), wanted() if of is None else of
    kinds = sorted({*of, *(figure["what"] for figure in figures)})
    out = []
    for what in kinds:
        same = [figure for figure in figures if figure["what"] == what]
        out.append(line(what, of.get(what, []), same, today or date.today()))
    return ["Builds, as `make times` measured them last:", *out] if out else []


if __name__ == "__main__":
    what, of, seconds, most = sys.argv[1:]
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True)
    keep(what, of, float(seconds), int(most), head.stdout.strip())

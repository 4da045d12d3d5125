"""How long builds take, as `make times` measured them last. Every run tells it at its end; to measure it there would take
minutes each time, and the figures of a busy machine are worth nothing.

`builds.py WHAT OF SECONDS MOST` keeps a figure, with the date and the commit.
"""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

FILE = Path(__file__).with_name("builds.json")


def kept(file: Path = FILE) -> list[dict]:
    return json.loads(file.read_text()) if file.exists() else []


def keep(what: str, of: str, seconds: float, most: int, commit: str, file: Path = FILE) -> None:
    """Keeps a figure in the place of the last one of the same name."""
    now = {"what": what, "of": of, "seconds": seconds, "most": most, "date": date.today().isoformat(), "commit": commit}
    others = [old for old in kept(file) if (old["what"], old["of"]) != (what, of)]
    lines = ",\n".join(json.dumps(figure) for figure in sorted([*others, now], key=lambda one: (one["what"], one["of"])))
    file.write_text(f"[\n{lines}\n]\n")


def told(file: Path = FILE) -> list[str]:
    """A line for each kind of build, in which what takes too long stands out."""
    figures = kept(file)
    out = []
    for what in sorted({figure["what"] for figure in figures}):
        same = [figure for figure in figures if figure["what"] == what]
        words = [f"{one['of']} {one['seconds']:.1f}{' TOO LONG' if one['seconds'] > one['most'] else ''}" for one in same]
        last = max(same, key=lambda one: one["date"])
        out.append(f"  {what}: {', '.join(words)} s, of {last['most']} at most ({last['date']}, {last['commit']})")
    return ["Builds, as `make times` measured them last:", *out] if out else []


if __name__ == "__main__":
    what, of, seconds, most = sys.argv[1:]
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True)
    keep(what, of, float(seconds), int(most), head.stdout.strip())

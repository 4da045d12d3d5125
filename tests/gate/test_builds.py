"""What builds took is kept, one figure of a kind, and told with what is too long."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/gate"))

from builds import FILE, keep, kept, told  # noqa: E402
from verdict import verdict  # noqa: E402


def test_the_last_figure_of_a_kind_is_told_and_what_is_too_long_stands_out(tmp_path: Path):
    file = tmp_path / "builds.json"
    assert told(file) == []
    keep("cargo check after a change in", "fleet", 7.25, 6, "aaaaaaa", file)
    keep("cargo check after a change in", "base", 4.0, 6, "bbbbbbb", file)
    keep("cargo check after a change in", "base", 3.0, 6, "ccccccc", file)
    assert [(figure["of"], figure["seconds"]) for figure in kept(file)] == [("base", 3.0), ("fleet", 7.25)]
    head, line = told(file)
    assert "make times" in head
    assert line.startswith("  cargo check after a change in: base 3.0, fleet 7.2 TOO LONG s, of 6 at most (")


def test_every_run_tells_the_committed_figures(tmp_path: Path):
    assert kept(FILE), "run `make times`"
    lines = verdict({}, {}, {}, 1.0, tmp_path, tmp_path)
    assert set(told()) <= set(lines)

"""What builds took is kept, one figure of a kind, and told with what is too long, too old or not known."""

import sys
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/gate"))

from builds import CHECK, FILE, OLD, RELEASE, TESTS, groups, keep, kept, told, wanted  # noqa: E402
from verdict import verdict  # noqa: E402


def test_the_last_figure_of_a_kind_is_told_and_what_is_too_long_stands_out(tmp_path: Path):
    file = tmp_path / "builds.json"
    assert told(file, {}) == []
    keep(CHECK, "fleet", 7.25, 6, "aaaaaaa", file)
    keep(CHECK, "base", 4.0, 6, "bbbbbbb", file)
    keep(CHECK, "base", 3.0, 6, "ccccccc", file)
    assert [(figure["of"], figure["seconds"]) for figure in kept(file)] == [("base", 3.0), ("fleet", 7.25)]
    head, line = told(file, {})
    assert "make times" in head
    assert line.startswith("  cargo check after a change in: base 3.0, fleet 7.2 TOO LONG s, of 6 at most (")
    assert "OLD" not in line and "NOT MEASURED" not in line


def test_what_is_old_or_was_never_measured_is_said(tmp_path: Path):
    file = tmp_path / "builds.json"
    keep(CHECK, "base", 3.0, 6, "aaaaaaa", file)
    later = date.today() + timedelta(days=OLD + 1)
    lines = told(file, {CHECK: ["base", "open"], RELEASE: ["from cold"]}, later)
    assert lines[1].endswith(f", {OLD + 1} days OLD); NOT MEASURED open")
    assert lines[2] == "  the release binary: NOT MEASURED from cold"


def test_every_figure_that_is_wanted_is_told_by_every_run(tmp_path: Path):
    assert kept(FILE), "run `make times`"
    assert {"accounts", "customers", "fleet", "open", "phones", "platform"} <= set(groups())
    assert wanted() == {CHECK: ["base", *groups()], TESTS: groups(), RELEASE: ["from cold"]}
    lines = verdict({}, {}, {}, 1.0, tmp_path, tmp_path)
    assert len(told()) == 4 and all(line[:200] in "\n".join(lines) for line in told())

"""What suites cost is told by group, and what is dearer than the documentation forecasts is said."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/gate"))

from costs import CHEAP, by_group, exceeded, forecast, screens  # noqa: E402
from plan import SUITES  # noqa: E402

TABLE = """Words.

| suite | tests | a screen | besides | at 100 screens |
|---|---|---|---|---|
| `cargo` | 9 | 1.5 | 1,000 | 1,150 |
| `kill9`, `standby` | 2 | | 40 | 40 |
| `gate` and the checks | 1 | | 10 | 10 |
| the whole | 12 | 1.5 | 1,050 | 1,200 |

| suite | more |
"""
JUNIT = """<?xml version="1.0"?><testsuites><testsuite name="phones::cards">
<testcase name="a" classname="phones::cards" time="2.5"/><testcase name="b" classname="phones::cards" time="1.0"/></testsuite>
<testsuite name="kernel"><testcase name="c" classname="kernel" time="0.25"/></testsuite></testsuites>"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "testing.md"
    file.write_text(TABLE)
    return file


def test_a_forecast_grows_with_the_screens(table: Path):
    found = forecast(10, table)
    assert found[("cargo",)] == 1015 and found[("kill9", "standby")] == 40
    assert found[("gate", *CHEAP)] == 10 and len(found) == 3


def test_what_is_dearer_is_said_and_the_rest_is_not(table: Path):
    assert exceeded({"cargo": 1015.0, "kill9": 30.0, "standby": 10.0}, 10, table) == []
    (line,) = exceeded({"cargo": 1016.0, "kill9": 30.0, "standby": 11.0}, 10, table)
    assert line.startswith("WARNING") and line.endswith(": cargo 1016 of 1015; kill9, standby 41 of 40")
    # Of a part of them nothing can be said.
    assert exceeded({"kill9": 90.0}, 10, table) == []


def test_the_documentation_forecasts_every_suite():
    names = [name for group in forecast(screens()) for name in group]
    assert sorted(names) == sorted((*SUITES, *CHEAP))
    assert screens() > 30


def test_the_time_of_cargo_is_told_by_group(tmp_path: Path):
    (tmp_path / "cargo.xml").write_text(JUNIT)
    assert by_group(tmp_path / "cargo.xml") == ["Seconds of the tests of cargo, added up by group: phones::cards 4, kernel 0"]
    assert by_group(tmp_path / "none.xml") == []

"""The last sixty lines of a run say what failed, and never that something passed which did not run."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/gate"))

from plan import PLAN, STEPS, with_needs  # noqa: E402
from results import Failure, Result, result_of  # noqa: E402
from verdict import LINES, verdict  # noqa: E402

JUNIT = """<?xml version="1.0"?><testsuites><testsuite name="server::it">
<testcase name="it_works" classname="server::it"/>
<testcase name="by_and_by" classname="server::it"><flakyFailure message="x"/></testcase>
<testcase name="it_breaks" classname="server::it"><failure message="test failure" type="test failure">
thread 'it_breaks' (17) panicked at crates/server/tests/it/card.rs:42:9:
assertion `left == right` failed: the card is online
  left: 3
 right: 1</failure></testcase>
<testcase name="not_here" classname="server::it"><skipped/></testcase></testsuite></testsuites>"""


def told(lines: Path, results: dict[str, Result]) -> list[str]:
    return verdict(results, dict.fromkeys(results, 12.0), dict.fromkeys(results, 30.0), 345.0, lines / "target/test-logs", lines)


def test_a_panic_is_told_with_its_place_and_what_passed_late_is_flaky(tmp_path: Path):
    (tmp_path / "cargo.xml").write_text(JUNIT)
    result = result_of("cargo", 100, tmp_path, True)
    assert (result.passed, result.skipped, result.flaky) == (2, 1, [Failure("server::it by_and_by", "", "x")])
    assert [failure.place for failure in result.failed] == ["crates/server/tests/it/card.rs:42"]
    lines = told(tmp_path, {"cargo": result})
    assert lines[0] == "FAILED cargo > server::it it_breaks at crates/server/tests/it/card.rs:42 (target/test-logs/cargo.log)"
    assert "the card is online" in "\n".join(lines[1:5])
    assert lines[lines.index("FLAKY cargo > server::it by_and_by") + 1] == "    x"
    assert lines[-2:] == ["flaky: 1", "2 passed, 1 failed, 1 skipped"]


def test_where_a_library_panics_the_place_is_ours(tmp_path: Path):
    deep = "panicked at /home/a/.cargo/registry/src/x-1/lib-0.1.0/src/index.rs:312:38:\nstill in use"
    trace = "   6: check\n             at ./src/keep.rs:52:28"
    (tmp_path / "cargo.xml").write_text(JUNIT.replace("panicked at crates/server/tests/it/card.rs:42:9:", deep + trace))
    assert result_of("cargo", 100, tmp_path, True).failed[0].place == "./src/keep.rs:52"


def test_our_own_reports_are_read(tmp_path: Path):
    failure = {"name": "a.spec.ts > opens", "place": "web/e2e/a.spec.ts:7", "text": "\x1b[31mError: no\x1b[39m\n\nmore"}
    (tmp_path / "e2e.json").write_text(json.dumps({"passed": 3, "failed": [failure], "flaky": [failure]}))
    result = result_of("e2e", 1, tmp_path, True)
    kept = Failure("a.spec.ts > opens", "web/e2e/a.spec.ts:7", "Error: no\nmore")
    assert result == Result(3, [kept], [kept])


def test_where_one_line_is_told_it_says_the_cause(tmp_path: Path):
    ended = "RuntimeError: the server ended at start with 101:\nlistening\nthread 'main' (7) panicked at src/main.rs:9:5:\nno disk\nmore"
    failure = {"name": "a.py::test_one", "place": "tests/a.py:7", "text": ended}
    (tmp_path / "kill9.json").write_text(json.dumps({"passed": 0, "failed": [failure], "flaky": []}))
    lines = told(tmp_path, {"kill9": result_of("kill9", 1, tmp_path, True)})
    assert lines[1].endswith("ended at start with 101: thread 'main' (7) panicked at src/main.rs:9:5: no disk")
    (tmp_path / "fleet.log").write_text('Traceback (most recent call last):\n  File "a.py", line 3, in b\nValueError: no port\n')
    assert result_of("fleet", 1, tmp_path, True).failed[0].text.startswith("ValueError: no port")


@pytest.mark.parametrize("code", [0, 1])
def test_a_suite_that_ran_nothing_failed(tmp_path: Path, code: int):
    (tmp_path / "fleet.log").write_text("no adb here\n")
    result = result_of("fleet", code, tmp_path, True)
    assert result.passed == 0 and len(result.failed) == 1
    assert "no adb here" in told(tmp_path, {"fleet": result})[1] + told(tmp_path, {"fleet": result})[2]


def test_a_report_without_a_failure_does_not_make_up_for_the_exit_code(tmp_path: Path):
    (tmp_path / "vitest.json").write_text(json.dumps({"passed": 9, "failed": [], "flaky": []}))
    (tmp_path / "vitest.log").write_text("Segmentation fault\n")
    assert "Segmentation fault" in result_of("vitest", 139, tmp_path, True).failed[0].text


def test_of_a_check_the_first_trouble_is_shown_and_not_the_end(tmp_path: Path):
    log = "    Checking a\nerror: used `unwrap()`\n   --> crates/phones/src/act.rs:119:15\n" + "    Checking b\n" * 40
    (tmp_path / "clippy.log").write_text(log)
    result = result_of("clippy", 101, tmp_path, False)
    assert result.failed[0].place == "crates/phones/src/act.rs:119"
    assert result.failed[0].text.startswith("error: used `unwrap()`")


@pytest.mark.parametrize("failures", [1, 7, 20, 45])
def test_sixty_lines_hold_it_all(tmp_path: Path, failures: int):
    many = [Failure(f"test {n}", f"a.rs:{n}", f"error {n}\n" + "why\n" * 30) for n in range(failures)]
    results = {step.name: Result(passed=3, flaky=[Failure("late", "b.rs:1", "too\nlate")]) for step in PLAN} | {"cargo": Result(5, many)}
    lines = told(tmp_path, results)
    assert len(lines) <= LINES
    for n in range(min(failures, 20)):
        assert any(f"test {n} at a.rs:{n} " in line for line in lines) and any(f"error {n}" in line for line in lines)
    assert (failures <= 20) or any(f"and {failures - 20} more: " in line for line in lines)
    assert lines[-1] == f"{3 * (len(PLAN) - 1) + 5} passed, {failures} failed"


def test_one_cause_of_many_failures_is_told_once(tmp_path: Path):
    same = [Failure(f"test {n}", "", "the server ended at start\nport taken") for n in range(400)]
    lines = told(tmp_path, {"contract": Result(0, same)})
    assert sum("the server ended at start" in line for line in lines) == 1
    assert any("and 399 more with the same error" in line for line in lines)
    assert lines[-1] == "0 passed, 400 failed"


def test_the_plan_has_what_its_steps_need():
    assert all(need in STEPS for step in PLAN for need in step.after)
    assert {"build", "postgres", "packages", "toolchain"} <= {step.name for step in with_needs(("kill9",))}

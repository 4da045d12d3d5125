"""Prints `PASSED FAILED` of one suite: `tally.py NAME EXIT_CODE LOG_FOLDER`.

Reads the suite's JUnit report NAME.xml. Plain `cargo test` writes none, so its closing lines are read from the log.
A suite with neither is one check, judged by its exit code. A suite never counts as passed on its word alone: an exit
code that says "failed" is a failure even where no test says so, and so is a suite that ran no test.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CARGO_LINE = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;", re.MULTILINE)
SINGLE_CHECKS = {"types", "lint"}


def from_junit(path: Path) -> tuple[int, int]:
    passed = failed = 0
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is None:
            passed += 1
    return passed, failed


def from_cargo(log: str) -> tuple[int, int]:
    found = CARGO_LINE.findall(log)
    return sum(int(p) for p, _ in found), sum(int(f) for _, f in found)


def tally(name: str, code: int, logs: Path) -> tuple[int, int]:
    report = logs / f"{name}.xml"
    if report.exists():
        passed, failed = from_junit(report)
    elif name == "cargo":
        passed, failed = from_cargo((logs / "cargo.log").read_text(errors="replace"))
    elif name in SINGLE_CHECKS and code == 0:
        passed, failed = 1, 0
    else:
        passed, failed = 0, 0
    if failed == 0 and (code != 0 or passed == 0):
        failed = 1
    return passed, failed


if __name__ == "__main__":
    print(*tally(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))

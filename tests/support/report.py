"""Tells what a run of pytest came to, in the shape that `scripts/gate/results.py` describes."""

import json
from pathlib import Path

import pytest


class Report:
    """A test fails once, whatever of it failed; one that passed after a second try is flaky."""

    def __init__(self, path: Path):
        self.path = path
        self.passed: set[str] = set()
        self.tried_again: dict[str, dict[str, str]] = {}
        self.failed: dict[str, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == "rerun":
            self.tried_again.setdefault(report.nodeid, self.failure(report))
        elif report.failed:
            self.failed.setdefault(report.nodeid, self.failure(report))
        elif report.passed and report.when == "call":
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = self.failure(report)

    @staticmethod
    def failure(report: pytest.TestReport | pytest.CollectReport) -> dict[str, str]:
        text = report.longreprtext
        # The line that raised may be in a helper: the error comes first, and the way to it after.
        crash = getattr(report.longrepr, "reprcrash", None)
        place = f"{Path(crash.path).name}:{crash.lineno}" if crash else ""
        entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", [])
        if entries and getattr(entries[0], "reprfileloc", None):
            place = f"{entries[0].reprfileloc.path}:{entries[0].reprfileloc.lineno}"
        told = f"{crash.message}\n{text}" if crash else text
        return {"name": report.nodeid, "place": place, "text": told}

    def pytest_sessionfinish(self) -> None:
        passed = self.passed - self.failed.keys()
        told = {
            "passed": len(passed),
            "failed": list(self.failed.values()),
            "flaky": [failure for name, failure in sorted(self.tried_again.items()) if name in passed],
        }
        self.path.write_text(json.dumps(told))

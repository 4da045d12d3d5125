"""What the whole run came to, at its end."""

import pytest
from told import LEDGER, WAITS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, told in (
        ("faults injected (a cell holds if the fault happened and nothing was lost)", LEDGER),
        ("how long it took", WAITS),
    ):
        if told.kinds:
            terminalreporter.section(title)
            for line in told.table():
                terminalreporter.write_line(line)

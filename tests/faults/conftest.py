"""What the whole run came to, at its end."""

import pytest
from control import LEDGER


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LEDGER.kinds:
        terminalreporter.section("faults injected (a cell holds if the fault happened and nothing was lost)")
        for line in LEDGER.table():
            terminalreporter.write_line(line)

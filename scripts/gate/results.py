"""What a step has to tell when it has ended: counts, failures with their places, and what was flaky.

Suites leave a report in the folder of logs: JUnit (NAME.xml), or NAME.json, one shape for pytest, vitest and
Playwright, which our own reporters write:

    {"passed": 3, "failed": [{"name": ..., "place": "file:line", "text": ...}], "flaky": [like "failed"]}

A step without a report is one check, judged by its exit code; what it wrote says what was wrong. A suite never counts
as passed on its word alone: an exit code that says "failed" is a failure even where no test says so, and so is a suite
that ran no test.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Where a panic of Rust, a line of Python or an error of a compiler says that it stood.
PLACES = (
    re.compile(r"panicked at ([\w./-]+:\d+):\d+"),
    re.compile(r"^([\w./-]+\.py:\d+): in ", re.MULTILINE),
    re.compile(r"--> ([\w./-]+:\d+):\d+"),
    re.compile(r"([\w./-]+\.(?:rs|tsx?|mjs|py|sh|json)[:(]\d+)"),
)
# The lines of a compiler's or a linter's log that say what is wrong, rather than where it stands in the way of others.
PANIC = re.compile(r"^\s*thread '.*' .*panicked at ")
PROGRAM_ENDED = re.compile(r"ended at start|Command failed")
TROUBLE = re.compile(r"^(error|warning)(\[|:)|: error |error TS\d+| ━|^\S+\.\w+:\d+|^!!|lint/|^Diff in|^These|^OVER")
COLOURS = re.compile(r"\x1b(\[[0-9;]*[A-Za-z]|\(B)")
# Of several errors the one that panics last is often that of a helper thread; the first is what the test tripped over.
NOISE = re.compile(r"^(thread '.*panicked at|note: run with|stack backtrace|running \d+ test|test result|\s*$|failures:|test .* FAILED|\s+\d+: |\s+at \S+:\d+:\d+$)")


@dataclass
class Failure:
    name: str
    place: str
    text: str


@dataclass
class Result:
    passed: int = 0
    failed: list[Failure] = field(default_factory=list)
    # They passed after another try; what is told is how the first one failed.
    flaky: list[Failure] = field(default_factory=list)
    skipped: int = 0


def place_in(text: str) -> str:
    text = text.replace(f"{ROOT}/", "")
    found = [match.group(1).replace("(", ":") for pattern in PLACES for match in pattern.finditer(text)]
    # A library that panics stands in nobody's repository; who called it does.
    own = [place for place in found if not place.startswith("/")]
    return next(iter(own or found), "")


def readable(text: str) -> str:
    """An error without colours, empty lines and the frame around it, so that its first lines say what was wrong."""
    lines = [line.rstrip() for line in COLOURS.sub("", text).replace(f"{ROOT}/", "").splitlines()]
    return "\n".join(line for line in cause_first(lines) if not NOISE.match(line))


def cause_first(lines: list[str]) -> list[str]:
    """Where many fail, one line of each is told. That of a program which ended says where it panicked and of what, and
    that of Python says the exception instead of announcing a traceback."""
    if lines and lines[0].startswith("Traceback (most recent call last)"):
        told = next((line for line in lines[1:] if line[:1].strip()), None)
        lines = [told, *lines] if told else lines
    at = next((at for at, line in enumerate(lines) if PANIC.search(line)), None)
    if at and PROGRAM_ENDED.search(lines[0]):
        return [f"{lines[0][:80]} {' '.join(lines[at : at + 2])}", *lines[1:]]
    return lines


def from_junit(path: Path) -> Result:
    told = Result()
    for case in ElementTree.parse(path).iter("testcase"):
        name = " ".join(filter(None, (case.get("classname"), case.get("name"))))
        wrong = one_of(case, "failure", "error")
        if wrong is not None:
            told.failed.append(junit_failure(name, wrong, case.findtext("system-err")))
        elif case.find("skipped") is not None:
            told.skipped += 1
        else:
            told.passed += 1
            wrong = one_of(case, "flakyFailure", "flakyError")
            if wrong is not None:
                told.flaky.append(junit_failure(name, wrong, wrong.findtext("system-err")))
    return told


def one_of(case: ElementTree.Element, *tags: str) -> ElementTree.Element | None:
    return next((found for tag in tags if (found := case.find(tag)) is not None), None)


def junit_failure(name: str, wrong: ElementTree.Element, said: str | None) -> Failure:
    text = "\n".join(filter(None, (wrong.get("message"), wrong.text, said)))
    return Failure(name, place_in(text), readable(text))


def from_json(path: Path) -> Result:
    told = json.loads(path.read_text())
    failed, flaky = (
        [Failure(each["name"], each["place"], readable(each["text"])) for each in told[kind]] for kind in ("failed", "flaky")
    )
    return Result(told["passed"], failed, flaky, told.get("skipped", 0))


def from_cargo_test(log: str) -> Result:
    """Plain `cargo test`, where nextest is not installed, tells in its log alone."""
    told = Result()
    for passed, _ in re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed;", log, re.MULTILINE):
        told.passed += int(passed)
    for name, text in re.findall(r"^---- (\S+) stdout ----\n(.*?)(?=^---- |^failures:)", log, re.MULTILINE | re.DOTALL):
        told.failed.append(Failure(name, place_in(text), readable(text)))
    return told


def end_of(log: str) -> Failure:
    """The failure of a step that counted nothing: its first lines of trouble, or else its end."""
    lines = [line for line in readable(log).splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if TROUBLE.search(line)), None)
    told = lines[first : first + 12] if first is not None else lines[-12:]
    text = "\n".join(told) or "it wrote nothing"
    return Failure("", place_in(text), text)


def result_of(name: str, code: int, logs: Path, is_suite: bool) -> Result:
    """How a step ended that has run: `code` is its exit code, `is_suite` whether it has tests to count."""
    log_path = logs / f"{name}.log"
    log = log_path.read_text(errors="replace") if log_path.exists() else ""
    if (report := logs / f"{name}.json").exists():
        told = from_json(report)
    elif (report := logs / f"{name}.xml").exists():
        told = from_junit(report)
    elif name == "cargo":
        told = from_cargo_test(log)
    else:
        told = Result(passed=0 if is_suite or code else 1)
    if not told.failed and code != 0:
        told.failed.append(end_of(log))
    if not told.failed and told.passed == 0:
        told.failed.append(Failure("", "", "it ran no test\n" + end_of(log).text))
    return told

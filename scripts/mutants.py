"""`make mutants`: what guards phones is taken out of a copy of the tree, one thing at a time, and its tests have to fail.

The product knows nothing of it: a mutant is a piece of a file and what stands there instead. `tests/gate/test_mutants.py`
sees with every run that each of them still fits, and that its tests are there.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "target/mutants/tree"
BUILT = ROOT / "target/mutants/built"
# How `cargo nextest run` ends where tests have failed; anything else says that they were not run.
FAILED = 100


@dataclass(frozen=True)
class Mutant:
    """A guard that is taken out."""

    what: str
    file: str
    text: str
    instead: str
    package: str
    # Where they stand, and their names: each has to fail, on both databases where it runs on both.
    tests_in: str
    tests: tuple[str, ...]


MUTANTS = (
    Mutant(
        what="no second look at a card when its task is claimed",
        file="crates/fleet/src/operation/claim.rs",
        text="        match (class.why, card) {\n",
        instead="        match (class.why.filter(|_| false), card) {\n",
        package="server",
        tests_in="crates/server/tests/it/operation/second_look.rs",
        tests=("a_reset_is_skipped_on_a_card_that_was_taken_after_it_was_scheduled",),
    ),
    Mutant(
        what="no guard of the mark in the lines that an agent sends",
        file="crates/agent/src/act/owned.rs",
        text="""|| {{ echo \\"$m\\"; exit {NOT_OURS}; }}\\n")\n""",
        instead="""|| :\\n")\n""",
        package="agent",
        tests_in="crates/agent/tests/tasks/owned.rs",
        tests=("a_card_of_another_phone_is_left_as_it_is",),
    ),
    Mutant(
        what="a folder that cannot be opened is listed as an empty one, as the file service does",
        file="crates/agent/src/listing.rs",
        text='    format!("cd {folder} && find . -xdev -mindepth 1 -print0")\n',
        instead='    format!("cd {folder} && {{ find . -xdev -mindepth 1 -print0 2>/dev/null || :; }}")\n',
        package="agent",
        tests_in="crates/agent/tests/tasks/covered.rs",
        tests=("a_folder_that_cannot_be_read_is_not_an_empty_one",),
    ),
)


def mutated(mutant: Mutant, text: str) -> str:
    """A file without the guard. Raises where that does not stand there once."""
    if text.count(mutant.text) != 1:
        raise ValueError(f"{mutant.file} has changed: the mutant \"{mutant.what}\" has to follow")
    return text.replace(mutant.text, mutant.instead)


def copied() -> None:
    """The tree as it lies here, and nothing that was built in it. What has not changed keeps its time: it is not compiled
    again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True
    )
    names = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    for old in sorted(COPY.rglob("*")):
        if old.is_file() and str(old.relative_to(COPY)) not in names:
            old.unlink()
    for name in names:
        of, to = ROOT / name, COPY / name
        if not to.exists() or to.read_bytes() != of.read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(of, to)
    (COPY / "web/dist").mkdir(parents=True, exist_ok=True)


def run(mutant: Mutant) -> tuple[int, str]:
    """Runs the tests of a mutant in the copy."""
    which = " or ".join(f"test({name})" for name in mutant.tests)
    command = ["cargo", "nextest", "run", "--no-fail-fast", "--color", "never", "-p", mutant.package, "-E", which]
    env = {**os.environ, "CARGO_TARGET_DIR": str(BUILT)}
    ran = subprocess.run(command, cwd=COPY, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return ran.returncode, ran.stdout


def passed(output: str) -> list[str]:
    """The tests that have passed."""
    return re.findall(r"^\s*PASS \[.*?\]\s+(?:\(.*?\)\s+)?\S+ (\S+)", output, re.MULTILINE)


def tried(mutant: Mutant) -> str:
    """What is wrong with a mutant; nothing if its tests pass without it, and all fail with it."""
    code, said = run(mutant)
    if code != 0:
        return f"its tests do not pass without it\n{said}"
    file = COPY / mutant.file
    before = file.read_text()
    file.write_text(mutated(mutant, before))
    try:
        code, said = run(mutant)
    finally:
        file.write_text(before)
    if code != FAILED:
        return f"no test has failed (exit code {code})\n{said}"
    alive = passed(said)
    return f"these have passed all the same: {', '.join(alive)}" if alive else ""


def main() -> int:
    """Tries the mutants whose names have a word that was given, or all."""
    copied()
    bad = 0
    for mutant in MUTANTS:
        if sys.argv[1:] and not any(word in mutant.what for word in sys.argv[1:]):
            continue
        wrong = tried(mutant)
        print(f"{'WRONG' if wrong else 'seen'}  {mutant.what}{': ' + wrong if wrong else ''}", flush=True)
        bad += bool(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs the steps of the plan that are named (all, if none is) and ends with the verdict: `python3 scripts/gate [NAME...]`.

Every lane takes the ready step that the most work waits for, by the seconds of the last run, so that all lanes end at
about the same time without anybody choosing what goes where. `LANES=1` runs one step after the other.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from plan import CHECKS, SUITES, STEPS, Step, with_needs
from results import Failure, Result, result_of
from verdict import verdict

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "target/test-logs"
SECONDS = ROOT / "target/gate-seconds.json"
SCRIPT = ROOT / "scripts/step.sh"
LANES = int(os.environ.get("LANES", 0)) or (os.cpu_count() or 2) + 1


def is_there(group: int) -> bool:
    """Whether a process of the group is left; the dead that nobody has asked after do not count."""
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        states = subprocess.run(["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True).stdout.split()
        return any(not state.startswith("Z") for state in states)
    return False


class Run:
    """One run: what is left to do, what goes on, what came out."""

    def __init__(self, steps: list[Step]):
        self.left = {step.name: step for step in steps}
        self.results: dict[str, Result] = {}
        self.seconds: dict[str, float] = {}
        self.processor: dict[str, float] = {}
        self.failed: set[str] = set()
        self.done: set[str] = set()
        self.running: dict[str, subprocess.Popen] = {}
        self.services: list[subprocess.Popen] = []
        self.environment = dict(os.environ)
        self.changed = threading.Condition()
        self.began = time.monotonic()
        try:
            self.last: dict[str, float] = json.loads(SECONDS.read_text())
        except (OSError, ValueError):
            self.last = {}

    def cost(self, step: Step) -> float:
        return self.last.get(step.name, step.seconds)

    def waited_for(self, step: Step) -> float:
        """The seconds from the start of a step to the end of the longest chain that it holds up."""
        chains = [self.waited_for(other) for other in self.left.values() if step.name in other.after]
        return self.cost(step) + max(chains, default=0)

    def ready(self) -> list[Step]:
        found = [step for step in self.left.values() if self.done.issuperset(step.after)]
        return sorted(found, key=lambda step: -self.waited_for(step))

    def give_up_on_what_needs(self, failed: str) -> None:
        """What needs a step that failed cannot run, and counts as failed: nothing is passed over in silence."""
        for name, step in list(self.left.items()):
            if failed in step.after:
                del self.left[name]
                self.failed.add(name)
                if step.kind in ("check", "suite"):
                    self.results[name] = Result(failed=[Failure("", "", f"it could not run, for '{failed}' failed")])
                self.give_up_on_what_needs(name)

    def lane(self) -> None:
        while True:
            with self.changed:
                while self.left and not self.ready():
                    self.changed.wait()
                if not self.left:
                    return
                step = self.ready()[0]
                del self.left[step.name]
            self.carry_out(step)
            with self.changed:
                self.changed.notify_all()

    def carry_out(self, step: Step) -> None:
        began = time.monotonic()
        try:
            code = self.serve(step) if step.kind == "service" else self.execute(step)
        except OSError as error:
            (LOGS / f"{step.name}.log").write_text(f"it did not start: {error}\n")
            code = 127
        took = time.monotonic() - began
        with self.changed:
            self.seconds[step.name] = took
            counts = step.kind in ("check", "suite")
            if counts or code != 0:
                told = result_of(step.name, code, LOGS, step.kind == "suite")
                self.results[step.name] = told
                mark = "!!" if told.failed else "  "
                print(f"{mark}  {step.name:<13}{told.passed:>5} passed {len(told.failed):>4} failed {took:>5.0f} s", flush=True)
            else:
                print(f"    {step.name:<13}{'ready':>24} {took:>5.0f} s", flush=True)
            if code != 0 and not counts:
                self.failed.add(step.name)
                self.give_up_on_what_needs(step.name)
            else:
                # A suite with failures is done: nothing else is built on what it found.
                self.done.add(step.name)

    def execute(self, step: Step) -> int:
        with (LOGS / f"{step.name}.log").open("wb") as log:
            process = subprocess.Popen(
                [SCRIPT, step.name], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                start_new_session=True,
            )
            self.running[step.name] = process
            try:
                # What it and all that it waited for took of the processors: a suite's servers, but not PostgreSQL.
                _, status, usage = os.wait4(process.pid, 0)
                self.processor[step.name] = usage.ru_utime + usage.ru_stime
                return os.waitstatus_to_exitcode(status)
            finally:
                del self.running[step.name]

    def serve(self, step: Step) -> int:
        """A service tells `NAME=VALUE` when it stands, and ends with its standard input, so with this process."""
        log = (LOGS / f"{step.name}.log").open("wb")
        process = subprocess.Popen(
            [SCRIPT, step.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=self.environment,
            start_new_session=True,
        )
        self.services.append(process)
        assert process.stdout
        name, _, value = process.stdout.readline().decode().strip().partition("=")
        if not value:
            return process.wait() or 1
        self.environment[name] = value
        return 0

    def whole(self) -> None:
        lanes = [threading.Thread(target=self.lane, daemon=True) for _ in range(LANES)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()

    def end(self) -> None:
        """Nothing outlives the run, however it ended."""
        left = [process.pid for process in self.running.values()]
        # A step that is asked may clean up; one that does not listen is ended.
        for how, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 1)):
            for group in left:
                with suppress(ProcessLookupError):
                    os.killpg(group, how)
            until = time.monotonic() + patience
            while (left := [group for group in left if is_there(group)]) and time.monotonic() < until:
                time.sleep(0.05)
        for process in self.services:
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def main(names: list[str]) -> int:
    chosen = tuple(name for word in names for name in (CHECKS if word == "check" else (word,))) or CHECKS + SUITES
    unknown = [name for name in chosen if name not in STEPS]
    if unknown:
        print(f"There is no step '{unknown[0]}'. There are: check {' '.join(STEPS)}.", file=sys.stderr)
        return 2
    LOGS.mkdir(parents=True, exist_ok=True)
    for old in LOGS.iterdir():
        if old.is_file():
            old.unlink()
    run = Run(with_needs(chosen))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"==> {' '.join(chosen)}, in {LANES} lanes", flush=True)
    try:
        run.whole()
    finally:
        run.end()
    SECONDS.write_text(json.dumps({**run.last, **run.seconds}, indent=1))
    told = "\n".join(verdict(run.results, run.seconds, run.processor, time.monotonic() - run.began, LOGS, ROOT))
    # `.ci/run` closes with its last line again, since make says something after a failure.
    (LOGS / "verdict").write_text(told + "\n")
    print(f"\n{told}", flush=True)
    return 1 if run.failed or any(told.failed for told in run.results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

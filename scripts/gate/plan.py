"""What `make test` consists of: steps, what each needs to have ended well, and what it is for.

The commands are functions of `scripts/step.sh`. `seconds` is what a step took on the two cores of a build machine; it
orders the first run on a machine, later ones go by what the last took there.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    name: str
    seconds: int
    after: tuple[str, ...] = ()
    # `setup` counts nothing unless it fails, `check` is one test, `suite` has tests, `service` runs beside them.
    kind: str = "suite"


SERVED = ("build", "venv", "packages", "postgres", "s3")

PLAN = (
    # What is missing is installed; what is compiled takes longest, so it begins as soon as there is a linker.
    Step("toolchain", 5, kind="setup"),
    Step("packages", 60, ("toolchain",), kind="setup"),
    Step("npm", 20, kind="setup"),
    Step("venv", 30, kind="setup"),
    Step("build", 520, ("toolchain",), kind="setup"),
    Step("web", 15, ("npm",), kind="setup"),
    Step("postgres", 3, ("packages",), kind="service"),
    Step("s3", 2, ("venv",), kind="service"),
    # Quick ones first: who broke one of them need not wait for the others.
    Step("format", 2, ("toolchain",), kind="check"),
    Step("rules", 1, kind="check"),
    Step("lint", 4, ("npm",), kind="check"),
    Step("types", 8, ("npm",), kind="check"),
    Step("budget", 3, ("web",), kind="check"),
    Step("generated", 10, ("build", "npm"), kind="check"),
    # The build has linted what it compiled; this one tells what was found.
    Step("clippy", 3, ("build",), kind="check"),
    Step("cargo", 1950, SERVED),
    Step("e2e", 1300, ("build", "packages", "web")),
    Step("vitest", 240, ("npm",)),
    Step("gate", 5, ("venv",)),
    Step("schemathesis", 165, SERVED),
    Step("contract", 125, SERVED),
    Step("kill9", 86, SERVED),
    Step("standby", 61, SERVED),
    Step("faults", 225, SERVED),
    Step("hostile", 40, SERVED),
    Step("fleet", 20, SERVED),
)
STEPS = {step.name: step for step in PLAN}
CHECKS = tuple(step.name for step in PLAN if step.kind == "check")
SUITES = tuple(step.name for step in PLAN if step.kind == "suite")


def with_needs(names: tuple[str, ...]) -> list[Step]:
    """These steps and all that they need, in the order of the plan."""
    wanted: set[str] = set()

    def want(name: str) -> None:
        if name not in wanted:
            wanted.add(name)
            for need in STEPS[name].after:
                want(need)

    for name in names:
        want(name)
    return [step for step in PLAN if step.name in wanted]

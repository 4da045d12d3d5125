"""`make quick [SINCE=COMMIT]`: what a change since a commit reaches, for the hand: in two minutes, with all else built.

Format, rules, and for what changed: types and lint of the web with the tests that import it, the build (which clippy
judges on the way), the tests of the crates and of those that stand on them, and of the calls that the change is about. Not the suites from
outside (contract, browser, crashes): `make test` has those.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CALLS = ROOT / "crates/server/tests/it"
# The tests of calls of the first groups are one program; a crate of domains is judged by those of its modules. A younger
# group has its own tests. A module that is named nowhere here is for what all domains stand on, and runs when `base` or
# `server` change.
OF_CRATE = {
    "accounts": ("auth", "staff", "notices", "openid", "second_factor", "sign_in_limits", "step_up", "login_key"),
    "customers": ("client_user",),
    "fleet": ("fleet", "operation"),
    "platform": ("general", "task"),
}
# What every domain stands on is judged by its own tests and by these few of the program: all of them take minutes.
SAMPLE = ("architecture", "circles", "contract", "settings")
# The tests of phones at cards take minutes as well: they are for a change of these.
AT_CARDS = {"fleet", "phones", "testroom"}


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def changed_since(commit: str) -> list[str]:
    named = output("git", "diff", "--name-only", commit) + output("git", "ls-files", "--others", "--exclude-standard")
    return sorted(set(named.split()))


def dependents() -> dict[str, set[str]]:
    """Of each crate of ours, the crates of ours that stand on it, at any distance."""
    packages = json.loads(output("cargo", "metadata", "--format-version", "1", "--no-deps"))["packages"]
    # A group's tests stand on the whole program; they are not for what every other group changes.
    program = {"testapp", "testroom"}
    direct = {package["name"]: {need["name"] for need in package["dependencies"]} - program for package in packages}
    found: dict[str, set[str]] = {}

    def of(name: str) -> set[str]:
        if name not in found:
            found[name] = set()
            for other, needs in direct.items():
                if name in needs:
                    found[name] |= {other} | of(other)
        return found[name]

    for name in direct:
        of(name)
    return found


def filter_of(changed: list[str], crates: set[str], reached: set[str]) -> str:
    """nextest's words for the tests that a change reaches."""
    modules: set[str] = set()
    for crate in crates:
        modules |= set(OF_CRATE.get(crate, ()))
    for path in changed:
        if found := re.match(r"crates/server/tests/it/(\w+)", path):
            modules.add(found[1])
        # Of a file of a domain, the modules that are called as its folder or as itself.
        modules |= {part for part in re.split(r"[/.]", path) if (CALLS / part).is_dir() or (CALLS / f"{part}.rs").exists()}
    if crates - OF_CRATE.keys():
        modules |= set(SAMPLE)
    if crates & {"base", "server", "testapp"}:
        named = {module for group in OF_CRATE.values() for module in group}
        modules |= {path.stem for path in CALLS.iterdir() if path.name != "main.rs"} - named
    if "testroom" in crates:
        modules |= set(OF_CRATE["fleet"])
        reached = reached | {"phones"}
    own = {crate: f"package(={crate})" for crate in sorted((crates | reached) - {"server", "bench"})}
    if "phones" in own and not crates & AT_CARDS:
        own["phones"] = "(package(=phones) - binary(=cards))"
    calls = f"(package(=server) & test(/^({'|'.join(sorted(modules))})::/))" if modules else ""
    return " | ".join([*own.values(), calls] if calls else own.values())


def step(name: str, command: list[str], folder: Path = ROOT, silent: bool = False) -> bool:
    """Runs it and tells how long it took; `silent`: whatever it says is wrong, as the warnings of a build are."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    took = time.monotonic() - began
    said = done.stdout + done.stderr
    fine = done.returncode == 0 and not (silent and said)
    print(f"{'  ' if fine else '!!'}  {name:<12}{took:>6.1f} s", flush=True)
    if not fine:
        print("\n".join(said.splitlines()[-60:]))
    return fine


def main(commit: str) -> int:
    changed = changed_since(commit)
    print(f"==> {len(changed)} files differ from {commit}")
    fine = step("format", ["cargo", "fmt", "--all", "--check"]) and step("rules", ["scripts/rules.sh"])
    if any(path.startswith("web/") for path in changed):
        web = ROOT / "web"
        for name, command in {
            "types": ["npm", "run", "--silent", "typecheck"],
            "lint": ["npm", "run", "--silent", "lint"],
            "vitest": ["npm", "exec", "--", "vitest", "run", "--changed", commit, "--passWithNoTests"],
        }.items():
            fine = step(name, command, web) and fine
    known = dependents()
    crates = {found[1] for path in changed if (found := re.match(r"crates/(\w+)/", path)) and found[1] in known}
    if any(path in ("Cargo.toml", "Cargo.lock") for path in changed):
        crates = set(known)
    if not crates:
        return 0 if fine else 1
    linker = ["mold", "-run"] if subprocess.run(["which", "mold"], capture_output=True).returncode == 0 else []
    build = ["cargo", "build", "--quiet", "--workspace", "--all-targets"]
    fine = step("build", [*linker, *build], silent=True) and fine
    reached = set().union(*(known[crate] for crate in crates))
    wanted = filter_of(changed, crates, reached)
    print(f"    tests: {wanted}")
    run = ["nextest", "run", "--workspace", "--cargo-quiet", "--no-tests", "pass", "-E", wanted]
    fine = step("tests", ["env", "PG_IN_MEMORY=1", "scripts/with-postgres.sh", *linker, "cargo", *run]) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(os.environ.get("SINCE") or "HEAD"))

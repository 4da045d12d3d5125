"""Sends good and bad requests, made from the OpenAPI document, as a full administrator: some 70 for each call.

`run.py --junit FILE`. Fails on a server error, on an answer that is not what the document says, and when the run
turns out to have tested nothing (its session ended, say).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.client import Client  # noqa: E402
from support.server import ADMIN_PASSWORD, Server  # noqa: E402

# Of each call, besides those that every field and status has coming (the coverage phase).
EXAMPLES = 20

# What ends the very session that the run lives on. Everything else is tested, but for the streams of events: those have
# no end, and each request to one would last as long as the run waits.
LEFT_OUT = {
    "/api/user/v1/designjet/login/updatePassword": "changes the own password and ends every session of the operator",
    "/api/user/v1/designjet/logout": "signs out",
    "/api/user/v1/me/sessions/{id}": "ends the session that the run lives on",
    "/api/user/v1/operators/{id}/sessions/{sessionId}": "ends the session that the run lives on",
    "/api/platform/v1/settings/sign-in": "may demand a second factor of the operator of the run, or end his session",
    "/api/user/v1/operators/{id}/signOut": "ends the session that the run lives on",
    "/api/user/v1/me/second-factor/confirm": "ends the other sessions of the operator",
    "/api/user/v1/client/login/oidc/{id}/start": "answers with a page's address, not with the envelope",
    "/api/user/v1/client/login/oidc/{id}/callback": "answers with a page's address, not with the envelope",
}

CHECKS = "not_a_server_error,content_type_conformance,keeps_the_envelope,keeps_its_schema"


def streams(document: dict) -> list[str]:
    """The paths that answer with a stream of events."""
    return [
        path
        for path, methods in document["paths"].items()
        if any("text/event-stream" in answer.get("content", {})
               for call in methods.values() for answer in call.get("responses", {}).values())
    ]


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--junit", required=True)
    arguments.add_argument("--examples", type=int, default=EXAMPLES)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="skyrack-schemathesis-") as folder:
        server = Server("sqlite", Path(folder)).start()
        try:
            return run(server, Path(folder), options.junit, options.examples)
        finally:
            server.stop()


def run(server: Server, folder: Path, junit: str, examples: int) -> int:
    admin = Client(server.base).login("admin", ADMIN_PASSWORD)
    document = json.load(urllib.request.urlopen(f"{server.base}/api/openapi.json"))
    for path in LEFT_OUT:
        assert path in document["paths"], f"{path} is left out but does not exist"
    left_out = [*LEFT_OUT, *streams(document)]
    assert len(left_out) > len(LEFT_OUT), "the document tells of no stream of events, and there are some"
    operations = sum(len(methods) for path, methods in document["paths"].items() if path not in left_out)
    print(f"{operations} operations, {examples} examples of each")
    seen = folder / "seen.json"
    command = [
        str(Path(sys.executable).parent / "st"), "run", f"{server.base}/api/openapi.json",
        "--header", f"Authorization:{admin.token}",
        "--checks", CHECKS,
        "--phases", "examples,coverage,fuzzing",
        "--max-examples", str(examples),
        "--continue-on-failure",
        "--suppress-health-check", "all",
        "--request-timeout", "20",
        "--seed", "20261120",
        "--no-shrink",
        "--warnings", "off",
        "--report", "junit", "--report-junit-path", junit,
    ]
    for path in left_out:
        command += ["--exclude-path", path]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "SEEN_FILE": str(seen), "PYTHONPATH": str(HERE)}
    code = subprocess.run(command, env=environment, cwd=folder).returncode

    counts = json.loads(seen.read_text())
    sent = sum(n for what, n in counts.items() if what.startswith("http "))
    print(f"{sent} requests: {dict(sorted(counts.items()))}")
    errors = sum(n for what, n in counts.items() if what.startswith("http 5"))
    # An administrator whose session ended on the way would be refused everywhere, and every check would pass.
    alive = admin.get(f"/api/v1.0/users/{admin.id}/").status == 0
    if not alive:
        print("FAILED: the run lost its session, so it tested little")
    if counts.get("status 0", 0) < sent / 20:
        print("FAILED: hardly any request got through")
        alive = False
    if errors:
        print(server.tail(60))
    return code or int(errors > 0 or not alive)


if __name__ == "__main__":
    sys.exit(main())

"""The uploads that there are, as both API documents and the routers beside them list them.

A new one is sent the hostile files by itself. What has to be known of it beyond that, such as a good file, is missed by name.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from support.server import ROOT

# Of operators, and of applications that sign what they send.
DOCUMENTS = ("api/openapi.json", "api/open.json")
# Crates whose routers are no part of the console.
APART = ("bench", "sim")
FORM, PIECE = "multipart/form-data", "application/partial-upload"
# Each with a table that it takes: unknown headings are refused.
TABLES = {
    "/api/user/v1/client-users/import": (("姓名", "张三"), ("手机号", "13900000000")),
    "/api/fleet/v1/cards/import": (("机房", "一号"), ("内网 IP", "10.0.0.1")),
    "/api/fleet/v1/hosts/import": (("机房", "一号"), ("机架", "A-01"), ("槽位", "1"), ("主机", "a"), ("卡位数", "8")),
    "/api/phone/v1/phones/import": (
        ("用户手机号或识别码", "13900000000"),
        ("套餐", "VIP"),
        ("归属机房", "一号"),
        ("云盘 (GB)", "32"),
        ("有效天数", "30"),
    ),
}
# Each takes them in pieces as well.
TABLES |= {f"{path}/uploads/{{id}}": columns for path, columns in TABLES.items()}
# Those that take packages: at once, and in pieces.
PACKAGES = ("/api/operation/v1/files", "/api/operation/v1/files/uploads/{id}")
# What `test_hostile.py` and `test_agents.py` send to as agents.
AGENTS = (
    "POST /agent/v1/enrol",
    "PUT /agent/v1/tasks/{task}/{attempt}/file",
    "PUT /agent/v1/tasks/phone/{task}/{attempt}/paper",
)


@dataclass(frozen=True)
class Upload:
    """A call whose body is a file, and what the body is said to be."""

    name: str
    path: str
    content_type: str


def uploads() -> list[Upload]:
    documents = [json.loads((ROOT / name).read_text())["paths"] for name in DOCUMENTS]
    return [
        Upload(f"{method.upper()} {path}", path, content_type)
        for paths in documents
        for path, calls in paths.items()
        for method, call in calls.items()
        if isinstance(call, dict)
        for content_type in call.get("requestBody", {}).get("content", {})
        if content_type != "application/json"
    ]


def tables() -> list[str]:
    """Where tables go, and whatever else comes as a form and takes no packages."""
    return [each.path for each in uploads() if each.content_type == FORM and each.path not in PACKAGES]


def call_at(source: str, at: int) -> str:
    """What stands between the parenthesis that opens before `at` and the one that closes it."""
    open_ones = 1
    for end in range(at, len(source)):
        open_ones += {"(": 1, ")": -1}.get(source[end], 0)
        if open_ones == 0:
            return source[at:end]
    return source[at:]


def routed(source: str) -> Iterator[str]:
    """The calls with a body that a source mounts by hand, and what hides which ones they are."""
    for found in re.finditer(r"\.(route|nest)(?:_service)?\(", source):
        path, _, handlers = call_at(source, found.end()).partition(",")
        path = path.strip().strip('"')
        if found[1] == "nest":
            yield f"NEST {path}"
        for method in re.findall(r"\b(post|put|patch|any|on)(?:_service)?\(", handlers):
            yield f"{method.upper()} {path}"


def of_agents() -> list[str]:
    """The calls with a body that are in no document, of whichever crate: today they are all of agents."""
    sources = [path for path in (ROOT / "crates").glob("*/src/**/*.rs") if path.relative_to(ROOT).parts[1] not in APART]
    return [name for path in sorted(sources) for name in routed(path.read_text())]


def unknown() -> list[str]:
    """What the suite does not know of an upload, or knows of none."""
    found, agents = uploads(), of_agents()
    return [
        *(
            f"{each.name}: nothing here sends {each.content_type}: doors.py has to"
            for each in found
            if each.content_type not in (FORM, PIECE)
        ),
        *(
            f"{each.name}: no good file is known for it: name it in TABLES or PACKAGES of listed.py"
            for each in found
            if each.path not in TABLES and each.path not in PACKAGES
        ),
        *(f"{each.name}: nothing here signs a call: doors.py has to" for each in found if each.path.startswith("/open/")),
        *(
            f"{name}: no document has it, and no hostile agent sends to it: test_agents.py has to"
            for name in agents
            if name not in AGENTS
        ),
        *(f"{path}: no API document has such an upload" for path in {*TABLES, *PACKAGES} - {each.path for each in found}),
        *(f"{name}: no router has such a call" for name in AGENTS if name not in agents),
    ]

"""The uploads that there are, as the API document and the agents' router list them.

A new one is sent the hostile files by itself. What has to be known of it beyond that, such as a good file, is missed by name.
"""

import json
import re
from dataclasses import dataclass

from support.server import ROOT

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
    paths = json.loads((ROOT / "api/openapi.json").read_text())["paths"]
    return [
        Upload(f"{method.upper()} {path}", path, content_type)
        for path, calls in paths.items()
        for method, call in calls.items()
        if isinstance(call, dict)
        for content_type in call.get("requestBody", {}).get("content", {})
        if content_type != "application/json"
    ]


def tables() -> list[str]:
    """Where tables go, and whatever else comes as a form and takes no packages."""
    return [each.path for each in uploads() if each.content_type == FORM and each.path not in PACKAGES]


def of_agents() -> list[str]:
    """The calls of agents that have a body. They are in no document."""
    router = (ROOT / "crates/fleet/src/agent_link/mod.rs").read_text()
    found = re.findall(r'\.route\(\s*"(/agent/[^"]+)",\s*(post|put|patch)\(', router)
    return [f"{method.upper()} {path}" for path, method in found]


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
        *(f"{name}: no hostile agent sends to it: test_agents.py has to" for name in agents if name not in AGENTS),
        *(f"{path}: the API document has no such upload" for path in {*TABLES, *PACKAGES} - {each.path for each in found}),
        *(f"{name}: the agents' router has no such call" for name in AGENTS if name not in agents),
    ]

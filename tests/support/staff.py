"""Groups and operators, made through the calls of the specification."""

import itertools
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from support.client import USER, Client
from support.server import ADMIN_PASSWORD

# Half of the time for which the server accepts a sign-in as confirmation of the identity.
PROOF_S = 300
FIRST_PASSWORD = "First_2026pw"
OWN_PASSWORD = "Chosen_2026pw"

_numbers = itertools.count(1)


def unique(prefix: str) -> str:
    """A name that no other test of this run uses, short enough for every rule."""
    return f"{prefix}{os.getpid() % 10000}x{next(_numbers)}"


def entries(tree: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every entry of a menu tree with its level, 1 to 3, parents first."""

    def walk(level: int, found: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        for entry in found:
            yield level, entry
            yield from walk(level + 1, entry.get("children") or [])

    return walk(1, tree)


def menu_ids(tree: list[dict[str, Any]], codes: Iterable[str]) -> list[Any]:
    """The ids of the entries that carry these codes, and of what is above them."""
    wanted, found, ids = set(codes), set(), []
    for section in tree:
        below_section = []
        for screen in section["children"]:
            buttons = [b for b in screen.get("children") or [] if b["code"] in wanted]
            if buttons:
                below_section += [screen["id"], *(b["id"] for b in buttons)]
                found |= {b["code"] for b in buttons}
        if below_section:
            ids += [section["id"], *below_section]
    assert found == wanted, f"the tree lacks {wanted - found}"
    return ids


@dataclass
class Operator:
    id: Any
    username: str
    password: str
    group_id: Any
    client: Client


class Staff:
    """Makes operators for tests, as the full administrator `admin`."""

    def __init__(self, admin: Client):
        self._admin = admin
        self._signed_in_at = time.monotonic()

    @property
    def admin(self) -> Client:
        """The administrator. A client that knows the specification alone signs in again before grave acts."""
        if time.monotonic() - self._signed_in_at > PROOF_S:
            self._admin.token = None
            self._admin.login("admin", ADMIN_PASSWORD)
            self._signed_in_at = time.monotonic()
        return self._admin

    def tree(self) -> list[dict[str, Any]]:
        return self.admin.get(f"{USER}/v1/menus/tree", params={"groupId": self.admin.group_id}).data

    def codes(self) -> list[str]:
        return [entry["code"] for level, entry in entries(self.tree()) if level == 3]

    def group(self, codes: Iterable[str] = ()) -> Any:
        """The id of a new group that holds exactly these codes."""
        name = unique("group")
        self.admin.post(f"{USER}/v1/designjet/permissions/group", {"groupName": name}).data
        page = self.admin.post(f"{USER}/v1/designjet/permissions/group/list", {"page": 1, "keyWord": name}).data
        group_id = next(g["id"] for g in page["list"] if g["groupName"] == name)
        self.allot(group_id, codes)
        return group_id

    def allot(self, group_id: Any, codes: Iterable[str]) -> None:
        ids = menu_ids(self.tree(), codes)
        self.admin.post(f"{USER}/v1/menus/allot", {"groupId": group_id, "menuIds": ids}).data

    def payload(self, **changes: Any) -> dict[str, Any]:
        """A new operator that breaks no rule."""
        payload = {
            "username": unique("op_"),
            "password": self.admin.encrypt(FIRST_PASSWORD),
            "groupId": self.admin.group_id,
            "accountType": "normal",
            "email": "someone@example.com",
            "phone": "13800138000",
            "remark": "made by a test",
            "enabled": True,
        }
        return {**payload, **changes}

    def newcomer(self, group_id: Any = None) -> Operator:
        """An operator who signed in for the first time and has not chosen a password yet."""
        payload = self.payload(groupId=self.admin.group_id if group_id is None else group_id)
        made = self.admin.post(f"{USER}/v1/designjet/user", payload).data
        client = Client(self.admin.base, self.admin.language, self.admin.address)
        client.login(payload["username"], FIRST_PASSWORD)
        return Operator(made["id"], payload["username"], FIRST_PASSWORD, payload["groupId"], client)

    def operator(self, group_id: Any = None) -> Operator:
        """An operator at work: the password is his own, and he is signed in."""
        operator = self.newcomer(group_id)
        operator.client.change_password(OWN_PASSWORD).data
        operator.password = OWN_PASSWORD
        operator.client.token = None
        operator.client.login(operator.username, OWN_PASSWORD)
        return operator

    def limited(self, *codes: str) -> Operator:
        """An operator at work who holds these codes and no other."""
        return self.operator(self.group(codes))

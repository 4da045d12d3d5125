"""The menu calls, which the specification writes without a prefix and our own page calls with one."""

import pytest
from support.client import USER, Client
from support.staff import Staff, entries, unique

PREFIXES = ["", USER]


@pytest.fixture(params=PREFIXES, ids=["bare", "prefixed"])
def menus(request) -> str:
    return f"{request.param}/v1/menus"


@pytest.fixture
def section(staff: Staff, menus: str):
    """A section of the test's own, and how to get rid of it."""
    name = unique("section")
    staff.admin.post(f"{menus}/create", entry(name=name)).data
    made = next(s for s in everything(staff.admin, menus) if s["name"] == name)
    yield made
    staff.admin.delete(f"{menus}/delete/{made['id']}")


def entry(**changes):
    return {"parentId": None, "name": "x", "path": f"/{unique('path')}", "icon": "setting", "code": None,
            "sort": 900, "visible": True, **changes}


def everything(admin: Client, menus: str):
    page = admin.get(f"{menus}/findAll", params={"pageIndex": 1, "pageSize": 500}).data
    assert page["total"] == len(page["list"])
    return page["list"]


def test_the_tree_has_the_shape_that_clients_read(admin: Client, menus: str):
    tree = admin.get(f"{menus}/tree", params={"groupId": admin.group_id}).data
    found = list(entries(tree))
    assert {level for level, _ in found} == {1, 2, 3}
    for level, e in found:
        assert {"id", "parentId", "name", "path", "icon", "visible", "code"} <= set(e), e
        if level < 3:
            assert e["path"] and e["name"] and isinstance(e["children"], list), e
        else:
            assert e["code"] and not e.get("children"), e
    codes = [e["code"] for level, e in found if level == 3]
    assert len(codes) == len(set(codes))


def test_both_prefixes_and_the_console_variant_answer_the_same(admin: Client):
    query = {"groupId": admin.group_id}
    prefixed = admin.get(f"{USER}/v1/menus/tree", params=query).data
    bare = admin.get("/v1/menus/tree", params={**query, "cacheable": "false"}).data
    assert prefixed == bare


def test_an_entry_is_made_found_renamed_hidden_and_deleted(staff: Staff, menus: str, section: dict):
    admin = staff.admin
    child_name = unique("screen")
    admin.post(f"{menus}/create", entry(parentId=section["id"], name=child_name)).data
    [child] = admin.get(f"{menus}/findByParentId", params={"parentId": section["id"]}).data
    assert (child["name"], child["parentId"]) == (child_name, section["id"])

    renamed = unique("renamed")
    changed = entry(parentId=section["id"], name=renamed, path=child["path"])
    admin.put(f"{menus}/update/{child['id']}", changed).data
    assert admin.get(f"{menus}/findById", params={"id": child["id"]}).data["name"] == renamed

    admin.put(f"{menus}/update/{child['id']}/visible", {"visible": False}).data
    assert admin.get(f"{menus}/findById", params={"id": child["id"]}).data["visible"] is False

    admin.delete(f"{menus}/delete/{section['id']}").refused(409, 4009)
    admin.delete(f"{menus}/delete/{child['id']}").data
    admin.get(f"{menus}/findById", params={"id": child["id"]}).refused(404, 4004)


def test_a_hidden_entry_is_gone_from_the_tree_or_marked(staff: Staff, menus: str, section: dict):
    staff.admin.put(f"{menus}/update/{section['id']}/visible", {"visible": False}).data
    tree = staff.admin.get(f"{menus}/tree", params={"groupId": staff.admin.group_id}).data
    assert all(e["visible"] is False for _, e in entries(tree) if e["id"] == section["id"])


def test_a_built_in_entry_is_hidden_never_deleted(staff: Staff, menus: str):
    button = next(e for level, e in entries(staff.tree()) if level == 3)
    staff.admin.delete(f"{menus}/delete/{button['id']}").refused(409, 4009)


@pytest.mark.parametrize("changes, field", [({"name": ""}, "name"), ({"sort": "first"}, "sort")])
def test_an_invalid_entry_is_told_at_its_field(staff: Staff, menus: str, changes: dict, field: str):
    answer = staff.admin.post(f"{menus}/create", entry(**{"name": unique("bad"), **changes}))
    assert answer.refused(400, 4000)["errors"]


def test_an_entry_needs_a_parent_that_exists(staff: Staff, menus: str):
    unknown = type(staff.tree()[0]["id"])(999_999_999)
    answer = staff.admin.post(f"{menus}/create", entry(name=unique("orphan"), parentId=unknown))
    assert answer.status in (4000, 4004)


def test_an_entry_cannot_become_its_own_ancestor(staff: Staff, menus: str, section: dict):
    loop = entry(parentId=section["id"], name=section["name"], path=section["path"])
    answer = staff.admin.put(f"{menus}/update/{section['id']}", loop)
    assert answer.status in (4000, 4009)
    shown = staff.admin.get(f"{menus}/findById", params={"id": section["id"]}).data
    assert shown["parentId"] == section["parentId"]


@pytest.mark.parametrize("nonsense", ["abc", "-1", "9223372036854775808", "%00"])
def test_an_id_that_is_none_is_refused(staff: Staff, menus: str, nonsense: str):
    for answer in (
        staff.admin.delete(f"{menus}/delete/{nonsense}"),
        staff.admin.get(f"{menus}/findById", params={"id": nonsense}),
        staff.admin.put(f"{menus}/update/{nonsense}/visible", {"visible": True}),
    ):
        assert answer.status in (4000, 4004) and answer.http in (400, 404)


def test_who_may_not_manage_menus_changes_none(staff: Staff, menus: str):
    client = staff.limited().client
    before = everything(staff.admin, menus)
    target = before[0]["id"]
    client.get(f"{menus}/findAll", params={"pageIndex": 1, "pageSize": 10}).refused(200, 4003)
    client.post(f"{menus}/create", entry(name=unique("not"))).refused(200, 4003)
    client.put(f"{menus}/update/{target}/visible", {"visible": False}).refused(200, 4003)
    client.delete(f"{menus}/delete/{target}").refused(200, 4003)
    client.post(f"{menus}/allot", {"groupId": client.group_id, "menuIds": [target]}).refused(200, 4003)
    assert everything(staff.admin, menus) == before

"""Permission groups and the permissions assigned to them."""

import pytest
from support.client import USER
from support.staff import Staff, entries, menu_ids, unique

GROUP = f"{USER}/v1/designjet/permissions/group"
TREE = f"{USER}/v1/menus/tree"


def found(staff: Staff, name: str):
    page = staff.admin.post(f"{GROUP}/list", {"page": 1, "pageSize": 100, "keyWord": name}).data
    return [(g["id"], g["groupName"]) for g in page["list"]]


def test_a_group_is_made_renamed_and_deleted(staff: Staff):
    name, renamed = unique("made"), unique("renamed")
    staff.admin.post(GROUP, {"groupName": name}).data
    [(group_id, shown)] = found(staff, name)
    assert shown == name
    staff.admin.put(GROUP, {"id": group_id, "groupName": renamed}).data
    assert found(staff, renamed) == [(group_id, renamed)] and found(staff, name) == []
    everyone = staff.admin.get(f"{GROUP}/all").data
    assert (group_id, renamed) in [(g["id"], g["groupName"]) for g in everyone]
    staff.admin.delete(GROUP, {"idList": [group_id]}).data
    assert found(staff, renamed) == []


@pytest.mark.parametrize("name", ["", "short", "x" * 33, " leading", None, 7])
def test_a_name_must_have_6_to_32_characters(staff: Staff, name):
    answer = staff.admin.post(GROUP, {"groupName": name})
    answer.refused(400, 4000)
    if isinstance(name, str):
        answer.invalid("groupName")


@pytest.mark.parametrize("name", ["運維值班組的六", "权限组一二三"])
def test_a_name_is_counted_in_characters(staff: Staff, name: str):
    name = name + unique("")
    staff.admin.post(GROUP, {"groupName": name}).data
    assert [n for _, n in found(staff, name)] == [name]


def test_a_name_that_is_taken_is_a_conflict(staff: Staff):
    name = unique("twice")
    staff.admin.post(GROUP, {"groupName": name}).data
    staff.admin.post(GROUP, {"groupName": name}).refused(409, 4009)


def test_a_group_with_operators_is_not_deleted(staff: Staff):
    operator = staff.newcomer(staff.group())
    staff.admin.delete(GROUP, {"idList": [operator.group_id]}).refused(409, 4009)
    assert operator.group_id in [g["id"] for g in staff.admin.get(f"{GROUP}/all").data]


def test_an_operator_sees_the_tree_of_what_his_group_holds(staff: Staff):
    codes = staff.codes()[:3]
    operator = staff.limited(*codes)
    tree = operator.client.get(TREE, params={"groupId": operator.group_id}).data
    assert sorted(e["code"] for level, e in entries(tree) if level == 3) == sorted(codes)
    info = operator.client.get(f"/api/v1.0/users/{operator.id}/").data
    assert sorted(info["roles"]) == sorted(codes)


def test_an_operator_sees_no_other_groups_tree(staff: Staff):
    operator = staff.limited()
    answer = operator.client.get(TREE, params={"groupId": staff.admin.group_id})
    assert answer.status != 0 and answer.body["data"] is None
    for nonsense in ("-1", "9223372036854775808", "abc", ""):
        answer = operator.client.get(TREE, params={"groupId": nonsense})
        assert answer.http < 500
        if answer.status == 0:
            assert all(e["code"] in (None, "", "none") for level, e in entries(answer.data) if level == 3)


def test_the_tree_of_a_group_without_codes_is_never_codeless(staff: Staff):
    client = staff.limited().client
    tree = client.get(TREE, params={"groupId": client.group_id}).data
    codes = [e["code"] for level, e in entries(tree) if level == 3]
    assert codes == ["none"], "the specification's client takes a tree without codes for an administrator's"


def test_allotting_replaces_the_whole_set(staff: Staff):
    first, second = staff.codes()[0], staff.codes()[-1]
    operator = staff.limited(first)
    staff.allot(operator.group_id, [second])
    assert operator.client.get(f"/api/v1.0/users/{operator.id}/").data["roles"] == [second]


def test_nobody_allots_what_he_does_not_hold(staff: Staff):
    rights = [c for c in staff.codes() if "group" in c.lower() or "menu" in c.lower()]
    foreign = next(c for c in staff.codes() if c not in rights)
    operator = staff.limited(*rights)
    target = staff.group()
    ids = menu_ids(staff.tree(), [foreign])
    answer = operator.client.post(f"{USER}/v1/menus/allot", {"groupId": target, "menuIds": ids})
    assert answer.status != 0 and answer.http not in (401, 402, 403)
    assert answer.status != 4003 or foreign in answer.body["msg"], "refused for what he would grant, not for the call"
    tree = staff.admin.get(TREE, params={"groupId": target}).data
    assert foreign not in [e["code"] for _, e in entries(tree)]


def test_every_code_is_listed_with_its_name_and_screen(staff: Staff):
    listed = staff.admin.get(f"{USER}/v1/designjet/permissions/all").data
    assert {p["code"] for p in listed} >= set(staff.codes())
    assert all(p["name"] for p in listed)


def test_unknown_menu_entries_are_not_allotted(staff: Staff):
    group = staff.group()
    unknown = type(staff.tree()[0]["id"])(999_999_999)
    answer = staff.admin.post(f"{USER}/v1/menus/allot", {"groupId": group, "menuIds": [unknown]})
    assert answer.status in (4000, 4004)

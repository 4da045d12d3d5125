"""Operators of the console: `/v1/designjet/user` and its neighbours."""

import pytest
from support.client import USER, Client
from support.staff import OWN_PASSWORD, Staff, unique

PATH = f"{USER}/v1/designjet/user"


def listed(staff: Staff, **query):
    return staff.admin.post(f"{PATH}/list", {"pageNum": 1, "pageSize": 100, **query}).data["list"]


def test_a_new_operator_is_answered_and_listed_without_any_secret(staff: Staff):
    payload = staff.payload()
    made = staff.admin.post(PATH, payload).data
    found = listed(staff, keyWord=payload["username"])
    assert [o["id"] for o in found] == [made["id"]]
    for shown in (made, found[0]):
        for field in ("username", "groupId", "accountType", "email", "phone", "remark", "enabled"):
            assert shown[field] == payload[field], field
        assert not [key for key in shown if "hash" in key.lower() or key.lower() in ("password", "secret", "totp")]
        assert payload["password"] not in str(shown)


@pytest.mark.parametrize("account_type", ["power", "normal", "developer"])
def test_every_account_type_is_kept(staff: Staff, account_type: str):
    assert staff.admin.post(PATH, staff.payload(accountType=account_type)).data["accountType"] == account_type


@pytest.mark.parametrize(
    "field, value",
    [
        ("username", ""),
        ("username", "Upper_case"),
        ("username", "1starts_with_digit"),
        ("username", "four"),
        ("username", "a" * 21),
        ("username", " leading"),
        ("username", "has space"),
        ("phone", "1380013800"),
        ("phone", "138001380001"),
        ("phone", "2380013800x"),
        ("email", "nobody"),
        ("email", "a@b@c.com"),
        ("groupId", 999_999_999),
        ("accountType", "king"),
        ("password", ""),
        ("remark", "x" * 5000),
    ],
)
def test_an_invalid_field_is_told_at_its_place(staff: Staff, field: str, value):
    body = staff.payload(**{field: value})
    zh = staff.admin.post(PATH, body).invalid(field)
    body["password"] = "" if field == "password" else staff.admin.encrypt("First_2026pw")
    en = staff.admin.post(PATH, body, language="en").invalid(field)
    assert en["code"] == zh["code"] and en["message"] != zh["message"]


def test_a_new_operator_needs_a_password(staff: Staff):
    body = staff.payload()
    del body["password"]
    staff.admin.post(PATH, body).invalid("password")


def test_a_name_that_is_taken_is_a_conflict(staff: Staff):
    body = staff.payload()
    staff.admin.post(PATH, body).data
    staff.admin.post(PATH, {**body, "password": staff.admin.encrypt("First_2026pw")}).refused(409, 4009)


def test_an_operator_is_edited_as_a_whole(staff: Staff):
    operator = staff.newcomer()
    body = staff.payload(id=operator.id, username=operator.username, remark="edited", accountType="developer")
    del body["password"]
    edited = staff.admin.put(PATH, body).data
    assert (edited["remark"], edited["accountType"]) == ("edited", "developer")
    assert listed(staff, keyWord=operator.username)[0]["remark"] == "edited"


def test_editing_nobody_is_not_found(staff: Staff):
    body = staff.payload(id=staff.newcomer().id)
    del body["password"]
    body["id"] = type(body["id"])(999_999_999)
    staff.admin.put(PATH, body).refused(404, 4004)


def test_deleting_is_all_or_nothing(staff: Staff):
    first, second = staff.newcomer(), staff.newcomer()
    unknown = type(first.id)(999_999_999)
    assert staff.admin.delete(PATH, {"idList": [first.id, unknown]}).status != 0
    assert listed(staff, keyWord=first.username), "the known one must have stayed"
    staff.admin.delete(PATH, {"idList": [first.id, second.id]}).data
    assert listed(staff, keyWord=first.username) == [] == listed(staff, keyWord=second.username)


def test_a_deleted_operator_is_out_at_once(staff: Staff):
    operator = staff.operator()
    staff.admin.delete(PATH, {"idList": [operator.id]}).data
    answer = operator.client.get(f"{USER}/v1/login/record")
    assert answer.http in (401, 403) or answer.status in (6013, 6014), answer.body
    assert Client(staff.admin.base, address="127.0.2.1").try_login(operator.username, OWN_PASSWORD).status != 0


def test_nobody_deletes_himself(staff: Staff):
    staff.admin.delete(PATH, {"idList": [staff.admin.id]}).refused(409, 4009)
    assert staff.admin.get(f"/api/v1.0/users/{staff.admin.id}/").data


def test_an_empty_selection_is_invalid(staff: Staff):
    staff.admin.delete(PATH, {"idList": []}).refused(400, 4000)


def test_the_filters_of_the_list_narrow_it(staff: Staff):
    group = staff.group()
    inside = staff.newcomer(group)
    assert [o["id"] for o in listed(staff, groupId=group)] == [inside.id]
    body = staff.payload(id=inside.id, username=inside.username, groupId=group, enabled=False)
    del body["password"]
    staff.admin.put(PATH, body).data
    assert [o["id"] for o in listed(staff, groupId=group, enabled=False)] == [inside.id]
    assert listed(staff, groupId=group, enabled=True) == []
    assert listed(staff, keyWord=unique("nobody")) == []


def test_a_search_text_is_text_and_no_pattern(staff: Staff):
    staff.newcomer()
    assert listed(staff, keyWord="%") == []
    assert listed(staff, keyWord="' OR 1=1 --") == []


def test_a_limited_operator_grants_nothing_and_changes_nothing(staff: Staff):
    client = staff.limited().client
    victim = staff.newcomer()
    before = listed(staff, keyWord=victim.username)
    client.post(PATH, staff.payload()).refused(200, 4003)
    client.put(PATH, {**staff.payload(), "id": victim.id}).refused(200, 4003)
    client.delete(PATH, {"idList": [victim.id]}).refused(200, 4003)
    assert listed(staff, keyWord=victim.username) == before

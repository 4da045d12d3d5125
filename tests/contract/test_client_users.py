"""Client users: the home list, their records, and accounts that ask to be closed. The demo data fills them."""

import pytest
from support.client import USER, Client
from support.staff import Staff

LIST = f"{USER}/v5/user/getPageUserInfo"
RECORDS = f"{USER}/v5/user/selectUserLoginRecord"
CLOSING = f"{USER}/logout/qryPageLogoutUser"


def page(admin: Client, path: str = LIST, **query):
    return admin.post(path, {"pageNum": 1, "pageSize": 20, **query}).data


def test_the_demo_company_has_client_users(admin: Client):
    found = page(admin)
    assert found["total"] >= 20 and len(found["list"]) == 20
    assert all(user["id"] for user in found["list"])


def test_a_search_finds_by_name_and_by_part_of_a_phone_number(admin: Client):
    user = next(u for u in page(admin, pageSize=100)["list"] if u.get("phone"))
    for text in (user["name"], user["phone"], user["phone"][-6:]):
        assert user["id"] in [u["id"] for u in page(admin, keyWord=text, pageSize=500)["list"]], text


def test_the_total_is_the_one_of_the_filter(admin: Client):
    everything = page(admin)["total"]
    first = page(admin)["list"][0]
    method = first["loginMethod"]
    some = page(admin, loginMethod=method, pageSize=500)
    assert 0 < some["total"] <= everything
    assert {u["loginMethod"] for u in some["list"]} == {method}


def test_a_range_of_time_narrows_the_list(admin: Client):
    assert page(admin, startTime="2999-01-01T00:00:00+08:00")["total"] == 0
    assert page(admin, startTime="2000-01-01T00:00:00+08:00")["total"] == page(admin)["total"]


def test_the_end_is_not_before_the_start(admin: Client):
    query = {"pageNum": 1, "pageSize": 10, "startTime": "2026-02-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z"}
    admin.post(LIST, query).invalid("endTime")


@pytest.mark.parametrize("field, value", [("startTime", "yesterday"), ("loginMethod", 9e99), ("status", "maybe")])
def test_a_filter_that_is_none_is_invalid(admin: Client, field: str, value):
    admin.post(LIST, {"pageNum": 1, "pageSize": 10, field: value}).refused(400, 4000)


def test_one_client_user_is_read_by_id(admin: Client):
    user = page(admin)["list"][0]
    detail = admin.get(f"{USER}/v1/designjet/client_info", params={"id": user["id"]}).data
    assert detail["id"] == user["id"] and detail["name"] == user["name"]


@pytest.mark.parametrize("nonsense", ["999999999", "abc", "", "-1", "9223372036854775808"])
def test_nobody_is_refused_politely(admin: Client, nonsense: str):
    answer = admin.get(f"{USER}/v1/designjet/client_info", params={"id": nonsense})
    assert answer.status in (4000, 4004) and answer.http in (400, 404)


def test_the_sign_ins_of_one_client_user(admin: Client):
    for user in page(admin, pageSize=50)["list"]:
        found = page(admin, RECORDS, id=user["id"])
        assert set(found) >= {"list", "total"}
        if found["total"]:
            return
    pytest.fail("no client user of the demo data ever signed in")


def test_the_sign_ins_of_operators_are_recorded_with_the_real_address(staff: Staff):
    operator = staff.operator()
    query = {"pageNum": 1, "pageSize": 20, "userId": operator.id}
    found = staff.admin.get(f"{USER}/v1/login/record", params=query).data
    assert found["total"] >= 2, "he signed in twice"
    assert "127.0.0.1" in str(found["list"][0]), "the connection's address, not the one that was claimed"


def test_a_request_to_close_is_withdrawn_once(admin: Client):
    waiting = page(admin, CLOSING, pageSize=100)["list"]
    assert waiting, "the demo data has accounts that ask to be closed"
    done = []
    for request in waiting:
        answer = admin.post(f"{USER}/logout/cancelLogoutUser", {"id": request["id"]})
        done.append(answer.status)
        if answer.status == 0:
            break
    assert done[-1] == 0, f"none could be withdrawn: {done}"
    admin.post(f"{USER}/logout/cancelLogoutUser", {"id": request["id"]}).refused(409, 4009)


def test_who_lacks_the_right_sees_no_client_user(staff: Staff):
    client = staff.limited().client
    for path, body in ((LIST, {}), (CLOSING, {}), (RECORDS, {"id": page(staff.admin)["list"][0]["id"]})):
        answer = client.post(path, {"pageNum": 1, "pageSize": 10, **body})
        answer.refused(200, 4003)


@pytest.mark.parametrize("key", ["", "wxpay.privateKey", "../secrets", "nothing", "mail.password", "a" * 4000])
def test_only_public_settings_are_given_by_key(admin: Client, key: str):
    path = "/api/publics/config/switch/getValue/toJSONObject"
    assert admin.get(path, params={"configKey": key}).data == {}

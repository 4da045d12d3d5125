"""What every answer has in common, and what happens to input that is wrong."""

import pytest
from support.client import USER, Client
from support.staff import Staff

LIST = f"{USER}/v1/designjet/user/list"


def test_an_unknown_call_is_not_found_in_both_languages(admin: Client):
    zh = admin.get("/api/user/v1/nowhere").refused(404, 4004)
    en = admin.get("/api/user/v1/nowhere", language="en").refused(404, 4004)
    assert zh["msg"] != en["msg"] and en["msg"].isascii()


def test_the_language_is_the_header_then_the_cookie_then_chinese(admin: Client):
    def told(**headers: str) -> str:
        return admin.get("/api/user/v1/nowhere", headers=headers).body["msg"]

    zh, en = told(**{"Accept-Language": "zh-CN,zh;q=0.9"}), told(**{"Accept-Language": "en-US,en;q=0.9"})
    assert zh != en
    assert told(**{"Accept-Language": "", "Cookie": "language=en"}) == en
    assert told(**{"Accept-Language": "zh", "Cookie": "language=en"}) == zh
    assert told(**{"Accept-Language": ""}) == zh
    assert told(**{"Accept-Language": "fr"}) == zh


@pytest.mark.parametrize("body", [b"{", b"[]", b'"text"', b"\xff\xfe", b'{"pageNum": 1e999}'])
def test_a_body_that_is_not_the_object_asked_for_is_4000(admin: Client, body: bytes):
    answer = admin.call("POST", LIST, data=body, headers={"Content-Type": "application/json"})
    assert answer.refused(400, 4000)["errors"] is not None


def test_a_body_of_another_type_is_4015(admin: Client):
    answer = admin.call("POST", LIST, data=b"<a/>", headers={"Content-Type": "application/xml"})
    answer.refused(415, 4015)


def test_a_body_too_large_is_4013(admin: Client):
    body = b'{"keyWord": "' + b"a" * 20_000_000 + b'"}'
    answer = admin.call("POST", LIST, data=body, headers={"Content-Type": "application/json"})
    answer.refused(413, 4013)


@pytest.mark.parametrize("field, value", [("pageSize", 501), ("pageSize", 0), ("pageNum", 0), ("pageNum", -1)])
def test_a_page_out_of_range_is_told_at_its_field(admin: Client, field: str, value: int):
    body = {"pageNum": 1, "pageSize": 10, field: value}
    assert admin.post(LIST, body).invalid(field)["message"]
    assert admin.post(LIST, body, language="en").invalid(field)["message"].isascii()


def test_a_page_of_another_type_is_told_at_its_field(admin: Client):
    admin.post(LIST, {"pageNum": "one", "pageSize": 10}).refused(400, 4000)


@pytest.mark.parametrize("size", [1, 2, 500])
def test_a_page_says_how_much_there_is(admin: Client, size: int):
    page = admin.post(LIST, {"pageNum": 1, "pageSize": size}).data
    assert set(page) == {"list", "total", "pageNum", "pageSize"}
    assert (page["pageNum"], page["pageSize"]) == (1, size)
    assert len(page["list"]) == min(size, page["total"])


def test_a_page_past_the_end_is_empty_and_still_counts(admin: Client):
    page = admin.post(LIST, {"pageNum": 100_000, "pageSize": 10}).data
    assert page["list"] == [] and page["total"] > 0


def test_pages_neither_overlap_nor_leave_out(staff: Staff):
    for _ in range(3):
        staff.newcomer()
    total = staff.admin.post(LIST, {"pageNum": 1, "pageSize": 1}).data["total"]
    seen = []
    for number in range(1, (total + 1) // 2 + 1):
        seen += [row["id"] for row in staff.admin.post(LIST, {"pageNum": number, "pageSize": 2}).data["list"]]
    assert len(seen) == len(set(seen)) == total


def test_a_missing_code_is_4003_and_names_it(staff: Staff):
    client = staff.limited().client
    body = client.post(LIST, {"pageNum": 1, "pageSize": 10}).refused(200, 4003)
    assert any(code in body["msg"] for code in staff.codes()), body["msg"]


def test_a_right_acts_on_the_next_request(staff: Staff):
    operator = staff.limited()
    refused = operator.client.post(LIST, {"pageNum": 1, "pageSize": 10}).refused(200, 4003)
    code = next(c for c in sorted(staff.codes(), key=len, reverse=True) if c in refused["msg"])
    staff.allot(operator.group_id, [code])
    assert operator.client.post(LIST, {"pageNum": 1, "pageSize": 10}).data["total"] > 0
    staff.allot(operator.group_id, [])
    operator.client.post(LIST, {"pageNum": 1, "pageSize": 10}).refused(200, 4003)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/openapi.json", "/api/docs"])
def test_what_needs_no_session_answers_without_one(stranger: Client, path: str):
    assert stranger.get(path).http == 200


def test_the_document_lists_every_call_of_the_specification(stranger: Client):
    paths = stranger.get("/api/openapi.json").body["paths"]
    wanted = {
        "post": """/api/user/v1/client/login/getPbKey /api/user/v1/designjet/login
            /api/user/v1/designjet/login/updatePassword /api/user/v1/designjet/user/list
            /api/user/v5/user/getPageUserInfo /api/user/v1/designjet/user /api/user/v5/user/selectUserLoginRecord
            /api/user/v1/designjet/permissions/group/list /api/user/v1/designjet/permissions/group
            /api/user/logout/qryPageLogoutUser /api/user/logout/cancelLogoutUser /api/user/v5/user/checkUpdatePsw
            /v1/menus/create /v1/menus/allot /v1/operation/log/list /v1/operation/log/export""",
        "get": """/api/v1.0/users/{id}/ /api/user/v1/menus/tree /v1/menus/tree
            /api/publics/config/switch/getValue/toJSONObject /api/user/v1/login/record
            /api/user/v1/designjet/client_info/excel /api/user/v1/designjet/client_info
            /api/user/v1/designjet/permissions/group/all /api/user/v1/designjet/permissions/all
            /v1/menus/findAll /v1/menus/findByParentId /v1/menus/findById""",
        "put": """/api/user/v1/designjet/user /api/user/v1/designjet/permissions/group
            /api/user/v1/designjet/user/password /v1/menus/update/{id} /v1/menus/update/{id}/visible""",
        "delete": """/api/user/v1/designjet/user /api/user/v1/designjet/permissions/group /v1/menus/delete/{id}""",
    }
    missing = [
        f"{method} {path}"
        for method, listed in wanted.items()
        for path in listed.split()
        if method not in paths.get(path, {})
    ]
    assert missing == []

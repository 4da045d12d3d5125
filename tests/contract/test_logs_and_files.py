"""The operation log, and the two spreadsheets."""

import io
from urllib.parse import unquote

import openpyxl
import pytest
from support.client import USER, Answer, Client
from support.staff import Staff, unique

PREFIXES = ["", USER]
SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.fixture(params=PREFIXES, ids=["bare", "prefixed"])
def log(request) -> str:
    return f"{request.param}/v1/operation/log"


def find(admin: Client, log: str, **query):
    return admin.post(f"{log}/list", {"pageNum": 1, "pageSize": 100, **query}).data


def rows(answer: Answer) -> list[tuple]:
    """The first sheet of a file answer, which must be named and typed as one."""
    assert answer.http == 200 and answer.body is None, answer.body
    assert answer.headers["Content-Type"].startswith(SPREADSHEET)
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    sheet = openpyxl.load_workbook(io.BytesIO(answer.content)).worksheets[0]
    return list(sheet.iter_rows(values_only=True))


def file_name(answer: Answer) -> str:
    disposition = answer.headers["Content-Disposition"]
    assert 'filename="' in disposition, "old clients read the plain one"
    return unquote(disposition.split("filename*=UTF-8''")[1])


def test_a_change_is_logged_with_who_did_it(staff: Staff, log: str):
    operator = staff.operator(staff.admin.group_id)
    name = unique("logged")
    operator.client.post(f"{USER}/v1/designjet/permissions/group", {"groupName": name}).data
    found = find(staff.admin, log, operatorId=operator.id)
    assert found["total"] >= 1
    assert any(name in str(row) for row in found["list"]), "what was done"
    assert operator.username in str(found["list"][0]), "who did it"
    assert "127.0.0.1" in str(found["list"][0]), "from where"


def test_a_refused_act_is_no_change(staff: Staff, log: str):
    name = unique("bad")[:5]
    staff.admin.post(f"{USER}/v1/designjet/permissions/group", {"groupName": name}).refused(400, 4000)
    created = [r for r in find(staff.admin, log, keyWord=name)["list"] if '"groupName"' in str(r)]
    assert created == []


def test_no_password_is_ever_logged(staff: Staff, log: str):
    payload = staff.payload()
    staff.admin.post(f"{USER}/v1/designjet/user", payload).data
    found = find(staff.admin, log)
    assert found["total"] > 0 and payload["password"] not in str(found)


def test_the_filters_of_the_log_narrow_it(staff: Staff, log: str):
    everything = find(staff.admin, log)
    action = everything["list"][0]["action"]
    same = find(staff.admin, log, action=action)
    assert 0 < same["total"] <= everything["total"]
    assert {row["action"] for row in same["list"]} == {action}
    assert find(staff.admin, log, startTime="2999-01-01T00:00:00Z")["total"] == 0


def test_the_log_is_exported_as_a_spreadsheet(staff: Staff, log: str):
    operator = staff.operator(staff.admin.group_id)
    operator.client.post(f"{USER}/v1/designjet/permissions/group", {"groupName": unique("export")}).data
    wanted = find(staff.admin, log, operatorId=operator.id)
    answer = staff.admin.post(f"{log}/export", {"operatorId": operator.id})
    found = rows(answer)
    assert len(found) == 1 + wanted["total"], "a heading and every row that the filter matches"
    assert operator.username in str(found[1])
    assert "操作记录" in file_name(answer)


def test_an_export_of_nothing_is_status_1_with_a_message(staff: Staff, log: str):
    for language in ("zh", "en"):
        answer = staff.admin.post(f"{log}/export", {"startTime": "2999-01-01T00:00:00Z"}, language=language)
        assert answer.http == 200 and answer.status == 1, answer.body
        assert answer.body["msg"] and answer.body["success"] is False


def test_who_may_not_export_gets_json(staff: Staff, log: str):
    staff.limited().client.post(f"{log}/export", {}).refused(200, 4003)
    staff.limited().client.post(f"{log}/list", {}).refused(200, 4003)


def test_the_user_info_is_a_spreadsheet_of_every_client_user(admin: Client):
    total = admin.post(f"{USER}/v5/user/getPageUserInfo", {"pageNum": 1, "pageSize": 1}).data["total"]
    answer = admin.get(f"{USER}/v1/designjet/client_info/excel")
    assert len(rows(answer)) == 1 + total
    assert "用户信息" in file_name(answer)


def test_the_headings_are_in_the_callers_language(admin: Client):
    zh = rows(admin.get(f"{USER}/v1/designjet/client_info/excel"))[0]
    en = rows(admin.get(f"{USER}/v1/designjet/client_info/excel", language="en"))[0]
    assert len(zh) == len(en) and zh != en
    assert all(str(cell).isascii() for cell in en)


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@sum", "\tx"])
def test_a_cell_that_looks_like_a_formula_is_text(staff: Staff, formula: str):
    payload = staff.payload(remark=f"{formula} {unique('f')}")
    made = staff.admin.post(f"{USER}/v1/designjet/user", payload)
    if made.status != 0:
        made.invalid("remark")
        return
    answer = staff.admin.post("/v1/operation/log/export", {"keyWord": payload["username"]})
    sheet = openpyxl.load_workbook(io.BytesIO(answer.content)).worksheets[0]
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)


def test_an_export_without_a_session_is_refused(stranger: Client):
    stranger.get(f"{USER}/v1/designjet/client_info/excel").refused(401, 6014)

"""Signing in, and every way in which a session ends."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from support.client import USER, Client
from support.server import ADMIN_PASSWORD, Server
from support.staff import FIRST_PASSWORD, OWN_PASSWORD, Staff, unique

DISPLACED = {"zh": "设备已在别处登录", "en": "Login information has expired"}


def own_tree(client: Client, **options):
    return client.get(f"{USER}/v1/menus/tree", params={"groupId": client.group_id}, **options)


def test_the_key_is_bare_base64_of_an_rsa_public_key(stranger: Client):
    given = stranger.post(f"{USER}/v1/client/login/getPbKey").data["publicKey"]
    assert "BEGIN" not in given and "\n" not in given
    assert stranger.public_key().key_size >= 2048


def test_signing_in_answers_token_id_and_group(staff: Staff):
    client = staff.operator().client
    assert isinstance(client.token, str) and len(client.token) >= 43, "256 bits need 43 characters"
    assert client.id is not None and client.group_id is not None


def test_the_name_is_trimmed_on_its_way(staff: Staff):
    operator = staff.operator()
    padded = base64.b64encode(f"  {operator.username} ".encode()).decode()
    answer = Client(staff.admin.base).try_login(operator.username, OWN_PASSWORD, username=padded)
    assert answer.data["token"]


@pytest.mark.parametrize("scheme", ["", "Bearer "])
def test_the_token_is_taken_with_and_without_a_scheme(staff: Staff, scheme: str):
    client = staff.operator().client
    client.token = scheme + client.token
    assert own_tree(client).data


def test_a_wrong_password_and_an_unknown_name_are_one_answer(staff: Staff):
    username = staff.newcomer().username
    wrong = Client(staff.admin.base, address="127.0.1.1").try_login(username, "Wrong_2026pw")
    unknown = Client(staff.admin.base, address="127.0.1.2").try_login(unique("nobody"), "Wrong_2026pw")
    assert wrong.http == unknown.http and wrong.body == unknown.body
    assert wrong.status != 0 and wrong.body["msg"]
    assert wrong.http not in (401, 402, 403), "the specification's client would sign out on these"


def test_a_ciphertext_is_taken_once(staff: Staff):
    operator = staff.operator()
    client = Client(staff.admin.base, address="127.0.1.3")
    overheard = client.encrypt(OWN_PASSWORD)
    assert client.try_login(operator.username, "", password=overheard).data["token"]
    replayed = client.try_login(operator.username, "", password=overheard)
    assert replayed.status != 0 and "token" not in (replayed.body["data"] or {})


def test_bad_padding_looks_like_a_wrong_password(staff: Staff):
    username = staff.newcomer().username
    wrong = Client(staff.admin.base, address="127.0.1.4").try_login(username, "Wrong_2026pw")
    client = Client(staff.admin.base, address="127.0.1.5")
    size = client.public_key().key_size // 8
    forged = client.try_login(username, "", password=base64.b64encode(b"\x01" * size).decode())
    assert (forged.http, forged.body) == (wrong.http, wrong.body)


def test_a_password_that_was_not_hashed_does_not_fit(staff: Staff):
    username = staff.newcomer().username
    client = Client(staff.admin.base, address="127.0.1.6")
    plain = client.public_key().encrypt(FIRST_PASSWORD.encode(), padding.PKCS1v15())
    assert client.try_login(username, "", password=base64.b64encode(plain).decode()).status != 0


@pytest.mark.parametrize(
    "changes",
    [
        {"username": "%%%"},
        {"username": base64.b64encode(b"\xff\xfe").decode()},
        {"username": ""},
        {"password": ""},
        {"password": "not base64!"},
        {"password": base64.b64encode(b"short").decode()},
        {"username": 7},
        {"password": None},
        {"username": base64.b64encode(b"a" * 100_000).decode()},
    ],
)
def test_a_malformed_sign_in_is_refused_politely(server: Server, changes: dict):
    answer = Client(server.base, address="127.0.1.7").try_login("admin_no", "Wrong_2026pw", **changes)
    assert answer.http < 500 and answer.http not in (401, 402, 403)
    assert answer.status != 0 and answer.body["msg"] and answer.body["success"] is False


@pytest.mark.parametrize("token", [None, "", "Bearer ", "nonsense", "Bearer " + "a" * 43, "x" * 5000])
def test_without_a_token_of_ours_every_call_is_401(stranger: Client, token: str | None):
    stranger.token = token
    own_tree(stranger).refused(401, 6014)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_second_sign_in_displaces_the_first(staff: Staff, language: str):
    operator = staff.operator()
    Client(staff.admin.base).login(operator.username, OWN_PASSWORD)
    body = own_tree(operator.client, language=language).refused(200, 6013)
    assert DISPLACED[language] in body["msg"]


def test_a_disabled_account_is_thrown_out_with_403(staff: Staff):
    operator = staff.operator()
    staff.admin.put(f"{USER}/v1/designjet/user", edited(staff, operator, enabled=False)).data
    own_tree(operator.client).refused(403, 6403)
    again = Client(staff.admin.base, address="127.0.1.8").try_login(operator.username, OWN_PASSWORD)
    assert again.status != 0


def edited(staff: Staff, operator, **changes):
    payload = staff.payload(id=operator.id, username=operator.username, groupId=operator.group_id, **changes)
    del payload["password"]
    return payload


def test_a_newcomer_must_choose_a_password_first(staff: Staff):
    client = staff.newcomer().client
    need = client.post(f"{USER}/v5/user/checkUpdatePsw").data
    assert need["needUpdate"] is True and need["reason"]
    client.post(f"{USER}/v1/designjet/user/list", {"pageNum": 1, "pageSize": 10}).refused(200, 4010)
    client.get(f"{USER}/v1/login/record").refused(200, 4010)
    assert own_tree(client).data is not None
    assert client.get(f"/api/v1.0/users/{client.id}/").data["roles"]


def test_the_own_password_is_changed_without_the_old_one_right_after_signing_in(staff: Staff):
    operator = staff.newcomer()
    client = operator.client
    client.change_password(OWN_PASSWORD).data
    own_tree(client).refused(200, 6014)
    client.token = None
    client.login(operator.username, OWN_PASSWORD)
    assert client.post(f"{USER}/v5/user/checkUpdatePsw").data == {"needUpdate": False, "reason": None}
    old = Client(staff.admin.base, address="127.0.1.9").try_login(operator.username, FIRST_PASSWORD)
    assert old.status != 0


def test_a_wrong_old_password_changes_nothing(staff: Staff):
    operator = staff.operator()
    answer = operator.client.change_password("Other_2026pw", old="Wrong_2026pw")
    assert answer.status != 0 and answer.http not in (401, 402, 403)
    assert own_tree(operator.client).data
    assert operator.client.change_password("Other_2026pw", old=OWN_PASSWORD).status == 0
    operator.client.token = None
    assert operator.client.login(operator.username, "Other_2026pw").token


def test_the_two_new_passwords_must_match(staff: Staff):
    client = staff.newcomer().client
    body = {"password": client.encrypt("One_2026pw"), "confirmPassword": client.encrypt("Two_2026pw")}
    client.post(f"{USER}/v1/designjet/login/updatePassword", body).invalid("confirmPassword")


def test_a_reset_by_an_administrator_ends_the_session_and_must_be_changed(staff: Staff):
    operator = staff.operator()
    encrypted = staff.admin.encrypt("Reset_2026pw")
    reset = {"id": operator.id, "password": encrypted, "confirmPassword": encrypted}
    staff.admin.put(f"{USER}/v1/designjet/user/password", reset).data
    assert own_tree(operator.client).status in (6013, 6014)
    operator.client.token = None
    operator.client.login(operator.username, "Reset_2026pw")
    assert operator.client.post(f"{USER}/v5/user/checkUpdatePsw").data["needUpdate"] is True
    operator.client.get(f"{USER}/v1/login/record").refused(200, 4010)


def test_the_password_of_the_environment_counts_as_chosen(admin: Client):
    assert ADMIN_PASSWORD
    assert admin.post(f"{USER}/v5/user/checkUpdatePsw").data["needUpdate"] is False


def test_the_own_info_is_complete(admin: Client):
    info = admin.get(f"/api/v1.0/users/{admin.id}/").data
    assert set(info) >= {"roles", "name", "avatar", "introduction"}
    assert info["roles"], "an empty list would make the specification's client an administrator"


def test_somebody_else_is_seen_only_by_who_may_see_operators(staff: Staff):
    operator, other = staff.limited(), staff.operator()
    assert staff.admin.get(f"/api/v1.0/users/{other.id}/").data["name"]
    operator.client.get(f"/api/v1.0/users/{other.id}/").refused(200, 4003)


def test_an_operator_without_codes_has_the_role_none(staff: Staff):
    client = staff.limited().client
    assert client.get(f"/api/v1.0/users/{client.id}/").data["roles"] == ["none"]

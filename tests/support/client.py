"""An independent client of the console, written from sections 7 and 8 of the specification and the contract alone."""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

import requests
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_der_public_key

USER = "/api/user"
PATIENCE = 60


@dataclass
class Answer:
    """What came back: the HTTP status, and the envelope where it was JSON."""

    http: int
    headers: requests.structures.CaseInsensitiveDict
    content: bytes
    body: Any

    @property
    def status(self) -> int:
        return self.body["status"]

    @property
    def data(self) -> Any:
        """The data of an answer that must have succeeded, and must look like it."""
        assert self.http == 200 and self.body["status"] == 0, f"{self.http} {self.body}"
        assert self.body["success"] is True, self.body
        assert self.body["msg"] == "", self.body
        return self.body["data"]

    def refused(self, http: int, status: int) -> dict[str, Any]:
        """The body of an answer that must be this refusal, told as the contract says."""
        assert (self.http, self.body["status"]) == (http, status), f"{self.http} {self.body}"
        assert self.body["success"] is False, self.body
        assert self.body["msg"], self.body
        assert self.body["data"] is None, self.body
        return self.body

    def invalid(self, field: str) -> dict[str, Any]:
        """The error at `field` of an answer that must be 4000."""
        errors = self.refused(400, 4000)["errors"]
        found = [error for error in errors if error["field"] == field]
        assert found, f"no error at {field}: {errors}"
        assert found[0]["code"] and found[0]["message"], found[0]
        return found[0]


class FromAddress(requests.adapters.HTTPAdapter):
    """Connects from one loopback address, so that limits per address can be told apart."""

    def __init__(self, address: str):
        self._address = address
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, source_address=(self._address, 0), **options)


class Client:
    def __init__(self, base: str, language: str = "zh", address: str = "127.0.0.1"):
        self.base = base
        self.language = language
        self.address = address
        self.token: str | None = None
        self.id: Any = None
        self.group_id: Any = None
        self._http = requests.Session()
        self._http.trust_env = False
        self._http.mount("http://", FromAddress(address))

    def call(self, method: str, path: str, body: Any = None, *, language: str | None = None, **options: Any) -> Answer:
        # A connection of its own for each: an idle one may be closed by the server just as it is used again.
        headers = {"Accept-Language": language or self.language, "Connection": "close", **options.pop("headers", {})}
        if self.token is not None:
            headers.setdefault("Authorization", self.token)
        if body is not None:
            options["json"] = body
        answer = self._http.request(method, self.base + path, headers=headers, **{"timeout": PATIENCE, **options})
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        return Answer(answer.status_code, answer.headers, answer.content, answer.json() if is_json else None)

    def get(self, path: str, **options: Any) -> Answer:
        return self.call("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> Answer:
        return self.call("POST", path, body, **options)

    def put(self, path: str, body: Any = None, **options: Any) -> Answer:
        return self.call("PUT", path, body, **options)

    def delete(self, path: str, body: Any = None, **options: Any) -> Answer:
        return self.call("DELETE", path, body, **options)

    def public_key(self) -> rsa.RSAPublicKey:
        given = self.post(f"{USER}/v1/client/login/getPbKey").data["publicKey"]
        key = load_der_public_key(base64.b64decode(given, validate=True))
        assert isinstance(key, rsa.RSAPublicKey)
        return key

    def encrypt(self, password: str) -> str:
        """md5, then the server's key: what every call that carries a password sends."""
        digest = hashlib.md5(password.encode(), usedforsecurity=False).hexdigest()
        return base64.b64encode(self.public_key().encrypt(digest.encode(), padding.PKCS1v15())).decode()

    def try_login(self, username: str, password: str, auth_code: str = "", /, **changes: Any) -> Answer:
        payload = {
            "username": base64.b64encode(username.strip().encode()).decode(),
            "password": self.encrypt(password),
            "ipAddr": "10.1.2.3",
            "diskName": "谷歌浏览器",
            "authCode": auth_code,
            **changes,
        }
        return self.post(f"{USER}/v1/designjet/login", payload)

    def login(self, username: str, password: str, auth_code: str = "") -> "Client":
        data = self.try_login(username, password, auth_code).data
        self.token, self.id, self.group_id = data["token"], data["id"], data["groupId"]
        return self

    def change_password(self, password: str, old: str | None = None) -> Answer:
        encrypted = self.encrypt(password)
        body = {"password": encrypted, "confirmPassword": encrypted}
        if old is not None:
            body["oldPassword"] = self.encrypt(old)
        return self.post(f"{USER}/v1/designjet/login/updatePassword", body)

    def twin(self, **changes: Any) -> "Client":
        """Another client with the same session."""
        other = Client(self.base, **{"language": self.language, "address": self.address, **changes})
        other.token, other.id, other.group_id = self.token, self.id, self.group_id
        return other

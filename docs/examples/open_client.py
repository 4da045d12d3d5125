"""A client of the Open API, with nothing but Python's standard library.

    SKY_URL=https://console.example.com SKY_KEY=SKY... SKY_SECRET=... python3 open_client.py /open/v1/app
    ... python3 open_client.py '/open/v1/users?phone=13800000001'
    ... python3 open_client.py POST /open/v1/users/17/closing '{"reason": "no use for it"}' my-own-key-0001
    ... python3 open_client.py DELETE /open/v1/users/17/closing
    ... python3 open_client.py connect 23
    ... python3 open_client.py POST /open/v1/phones/23/restore '{"backupId": "12"}' my-own-key-0002
    ... python3 open_client.py beat 7.3 8.1
"""

import hashlib
import hmac
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """A call that was not served: `code` stays the same, `msg` is for people."""

    def __init__(self, http, failure):
        super().__init__(failure["msg"])
        self.http = http
        self.code = failure.get("code", "")
        self.reason = failure.get("reason")
        self.failure = failure


class Client:
    def __init__(self, url, key, secret, language="en"):
        self.url, self.key, self.secret, self.language = url.rstrip("/"), key, secret.encode(), language

    def signature(self, method, path, query, at, nonce="", body=b"", idempotency_key=""):
        parts = query.split("&") if query else []
        parts.sort(key=lambda part: part.split("=", 1)[0])
        lines = [
            self.key,
            method,
            path,
            "&".join(parts),
            at,
            nonce,
            hashlib.sha256(body).hexdigest(),
            idempotency_key,
        ]
        return hmac.new(self.secret, "\n".join(lines).encode(), hashlib.sha256).hexdigest()

    def call(self, method, path, query="", body=b"", idempotency_key=""):
        """Answers `data`. Who calls too often, or while nobody can serve him, tries it once more."""
        for attempt in (1, 2):
            at = str(int(time.time()))
            # Another one for every call, also for one that is sent again.
            nonce = secrets.token_hex(16)
            headers = {
                "X-Sky-Key": self.key,
                "X-Sky-Time": at,
                "X-Sky-Nonce": nonce,
                "X-Sky-Signature": self.signature(method, path, query, at, nonce, body, idempotency_key),
                "Accept-Language": self.language,
            }
            if idempotency_key:
                headers["Idempotency-Key"] = idempotency_key
            if body:
                headers["Content-Type"] = "application/json"
            url = self.url + path + ("?" + query if query else "")
            request = urllib.request.Request(url, data=body or None, headers=headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as error:
                wait = int(error.headers.get("Retry-After", 1))
                if error.code in (429, 503) and attempt == 1 and wait <= 5:
                    time.sleep(wait)
                    continue
                raise Refused(error.code, json.load(error)) from None

    def get(self, path, **query):
        return self.call("GET", path, urllib.parse.urlencode(query))

    def act(self, method, path, data=None, idempotency_key=None):
        """Changes something. Keep the key with what you do: with the same one it is done once, however often you ask."""
        body = b"" if data is None else json.dumps(data).encode()
        return self.call(method, path, "", body, idempotency_key or secrets.token_hex(16))

    def each(self, path, **query):
        """All rows of a list, part by part."""
        while True:
            part = self.get(path, **query)
            yield from part["list"]
            if part["next"] is None:
                return
            query["after"] = part["next"]

    def connect(self, phone, patience=600):
        """Waits until a phone is there. Answers where its customer goes, with the ticket; None if it takes too long."""
        path = f"/open/v1/phones/{phone}/connect"
        seen = self.act("POST", path)
        end = time.monotonic() + patience
        while seen and seen["state"] in ("queued", "preparing"):
            if time.monotonic() > end:
                self.act("DELETE", path)
                return None
            time.sleep(3)
            seen = self.get(path)
        return seen

    def restore(self, phone, backup):
        """Sets a phone back to one of its own copies. What it has now is kept in another one; connect as ever."""
        return self.act("POST", f"/open/v1/phones/{phone}/restore", {"backupId": backup})

    def beat(self, streams):
        """A gateway says which streams it has, every ten seconds. Answers what to do with some of them."""
        body = json.dumps({"streams": streams}).encode()
        return self.call("POST", "/open/v1/streams/heartbeats", "", body)["orders"]


def main():
    client = Client(os.environ["SKY_URL"], os.environ["SKY_KEY"], os.environ["SKY_SECRET"])
    is_path = sys.argv[1].startswith("/")
    method, target, *more = ["GET", *sys.argv[1:]] if is_path else sys.argv[1:]
    try:
        if method == "connect":
            data = client.connect(target)
        elif method == "beat":
            data = client.beat([target, *more])
        elif method == "GET":
            asked = urllib.parse.urlsplit(target)
            data = client.get(asked.path, **dict(urllib.parse.parse_qsl(asked.query)))
        else:
            body = json.loads(more[0]) if more and more[0] else None
            data = client.act(method, target, body, more[1] if len(more) > 1 else None)
    except Refused as refused:
        print(json.dumps(refused.failure, ensure_ascii=False))
        return 1
    print(json.dumps(data, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A client of the Open API, with nothing but Python's standard library.

    SKY_URL=https://console.example.com SKY_KEY=SKY... SKY_SECRET=... python3 open_client.py /open/v1/app
    ... python3 open_client.py '/open/v1/users?phone=13800000001'
"""

import hashlib
import hmac
import json
import os
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

    def get(self, path, **query):
        """Answers `data`. Who calls too often waits as long as he is told, once."""
        query = urllib.parse.urlencode(query)
        for attempt in (1, 2):
            at = str(int(time.time()))
            request = urllib.request.Request(
                self.url + path + ("?" + query if query else ""),
                headers={
                    "X-Sky-Key": self.key,
                    "X-Sky-Time": at,
                    "X-Sky-Signature": self.signature("GET", path, query, at),
                    "Accept-Language": self.language,
                },
            )
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as error:
                wait = int(error.headers.get("Retry-After", 0))
                if error.code == 429 and attempt == 1 and wait <= 5:
                    time.sleep(wait)
                    continue
                raise Refused(error.code, json.load(error)) from None

    def each(self, path, **query):
        """All rows of a list, part by part."""
        while True:
            part = self.get(path, **query)
            yield from part["list"]
            if part["next"] is None:
                return
            query["after"] = part["next"]


def main():
    client = Client(os.environ["SKY_URL"], os.environ["SKY_KEY"], os.environ["SKY_SECRET"])
    asked = urllib.parse.urlsplit(sys.argv[1])
    try:
        data = client.get(asked.path, **dict(urllib.parse.parse_qsl(asked.query)))
    except Refused as refused:
        print(json.dumps(refused.failure, ensure_ascii=False))
        return 1
    print(json.dumps(data, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())

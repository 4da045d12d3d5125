"""A receiver of webhooks, with nothing but Python's standard library.

    SKY_HOOK_KEY=SKYH... SKY_HOOK_SECRET=... python3 open_receiver.py 8080

It prints each event once, as a line of JSON. Put TLS in front of it.
"""

import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LONGEST = 64 * 1024


def signature(secret, key, method, path, query, at, nonce, body, event_id):
    """The same as for calls: the id of the event stands where a call has its Idempotency-Key."""
    parts = query.split("&") if query else []
    parts.sort(key=lambda part: part.split("=", 1)[0])
    lines = [key, method, path, "&".join(parts), at, nonce, hashlib.sha256(body).hexdigest(), event_id]
    return hmac.new(secret.encode(), "\n".join(lines).encode(), hashlib.sha256).hexdigest()


class Receiver(BaseHTTPRequestHandler):
    # Two while a secret is renewed: what it is signed with says its name.
    secrets = {os.environ["SKY_HOOK_KEY"]: os.environ["SKY_HOOK_SECRET"]}
    # Keep them where they outlive you, in the transaction of what you do about an event.
    had = set()

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > LONGEST:
            return self.answer(413)
        body = self.rfile.read(length)
        if not self.is_genuine(body):
            return self.answer(401)
        event = json.loads(body)
        if event["id"] not in self.had:
            self.had.add(event["id"])
            print(json.dumps(event, ensure_ascii=False), flush=True)
        # What was had before is had: the same answer. And soon: after five seconds it counts as not taken.
        return self.answer(204)

    def is_genuine(self, body):
        key, at = self.headers.get("X-Sky-Key", ""), self.headers.get("X-Sky-Time", "")
        secret = self.secrets.get(key)
        if secret is None or not at.isdigit() or abs(time.time() - int(at)) > 300:
            return False
        path, _, query = self.path.partition("?")
        nonce, event_id = self.headers.get("X-Sky-Nonce", ""), self.headers.get("Idempotency-Key", "")
        own = signature(secret, key, "POST", path, query, at, nonce, body, event_id)
        return hmac.compare_digest(own, self.headers.get("X-Sky-Signature", ""))

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format, *args):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print(f"http://127.0.0.1:{server.server_address[1]}/", file=sys.stderr, flush=True)
    server.serve_forever()

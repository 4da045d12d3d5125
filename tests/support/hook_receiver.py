"""A receiver of webhooks, written from docs/open-api.md alone."""

import hashlib
import hmac
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Heard:
    target: str
    headers: dict[str, str]
    body: bytes

    def is_signed(self, secret: str) -> bool:
        path, _, query = self.target.partition("?")
        parts = sorted(query.split("&"), key=lambda part: part.split("=", 1)[0]) if query else []
        head = self.headers.get
        lines = [
            head("x-sky-key", ""),
            "POST",
            path,
            "&".join(parts),
            head("x-sky-time", ""),
            head("x-sky-nonce", ""),
            hashlib.sha256(self.body).hexdigest(),
            head("idempotency-key", ""),
        ]
        own = hmac.new(secret.encode(), "\n".join(lines).encode(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(own, head("x-sky-signature", ""))


class HookReceiver:
    """Writes down what it hears, and answers 204; with `pause`, after so many seconds."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.pause = 0.0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook?to=me&at=2"

    def __enter__(self) -> "HookReceiver":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.heard.append(Heard(self.path, headers, body))
                time.sleep(receiver.pause)
                try:
                    self.send_response(204)
                    self.end_headers()
                except (BrokenPipeError, ConnectionResetError):
                    # Whoever asked was killed.
                    pass

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler

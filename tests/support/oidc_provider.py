"""A small OpenID Connect provider for tests, with faults that can be switched on.

Run it by itself (`python -m support.oidc_provider PORT`, in tests/) or inside a test: `with OidcProvider() as provider`.
It signs in whoever is asked for as `login_hint`, else its default person, without asking anything.
"""

import base64
import hashlib
import json
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

CLIENT_ID = "skyrack"
CLIENT_SECRET = "not-so-secret"
FAULTS = ("wrong_nonce", "wrong_audience", "wrong_issuer", "expired", "wrong_key", "no_signature", "denied", "broken")


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class OidcProvider:
    """Issues signed ID tokens over loopback. Set `fault` to one of FAULTS to misbehave once it is asked."""

    def __init__(self, port: int = 0, person: dict[str, Any] | None = None):
        self.person = person or {"sub": "person-1", "preferred_username": "wang_fang", "email": "wang@example.com"}
        self.fault: str | None = None
        self._codes: dict[str, dict[str, str]] = {}
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._other_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "OidcProvider":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve_forever(self) -> None:
        self._server.serve_forever()

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }

    def jwks(self) -> dict[str, Any]:
        public = self._key.public_key().public_numbers()
        number = lambda n: b64(n.to_bytes((n.bit_length() + 7) // 8, "big"))  # noqa: E731
        return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": number(public.n), "e": number(public.e)}]}

    def authorize(self, query: dict[str, str]) -> str:
        """The address to send the browser back to."""
        back = {"state": query.get("state", "")}
        if self.fault == "denied" or query.get("client_id") != CLIENT_ID:
            back["error"] = "access_denied"
        else:
            back["code"] = secrets.token_urlsafe(16)
            self._codes[back["code"]] = query
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def token(self, form: dict[str, str], basic: str | None) -> tuple[int, dict[str, Any]]:
        asked = self._codes.pop(form.get("code", ""), None)
        secret = form.get("client_secret") or (basic or ":").split(":", 1)[1]
        if asked is None or secret != CLIENT_SECRET or form.get("redirect_uri") != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if "code_challenge" in asked:
            given = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            if given != asked["code_challenge"]:
                return 400, {"error": "invalid_grant", "error_description": "code_verifier"}
        if self.fault == "broken":
            return 500, {"error": "server_error"}
        return 200, {"access_token": secrets.token_urlsafe(16), "token_type": "Bearer", "id_token": self._id_token(asked)}

    def _id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time()) - (7200 if self.fault == "expired" else 0)
        claims = {
            **self.person,
            "iss": "http://127.0.0.1:1" if self.fault == "wrong_issuer" else self.issuer,
            "aud": "somebody-else" if self.fault == "wrong_audience" else CLIENT_ID,
            "nonce": "made-up" if self.fault == "wrong_nonce" else asked.get("nonce", ""),
            "iat": now,
            "exp": now + 600,
        }
        if "login_hint" in asked:
            claims["preferred_username"] = claims["sub"] = asked["login_hint"]
        header = {"alg": "none"} if self.fault == "no_signature" else {"alg": "RS256", "kid": "1", "typ": "JWT"}
        signed = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims).encode())}"
        if self.fault == "no_signature":
            return f"{signed}."
        key = self._other_key if self.fault == "wrong_key" else self._key
        return f"{signed}.{b64(key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def _handler(provider) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def _json(self, body: Any, status: int = 200) -> None:
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                query = {key: values[0] for key, values in parse_qs(url.query).items()}
                if url.path == "/.well-known/openid-configuration":
                    self._json(provider.discovery())
                elif url.path == "/jwks":
                    self._json(provider.jwks())
                elif url.path == "/userinfo":
                    self._json(provider.person)
                elif url.path == "/authorize" and "redirect_uri" in query:
                    self.send_response(302)
                    self.send_header("Location", provider.authorize(query))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else:
                    self._json({"error": "not_found"}, 404)

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                form = {key: values[0] for key, values in parse_qs(self.rfile.read(length).decode()).items()}
                basic = self.headers.get("Authorization", "").removeprefix("Basic ")
                status, body = provider.token(form, base64.b64decode(basic).decode() if basic else None)
                self._json(body, status)

        return Handler


if __name__ == "__main__":
    running = OidcProvider(int(sys.argv[1]))
    print(f"OpenID Connect provider at {running.issuer}, client {CLIENT_ID}, secret {CLIENT_SECRET}", flush=True)
    running.serve_forever()

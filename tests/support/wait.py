"""Waiting for something to become so."""

import time

import requests


def wait(done, what: str, patience: float = 60, pause: float = 0.2, look=lambda: None) -> None:
    """Asks until `done()` is true; a refused connection is a no. `look` is called after each no, and may give up."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            if done():
                return
        except requests.ConnectionError:
            pass
        look()
        time.sleep(pause)
    raise AssertionError(f"waited {patience} s for {what}")

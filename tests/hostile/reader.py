"""A reader of files, asked as the server asks it."""

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass

from doors import MEMORY
from support.server import BINARY
from watch import MEGABYTE, status

# The server's own.
LIMITS = {"memory": MEMORY, "processor_s": 10, "stack": 8 * MEGABYTE, "answer": 64 << 10}


@dataclass
class Read:
    """How a reader ended, and the most memory that it had."""

    code: int
    answer: bytes
    memory: int

    @property
    def told(self) -> object:
        return json.loads(self.answer.splitlines()[-1])


def read(content: bytes, what: object, **limits: int) -> Read:
    """Asks a reader as the server does."""
    ask = json.dumps({"what": what, "limits": LIMITS | limits})
    with tempfile.TemporaryFile() as sent, tempfile.TemporaryFile() as answer:
        sent.write(content)
        sent.seek(0)
        process = subprocess.Popen(
            [BINARY, "inspect", ask], stdin=sent, stdout=answer, stderr=subprocess.DEVNULL, env={"MIMALLOC_ARENA_RESERVE": "0"}
        )
        memory = 0
        while process.poll() is None:
            memory = max(memory, status(process.pid, "VmHWM") or 0)
            time.sleep(0.002)
        answer.seek(0)
        return Read(process.returncode, answer.read(), memory)

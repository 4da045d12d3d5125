"""The uploads of a running server, all that are listed: hostile files sent to each of them, and good ones that have to be
taken all the same."""

import itertools
import threading
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from corpus import Hostile
from files import png
from listed import PACKAGES, PIECE, TABLES, tables
from packages import package
from room import Agent
from sheets import good
from support.client import Answer, Client
from support.server import Server
from watch import MEGABYTE, Watch, status

# What a reader is asked about what is to be the look of a clean card. About other files it is asked for a kind of content.
PROFILE = "profile"
# The kinds of files, each with what a reader is asked about it beyond the uploads.
KINDS = {
    "picture": ("picture", "qrImage"),
    "tar": ("systemPackage",),
    "apk": ("systemPackage",),
    "certificate": ("certificate",),
    "profile": (PROFILE,),
    "sheet": (),
}
# Within this an upload is answered, however many others wait.
ANSWER = 60
# What a refusal of a file is, and the agents' own: too large, no picture.
REFUSALS = (400, 413, 415)
# Whoever waits too long among many is asked to come again. Who is alone never waits.
COME_AGAIN = 429
# What the judge says of a server that is not the one it began with.
DIED = "the server has died:"
# Rounds of good files before the server is looked at.
ROUNDS = 3
# Uploads in pieces that are open at a time: an operator may have eight.
OPEN = 6
LARGEST_PIECE = 16 << 20
# Readers at a time: operators' files, and agents'.
AT_A_TIME = 4
# The memory that the server gives a reader, and with it what the program itself takes, which is about as large again as
# it is on the disk.
MEMORY = 256 * MEGABYTE
READER = MEMORY + 128 * MEGABYTE


def upload(client: Client, path: str, name: str, content: bytes) -> Answer:
    return client.post(path, files={"file": (name, content)})


@dataclass
class Sending:
    """A file and where it is sent: to a call of operators, or as the file of an agent's task."""

    file: Hostile
    path: str
    is_agents: bool = False


@dataclass
class Doors:
    """All uploads of a server, and who sends what to them."""

    server: Server
    admin: Client
    agent: Agent
    # Addresses for pictures that were not sent yet.
    places: list[str] = field(default_factory=list)
    _open: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(OPEN))
    # A file of the same name, size and time would go on with the other one's upload.
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def place(self) -> str:
        if not self.places:
            self.places = self.agent.places(60)
        return self.places.pop()

    def sendings(self, files: list[Hostile]) -> list[Sending]:
        """Whatever a file is, it is sent as what is looked into: a package, a picture of an agent's, and a table: one that
        is one to each import, any other to one of them in turn."""
        if not files:
            return []
        # As many at a time as are sent before their tasks have to have ended.
        pictures = [Sending(each, path, True) for each, path in zip(files, self.agent.places(len(files)), strict=True)]
        ways, imports = itertools.cycle(PACKAGES), tables()
        packages = [
            Sending(each, path) for each in files for path in (PACKAGES if each.kind == "apk" else [next(ways)])
        ]
        turns = itertools.cycle(imports)
        sheets = [
            Sending(each, path) for each in files for path in (imports if each.kind == "sheet" else [next(turns)])
        ]
        return pictures + packages + sheets

    def upload(self, path: str, name: str, content: bytes) -> Answer:
        client = self.admin.twin()
        return self.in_pieces(client, path, name, content) if path.endswith("/{id}") else upload(client, path, name, content)

    def in_pieces(self, client: Client, path: str, name: str, content: bytes) -> Answer:
        """Announces a file, sends it piece by piece and has it taken. What is refused is given up."""
        uploads = path.removesuffix("/{id}")
        file = {"fileName": f"{next(self._numbers)}-{name}", "size": len(content), "modifiedAt": "2026-11-20T13:00:00Z"}
        with self._open:
            answer = client.post(uploads, file)
            if answer.http != 200:
                return answer
            place = f"{uploads}/{answer.data['id']}"
            for at in range(0, len(content), LARGEST_PIECE):
                headers = {"Content-Type": PIECE, "Upload-Offset": str(at)}
                answer = client.call("PATCH", place, headers=headers, data=content[at : at + LARGEST_PIECE])
                if answer.http != 200:
                    break
            else:
                answer = client.post(f"{place}/finish", {})
            if answer.http != 200:
                client.delete(place)
            return answer

    def ask(self, sending: Sending) -> tuple[int, Any]:
        """Sends it. Returns the HTTP status and the body."""
        content, path = sending.file.content, sending.path
        if sending.is_agents:
            taken = self.agent.send(path, content)
            return taken.status_code, taken.text
        answer = self.upload(path, "hostile.apk" if path in PACKAGES else "hostile.xlsx", content)
        return answer.http, answer.body

    def send(self, sending: Sending, refusals: tuple[int, ...]) -> list[str]:
        """What is wrong with the answer."""
        what = f"{sending.file.name} at {sending.path}"
        before, faults = time.monotonic(), []
        http, body = self.ask(sending)
        took = time.monotonic() - before
        if http not in (204 if sending.is_agents else 200, *refusals):
            faults.append(f"{what}: {http} {body}")
        if sending.file.is_refused and sending.path in PACKAGES and http == 200 and body["data"]["isPackage"]:
            faults.append(f"{what}: it was taken for a package")
        if took > ANSWER:
            faults.append(f"{what}: answered after {took:.0f} s")
        return faults

    def good_ones(self) -> Iterator[str]:
        """Sends a good file to one upload after the other, for ever. What each yields is wrong; nothing, if it was taken."""
        while True:
            for path in PACKAGES:
                taken = self.upload(path, "good.apk", package())
                yield "" if taken.http == 200 and taken.data["isPackage"] else f"{path}: {taken.http} {taken.body}"
            for path, columns in TABLES.items():
                taken = self.upload(path, "good.xlsx", good(*columns))
                yield "" if taken.http == 200 and taken.data["totalRows"] == 1 else f"{path}: {taken.http} {taken.body}"
            picture = self.agent.send(self.place(), png(2, 2, 8, 0, 0, zlib.compress(bytes(6))))
            yield "" if picture.status_code == 204 else f"an agent's picture: {picture.status_code} {picture.text}"

    def all_take_good_ones(self) -> None:
        """A good file is taken by each upload."""
        wrong = list(filter(None, itertools.islice(self.good_ones(), len(PACKAGES) + len(TABLES) + 1)))
        assert not wrong, "\n".join(wrong)

    def send_all(self, files: list[Hostile], senders: int) -> Watch:
        """Sends them, kind by kind: by one sender, each followed by a good file to the next upload, or by many at once,
        each kind followed by good ones. Returns what was seen of the server meanwhile."""
        is_alone = senders == 1
        process, faults, good_ones = self.server.process_id(), [], self.good_ones()
        refusals = REFUSALS if is_alone else (*REFUSALS, COME_AGAIN)

        def one(sending: Sending) -> list[str]:
            watch.during = f"{sending.file.name} at {sending.path}"
            found = self.send(sending, refusals)
            watch.during = f"a good file after {watch.during}"
            if is_alone and (wrong := next(good_ones)):
                found.append(f"after {sending.file.name}: a good file was not taken: {wrong}")
            return found

        # What its first files need is no growth by hostile ones.
        for _ in range(ROUNDS):
            self.all_take_good_ones()
        with Watch(process) as watch, ThreadPoolExecutor(senders) as pool:
            for kind in KINDS:
                some = self.sendings([each for each in files if each.kind == kind])
                faults += itertools.chain.from_iterable(pool.map(one, some))
                self.all_take_good_ones()
        assert not faults, "\n".join(faults)
        assert status(process, "Threads") and self.server.process_id() == process, f"{DIED}\n{self.server.tail()}"
        assert watch.most_at_once <= (1 if is_alone else AT_A_TIME), "more files were read at once than it allows"
        assert 0 < watch.largest <= READER, f"a reader took {watch.largest // MEGABYTE} MB"
        assert len(watch.confined) > len(files) // 4, "hardly any reader was seen confined"
        print(f"{len(files)} files by {senders}: {len(watch.seen)} readers seen, {len(watch.confined)} confined")
        print(f"{watch.told}; the largest reader had {watch.largest // MEGABYTE} MB")
        return watch

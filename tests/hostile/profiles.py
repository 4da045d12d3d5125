"""What a clean card looks like, true and false (`crates/wire/src/profile.rs`)."""

import json
from collections.abc import Iterator
from random import Random

BEGINNING = b"skyrack-profile-1\n"


def profile(text: bytes | str, length: object = None, archive: bytes = b"archive") -> bytes:
    text = text.encode() if isinstance(text, str) else text
    return BEGINNING + f"{len(text) if length is None else length}\n".encode() + text + archive


def clean(**changes: object) -> str:
    fields = {"fingerprint": "an/image", "things": {"system": {"mode": 1}}, "partitions": {"system": "00"}, "isVerified": True}
    return json.dumps({**fields, **changes})


def profiles(random: Random) -> Iterator[tuple[str, bytes]]:
    whole = profile(clean())
    for number, length in enumerate(("", "-1", "0", "x", "99999999999999999999", str((1 << 64) - 1), "1e3", " 2")):
        yield f"length-{number}", profile(clean(), length)
    for name, text in {
        "nothing": "",
        "list": "[]",
        "text": '"a"',
        "null": clean(fingerprint=None),
        "list-of-things": clean(things=[]),
        "number-of-things": clean(things=7),
        "no-bool": clean(isVerified="yes"),
        "long-image": clean(fingerprint="a" * (1 << 20)),
        "escaped-image": clean(fingerprint="\0" * (1 << 18)),
        "nested": '{"things":' + '{"a":' * 500_000,
        "nested-list": '{"things":{"a":' + "[" * 1_000_000,
        "nested-beside": '{"x":' + "[" * 500_000 + "]" * 500_000 + "," + clean()[1:],
        "twice": clean()[:-1] + "," + clean()[1:],
        "digits": clean(things={"a": 1}).replace("1", "9" * 1_000_000),
        "many-things": '{"things":{' + ",".join(f'"{n}":0' for n in range(1_000_000)) + "}," + clean()[1:],
    }.items():
        yield name, profile(text)
    yield "no-utf-8", profile(b'{"fingerprint":"\xff\xfe"}')
    yield "no-end", BEGINNING + b"1" * (1 << 20)
    for at in range(8):
        bent = bytearray(whole)
        bent[random.randrange(len(bent))] = random.randrange(256)
        yield f"bent-{at}", bytes(bent)
        yield f"cut-{at}", whole[: len(whole) * at // 8]

"""What else Debian's `adb` asks of a card: split packages, ports in both directions, lines that die with who runs them."""

import hashlib
import io
import os
import socket
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from support.room import Adb, Room, Serial


def split(folder: Path, name: str, package: str = "com.example.split", version: int = 1) -> Path:
    file = folder / name
    file.write_bytes(f"SIMULATED-APK\n{package}\n{version}\na\n\n21\n".encode() + bytes(100_000))
    return file


@pytest.mark.card(12)
def test_splits_are_one_package(room: Room, card: Serial, tmp_path: Path):
    parts = [split(tmp_path, name) for name in ("base.apk", "split_config.arm64_v8a.apk", "split_config.zh.apk")]
    done = card("install-multiple", *parts)
    assert b"Success" in done.stdout, done
    assert card("shell", "pm list packages -3").stdout == b"package:com.example.split\n"
    paths = card("shell", "pm path com.example.split").stdout.decode().split()
    assert len(paths) == 3 and all(path.startswith("package:/data/app/") for path in paths), paths
    assert room.card(12)["effects"]["install:com.example.split"] == 1

    strange = split(tmp_path, "other.apk", "com.example.other")
    refused = card("install-multiple", parts[0], strange)
    assert refused.returncode != 0 and b"INSTALL_FAILED_INVALID_APK" in refused.stdout + refused.stderr, refused
    assert b"com.example.other" not in card("shell", "pm list packages").stdout


def asking(name: str) -> bytes:
    """A package that asks for a camera, which is granted, and for the network, which everybody has."""
    wanted = "android.permission.CAMERA,android.permission.INTERNET"
    return f"SIMULATED-APK\n{name}\n1\na\n\n21\npermissions:{wanted}\n".encode() + bytes(200_000)


@pytest.mark.card(16)
def test_a_session_is_fed_and_permissions_are_granted(card: Serial, tmp_path: Path):
    def granted(name: str) -> list[str]:
        lines = card("shell", f"dumpsys package {name}").stdout.decode().splitlines()
        return [line.strip().split(", ")[0] for line in lines if "granted=" in line]

    name, file = "com.example.fed", asking("com.example.fed")
    created = card("shell", "pm install-create -r").stdout.decode()
    session = created.removeprefix("Success: created install session [").removesuffix("]\n")
    parts = {"split_config.zh.apk": split(tmp_path, "zh.apk", name).read_bytes(), "base.apk": file}
    for part, content in parts.items():
        write = card("shell", f"pm install-write -S {len(content)} {session} {part} -", stdin=content)
        assert write.stdout.decode() == f"Success: streamed {len(content)} bytes\n", write
    assert card("shell", f"pm install-commit {session}").stdout == b"Success\n"
    assert len(card("shell", f"pm path {name}").stdout.split()) == 2
    camera, network = "android.permission.CAMERA: granted=", "android.permission.INTERNET: granted="
    assert granted(name) == [network + "true", camera + "false"]
    assert card("shell", f"pm grant {name} android.permission.CAMERA").returncode == 0
    assert granted(name) == [network + "true", camera + "true"]
    refused = card("shell", f"pm grant {name} android.permission.RECORD_AUDIO")
    assert refused.returncode == 255 and b"has not requested permission" in refused.stderr, refused
    gone = card("shell", f"pm install-commit {session}")
    assert gone.returncode == 255 and b"Caller has no access to session" in gone.stderr, gone

    # What `adb` itself makes of `-g`, in one piece and in several.
    for name, flags in (("com.example.one", ("install", "-g")), ("com.example.more", ("install-multiple", "-g"))):
        whole = tmp_path / "base.apk"
        whole.write_bytes(asking(name))
        further = [split(tmp_path, "split_config.zh.apk", name)] if flags[0] == "install-multiple" else []
        assert b"Success" in card(*flags, whole, *further).stdout
        assert granted(name) == [network + "true", camera + "true"], name


@pytest.mark.card(12)
def test_a_package_that_was_cut_off_is_refused(card: Serial, tmp_path: Path):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("classes.dex", os.urandom(200_000))
    file = tmp_path / "whole.apk"
    file.write_bytes(whole.getvalue())
    assert b"Success" in card("install", file).stdout
    for length in (10, 100_000, len(whole.getvalue()) - 1):
        file.write_bytes(whole.getvalue()[:length])
        refused = card("install", file)
        assert refused.returncode != 0 and b"INSTALL_PARSE_FAILED" in refused.stdout + refused.stderr, (length, refused)


@pytest.mark.card(13)
def test_a_port_of_the_card_is_opened_from_here(card: Serial):
    port = int(card("forward", "tcp:0", "tcp:7").stdout)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as echo:
        sent = os.urandom(1_000_000)
        threading.Thread(target=echo.sendall, args=(sent,), daemon=True).start()
        heard = b""
        while len(heard) < len(sent):
            heard += echo.recv(65536)
    assert heard == sent
    closed = int(card("forward", "tcp:0", "tcp:9").stdout)
    with socket.create_connection(("127.0.0.1", closed), timeout=10) as nobody:
        assert nobody.recv(1) == b""


@pytest.mark.card(13)
def test_a_card_opens_a_port_here(card: Serial):
    with socket.create_server(("127.0.0.1", 0)) as here:
        here.settimeout(20)
        port = here.getsockname()[1]
        assert card("reverse", "tcp:6100", f"tcp:{port}").returncode == 0
        assert f"tcp:6100 tcp:{port}" in card("reverse", "--list").stdout.decode()

        def answer():
            caller, _ = here.accept()
            with caller:
                caller.sendall(caller.recv(100).upper())

        threading.Thread(target=answer, daemon=True).start()
        # adb knows no end of one direction alone: who has said everything waits for the answer.
        said = card("shell", "(echo from the card; sleep 2) | nc 127.0.0.1 6100")
        assert said.stdout == b"FROM THE CARD\n"
    assert card("reverse", "--remove", "tcp:6100").returncode == 0
    refused = card("shell", "nc 127.0.0.1 6100")
    assert refused.returncode == 1 and b"Connection refused" in refused.stderr


@pytest.mark.card(14)
def test_a_line_takes_its_time_and_dies_with_who_runs_it(card: Serial):
    started = time.monotonic()
    assert card("shell", "sleep 1.2; echo over").stdout == b"over\n"
    assert time.monotonic() - started >= 1.2

    def runs_for_a_moment(line: str):
        with subprocess.Popen(**card.popen("shell", line)) as running:
            running.stdout.readline()
            assert line[-12:].encode() in card("shell", "ps -A -o ARGS").stdout
            running.kill()

    def soon(what: Callable[[], bool]):
        until = time.monotonic() + 60
        while not what():
            assert time.monotonic() < until
            time.sleep(0.1)

    runs_for_a_moment("cd /data/local/tmp; echo begun; sleep 20; touch never")
    soon(lambda: b"touch never" not in card("shell", "ps -A -o ARGS").stdout)
    assert card("shell", "ls /data/local/tmp/never").returncode == 1
    # What is deaf to it goes on, and can be seen and ended.
    runs_for_a_moment("cd /data/local/tmp; trap '' HUP; echo begun; sleep 1; touch after")
    soon(lambda: card("shell", "ls /data/local/tmp/after").returncode == 0)
    runs_for_a_moment("trap '' HUP; echo begun; sleep 60; echo the mark of a long one")
    time.sleep(2)
    assert b"the mark of a long one" in card("shell", "ps -A -o ARGS").stdout
    assert card("shell", "pkill -KILL -f 'mark of a long'").returncode == 0
    assert b"the mark of a long one" not in card("shell", "ps -A -o ARGS").stdout


@pytest.mark.card(14)
def test_what_is_stopped_tells_so(card: Serial):
    with subprocess.Popen(**card.popen("shell", "echo begun; sleep 60; echo target of the test")) as running:
        assert running.stdout.readline() == b"begun\n"
        assert card("shell", "pkill -f 'target of the test'").returncode == 0
        assert running.wait(10) == 137


@pytest.mark.card(15)
def test_a_line_that_starts_itself_twice_harms_nobody_else(room: Room, adb: Adb, card: Serial):
    before = room.memory()
    with subprocess.Popen(**card.popen("shell", "b() { b | b & }; b; sleep 300"), stderr=subprocess.DEVNULL) as bomb:
        time.sleep(2)
        neighbour = adb.connect(room, 14)
        assert neighbour("shell", "echo here").stdout == b"here\n" and bomb.poll() is None
        assert room.memory() - before < 64 << 20
        bomb.kill()
    boots = room.card(15)["boots"]
    assert card("reboot").returncode == 0
    room.wait(lambda: room.card(15)["boots"] > boots, "the card to restart")
    adb("disconnect", card.serial)
    room.wait(lambda: adb.connect(room, 15)("shell", "ps -A -o ARGS | grep -c '[b] | b'").stdout == b"0\n", "its end")


@pytest.mark.card(15)
def test_more_than_64_mib_is_kept_on_disk(room: Room, card: Serial, tmp_path: Path):
    before = room.memory()
    file = tmp_path / "large"
    with file.open("wb") as large:
        for _ in range(96):
            large.write(os.urandom(1 << 20))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert card("push", file, "/sdcard/large").returncode == 0
    assert card("shell", "sha256sum /sdcard/large").stdout.split()[0].decode() == digest
    assert card("shell", "du -k /sdcard/large").stdout.split()[0] == b"98304"
    assert card("pull", "/sdcard/large", tmp_path / "back").returncode == 0
    assert hashlib.sha256((tmp_path / "back").read_bytes()).hexdigest() == digest
    assert room.memory() - before < 32 << 20, "the content is in memory"
    assert card("shell", "rm /sdcard/large; df -k /data | tail -n 1").returncode == 0


def test_a_card_that_nobody_uses_is_cheap(tmp_path: Path):
    few, many = Room(tmp_path / "few", 10), Room(tmp_path / "many", 2000)
    try:
        each = (many.memory() - few.memory()) / 1990
    finally:
        few.stop()
        many.stop()
    assert each < 100 << 10, f"{each:.0f} bytes a card"


def test_a_card_whose_apps_write_is_cheap(tmp_path: Path):
    rooms = [Room(tmp_path / str(cards), cards, "--writes-ms", "60000") for cards in (10, 110)]
    try:
        for room in rooms:
            for number in range(len(requests.get(f"{room.control}/room", timeout=5).json()["cards"])):
                card = f"{room.control}/cards/{number}"
                requests.post(f"{card}/used", json={"used": True}, timeout=30).raise_for_status()
                # So often that it has everything that it ever has.
                wrote = requests.post(f"{card}/writes", json={"times": 600}, timeout=60).json()
                assert wrote["apps"] == 2, wrote
        few, many = (room.memory() for room in rooms)
    finally:
        for room in rooms:
            room.stop()
    each = (many - few) / 100
    assert each < 100 << 10, f"{each:.0f} bytes a card"

"""The simulated cards, judged by a client that others wrote: Debian's `adb`."""

import os
from pathlib import Path

import pytest
import requests

from support.room import Adb, Room, Serial


def apk(folder: Path, name: str, version: int) -> Path:
    file = folder / "game.apk"
    file.write_bytes(f"SIMULATED-APK\n{name}\n{version}\na\n\n21\n".encode() + bytes(300_000))
    return file


def test_it_connects_and_its_key_is_known_the_second_time(room: Room, adb: Adb):
    card = adb.connect(room, 0)
    adb("disconnect", card.serial)
    card = adb.connect(room, 0)
    assert card("shell", "getprop", "ro.serialno").stdout.decode().strip() == room.card(0)["serial"]
    effects = room.card(0)["effects"]
    # adb's own signature was verified with the key that adb itself had shown.
    assert effects["auth:unknown"] == 1 and effects["auth:known"] >= 1


@pytest.mark.card(1)
def test_a_command_has_output_error_and_exit_code(card: Serial):
    done = card("shell", "echo out; cat /nowhere; exit 7")
    assert (done.returncode, done.stdout) == (7, b"out\n")
    assert done.stderr == b"cat: /nowhere: No such file or directory\n"
    assert card("shell", "cat", stdin=b"through\n").stdout == b"through\n"


@pytest.mark.card(2)
def test_a_file_comes_back_as_it_went(card: Serial, tmp_path: Path):
    there, back = tmp_path / "there", tmp_path / "back"
    there.write_bytes(os.urandom(3_000_000))
    assert card("push", there, "/data/local/tmp/a file").returncode == 0
    assert card("pull", "/data/local/tmp/a file", back).returncode == 0
    assert back.read_bytes() == there.read_bytes()
    assert card("shell", "ls /data/local/tmp").stdout == b"a file\n"
    listed = card("ls", "/data/local/tmp").stdout.decode()
    assert "a file" in listed and f"{3_000_000:08x}" in listed, listed


@pytest.mark.card(3)
def test_a_read_only_path_refuses_a_push(card: Serial, tmp_path: Path):
    file = tmp_path / "file"
    file.write_bytes(bytes(500_000))
    done = card("push", file, "/system/file")
    assert done.returncode != 0
    assert b"Read-only file system" in done.stdout + done.stderr


@pytest.mark.card(4)
def test_a_package_is_installed_and_removed(room: Room, card: Serial, tmp_path: Path):
    assert b"Success" in card("install", apk(tmp_path, "com.example.game", 3)).stdout
    assert card("shell", "pm list packages -3").stdout == b"package:com.example.game\n"
    older = card("install", "-r", apk(tmp_path, "com.example.game", 2))
    assert older.returncode != 0
    assert b"INSTALL_FAILED_VERSION_DOWNGRADE" in older.stdout + older.stderr
    assert card("uninstall", "com.example.game").stdout == b"Success\n"
    assert card("uninstall", "com.example.game").returncode != 0
    effects = room.card(4)["effects"]
    assert (effects["install:com.example.game"], effects["uninstall:com.example.game"]) == (1, 1)


@pytest.mark.card(5)
def test_a_full_card_takes_nothing(room: Room, card: Serial, tmp_path: Path):
    room.faults(5, "no_space")
    done = card("install", apk(tmp_path, "com.example.game", 1))
    assert b"INSTALL_FAILED_INSUFFICIENT_STORAGE" in done.stdout + done.stderr
    file = tmp_path / "file"
    file.write_bytes(bytes(500_000))
    done = card("push", file, "/data/local/tmp/file")
    assert done.returncode != 0 and b"No space left on device" in done.stdout + done.stderr


@pytest.mark.card(6)
def test_a_card_restarts_and_boots(room: Room, adb: Adb, card: Serial):
    before = card("shell", "cat /proc/sys/kernel/random/boot_id").stdout
    assert card("reboot").returncode == 0
    room.wait(lambda: room.card(6)["boots"] == 2, "the card to restart")
    adb("disconnect", card.serial)
    card = adb.connect(room, 6)
    room.wait(lambda: card("shell", "getprop sys.boot_completed").stdout == b"1\n", "Android to boot")
    assert card("shell", "cat /proc/sys/kernel/random/boot_id").stdout != before
    assert room.card(6)["effects"]["reboot"] == 1


@pytest.mark.card(7)
def test_the_screen_is_a_picture(card: Serial):
    picture = card("exec-out", "screencap -p").stdout
    assert picture.startswith(b"\x89PNG\r\n\x1a\n") and picture.endswith(b"IEND\xaeB`\x82")


@pytest.mark.card(8)
def test_an_old_android_is_understood(room: Room, adb: Adb, card: Serial, tmp_path: Path):
    adb("disconnect", card.serial)
    room.faults(8, "old")
    card = adb.connect(room, 8)
    assert card("shell", "getprop ro.build.version.release").stdout.split() == [b"6.0"]
    file = tmp_path / "file"
    file.write_bytes(os.urandom(200_000))
    assert card("push", file, "/sdcard/file").returncode == 0
    assert card("pull", "/sdcard/file", tmp_path / "back").returncode == 0
    assert (tmp_path / "back").read_bytes() == file.read_bytes()


def test_a_card_without_power_is_not_there(room: Room, adb: Adb):
    requests.post(f"{room.control}/cards/9/power", json={"on": False}, timeout=5).raise_for_status()
    done = adb("connect", f"{room.host}:{room.first + 9}")
    assert b"refused" in done.stdout + done.stderr, done
    requests.post(f"{room.control}/cards/9/power", json={"on": True}, timeout=5).raise_for_status()
    adb.connect(room, 9)


@pytest.mark.card(10)
def test_a_terminal_talks(card: Serial):
    done = card("shell", "-tt", stdin=b"echo hello\nexit\n")
    assert b"hello\r\n" in done.stdout

"""What compares every byte has no third try, and one second at most: a byte that is lost now and then would pass with more."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CARDS = ROOT / "crates/phones/tests/cards"
# How a test at cards says that contents are compared: those of a phone, and of a copy that `restic` reads.
COMPARES = re.compile(r"\bHad::|\bhas_come_to\(|\bmust_be_on\(|--read-data|fs::read\(")


def named() -> set[str]:
    """The files of `phones::cards` that have one second try at most, by the configuration of nextest."""
    overrides = tomllib.loads((ROOT / ".config/nextest.toml").read_text())["profile"]["default"]["overrides"]
    filters = [each["filter"] for each in overrides if each.get("retries", 2) <= 1]
    (found,) = [match for text in filters if (match := re.search(r"binary_id\(phones::cards\) and test\(/\^\(([\w|]+)\)::/\)", text))]
    return set(found.group(1).split("|"))


@pytest.mark.parametrize("file", sorted(CARDS.glob("*.rs")), ids=lambda file: file.stem)
def test_what_compares_bytes_at_cards_is_tried_twice_at_most(file: Path):
    text = file.read_text()
    has_tests = "db_test!" in text
    assert not (has_tests and COMPARES.search(text)) or file.stem in named(), f"{file.stem} belongs into .config/nextest.toml"


def test_whatever_is_named_is_there():
    assert all((CARDS / f"{name}.rs").exists() for name in named())

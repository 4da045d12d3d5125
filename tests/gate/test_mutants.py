"""Mutants fit what they are taken out of, and their tests are there. That these fail is seen by `make mutants`."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from mutants import MUTANTS, Mutant, mutated, passed  # noqa: E402


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_each_fits_once_and_its_tests_are_there(mutant: Mutant):
    before = (ROOT / mutant.file).read_text()
    after = mutated(mutant, before)
    assert mutant.text not in after and len(after.splitlines()) == len(before.splitlines())
    tests = (ROOT / mutant.tests_in).read_text()
    assert mutant.tests
    assert all(f"async fn {name}(" in tests for name in mutant.tests)


def test_one_that_fits_no_more_is_told():
    mutant = MUTANTS[0]
    for text in ["", mutant.text * 2]:
        with pytest.raises(ValueError, match="has to follow"):
            mutated(mutant, text)


def test_what_has_passed_is_read_from_the_words_of_nextest():
    said = """
        PASS [   0.512s] (1/2) server::it operation::second_look::a_reset::sqlite
        FAIL [   0.618s] (2/2) server::it operation::second_look::a_reset::postgres
        PASS [   0.101s] agent::tasks owned::a_card
    """
    assert passed(said) == ["operation::second_look::a_reset::sqlite", "owned::a_card"]

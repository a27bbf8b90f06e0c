"""The corpus of lines as players write them: what it says that they mean is well formed and legal where it is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from tests.support import said

FILES = ("rome_carthage", "hannibal_italy", "sword_of_rome", "small")
EACH = 60
"""So many lines has each file, and so many letters there are of mere chat."""
POSITIONS = [pytest.param(told, id=f"{name}-{told.id}") for name in FILES for told in said.corpus(name)]


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_its_number_of_lines(name: str) -> None:
    assert sum(len(told.lines) for told in said.corpus(name)) == EACH


def test_there_are_sixty_letters_of_mere_chat() -> None:
    assert len(said.letters()) == EACH
    assert {rules for rules, _ in said.letters()} == {"rome_carthage", "hannibal_italy", "sword_of_rome"}


def test_the_lines_come_from_six_writers_or_more() -> None:
    for name in FILES:
        assert len({line.who for _, line in said.every_line(name)}) >= 6


def test_no_line_stands_twice_in_one_position() -> None:
    for name in FILES:
        for told in said.corpus(name):
            assert not _twice(line.text for line in told.lines), told.id
    assert not _twice(line.text for _, line in said.letters())


def test_a_line_means_something_or_asks_or_is_talk() -> None:
    for name in FILES:
        for told, line in said.every_line(name):
            assert [bool(line.means), bool(line.asks), line.talk].count(True) == 1, f"{told.id}: {line.text}"


def test_seven_lines_of_ten_have_one_right_reading() -> None:
    lines = [line for name in FILES for _, line in said.every_line(name)]
    assert 0.65 <= sum(bool(line.means) for line in lines) / len(lines) <= 0.75


@pytest.mark.parametrize("told", POSITIONS)
def test_what_a_line_means_is_well_formed(told: said.Told) -> None:
    found = {(line.text, order.kind): said.misfits(told, order) for line in told.lines for order in line.means}
    assert not {where: wrong for where, wrong in found.items() if wrong}


@pytest.mark.parametrize("told", POSITIONS)
def test_what_a_line_means_is_legal_where_it_is_said(told: said.Told) -> None:
    found = {line.text: told.asked.faults(line.means) for line in told.lines if line.means}
    assert not {text: faults for text, faults in found.items() if faults}


def _twice(texts: Iterable[str]) -> list[str]:
    return [text for text, count in Counter(texts).items() if count > 1]

"""The corpus of lines as players write them: what it says that they mean is well formed and legal where it is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from pbem.orders.said.words_reader import Said, reader_of
from tests.support import said

FILES = ("rome_carthage", "hannibal_italy", "sword_of_rome", "small")
EACH = 60
"""So many lines has each file, and so many letters there are of mere chat."""
LEAST = {"rome_carthage": 0.85, "hannibal_italy": 0.6, "sword_of_rome": 0.8, "small": 0.7}
"""The share of the lines with one reading that is read."""
ONLY_ONE = {"general", "leader", "by", "power"}
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


# ---- what the reader makes of them


def _read(told: said.Told, text: str) -> Said:
    game = told.game
    return reader_of(game.rules, game.box, told.asked.view, told.asked.decisions).read(text.split("\n"))


def _alike(told: said.Told, one: object, other: object, key: str = "") -> bool:
    """Tell whether two values of an order say the same: a place by its name or number, companions in any order."""
    if isinstance(one, dict) and isinstance(other, dict):
        more = other.keys() - one.keys()  # whoever is the only one need not be named
        return more <= ONLY_ONE and all(each in other and _alike(told, one[each], other[each], each) for each in one)
    if isinstance(one, list) and isinstance(other, list) and key == "path":
        left = iter(other)
        return _alike(told, one[-1], other[-1]) and all(any(_alike(told, a, b) for b in left) for a in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(any(_alike(told, a, b) for b in other) for a in one)
    return _place(told, one) == _place(told, other)


def _place(told: said.Told, word: object) -> object:
    cities = getattr(told.asked.view.board, "cities", {})
    return cities[word].hex if word in cities and hasattr(cities[word], "hex") else word


def _is_right(told: said.Told, line: said.Said, found: Said) -> bool:
    got = [each.order for each in found.orders]
    return len(got) == len(line.means) and all(
        one.kind == other.kind and _alike(told, dict(one.body), dict(other.body))
        for one, other in zip(line.means, got, strict=True)
    )


@pytest.mark.parametrize("name", FILES)
def test_lines_are_read_rightly_or_asked_about(name: str) -> None:
    """No line is carried out as anything else; most that have one reading are read."""
    read, asked = 0, []
    for told, line in said.every_line(name):
        found = _read(told, line.text)
        if not line.means:
            assert found.doubts or not found.orders, f"{line.text!r} was carried out: {found.orders}"
        elif found.doubts or not found.orders:
            asked.append(f"{line.text!r}: {[each.reason for each in found.doubts]}")
        else:
            assert _is_right(told, line, found), f"{line.text!r} was read as {found.orders}"
            read += 1
    assert read >= LEAST[name] * (read + len(asked)), "\n".join(asked)


def test_lines_with_a_word_in_doubt_are_asked_about_by_that_word() -> None:
    asked, missed = 0, []
    for name in FILES:
        for told, line in said.every_line(name):
            if line.asks:
                asked += 1
                found = _read(told, line.text)
                shown = " ".join(f"{each.reason} {line.text.split(chr(10))[each.line]}" for each in found.doubts)
                missed += (
                    [] if any(word.lower() in shown.lower() for word in line.asks) else [f"{line.text!r}: {shown}"]
                )
    assert len(missed) <= 0.15 * asked, "\n".join(missed)


def test_mere_chat_orders_nothing() -> None:
    """Nor is it taken for an order in doubt, but for a few letters that speak of moves."""
    asked = []
    for number, (rules, letter) in enumerate(said.letters()):
        every = [each for name in FILES for each in said.corpus(name) if each.record["rules"] == rules]
        told = every[number % len(every)]
        found = _read(told, letter.text)
        assert found.doubts or not found.orders, f"{letter.text!r} was carried out: {found.orders}"
        asked += [f"{told.id}: {letter.text!r}: {found.doubts[0].reason}"] if found.doubts else []
    assert len(asked) <= 0.1 * EACH, "\n".join(asked)

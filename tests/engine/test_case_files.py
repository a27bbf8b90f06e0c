"""Rulings: what they say when the game does something else, and what a file of them may not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.engine.cases import CaseVerdict, game_of_case, read_cases, run_case, sound_cases
from pbem.game.boxes.box_file import BrokenBox
from tests.support.walks import FOLDERS, TOY

BASE = """\
- rule: "5"
  name: an assault
  scenario: siege
  with: {phase: assault, buried: {red: 2, blue: 30}, hands.red: [26], hands.blue: [1, 6]}
  play:
  - red: {assault: {hill: middle, card: 26}}
  - blue: {react: {card: 6}}
  dice: {assault/middle: [2]}
  expect:
    events: [assaults: {hill: middle}, taken: {hill: middle}]
    waiting: [{side: red, kind: bid}, {side: blue, kind: bid}]
"""


def ruled(tmp_path: Path, *changes: tuple[str, str]) -> CaseVerdict:
    """Run the ruling above with some of its text replaced."""
    text = BASE
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path / "case.yaml"
    path.write_text(text, "utf-8")
    (case,) = read_cases(path)
    return run_case(case, "toy", FOLDERS)


def test_a_ruling_that_holds(tmp_path: Path) -> None:
    verdict = ruled(tmp_path)
    assert verdict.passed
    assert verdict.report == [
        "red: assault {hill: middle, card: 26}",
        "blue: react {card: 6}",
        "blue: fall_back {hill: east}  (the only answer)",
        "  assaults {side: red, hill: middle, card: 26}",
        "  defends {side: blue, card: 6}",
        "  roll assault/middle: [2] +6 attack -2 defence -1 guards = 5 (needs >= 5)",
        "  taken {side: red, hill: middle}",
        "  falls_back {side: blue, hill: east, guards: 1}",
        "  dealt {side: red, hand: [3, 4, 5, 7]}",
        "  dealt {side: blue, hand: [1, 8, 9, 10]}",
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("taken: {hill: middle}", "repulsed", 10, "expected event repulsed not found after assaults {side: red,"),
        ("hill: middle}, taken: {", "hill: east}, taken: {", 10, "expected event assaults {hill: east} not found"),
        ("events: [assaults", "no_events: [taken]\n    events: [assaults", 10, "this should not have happened: taken"),
        ("{side: red, kind: bid}, ", "", 11, "expected to wait on [{side: blue, kind: bid}]; the game waits on red:"),
        ("kind: bid}]", "kind: bid, round: 7}]", 11, "the game waits on red: bid {round: 2}; blue: bid {round: 2}"),
        ("    waiting: [", "    choices: 4\n    waiting: [", 11, "choices need one open question"),
        ("    waiting: [", "    result: {winner: red}\n    waiting: [", 11, "expected result {winner: red}; the game"),
        ("    waiting: [", "    position: {guards.east: 5}\n    waiting: [", 11, "expected guards.east: 5; it is 2"),
        ("    waiting: [", "    faults: [{path: [card]}]\n    waiting: [", 11, "expected fault {path: [card]}; the"),
        ("assault/middle: [2]", "assault/east: [2]", 8, "no dice are loaded for the roll assault/middle; loaded"),
        ("assault/middle: [2]", "assault/middle: [2], tie: [1]", 8, "tie is loaded but never rolled"),
        ("assault/middle: [2]", "assault/middle: [7]", 8, "7 is none of the faces 1 to 6"),
        ("dice: {", "shuffles: {deck: [31]}\n  dice: {", 8, "deck is loaded but never rolled"),
        ("{react: {card: 6}}", "{react: {card: 7}}", 7, "order 2 (blue: react) is refused: [card]: card 7 is not in"),
        ("{react: {card: 6}}", "{react: {cart: 6}}", 7, "order 2 (blue: react) is refused: [cart]: unknown word"),
        ("{react: {card: 6}}", "{react: {card: 6}}\n  - red: {assault: {hold: true}}", 8, "order 3 (red: assault) is"),
        ("- blue: {react", "- blue: {reach", 7, "no order is called reach"),
        ("- blue: {react", "- green: {react", 7, "no side is called green"),
        ("  - blue: {react: {card: 6}}\n", "", 7, "assault/middle is loaded but never rolled"),
        ("scenario: siege", "scenario: sieg", 3, "there is no scenario sieg; there are: standard, siege"),
        ("scenario: siege", "edition: odd", 3, "there is no edition odd"),
        ("scenario: siege", "options: {equal_bids: coin}", 3, "option equal_bids cannot be coin"),
        ("hands.blue: [1, 6]", "hands.blue: [1, 26]", 4, "no such position can be: a card is lost or"),
        ("hands.blue: [1, 6]", "hand.blue: [1, 6]", 4, "there is no hand.blue: Hills has no hand; did you mean hands?"),
        ("hands.blue: [1, 6]", "hands.blue.0.x: 6", 4, "there is no hands.blue.0.x: nothing can stand below a number"),
        ("hands.blue: [1, 6]", "hands.blue.9: 6", 4, "there is nothing called 9 in hands.blue.9"),
    ],
)
def test_what_is_said_when_it_does_not_hold(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    verdict = ruled(tmp_path, (old, new))
    assert any(text.startswith(f"{tmp_path}/case.yaml:{line}:") and said in text for text in verdict.differences), (
        verdict.differences
    )


def test_missing_and_unexpected_faults_are_both_reported(tmp_path: Path) -> None:
    """A fault that is expected but missing and one that is not expected are both reported."""
    faults = ("events:", "faults: [{path: [hill]}]\n    events:")
    verdict = ruled(tmp_path, ("{react: {card: 6}}", "{react: {card: 7}}"), faults)
    assert any("expected fault {path: [hill]}; the faults are: [card]: card 7" in text for text in verdict.differences)
    assert any("unexpected fault: [card]: card 7 is not in your hand" in text for text in verdict.differences)


def test_that_an_order_has_no_faults_can_be_expected(tmp_path: Path) -> None:
    assert ruled(tmp_path, ("    waiting: [", "    faults: []\n    waiting: [")).passed


def test_a_faulty_last_order_is_not_carried_out(tmp_path: Path) -> None:
    verdict = ruled(
        tmp_path,
        ("{react: {card: 6}}", "{react: {card: 7}}"),
        ("dice: {assault/middle: [2]}", "why: nothing is rolled"),
        ("events: [assaults: {hill: middle}, taken: {hill: middle}]", 'faults: [{path: [card], rule: "6"}]'),
        ("[{side: red, kind: bid}, {side: blue, kind: bid}]", "{side: blue, kind: react, hill: middle}"),
    )
    assert verdict.passed, verdict.differences


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("scenario:", "scenary:", 3, "scenary does not belong here; did you mean scenario?"),
        ("    events:", "    event:", 10, "event does not belong here"),
        ('rule: "5"', "rule: 5", 1, "5 is not of type 'string'"),
        ("- red: {assault", "- red: {hold: {}, assault", 6, "has too many properties"),
        ("{assault/middle: [2]}", "some", 8, "'any' was expected"),
        ("events: [assaults: {hill: middle}, taken: {hill: middle}]", "events: []", 10, "[] should be non-empty"),
    ],
)
def test_a_malformed_case_fails_and_the_others_run(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    """A case that is none is refused with the lines that are wrong, alone."""
    path = tmp_path / "case.yaml"
    path.write_text(BASE.replace(old, new) + BASE, "utf-8")
    broken, whole = (run_case(case, "toy", FOLDERS) for case in read_cases(path))
    assert any(text.startswith(f"{path}:{line}: ") and said in text for text in broken.differences), broken.differences
    assert whole.passed
    with pytest.raises(BrokenBox):
        sound_cases(path)


def test_a_file_that_cannot_be_read_is_refused_with_its_lines(tmp_path: Path) -> None:
    with pytest.raises(BrokenBox) as broken:
        ruled(tmp_path, ("  expect:\n", "  expect: [\n"))
    assert any(flaw.line == 9 and "not closed" in flaw.reason for flaw in broken.value.flaws), broken.value.flaws
    (tmp_path / "case.yaml").write_text("rule: 5", "utf-8")
    with pytest.raises(BrokenBox, match="is not of type 'array'"):
        read_cases(tmp_path / "case.yaml")


def test_a_ruling_knows_the_box_it_lies_in(tmp_path: Path) -> None:
    found = game_of_case(TOY / "rules" / "toy" / "cases" / "rounds.yaml")
    assert found == ("toy", TOY / "rules")
    assert game_of_case(tmp_path / "case.yaml") is None

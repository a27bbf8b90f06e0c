"""Letters with orders in a player's own words: taken, asked about, or left as talk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pbem.mail.intake import take_in
from pbem.protocol import Decision
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.live import Folder, letter, pick, sheet
from tests.support.read_letters import read


@pytest.fixture(name="folder")
def empty_folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(name="game")
def game_at_a_card_play(folder: Folder) -> Iterator[Adjudicator]:
    """Yield a game of Rome vs. Carthage that asks one side for a card play and nothing else."""
    with folder.create("rome_carthage") as game:
        rng = Random(3)
        while [each.kind for each in game.open_decisions] != ["play"]:
            for decision in game.open_decisions:
                game.receive(decision.side, sheet(game, decision.side, pick(game, decision, rng)))
            game.adjudicate()
        yield game


def asked(game: Adjudicator) -> Decision:
    return game.open_decisions[0]


def card(game: Adjudicator) -> int:
    """Return a card that its side may lay off."""
    held: list[int] = game.view(asked(game).side).hands[asked(game).side]
    return held[0]


def mailed(folder: Folder, game: Adjudicator, text: str, *, answers: str = "report") -> tuple[bool, str]:
    """Mail a text as the side that is asked, in answer to something; return whether it was taken, and the answer."""
    side, host = asked(game).side, folder.office.host
    report = f"<punica.{side}.{game.adjudication}@{host}>"
    talk = f"<talk.punica.{'0' * 24}@{host}>"
    reference = {"report": report, "talk": f"{report} {talk}", "nothing": ""}[answers]
    reference = f"References: {reference}\n" if reference else ""
    game.close()
    handled = take_in(letter(side, text.encode(), more=reference), folder.office)
    to_them = [read(out) for out in handled.letters if out.to.startswith(side)]
    return handled.accepted, "\n".join(each.text for each in to_them)


def sheets_of(folder: Folder, side: str) -> list[str]:
    with folder.open() as game:
        return [game.ledger.sheet(side, n).decode() for n in range(1, game.sheets(side) + 1)]


def test_a_line_that_answers_a_report_is_an_order(folder: Folder, game: Adjudicator) -> None:
    side, number = asked(game).side, card(game)
    before = game.sheets(side)
    taken, answer = mailed(folder, game, f"Hi Ann,\n\nI discard #{number}.\n\nThanks,\nBob\nSent from my phone\n")
    assert taken, answer
    assert f"- play: {{card: {number}, as: discard}}" in answer
    (last,) = sheets_of(folder, side)[before:]
    assert f"- play: {{card: {number}, as: discard}}" in last.replace("\n  ", " ") or f"card: {number}" in last
    assert f"# | I discard #{number}." in last
    assert "Bob" not in last


def test_words_in_doubt_are_marked_and_nothing_is_carried_out(folder: Folder, game: Adjudicator) -> None:
    side = asked(game).side
    before, number = game.sheets(side), card(game)
    taken, answer = mailed(folder, game, f"discard {number} tomorrow\n")
    assert not taken
    assert f"discard {number} tomorrow\n#!" in answer
    assert "tomorrow" in answer.split("#!", 2)[2]
    assert len(sheets_of(folder, side)) == before


@pytest.mark.parametrize(
    "text",
    [
        "do not discard {card}",
        "discard {card}?",
        "maybe discard {card}",
        "discard {card} or {other}",
        "discard {card}\ndiscard {other}",
        "Draft only:\n\ndiscard {card}",
        "Do NOT\nplay: {{card: {card}, as: discard}}",
        "What would happen if I\nplay: {{card: {card}, as: discard}}\nor should I wait?",
        "play: {{card: {card}, as: discard}} # no, wait",
        "Play: {{card: {card}, as: discard}}?",
        "discard {card}\n\nplay: {{card: {other}, as: discard}}",
    ],
)
def test_what_may_be_turned_round_is_asked(folder: Folder, game: Adjudicator, text: str) -> None:
    side = asked(game).side
    before, held = game.sheets(side), game.view(side).hands[side]
    taken, answer = mailed(folder, game, text.format(card=held[0], other=held[1]))
    assert not taken, answer
    assert len(sheets_of(folder, side)) == before


def test_talk_orders_nothing_and_gets_the_form(folder: Folder, game: Adjudicator) -> None:
    side = asked(game).side
    before = game.sheets(side)
    _, answer = mailed(folder, game, "Well played last turn! I had not seen that coming. What a game.\n")
    assert len(sheets_of(folder, side)) == before
    assert "BEGIN ORDERS" in answer
    assert "#!" not in answer


def test_words_below_a_heading_are_orders_of_the_sheet(folder: Folder, game: Adjudicator) -> None:
    side, number = asked(game).side, card(game)
    text = f"game: punica\nside: {side}\nadjudication: {game.adjudication}\norders:\ndiscard {number}\n\nThanks!\n"
    taken, answer = mailed(folder, game, text, answers="nothing")
    assert taken, answer


def test_words_in_a_letter_that_answers_no_report_are_not_orders(folder: Folder, game: Adjudicator) -> None:
    side = asked(game).side
    before, number = game.sheets(side), card(game)
    mailed(folder, game, f"discard {number}\n", answers="nothing")
    assert len(sheets_of(folder, side)) == before


def test_words_in_answer_to_what_another_says_are_not_orders(folder: Folder, game: Adjudicator) -> None:
    side = asked(game).side
    before, number = game.sheets(side), card(game)
    mailed(folder, game, f"discard {number}\n", answers="talk")
    assert len(sheets_of(folder, side)) == before


def test_words_within_talk_to_others_are_passed_on(folder: Folder, game: Adjudicator) -> None:
    side = asked(game).side
    before, number = game.sheets(side), card(game)
    mailed(folder, game, f"PRESS ALL: I shall not discard {number}, or shall I\n")
    assert len(sheets_of(folder, side)) == before


def test_agreed_beside_an_order_in_words_is_asked(folder: Folder, game: Adjudicator) -> None:
    side = asked(game).side
    before, number = game.sheets(side), card(game)
    _, answer = mailed(folder, game, f"AGREED\n\ndiscard {number}\n")
    assert len(sheets_of(folder, side)) == before
    assert "which of the two" in answer or "AGREED was not carried out" in answer

"""Questions of one kind, open at once to one side: an order says by `for` which it answers. Tried with Five Valleys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.engine.advance import play_on
from pbem.engine.answers import Sources
from pbem.engine.session import Answer, Queued
from pbem.mail.answer.own_orders import sheet_of_agreed
from pbem.mail.write.outgoing import side_report
from pbem.protocol import Order
from pbem.referee.acts import ruling
from pbem.referee.game.home_check import check_at_home, take_home
from pbem.referee.play import sheet_check
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.played import awaited_decisions
from tests.support.live import Folder, give, play, sheet
from tests.support.walks import FOLDERS

SIDE, WILD = "elm", "bears"
"""Who is asked in the game of these tests for two armies at once: its own with three guards, a wild one with one."""
SEED = 49


@pytest.fixture
def game(folder: Folder) -> Iterator[Adjudicator]:
    """Play a game to a march that a side may intercept with two armies."""
    with folder.create("five") as game:
        for _ in play(game, SEED, 200):
            if [each.about for each in game.open_decisions] == [SIDE, WILD]:
                break
        assert {each.about: game.view(None).guards[each.facts["at"]] for each in game.open_decisions} == {
            SIDE: 3,
            WILD: 1,
        }
        yield game


def intercept(about: str, guards: int) -> Order:
    return Order("intercept", {"guards": guards}, about)


def intercepted(game: Adjudicator, made: list[int]) -> list[Answer]:
    """Return the answers for the armies in the first of some adjudications."""
    return [each for each in game.ledger.adjudication(made[0]).answers if each.kind == "intercept"]


def faults(game: Adjudicator, *orders: Order) -> str:
    """Return the faults of a sheet, which must have some and change nothing."""
    head = game.ledger.repo.head
    receipt = game.receive(SIDE, sheet(game, SIDE, *orders))
    assert receipt.number is None
    assert game.ledger.repo.head == head
    return str(receipt)


def test_both_answers_count_in_any_sequence(game: Adjudicator) -> None:
    answers = intercepted(game, give(game, SIDE, intercept(WILD, 0), intercept(SIDE, 2)))
    assert [(each.about, each.order) for each in answers] == [(SIDE, {"guards": 2}), (WILD, {"guards": 0})]


def test_the_record_says_which_answer_was_for_which(game: Adjudicator) -> None:
    made = give(game, SIDE, intercept(WILD, 0), intercept(SIDE, 2))
    published = next(turn["answers"] for n in made if "answers" in (turn := game.ledger.public_turn(n)))
    assert {"side": SIDE, "kind": "intercept", "about": WILD, "order": {"guards": 0}, "by": "sheet 3"} in published
    assert all(list(each)[:2] == ["side", "kind"] for each in published)
    assert list(replay(game)) == []
    game.close()
    verdict = verify(game.path, keys=lambda name: game.ledger.keys, folders=FOLDERS)
    assert verdict.opened
    assert verdict.findings.divergences == []


def test_an_order_that_fits_one_question_need_not_say_which(game: Adjudicator) -> None:
    answers = intercepted(game, give(game, SIDE, intercept("", 3), intercept(WILD, 1)))
    assert [(each.about, each.order) for each in answers] == [(SIDE, {"guards": 3}), (WILD, {"guards": 1})]


def test_an_order_that_fits_two_questions_is_a_fault(game: Adjudicator) -> None:
    told = faults(game, intercept("", 1), intercept(SIDE, 0))
    assert "more than once; write which one this is: for: elm or for: bears" in told
    assert "orders.yaml:5:" in told


def test_an_order_that_fits_no_question_is_told_why_for_each(game: Adjudicator) -> None:
    told = faults(game, intercept("", 9))
    assert "for: elm: the army of elm has 3 guards" in told
    assert "for: bears: the army of bears has 1 guards" in told


def test_a_missing_answer_is_a_fault(game: Adjudicator) -> None:
    assert "an answer is missing: you are asked for intercept (for: bears), too" in faults(game, intercept(SIDE, 1))


def test_a_standing_order_may_answer_one_of_them(folder: Folder) -> None:
    """It names the army that it is for; the sheet then need not answer for that."""
    with folder.create("five") as game:
        for side in game.rules.sides:
            for_the_wild = (
                b"standing:\n- intercept: {for: wolves, guards: 0}\n- intercept: {guards: 0}\n  when: {for: bears}\n"
            )
            head, _, _ = sheet(game, side).partition(b"orders:")
            assert game.receive(side, head + for_the_wild).number is not None
        for _ in play(game, SEED, 200):
            own = [each for each in game.open_decisions if each.kind == "intercept" and each.about == each.side]
            if own and len(game.asked(own[0].side)) > 1:
                break
        side = own[0].side
        assert all(each.about == side for each in game.open_decisions if each.side == side)
        give(game, side, intercept(side, 0))
        for _ in play(game, SEED, 5):
            pass
        answered = [each for n in range(1, game.adjudication + 1) for each in game.ledger.adjudication(n).answers]
        by = {each.about: each.by.partition(" of ")[0] for each in answered if each.by.startswith("standing")}
        assert by.items() <= {"wolves": "standing 1", "bears": "standing 2"}.items()
        assert by


def test_an_order_for_something_else_is_not_asked_for(game: Adjudicator) -> None:
    told = faults(game, intercept("oak", 1))
    assert (
        "does not ask you for intercept (for: oak) now; it asks for intercept (for: bears), intercept (for: elm)"
        in told
    )


def test_a_word_that_is_no_army_cannot_be_read(game: Adjudicator) -> None:
    assert "for cannot be 'wulves'; did you mean wolves?" in faults(game, intercept("wulves", 1), intercept(SIDE, 0))


def test_names_and_a_bare_number_are_read(game: Adjudicator) -> None:
    text = sheet(game, SIDE).decode() + "- Intercept: {for: Bears, guards: 1}\n- intercept: 3\n"
    receipt = game.receive(SIDE, text.encode())
    assert receipt.number is not None, str(receipt)
    assert [(each.about, each.order) for each in intercepted(game, game.adjudicate())] == [
        (SIDE, {"guards": 3}),
        (WILD, {"guards": 1}),
    ]


def test_a_ruling_may_set_the_default_of_one_of_them(game: Adjudicator) -> None:
    receipt, made = ruling.set_default(game, SIDE, sheet(game, SIDE, intercept("", 1)), "away")
    assert made is None
    assert "write which one this is" in str(receipt)
    receipt, made = ruling.set_default(game, SIDE, sheet(game, SIDE, intercept(WILD, 1)), "away")
    assert made is not None, str(receipt)
    assert [each.about for each in game.open_decisions] == [SIDE, WILD]
    answers = intercepted(game, game.adjudicate(late=[SIDE]))
    assert [(each.about, each.by, each.order) for each in answers] == [
        (SIDE, "default", {"guards": 0}),
        (WILD, "the game master", {"guards": 1}),
    ]
    keys = game.ledger.keys
    game.close()
    assert verify(game.path, keys=lambda name: keys, folders=FOLDERS).findings.divergences == []


def test_the_game_waits_for_what_a_ruling_leaves_open(game: Adjudicator) -> None:
    receipt, made = ruling.answer_for_side(game, SIDE, sheet(game, SIDE, intercept(WILD, 1)), "away")
    assert made is not None, str(receipt)
    assert [each.about for each in game.open_decisions] == [SIDE]
    assert game.adjudicate() == []


def test_a_late_side_gets_the_default_of_each(game: Adjudicator) -> None:
    answers = intercepted(game, game.adjudicate(late=[SIDE]))
    assert [(each.about, each.by, each.order) for each in answers] == [
        (SIDE, "default", {"guards": 0}),
        (WILD, "default", {"guards": 0}),
    ]


def test_agreed_answers_each_of_them(game: Adjudicator) -> None:
    text = sheet_of_agreed(game, SIDE, "")
    assert text.count(b"for: ") == 2
    assert game.receive(SIDE, text).number is not None
    assert game.open_decisions == ()


def test_the_form_tells_them_apart(game: Adjudicator) -> None:
    text = side_report(game, SIDE, game.adjudication - 1).text
    assert "YOU ARE ASKED: For Elm: How many guards of an army intercept?" in text
    assert "AND: For Bears: How many guards" in text
    assert "# - intercept: {for: bears, guards: 1}" in text


def test_the_home_check_finds_the_same(game: Adjudicator, tmp_path: Path) -> None:
    enclosed = tmp_path / "position.json"
    enclosed.write_text(json.dumps(take_home(game, SIDE)))
    for orders in ([intercept("", 1)], [intercept(SIDE, 1)], [intercept("", 3), intercept(WILD, 0)]):
        text = sheet(game, SIDE, *orders)
        assert str(check_at_home(enclosed, text, "orders.yaml", FOLDERS)) == str(
            sheet_check.check_sheet_of(game, SIDE, text)[0]
        )


def test_orders_for_later_wait_for_their_question(game: Adjudicator) -> None:
    """An order behind the answers, for an army that is not asked for yet, waits for its question."""
    give(game, SIDE, intercept(WILD, 0), intercept(SIDE, 0), intercept("wolves", 0))
    state = game.current().state
    assert state is not None
    waiting = [each.order for each in state.pending.get(SIDE, ())]
    asked = {each.about for each in game.asked(SIDE)}
    assert waiting == [intercept("wolves", 0)] or "wolves" not in asked


def test_a_question_that_nobody_waits_for_is_not_awaited(game: Adjudicator) -> None:
    """It is open beside one that the game waits for: it may be answered; else its default is taken with the other."""
    _, wild = game.session.open_decisions
    wild.waits = False
    assert [each.about for each in game.open_decisions] == [SIDE]
    assert awaited_decisions(game.session) == [{"side": SIDE, "kind": "intercept"}]
    told = " ".join(side_report(game, SIDE, game.adjudication - 1).text.split())
    assert "(for Bears): send 0 guards. The game does not" in told
    receipt, sheet_read = sheet_check.check_sheet_of(
        game, SIDE, sheet(game, SIDE, intercept(SIDE, 0), intercept(WILD, 1))
    )
    assert sheet_read is not None, str(receipt)
    outcome = play_on(game.session, Sources({SIDE: [Queued(intercept(SIDE, 0), "sheet 3")]}))
    assert [(each.about, each.by) for each in outcome[:2]] == [(SIDE, "sheet 3"), (WILD, "default")]


def test_what_counts_without_an_answer_is_told_of_each(game: Adjudicator) -> None:
    text = " ".join(side_report(game, SIDE, game.adjudication - 1).text.split())
    assert "Without an answer in time (for Bears): send 0 guards." in text
    receipt = game.receive(SIDE, sheet(game, SIDE))
    assert ": send 0 guards (for Elm); send 0 guards (for Bears)" in str(receipt)

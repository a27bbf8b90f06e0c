"""Orders ahead: they wait until their side's own play is over, and a side that is asked nothing may send them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.mail.intake import take_in
from pbem.mail.write.answer_letters import echo
from pbem.protocol import Order, Side
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.played import ORDER_UNUSED
from tests.support.live import Folder, give, letter, order, rooms, sheet
from tests.support.walks import FOLDERS

LAST = "aid"


@pytest.fixture
def game(folder: Folder) -> Iterator[Adjudicator]:
    """Return a game of Five Valleys in which all have bid, and the first is asked to march."""
    with folder.create("five") as game:
        for side in game.rules.sides:
            give(game, side, order("bid", card="lowest"))
        assert [each.kind for each in game.open_decisions] == ["march"]
        yield game


def marchers(game: Adjudicator) -> list[Side]:
    """Return the sides that are still to march, in their order."""
    order: list[Side] = game.view(None).to_march
    return list(order)


def ahead(game: Adjudicator, side: Side, *orders: Order) -> bytes:
    return sheet(game, side, *orders).replace(b"orders:", b"ahead: true\norders:")


def waiting(game: Adjudicator, side: Side) -> list[str]:
    """Return the kinds of the orders of a side that wait."""
    state = game.current().state
    assert state is not None
    return [each.order.kind for each in state.pending.get(side, ())]


def hold() -> Order:
    return order("march", hold=True)


def test_a_side_that_is_asked_nothing_needs_the_word(game: Adjudicator) -> None:
    later = marchers(game)[2]
    receipt = game.receive(later, sheet(game, later, hold()))
    assert receipt.number is None
    assert "it asks nothing of you; orders for what comes have the line `ahead: true` above them" in str(receipt)


def test_orders_ahead_are_used_when_they_are_asked_for(game: Adjudicator) -> None:
    first, second, third, *_ = marchers(game)
    for side in (third, second):
        assert game.receive(side, ahead(game, side, hold())).number is not None
        assert game.adjudicate() == []
    made = give(game, first, hold())
    answers = [each for n in made for each in game.ledger.adjudication(n).answers]
    assert [(each.side, each.by) for each in answers] == [(side, "sheet 2") for side in (first, second, third)]
    assert list(replay(game)) == []
    keys = game.ledger.keys
    game.close()
    verdict = verify(game.path, keys=lambda name: keys, folders=FOLDERS)
    assert verdict.findings.divergences == []


def test_orders_of_others_outlast_the_play_of_one_side(game: Adjudicator) -> None:
    """At the resting point after each march only the orders of whoever has marched are dropped."""
    first, second, third, *_ = marchers(game)
    assert game.receive(third, ahead(game, third, hold(), order(LAST, card="none"))).number is not None
    give(game, first, hold(), order(LAST, card="none"))
    assert waiting(game, first) == []
    assert waiting(game, third) == ["march", LAST]
    told = [each for each in game.told(first, 0) if each.event.kind == ORDER_UNUSED]
    assert [each.event.facts["order"] for each in told] == [LAST]
    give(game, second, hold())
    assert waiting(game, third) == []
    told = [each for each in game.told(third, 0) if each.event.kind == ORDER_UNUSED]
    assert [each.event.facts["order"] for each in told] == [LAST]


def test_a_new_sheet_takes_orders_ahead_back(game: Adjudicator) -> None:
    later = marchers(game)[3]
    assert game.receive(later, ahead(game, later, hold())).number is not None
    assert game.receive(later, ahead(game, later, order(LAST, card="none"))).number is not None
    assert waiting(game, later) == [LAST]
    assert game.receive(later, sheet(game, later).replace(b"orders:", b"orders: []")).number is not None
    assert waiting(game, later) == []


def test_the_receipt_shows_that_they_were_sent_ahead(game: Adjudicator) -> None:
    later = marchers(game)[2]
    text = ahead(game, later, hold()).replace(b"true", b"Yes")
    receipt = game.receive(later, text)
    assert echo(receipt.canonical)[:2] == ["| ahead: true", "| - march: {hold: true}"]


def test_orders_ahead_must_have_the_right_form(game: Adjudicator) -> None:
    later = marchers(game)[2]
    receipt = game.receive(later, ahead(game, later, order("march", two="forest")))
    assert "unknown word 'two'" in str(receipt)
    receipt = game.receive(later, ahead(game, later, hold()).replace(b"true", b"7", 1))
    assert "ahead must be true or false" in str(receipt)


def test_a_sheet_ahead_may_still_answer_what_is_asked(game: Adjudicator) -> None:
    first = marchers(game)[0]
    assert game.receive(first, ahead(game, first, order(LAST, card="none"))).number is not None
    assert [each.side for each in game.open_decisions] == [first], "what is asked has no answer yet"
    assert game.receive(first, ahead(game, first, order(LAST, card="none"), hold())).number is not None
    assert game.adjudicate()


def test_no_size_tells_whether_kept_orders_are_left(tmp_path: Path) -> None:
    """A side whose orders a resting point has kept counts as one that may have some, whether it has or not."""
    sizes = []
    for number, left in enumerate(([order(LAST, card="none")] * 30, [])):
        with Folder(tmp_path / str(number)).create("five") as game:
            for side in game.rules.sides:
                give(game, side, order("bid", card="lowest"))
            first, second, third, *_ = marchers(game)
            text = ahead(game, third, *left) if left else sheet(game, third).replace(b"orders:", b"orders: []")
            assert game.receive(third, text).number is not None
            give(game, first, hold())
            give(game, second, hold())
            sizes.append(rooms(game.ledger.repo))
    assert sizes[0] == sizes[1]


def test_a_letter_with_orders_ahead_is_answered_by_a_receipt(folder: Folder) -> None:
    """The answer shows them as they were read, and says that they wait; WITHDRAW takes them back."""
    with folder.create("five") as game:
        for side in game.rules.sides:
            give(game, side, order("bid", card="lowest"))
        later = marchers(game)[2]
        text = ahead(game, later, hold()).replace(b"ahead: true", b"Ahead: yes")
    (answer,) = take_in(letter(later, text), folder.office).letters
    assert b"Your sheet 2 waits to be used. This is how it was read:" in answer.content
    assert b"| ahead: true" in answer.content
    assert b"| - march: {hold: true}" in answer.content
    with folder.open() as game:
        assert waiting(game, later) == ["march"]
    take_in(letter(later, b"WITHDRAW\n", number=2), folder.office)
    with folder.open() as game:
        assert waiting(game, later) == []

"""Hidden cards of Hannibal: Rome vs. Carthage: a span played again against other cards shows nobody the difference."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from pbem.engine.session import Session
from pbem.protocol import Decision, Order, Side
from pbem.rules.rome_carthage.position.state import SIDES, Game
from tests.support.chance import seed_of
from tests.support.soak import quick_first
from tests.support.twins import BY_HAND
from tests.support.walks import Walk, loaded, plain, read_back, walk

PICK = Walk.pick
EDITIONS = ("valley2007", "descartes1998", "reorganised")


def pick(at: Walk, decision: Decision) -> Order:
    """Pick an answer as the stand-in would, so that there are battles, or any."""
    rules: Any = at.rules
    if at.rng.random() < 0.7:
        order: Order = rules.bot_order(at.view(decision.side), decision)
        return order
    return PICK(at, decision)


def named(at: Walk) -> set[int]:
    """Return the cards that the orders since the last rest name."""
    numbers: set[int] = set()
    for answer in at.answers:
        words = answer.order.get("cards", answer.order.get("card"))
        numbers |= {word for word in (words if isinstance(words, list) else [words]) if isinstance(word, int)}
    return numbers


def other_cards(at: Walk, viewer: Side | None, rng: Random) -> Game | None:
    """Return the last resting point with other cards where the viewer sees none and none has been used since.

    None: cards have been dealt since, or an order leaves it to the hand which card it means.
    """
    if any(word in BY_HAND for answer in at.answers for word in answer.order.values() if isinstance(word, str)):
        return None
    now, then = at.position, at.rules.decode(plain(at.checkpoint))
    unseen = [side for side in SIDES if side != viewer and side in then.hands]
    if sorted(then.deck) != sorted(now.deck) or any(
        set(now.hands[side]) - set(then.hands[side]) for side in SIDES if side in then.hands
    ):
        return None
    fixed = named(at) | {card for side in unseen for card in then.hands[side] if card not in now.hands[side]}
    fixed |= {card for card in (then.must_play, then.play_next) if card is not None}
    pool = [card for pile in (*(then.hands[side] for side in unseen), then.deck) for card in pile if card not in fixed]
    rng.shuffle(pool)
    for side in unseen:
        then.hands[side] = sorted(card if card in fixed else pool.pop() for card in then.hands[side])
    then.deck = [card if card in fixed else pool.pop() for card in then.deck]
    position: Game = then
    return position


def seen(session: Session[Any], viewer: Side | None) -> list[Any]:
    """Return all that a side reads of a span: the position, the events, the questions, the facts of its own."""
    rules = session.rules
    told = [repr(event) for event in session.table.events if event.to is None or (viewer or "") in event.to]
    asked = [
        (one.side, one.kind, *((dict(one.facts), one.default) if one.side == viewer else ()))
        for one in session.open_decisions
    ]
    return [rules.encode(rules.view(session.position, viewer)), told, asked]


def spans(edition: str, scenario: str, seed: int, most: int) -> Iterator[Walk]:
    for at in walk(loaded("rome_carthage", edition).rules, scenario, seed, most):
        if at.answers:
            yield at


@pytest.mark.parametrize("scenario", ["standard", "melee"])
@pytest.mark.parametrize("edition", quick_first(EDITIONS))
def test_a_span_looks_the_same_whatever_cards_were_not_used(
    edition: str, scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Walk, "pick", pick)
    compared = 0
    for at in spans(edition, scenario, seed_of(), 150):
        for viewer in (*SIDES, None):
            position = other_cards(at, viewer, Random(at.count))
            if position is None or at.rules.encode(position) == at.checkpoint:
                continue
            session = Session(at.rules, position, deepcopy(at.dice_then))
            session.feed(read_back(answer) for answer in at.answers)
            assert seen(session, viewer) == seen(at.session, viewer), f"question {at.count}, seen by {viewer}"
            compared += 1
    assert compared > 50

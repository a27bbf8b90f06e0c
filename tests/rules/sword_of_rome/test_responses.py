"""Responses of The Sword of Rome: ordered in advance, and what others can learn of a hand from a window: nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.advance import Outcome, advance
from pbem.engine.answers import Sources, has_order_for
from pbem.engine.session import Queued, Session
from pbem.game.plain import copy
from pbem.game.table import Table
from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.position.state import Activation, Force, Game
from tests.support.standing import Standing
from tests.support.walks import loaded

ATTACK: Sequence[Mapping[str, Any]] = (
    {"act": {"do": "activate", "card": "g7", "leader": "gallic_minor_a"}},
    {"march": {"cu": 6, "path": [{"to": "sentinum"}], "then": "stop"}},
)
"""The orders of the Gauls, who attack the Etruscans."""


def sentinum(hands: Mapping[Side, Sequence[str]], windows: str) -> Game:
    """Return a position in which the Gauls, who are active, can attack Sentinum.

    Nobody has a Desperate Times, and of the responses to a battle of the two those are left that the tests play.
    """
    rules = loaded("sword_of_rome").rules
    game: Game = copy(rules.setup("short", Table(SeededDice(0))))
    game.options = {**game.options, "windows": windows}
    game.phase, game.first, game.round, game.window_shut = "action", "gauls", 1, True
    game.activation, game.to_act = Activation("gauls"), ["romans"]
    game.desperate_times = dict.fromkeys(game.desperate_times, 0)
    game.hands = {side: list(hands.get(side, [])) for side in game.hands}
    game.discards["etruscans_samnites"] = ["e16", "e24", "e25", "e26", "e27"]
    game.discards["gauls"] = ["g18", "g27"]
    game.forces["gauls"]["sena_gallica"] = Force(6, 0, ["gallic_minor_a"])
    game.forces["etruscans"] = {
        "sentinum": Force(4, 0, ["etruscan_minor_b"]),
        "clusium": Force(1, 0, ["etruscan_minor_a"]),
    }
    settled: Game = rules.settle(game)
    return settled


def play(
    hands: Mapping[Side, Sequence[str]],
    orders: Mapping[Side, Sequence[Mapping[str, Any]]],
    standing: Mapping[Side, Mapping[str, Any]] | None = None,
    windows: str = "advance",
    ask: bool = True,
) -> tuple[Outcome[Game], Sources]:
    """Play the attack with orders given in advance, as far as they go."""
    rules, dice = loaded("sword_of_rome").rules, SeededDice("sentinum")

    def answer(decision: Decision, session: Session[Any]) -> Queued | None:
        order = (standing or {}).get(decision.side, {}).get(decision.kind)
        if order is None or session.faults(decision, Order(decision.kind, order)):
            return None
        return Queued(Order(decision.kind, order), "standing 1")

    def queue(side: Side) -> list[Queued]:
        given = [*(ATTACK if side == "gauls" else ()), *orders.get(side, ())]
        return [Queued(Order(kind, body), "sheet") for each in given for kind, body in each.items()]

    sources = Sources({side: queue(side) for side in rules.sides}, Standing(answer, ask))
    session = Session(rules, sentinum(hands, windows), dice)
    outcome = advance(session, b"sentinum", dice, sources)
    return outcome, sources


def public(outcome: Outcome[Game], *own: Side) -> tuple[Any, ...]:
    """Return what everybody but some sides can read of an outcome."""
    return (
        [event for event in outcome.events if event.to is None],
        [(one.side, one.kind, dict(one.facts)) for one in outcome.session.open_decisions if one.side not in own],
    )


def kinds(outcome: Outcome[Game]) -> list[str]:
    return [event.kind for event in outcome.events]


def test_response_ordered_with_the_march_waits_for_its_moment() -> None:
    """It comes after two moments at which other cards of the deck would fit."""
    hands = {"gauls": ["g7", "g11", "g5"], "romans": ["r2"], "etruscans_samnites": ["e12"]}
    outcome, sources = play(hands, {"gauls": [{"respond": {"card": "g5"}}, {"respond": {"card": "g11"}}]})
    assert kinds(outcome).index("no_losses") < kinds(outcome).index("battle_won")
    assert [expired.queued.order.body for expired in sources.expired if expired.side == "gauls"] == []


def test_response_that_waits_is_no_answer_to_the_open_question() -> None:
    """With windows=ask the game waits for the side, and does not take its later response for an answer."""
    hands = {"gauls": ["g7", "g5"], "romans": ["r2"], "etruscans_samnites": ["e12"]}
    given = {
        "gauls": [{"respond": {"card": "g5"}}],
        "etruscans_samnites": [{"avoid": {"to": "none"}}, {"bribe": {"card": "none"}}],
    }
    outcome, sources = play(hands, given, windows="ask")
    (asked,) = outcome.session.open_decisions
    assert (asked.side, asked.kind, asked.facts["moment"]) == ("gauls", "respond", "battle_begins")
    assert not has_order_for(outcome.session, sources.sheets, asked)
    assert [queued.order["card"] for queued in sources.sheets["gauls"]] == ["g5"]


def test_response_by_a_standing_order_plays_the_card() -> None:
    hands = {"gauls": ["g7"], "romans": ["r1", "r2"], "etruscans_samnites": ["e12"]}
    outcome, _ = play(hands, {}, {"romans": {"respond": {"card": "r1"}}})
    (event,) = [event for event in outcome.events if event.kind == "responds"]
    assert event.facts == {"side": "romans", "card": "r1"}


def test_standing_order_without_its_card_leaves_no_trace() -> None:
    order = {"romans": {"respond": {"card": "r1"}}}
    others: Mapping[Side, Sequence[str]] = {"gauls": ["g7"], "etruscans_samnites": ["e12"]}
    with_order, _ = play({**others, "romans": ["r2", "r3"]}, {}, order)
    without, _ = play({**others, "romans": ["r2", "r3"]}, {})
    with_card, _ = play({**others, "romans": ["r1", "r3"]}, {})
    assert public(with_order) == public(without) == public(with_card)


def test_only_those_are_waited_for_who_ask_for_it() -> None:
    """With windows=ask, too, nobody waits for a side whose standing orders do not ask for that."""
    hands = {"gauls": ["g7"], "romans": ["r1"], "etruscans_samnites": ["e12"]}
    (asked,) = play(hands, {}, windows="ask")[0].session.open_decisions
    assert asked.kind == "avoid"
    outcome, _ = play(hands, {}, windows="ask", ask=False)
    assert public(outcome) == public(play(hands, {})[0])


@pytest.mark.parametrize("hand", [["r1", "r3"], ["r2", "r3"]])
def test_pause_betrays_no_hand(hand: list[str]) -> None:
    """Whether the Romans hold the card that fits, they are asked; the Greeks, whose deck has none, are not."""
    hands = {"gauls": ["g7"], "romans": hand, "greeks": ["k2"], "etruscans_samnites": ["e12"]}
    given = {"etruscans_samnites": [{"avoid": {"to": "none"}}, {"bribe": {"card": "none"}}]}
    outcome, _ = play(hands, given, windows="ask")
    (asked,) = outcome.session.open_decisions
    assert (asked.side, asked.facts["moment"], asked.secret) == ("romans", "battle_roll", True)


def test_others_cannot_list_the_responses() -> None:
    hands = {"gauls": ["g7"], "romans": ["r1"], "etruscans_samnites": ["e12"]}
    given = {"etruscans_samnites": [{"avoid": {"to": "none"}}, {"bribe": {"card": "none"}}]}
    session = play(hands, given, windows="ask")[0].session
    rules, (asked,) = session.rules, session.open_decisions
    assert not rules.legal_orders(rules.view(session.position, None), asked).certain
    assert not rules.legal_orders(rules.view(session.position, "gauls"), asked).certain
    assert [dict(order.body) for order in rules.legal_orders(rules.view(session.position, "romans"), asked)] == [
        {"card": "none"},
        {"card": "r1"},
    ]

"""A march in the sheet of its activation is checked before the card is played, as far as that can be foreseen (9.1)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.plain import copy
from pbem.game.table import Table
from pbem.protocol import Order
from pbem.rules.sword_of_rome.position.state import Activation, Game
from tests.support.walks import loaded

ACTIVATE = Order("act", {"do": "activate", "card": "k7", "leader": "dionysius"})
END = Order("act", {"do": "end"})
FAR = ("catina", "messana", "catina", "syracusae", "catina")
"""Too far for four points."""


def rules_cited(orders: Sequence[Order], hand: Sequence[str] = ("k7",)) -> list[list[str | None]]:
    """Return the rules that the orders of a sheet of the Greeks break, order by order."""
    rules = loaded("sword_of_rome").rules
    game: Game = copy(rules.setup("short", Table(SeededDice(0))))
    game.phase, game.first, game.round, game.window_shut = "action", "greeks", 1, True
    game.activation, game.to_act = Activation("greeks"), ["romans"]
    game.hands["greeks"] = list(hand)
    session = Session(rules, rules.settle(game), SeededDice("syracusae"))
    (asked,) = session.open_decisions
    return [[fault.rule for fault in faults] for faults in session.further(asked, orders)]


def march(*path: str) -> Order:
    return Order("march", {"cu": 6, "path": [{"to": space} for space in path]})


def test_march_that_can_be_made_is_accepted() -> None:
    assert rules_cited([ACTIVATE, march("catina"), END]) == [[], [], []]


@pytest.mark.parametrize("path", [("roma",), FAR])
def test_march_that_cannot_be_made_is_refused(path: Sequence[str]) -> None:
    assert rules_cited([ACTIVATE, march(*path), END]) == [[], ["9.2"], []]


def test_march_is_not_judged_where_an_own_card_may_help() -> None:
    """Etesian Winds, which the Greeks may play when he is activated, takes an army further."""
    assert rules_cited([ACTIVATE, march(*FAR)], ["k7", "k33"]) == [[], []]


def test_order_between_that_may_change_the_march_ends_the_check() -> None:
    respond = Order("respond", {"card": "k33"})
    assert rules_cited([ACTIVATE, respond, march("roma")], ["k7", "k33"]) == [[], [], []]


def test_march_behind_a_wrong_activation_is_not_judged() -> None:
    wrong = Order("act", {**ACTIVATE.body, "leader": "camillus"})
    act, after = rules_cited([wrong, march("roma")])
    assert act
    assert after == []

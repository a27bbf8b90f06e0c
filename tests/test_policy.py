"""The stand-in for an absent player: it plays by the rules, knows only what its side knows, and beats chance."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from pbem.dice import SeededDice
from pbem.playout import Player, play_out
from pbem.protocol import Decision, Order, Rules, Side
from pbem.table import Table
from tests.walks import loaded, start, walk

GAMES, BEATEN = 100, 90
"""Of so many games against random answers the stand-in must win so many, as either side."""

each_side = pytest.mark.parametrize("side", ["carthage", "rome"])
each_preset = pytest.mark.parametrize("preset", ["valley2007", "descartes1998"])


def stand_in(rules: Any) -> Player:
    def answer(known: Any, decision: Decision) -> Order:
        order: Order = rules.advise(known, decision)
        return order

    return answer


def winner(rules: Rules[Any], side: Side, seed: int) -> Side:
    """Return who wins a game of the stand-in against random answers."""
    played = play_out(
        rules, start(rules, "standard", seed), SeededDice(seed), Random(seed), players={side: stand_in(rules)}
    )
    assert played.result is not None
    assert list(rules.audit(played.position)) == []
    won: Side = played.result["winner"]
    return won


@each_preset
@each_side
def test_it_plays_by_the_rules_and_wins(side: Side, preset: str) -> None:
    rules = loaded("rome_carthage", preset).rules
    assert [winner(rules, side, seed) for seed in (1, 2)] == [side, side]


@each_side
@pytest.mark.soak
def test_it_beats_chance(side: Side) -> None:
    for preset in ("valley2007", "descartes1998"):
        rules = loaded("rome_carthage", preset).rules
        wins = Counter(winner(rules, side, seed) for seed in range(GAMES))
        print(f"{preset}: the stand-in wins {wins[side]} of {GAMES} games as {side}")
        assert wins[side] >= BEATEN


def test_it_answers_alike_whatever_is_hidden_from_it() -> None:
    rules: Any = loaded("rome_carthage").rules
    asked = 0
    for at in walk(rules, "melee", 3, 60):
        for decision in at.waiting:
            other = rules.reseal(at.position, decision.side, Table(SeededDice(at.count)))
            seen, also = rules.known(at.position, decision.side), rules.known(other, decision.side)
            assert rules.advise(seen, decision) == rules.advise(also, decision)
            asked += 1
    assert asked >= 50

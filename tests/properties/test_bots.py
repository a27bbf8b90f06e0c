"""The stand-in for an absent player: it plays by the rules, knows only what its side knows, and beats chance."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.audit.explain.replay import replay
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import Player, play_out
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Decision, Order, Side
from pbem.referee.game.open_game import CannotPlay
from pbem.rules.rome_carthage.turn.consuls import places_for
from tests.support.chance import seed_of
from tests.support.live import Folder
from tests.support.soak import quick_and_whole, scaled
from tests.support.walks import GAMES, editions, loaded, start, walk

PLAYED = scaled(100, 2)
"""How many games the stand-in plays against random answers, as either side."""
LOST = 1 + PLAYED // 10
"""How many of them it may lose."""
WITH_STAND_IN = [game for game in GAMES if loaded(game).rules.has_bot]
"""Every game on the shelf that has one: a new one is tried without a word changed here."""
CONTESTS = [
    (game, edition, scenario, side)
    for game, edition, scenario in editions()
    if game in WITH_STAND_IN
    for side in loaded(game, edition).rules.sides
]

each_contest = pytest.mark.parametrize(("game", "edition", "scenario", "side"), CONTESTS)
each_edition = pytest.mark.parametrize("edition", ["valley2007", "descartes1998"])


def is_first(game: str, edition: str, scenario: str, side: Side) -> bool:
    """Tell whether `make test` has this contest: one of each game."""
    return edition == loaded(game).box.editions[0] and side == loaded(game).rules.sides[0]


def stand_in(rules: Any) -> Player:
    def answer(view: Any, decision: Decision) -> Order:
        order: Order = rules.bot_order(view, decision)
        return order

    return answer


def winners(rules: Rules[Any], scenario: str, side: Side, seed: int) -> tuple[Side, ...]:
    """Return the sides that win a game of the stand-in against random answers."""
    played = play_out(
        rules, start(rules, scenario, seed), SeededDice(seed), Random(seed), players={side: stand_in(rules)}
    )
    assert played.result is not None
    assert list(rules.audit(played.position)) == []
    return played.result.winners


@pytest.mark.parametrize(
    ("game", "edition", "scenario", "side"),
    [
        pytest.param(*contest, marks=() if is_first(*contest) else pytest.mark.slow)
        for contest in CONTESTS
        if contest[2] == loaded(contest[0]).box.scenarios[0]
    ],
)
@pytest.mark.parametrize("least", quick_and_whole(1, 2))
def test_it_plays_by_the_rules_and_wins(game: str, edition: str, scenario: str, side: Side, least: int) -> None:
    rules = loaded(game, edition).rules
    # One game in ten may be lost, and any change of a rule turns seeds into other games: the one of today may be, too.
    won = (side in winners(rules, scenario, side, seed) for seed in (1, 2, seed_of()))
    assert any(won) if least == 1 else sum(won) >= least


@each_contest
@pytest.mark.soak
def test_it_beats_chance(game: str, edition: str, scenario: str, side: Side) -> None:
    rules = loaded(game, edition).rules
    wins = sum(side in winners(rules, scenario, side, seed) for seed in range(PLAYED))
    print(f"{game} {edition} {scenario}: the stand-in wins {wins} of {PLAYED} games as {side}")
    assert wins >= PLAYED - LOST


@pytest.mark.slow
@each_edition
def test_it_keeps_consuls_in_italy(edition: str) -> None:
    """New consuls get armies in Italy if there are any, and no consul is marched out of it."""
    rules: Any = loaded("rome_carthage", edition).rules
    seen = Counter[str]()

    def italian(view: Any, space: str) -> bool:
        return bool(view.board.spaces[space].region == "italia")

    def watched(view: Any, decision: Decision) -> Order:
        order: Order = rules.bot_order(view, decision)
        if decision.kind == "consuls":
            for general, space in order["at"].items():
                if any(italian(view, place) for place in places_for(view, general)):
                    assert italian(view, space), order
                    seen["placed"] += 1
        elif decision.kind in ("play", "campaign") and order.get("path"):
            going = [order["general"], *order.get("with", ())]
            start, _ = view.where(order["general"])
            if italian(view, start) and any(view.offices.get(general) == "consul" for general in going):
                assert italian(view, order["path"][-1]), order
                seen["marched"] += 1
        return order

    for seed in range(4):
        play_out(rules, start(rules, "standard", seed), SeededDice(seed), Random(seed), players={"rome": watched})
    assert seen["placed"] >= 10
    assert seen["marched"] >= 5


@pytest.mark.slow
@pytest.mark.parametrize("game", WITH_STAND_IN)
def test_it_answers_alike_whatever_is_hidden_from_it(game: str) -> None:
    rules: Any = loaded(game).rules
    asked = 0
    for at in walk(rules, loaded(game).scenarios[-1], seed_of(), 60):
        for decision in at.open_decisions:
            other = rules.resample_hidden(at.position, decision.side, Table(SeededDice(at.count)))
            seen, also = rules.view(at.position, decision.side), rules.view(other, decision.side)
            assert rules.bot_order(seen, decision) == rules.bot_order(also, decision)
            asked += 1
    assert asked >= 50


def test_a_side_whose_player_is_away_is_played_for(tmp_path: Path) -> None:
    with Folder(tmp_path).create("rome_carthage") as game:
        asked = game.open_decisions[0].side
        numbers = game.adjudicate(absent=[asked])
        assert numbers
        assert all(each.side != asked for each in game.open_decisions)
        answers = [answer for n in numbers for answer in game.ledger.adjudication(n).answers if answer.side == asked]
        assert {answer.by for answer in answers} <= {"bot", "only", "default"}
        assert "bot" in {answer.by for answer in answers}
        assert list(replay(game)) == []


def test_a_game_without_a_bot_says_so(tmp_path: Path) -> None:
    with Folder(tmp_path).create("toy") as game, pytest.raises(CannotPlay, match="has no bot"):
        game.adjudicate(absent=["red"])

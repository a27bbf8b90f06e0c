"""What Rome and observers see of Carthage: its leaders and where they are, not what is with them (7.5)."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.forces import put_loose
from pbem.rules.hannibal_italy.position.state import BOXES, CARTHAGE, ROME, UNSEEN, Battle, Game, Party
from tests.support.chance import seed_of
from tests.support.soak import quick_first
from tests.support.walks import loaded, start

EDITIONS = ("text", "repaired", "fair")
QUESTIONS = 90


@cache
def positions(edition: str, seed: int) -> list[Game]:
    """Return the positions at all questions of a game of the stand-ins, who fight more than chance does."""
    rules: Any = loaded("hannibal_italy", edition).rules
    session = Session(rules, start(rules, "short", seed), SeededDice(seed))
    found: list[Game] = []
    while session.result is None and len(found) < QUESTIONS:
        if session.at_checkpoint:
            session.go_on()
            continue
        found.append(rules.decode(rules.encode(session.position)))
        session.answer([rules.bot_order(rules.view(session.position, one.side), one) for one in session.open_decisions])
    return found


def carthaginian(board: Board, units: dict[str, int]) -> set[str]:
    return {unit for unit in units if unit == UNSEEN or board.units[unit].side == CARTHAGE}


@pytest.mark.parametrize("edition", quick_first(EDITIONS))
def test_only_a_battle_laid_open_shows_what_carthage_has(edition: str) -> None:
    rules: Any = loaded("hannibal_italy", edition).rules
    hidden = shown = 0
    for game in [*positions(edition, 8), *positions(edition, seed_of())]:
        open_hex = game.battle.hex if game.battle is not None and game.battle.revealed else None
        for viewer in (ROME, None):
            seen = rules.view(game, viewer)
            assert not any(seen.pools.values())
            piles = {id: (seen.leaders[id].at, seen.leaders[id].units) for id in game.on_map(CARTHAGE)}
            piles |= {hex: (hex, units) for hex, units in seen.loose[CARTHAGE].items()}
            for at, units in piles.values():
                assert at not in BOXES
                if at == open_hex:
                    shown += UNSEEN not in units
                else:
                    assert carthaginian(game.board, units) <= {UNSEEN}
                    hidden += 1
            assert {id: leader.units for id, leader in seen.leaders.items() if game.card(id).side == ROME} == {
                id: leader.units for id, leader in game.leaders.items() if game.card(id).side == ROME
            }
    assert hidden > 100
    assert shown


@pytest.mark.parametrize("edition", EDITIONS)
def test_carthage_sees_everything(edition: str) -> None:
    rules: Any = loaded("hannibal_italy", edition).rules
    for game in Random(seed_of()).sample(positions(edition, seed_of()), 20):
        assert rules.encode(rules.view(game, CARTHAGE)) == rules.encode(game)


def words(written: Any) -> set[str]:
    """Return every word in a position as it is written, keys among them."""
    if isinstance(written, dict):
        return set(written) | {word for value in written.values() for word in words(value)}
    if isinstance(written, list | tuple):
        return {word for value in written for word in words(value)}
    return {written} if isinstance(written, str) else set()


def test_units_set_aside_or_left_on_the_way_are_hidden_from_rome() -> None:
    """No unit that is set aside or left on the way is written for Rome.

    Who forages before a siege is laid open, and what a march of Carthage drops, is hidden, too (7.2, 7.5, 9.4).
    """
    rules: Any = loaded("hannibal_italy").rules
    game: Game = start(rules, "short", 1)
    game.phase, game.first = "first_move", CARTHAGE
    game.dropped = {"0225": {"punic_horse": 1}}
    put_loose(game, CARTHAGE, "0225", {"punic_horse": 1})
    foraging = Party(["hannibal"], foragers={"hannibal": {"punic_foot": 1}})
    game.battle = Battle("0227", CARTHAGE, parties={CARTHAGE: foraging, ROME: Party(["longus"])})
    own = {unit for unit, kind in game.board.units.items() if kind.side == CARTHAGE}
    assert {"punic_horse", "punic_foot"} <= words(rules.encode(game)) & own
    for viewer in (ROME, None):
        assert words(rules.encode(rules.view(game, viewer))) & own == set()
    game.first = ROME
    game.dropped = {"0522": {"roman_foot": 1}}
    assert rules.view(game, ROME).dropped == game.dropped

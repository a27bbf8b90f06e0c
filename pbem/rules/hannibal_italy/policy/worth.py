"""The worth of things to the bot, in victory points: cities, provinces, strength, battles.

No rulebook prints these weights. They were found by playing, and only the bot uses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from pbem.protocol import Side
from pbem.rules.hannibal_italy.battle.odds import NO_CASE, field_column
from pbem.rules.hannibal_italy.position.board import CAPUA, TARENTUM, Board
from pbem.rules.hannibal_italy.position.forces import sp, to_raise
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, UNSEEN, Game
from pbem.rules.hannibal_italy.turn.recruiting import chart

HORIZON: Final = 4
"""Winters to come that count for what is held now."""
KEPT: Final = 0.7
"""The chance that what is held now is still held a winter later."""
PER_STEP: Final[Mapping[Side, float]] = {ROME: 4.3, CARTHAGE: 3.2}
"""SP that a step is, more or less."""
LOST: Final[Mapping[Side, float]] = {ROME: 0.9, CARTHAGE: 1.1}
"""The worth of a lost SP to both sides: Roman foot scores, Carthage never gets its own units back (12.2)."""
LEGION: Final = 3.0
"""The worth of a legion that Rome can raise only while it controls the province (6.2)."""
ARRIVALS: Final = 15.0
"""The worth of reinforcements that come only where Carthage controls a province (12.31)."""
HANNIBAL_SP: Final = (50, 50, 60, 75)
"""The SP that Hannibal's army is taken for in each year from 218 on; later, HANNIBAL_MOST."""
HANNIBAL_MOST: Final = 90
GAULS_SP: Final = 22
UNSEEN_SP: Final = 8
"""The SP that an unseen army of Carthage is taken for."""
LOOSE_SP: Final = 4
ROUNDS: Final = 5


def winters(game: Game) -> int:
    """Return how often Carthage still scores (12.2)."""
    last: int = game.plan["end"]["year"]
    return game.year - last + 1


def lasting(game: Game) -> float:
    """Return how often, more or less, something held now will score."""
    return sum((KEPT**winter for winter in range(min(winters(game), HORIZON))), 0.0)


def worth_of_city(game: Game, city: str, times: float) -> float:
    """Return the worth to either side of a city that changes hands and then scores so often (12.2, 12.21, 12.22)."""
    board = game.board
    record = board.cities[city]
    province = board.provinces[record.province]
    extra = {CAPUA: board.tables["capua"]["vp"], TARENTUM: -board.tables["tarentum"]["vp"]}.get(city, 0)
    points: float = (record.loyalty or 0) + extra + province.vp / len(province.cities)
    return points * times


def worth_of_provinces(game: Game, times: float) -> dict[str, float]:
    """Return the worth of controlling each province: points, legions, reinforcements (6.2, 12.2, 12.31)."""
    due, able = chart(game), to_raise(game) > 0 and winters(game) > 1
    waiting = {plan.get("controls") for number, plan in enumerate(game.plan["reinforcements"]) if number in game.due}
    return {
        id: province.vp * times
        + (LEGION * due.get(id, 0) if able else 0.0)
        + (ARRIVALS if id in waiting and winters(game) > 1 else 0.0)
        for id, province in game.board.provinces.items()
    }


def chance(needed: int) -> float:
    """Return the chance to roll a number or more with a die."""
    return max(0, min(6, 7 - needed)) / 6


def strength(game: Game, units: Mapping[str, int], leader: str = "") -> int:
    """Return the SP of units, or what an army is taken for that the viewer does not see (7.5)."""
    if UNSEEN not in units:
        return sp(game.board, units)
    return taken_for(game, leader) if leader else LOOSE_SP


def taken_for(game: Game, leader: str) -> int:
    """Return what the army of a leader of Carthage is taken for by those who do not see it (7.5)."""
    card = game.card(leader)
    if card.supreme:
        at = game.plan["start"]["year"] - game.year
        return HANNIBAL_SP[at] if at < len(HANNIBAL_SP) else HANNIBAL_MOST
    return GAULS_SP if card.gaulish else UNSEEN_SP


@lru_cache(maxsize=8192)
def clash(board: Board, attacker: Side, attack: int, defence: int, die: int, rounding: str) -> tuple[float, float]:
    """Return the SP that attacker and defender lose on average until one of them has had enough (9.2)."""
    own, enemy = float(attack), float(defence)
    defender = ROME if attacker == CARTHAGE else CARTHAGE
    for _ in range(ROUNDS):
        column = field_column(board, round(own), round(enemy), 0, rounding)
        if column == NO_CASE or own < attack / 2 or enemy < defence / 3:
            break
        results = [board.field.read(column, face + die) for face in range(1, 7)]
        lost = {
            who: sum(int(result[1:]) for result in results if result[0] in (who, "E")) / len(results) for who in "AD"
        }
        own, enemy = own - lost["A"] * PER_STEP[attacker], enemy - lost["D"] * PER_STEP[defender]
    return attack - max(own, 0.0), defence - max(enemy, 0.0)


def battle(game: Game, side: Side, own: int, enemy: int, die: int) -> float:
    """Return the worth of a battle that a side begins: the enemy's losses less its own (9.2)."""
    if own <= 0:
        return -1.0
    if enemy <= 0:
        return 1.0
    lost, took = clash(game.board, side, own, enemy, die, str(game.options["odds_rounding"]))
    other = ROME if side == CARTHAGE else CARTHAGE
    return took * LOST[other] - lost * LOST[side]

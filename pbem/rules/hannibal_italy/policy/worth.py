"""Worth of things to the bot, in victory points: cities, provinces, strength, battles, walled cities.

No rulebook prints these weights. They were found by playing, and only the bot uses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.board import (
    CAPUA,
    CLASS_1,
    NO_CASE,
    TARENTUM,
    Board,
    City,
    assault_column,
    field_column,
)
from pbem.rules.hannibal_italy.position.forces import sp, to_raise
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, UNSEEN, Game
from pbem.rules.hannibal_italy.siege.siege import ASSAULT, LEAVE, SIEGE
from pbem.rules.hannibal_italy.turn.recruiting import chart
from pbem.rules.hannibal_italy.views.odds import read_assaults

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
LATER: Final = 0.3
"""The chance that a city besieged falls in a later segment, before the siege has to be given up."""
AGAIN: Final = 0.2
"""The chance that a city is taken later whose storm was beaten back."""
DUG_IN: Final = 0.45
"""The chance that siege works take a fortress before they have to be given up."""
FALL_OF_ROME: Final = 25.0


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


class Forces(NamedTuple):
    """The SP of a side, those against it, and what the commanders change its die by."""

    own: int
    enemy: int
    die: int


@lru_cache(maxsize=8192)
def clash(board: Board, attacker: Side, forces: Forces, rounding: str) -> tuple[float, float]:
    """Return the SP that attacker and defender lose on average until one of them has had enough (9.2)."""
    attack, defence, die = forces
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
    lost, took = clash(game.board, side, Forces(own, enemy, die), str(game.options["odds_rounding"]))
    other = ROME if side == CARTHAGE else CARTHAGE
    return took * LOST[other] - lost * LOST[side]


# ---- walled cities of the enemy: by storm, siege or siege works (9.7 to 9.9)


@lru_cache(maxsize=8192)
def storm(board: Board, forces: Forces, rounding: str, *, empty: bool) -> tuple[float, float]:
    """Return the chance that an assault takes a city, and the steps that it costs on average (9.8)."""
    own, against, die = forces
    column = assault_column(board, own, against, rounding)
    if column == NO_CASE:
        return 0.0, 0.0
    if empty:
        column = len(board.assault.columns) - 1
    found = read_assaults(board, column, {"die": die})
    return found.exact.get("stormed", 0.0), found.attacker


def before_walls(view: Game, side: Side, city: City, forces: Forces, prize: float) -> tuple[str, float]:
    """Return what a side had best do before a walled city of the enemy with so many SP, and what that is worth.

    The enemy's are the SP inside, its garrison unit among them.
    """
    own, guard, die = forces
    against = city.intrinsic + guard
    if own < against:
        return LEAVE, 0.0
    if city.kind == CLASS_1:
        return SIEGE, DUG_IN * prize + (FALL_OF_ROME if side == CARTHAGE else 0.0)
    siege = view.sieges.get(city.id)
    at_once = chance(siege.number if siege is not None else int(view.board.tables["siege_numbers"][0]))
    besieged = (at_once + (1 - at_once) * LATER) * prize
    if side == CARTHAGE:
        die += int(view.board.tables["carthage_assaults"])
    stormed, steps = storm(view.board, Forces(own, against, die), str(view.options["assault_odds"]), empty=not guard)
    price = steps * PER_STEP[side] * LOST[side] * (0.5 if side != CARTHAGE else 1.0)  # Rome's horse does not score
    assaulted = (stormed + (1 - stormed) * AGAIN) * prize - price
    return (ASSAULT, assaulted) if stormed and assaulted > besieged else (SIEGE, besieged)

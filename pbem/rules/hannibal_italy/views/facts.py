"""Facts that the conditions of a standing order may use, besides those that its decision states.

A strength that its side may not see is no fact: a condition on it never fits, and the side is asked (7.5).
"""

from __future__ import annotations

from typing import Final

from pbem.protocol import Decision, Side
from pbem.rules.hannibal_italy.battle.battle import over_a_river
from pbem.rules.hannibal_italy.position.forces import here, sp
from pbem.rules.hannibal_italy.position.state import ENEMY, UNSEEN, Game

NO_ENEMY: Final = 1000
"""The odds where the enemy has nothing."""


def periods(game: Game) -> dict[str, object]:
    """Return the segment and the year that a game is in, for standing orders that end with one (4.2)."""
    return {"segment": f"{game.year}/{game.segment}", "year": game.year}


def facts(view: Game, decision: Decision) -> dict[str, object]:
    """Return the facts of any decision, and of one that is about a hex, what stands there."""
    found: dict[str, object] = {"year": view.year, "segment": view.segment, "first": view.first == decision.side}
    hex = hex_of(view, decision)
    if hex is not None:
        found |= _of_hex(view, decision, hex)
    battle = view.battle
    if battle is not None and decision.side in battle.parties:
        found |= _of_battle(view, decision.side)
    return found


def hex_of(view: Game, decision: Decision) -> str | None:
    """Return the hex that a decision is about: it is named, or it is that of the city named."""
    named = decision.facts.get("hex")
    if named is None and decision.facts.get("city") in view.board.cities:
        named = view.board.cities[decision.facts["city"]].hex
    return named if named in view.board.hexes else None


def _of_hex(view: Game, decision: Decision, hex: str) -> dict[str, object]:
    side, board, stated = decision.side, view.board, decision.facts
    record = board.hexes[hex]
    own = stated.get("own_sp", _strength(view, side, hex))
    enemy = stated.get("enemy_sp", stated.get("needed", _strength(view, ENEMY[side], hex)))
    found: dict[str, object] = {
        "at": record.city or hex,
        "terrain": "city" if record.city is not None else record.terrain,
        "province": record.province,
        "controls": view.provinces.get(record.province) == side,
        "enemy_leaders": view.leaders_at(ENEMY[side], hex),
    }
    if own is not None:
        found["own_sp"] = own
    if enemy is not None:
        found["enemy_sp"] = enemy
    if own is not None and enemy is not None:
        found["odds"] = 100 * own // enemy if enemy else NO_ENEMY
    return found


def _strength(view: Game, side: Side, hex: str) -> int | None:
    """Return the SP of a side in a hex; None if the viewer may not see them (7.5)."""
    units = here(view, side, hex)
    return None if UNSEEN in units else sp(view.board, units)


def _of_battle(view: Game, side: Side) -> dict[str, object]:
    """Return who commands, whether strengths are open, whether the river is in the way of an attack, what is left."""
    battle = view.the_battle
    party, other = battle.parties[side], battle.parties[ENEMY[side]]
    found: dict[str, object] = {
        "seen": battle.revealed,
        "river": over_a_river(view, side),
        "commander": party.commander or None,
        "enemy_commander": other.commander or None,
    }
    units = [view.leaders[leader].units for leader in party.leaders]
    if not any(UNSEEN in each for each in units):
        left = sum(sp(view.board, each) for each in units)
        whole = left + party.lost
        found["left"] = 100 * left // whole if whole else 0
    return found

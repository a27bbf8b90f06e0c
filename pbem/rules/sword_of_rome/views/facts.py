"""Facts that conditions of standing orders may test, besides those of the decision itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pbem.protocol import Decision
from pbem.rules.sword_of_rome.position.board import ETRUSCANS
from pbem.rules.sword_of_rome.position.state import Game

MOST_ODDS: Final = 1000


def periods(game: Game) -> Mapping[str, object]:
    """Return the turn and the round that a game is in, for standing orders that end with one (5.4)."""
    return {"turn": game.turn, "round": f"{game.turn}/{game.round}"}


def facts(view: Game, decision: Decision) -> Mapping[str, object]:
    """Return what conditions of standing orders may go by for any decision."""
    own = view.board.powers_of[decision.side]
    found = {
        "turn": view.turn,
        "round": view.round,
        "vp": view.vp.get(decision.side, 0),
        "hand": list(view.hands.get(decision.side, ())),
        "active": view.activation.side if view.activation is not None else None,
        "leader_in_vp": max(view.in_play, key=lambda side: (view.vp[side], -view.board.side_rank(side))),
        "allies": [power for power in view.board.powers if power not in own and _allied(view, own, power)],
    }
    strengths = _strengths(view, own, decision)
    return found if strengths is None else {**found, "odds": _odds(*strengths)}


def _allied(view: Game, own: Sequence[str], power: str) -> bool:
    return any(view.allied(each, power) for each in own)


def _strengths(view: Game, own: Sequence[str], decision: Decision) -> tuple[int, int] | None:
    """Return the own CU and the enemy's; None: the decision is not about both.

    Of several armies that can intercept it is the largest.
    """
    facts = decision.facts
    if "own_cu" in facts:
        return facts["own_cu"], facts["enemy_cu"]
    if decision.kind == "intercept":
        return max(view.outside(facts["power"], space) for space in facts["from"]), facts["enemy_cu"]
    if decision.kind == "bribe":
        return view.outside(ETRUSCANS, facts["space"]), facts["enemy_cu"]
    space, one, other = facts.get("space", facts.get("at")), facts.get("power"), facts.get("other")
    if decision.kind not in ("let_go", "respond") or not (space and one and other) or not {one, other} & {*own}:
        return None
    ours, theirs = (one, other) if one in own else (other, one)
    return view.outside(ours, space), view.outside(theirs, space)


def _odds(own: int, enemy: int) -> int:
    """Return the own CU in percent of the enemy's; 1000 if the enemy has none."""
    return MOST_ODDS if not enemy else min(MOST_ODDS, 100 * own // enemy)

"""Facts that conditions of standing orders may test, besides those of the decision itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pbem.protocol import Decision
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
    odds = _odds(decision)
    return found if odds is None else {**found, "odds": odds}


def _allied(view: Game, own: Sequence[str], power: str) -> bool:
    return any(view.allied(each, power) for each in own)


def _odds(decision: Decision) -> int | None:
    """Return the own CU in percent of the enemy's, where the decision tells both; 1000 if the enemy has none."""
    own, enemy = decision.facts.get("own_cu"), decision.facts.get("enemy_cu")
    if own is None or enemy is None:
        return None
    return MOST_ODDS if not enemy else min(MOST_ODDS, 100 * own // enemy)

"""Facts that conditions of standing orders may test, besides those of the decision itself."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.protocol import Decision
from pbem.rules.sword_of_rome.position.state import Game


def periods(game: Game) -> Mapping[str, object]:
    """Return the turn and the round that a game is in, for standing orders that end with one (5.4)."""
    return {"turn": game.turn, "round": f"{game.turn}/{game.round}"}


def facts(view: Game, decision: Decision) -> Mapping[str, object]:
    """Return what conditions of standing orders may go by for any decision."""
    return {
        "turn": view.turn,
        "round": view.round,
        "vp": view.vp.get(decision.side, 0),
        "hand": list(view.hands.get(decision.side, ())),
        "active": view.activation.side if view.activation is not None else None,
        "leader_in_vp": max(view.in_play, key=lambda side: (view.vp[side], -view.board.side_rank(side))),
    }

"""The file that a player takes home: with it they check a sheet where nobody has the game (`home_check`)."""

from __future__ import annotations

from typing import Any

from pbem.game import plain
from pbem.protocol import Side
from pbem.referee.now import Now
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.repo.records import as_plain, decision_record


def take_home(game: OpenGame, side: Side) -> dict[str, Any]:
    """Return all that a player needs to check a sheet at home: their view of the position, and their decisions.

    Decisions for which an answer is at hand are among them, because a new sheet may still replace it.
    """
    known = {**home(game, game.current(), side), "sealed_to": game.charter.sealed_to}
    return {**known, **({"out": True} if side in game.out else {})}


def home(game: OpenGame, now: Now, side: Side) -> dict[str, Any]:
    """Return what `take_home` returns, for a game as it stands or is about to stand."""
    if now.session is None or now.state is None:
        raise CannotPlay(f"{game.name} has not begun")
    view = game.rules.view(now.session.position, side)
    chain = game.player_chain(side, now)
    return {
        "game": game.name,
        "side": side,
        "adjudication": now.state.adjudication,
        "rules": game.charter.rules,
        "edition": game.charter.edition,
        "options": dict(game.charter.options),
        "box": (now.state.pins or {}).get("box", game.ledger.pins.box),
        **({"corrected": corrected} if (corrected := _corrected(game)) else {}),
        "position": as_plain(game.rules.encode(view)),
        "open_decisions": [
            decision_record(decision) for decision in now.session.open_decisions if decision.side == side
        ],
        **({} if chain is None else {"player_chain": plain.encode(chain)}),
    }


def _corrected(game: OpenGame) -> dict[str, str]:
    """Return the corrected files that the game keeps: a player at home needs them to check a sheet."""
    return {name: each.text.decode("utf-8") for name, each in game.ledger.corrections().items()}

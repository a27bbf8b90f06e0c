"""The position of an open game as it was: what a letter compares with how things stand now."""

from __future__ import annotations

from typing import Any

from pbem.crypto.dice import ChainDice
from pbem.engine.session import resume
from pbem.protocol import PbemError
from pbem.referee.open_game import OpenGame


def position_at(game: OpenGame, n: int) -> Any | None:
    """Return the position after an adjudication; None: there is none, or the rules here cannot resume it."""
    if n == game.adjudication:
        return game.session.position
    commit = game.ledger.commit_of(n)
    state = None if commit is None else game.ledger.state(commit)
    if state is None:
        return None
    try:
        checkpoint = game.rules.decode(state.checkpoint)
        return resume(game.rules, checkpoint, state.steps, ChainDice(b"", game.ledger.keys.hidden)).position
    except (PbemError, ValueError, TypeError, LookupError):  # the game was moved to other rules since
        return None

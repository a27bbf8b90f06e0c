"""The past of an open game: the position, the events and the result as of an earlier adjudication."""

from __future__ import annotations

from functools import partial
from typing import Any

from pbem.crypto.dice import ChainDice
from pbem.engine.session import resume
from pbem.protocol import PbemError, Result, Side
from pbem.referee.open_game import OpenGame
from pbem.referee.told import Told, events_for
from pbem.repo.records import result_in


def position_at(game: OpenGame, n: int) -> Any | None:
    """Return the position after an adjudication; None: there is none, or the rules here cannot resume it."""
    if n == game.adjudication:
        return game.session.position
    return game.current(resumed=False).earlier.get(n, partial(_resumed, game))


def _resumed(game: OpenGame, n: int) -> Any | None:
    commit = game.ledger.commit_of(n)
    state = None if commit is None else game.ledger.state(commit)
    if state is None:
        return None
    try:
        checkpoint = game.rules.decode(state.checkpoint)
        return resume(game.rules, checkpoint, state.steps, ChainDice(b"", game.ledger.keys.hidden)).position
    except (PbemError, ValueError, TypeError, LookupError):  # the game was moved to other rules since
        return None


def told_until(game: OpenGame, side: Side | None, since: int, until: int) -> list[Told]:
    """Return the events after one adjudication, up to another, that a side may read, as it was told them then.

    Events that were rolled back later are included, because nobody knew that yet.
    """
    turns = {n: game.ledger.adjudication(n) for n in range(since + 1, until + 1)}
    undone = {n for made in turns.values() for n in (made.act or {}).get("undone", ())}
    return list(events_for(side, ((n, made) for n, made in turns.items() if n not in undone)))


def result_at(game: OpenGame, n: int) -> Result | None:
    """Return the result of a game as of an adjudication; None: it went on."""
    if n == game.adjudication:
        return game.result
    return result_in(game.ledger.public_turn(n))

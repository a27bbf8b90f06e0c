"""The past of an open game: the position, the events and the result as of an earlier adjudication."""

from __future__ import annotations

from typing import Any, Final

from pbem.crypto.dice import ChainDice
from pbem.engine.session import resume
from pbem.protocol import PbemError, Result, Side
from pbem.referee.open_game import OpenGame
from pbem.referee.told import Told, events_for
from pbem.repo.records import result_in

_MOST_EARLIER: Final = 8
"""So many positions are kept for a while: the letters to all sides need the same one or two."""


def position_at(game: OpenGame, n: int) -> Any | None:
    """Return the position after an adjudication; None: there is none, or the rules here cannot resume it."""
    if n == game.adjudication:
        return game.session.position
    earlier = game.current(resumed=False).earlier
    if n not in earlier:
        if len(earlier) >= _MOST_EARLIER:
            earlier.clear()
        earlier[n] = _resumed(game, n)
    return earlier[n]


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

"""The end of a game: draws and resignations, and the archive of games that are over.

A draw needs the consent of every side that is still in the game, or of as many as the charter says. It may name sides
that win together; else no side wins.

A side resigns alone. If one other side is left, that wins. If more are left, they play on, and so do the pieces of the
side that has resigned: its bot answers for it, or in a game without one the default of each decision, or else the first
legal order. A rollback does not bring a side back that has resigned.

Players ask by letter. The game master may ask for them, or act at once with a reason.

A game in the folder `archive` is unchanged, with the notes beside its repo. Its keys stay in the key store, so
that its name is not used again and the game can be brought back. Archiving moves one folder: a crash leaves the game in
one place or the other.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

from pbem.atomic import sync_folder
from pbem.engine.advance import Outcome
from pbem.engine.answers import Sources
from pbem.game.wording import listing
from pbem.protocol import Event, Record, Result, Side
from pbem.referee import GAME_MASTER, QUORUM
from pbem.referee.acts.preconditions import consented, reason_of, require_consents, require_running
from pbem.referee.game.open_game import CannotPlay, Now, OpenGame
from pbem.referee.play.adjudicator import Adjudicator, Enacted
from pbem.repo.files.adjudication import Seed
from pbem.repo.files.requests import RESIGNATION, Request
from pbem.repo.files.state import State
from pbem.repo.git import NoSuchGame

ARCHIVE: Final = "archive"
"""The folder of archived games, within the folder of the games."""


def end_by_request(game: Adjudicator, request: Request) -> int:
    """End a game, or let a side resign, as was agreed, and return the adjudication. Raises CannotPlay."""
    with game.lock():
        require_running(game)
        if not request.is_open:
            raise CannotPlay(f"request {request.request} is not open any more")
        require_consents(request)
        more = {"request": request.request, "consents": list(request.consents)}
        by = request.needed[0] if len(request.needed) == 1 else consented(request)
        return _enact_end(game, _End(request.kind, request.side, request.winners), request.reason, by, more)


def end_by_game_master(
    game: Adjudicator, kind: str, side: Side | None, reason: str, winners: Collection[Side] = ()
) -> int:
    """End a game in a draw, or let a side resign, and return the adjudication. Raises CannotPlay."""
    with game.lock():
        require_running(game)
        if kind == RESIGNATION and side is not None:
            require_in_play(game, side)
        end = _End(kind, side or GAME_MASTER, winners_of(game, winners))
        return _enact_end(game, end, reason_of(reason), GAME_MASTER, {})


def left_by(game: OpenGame, side: Side) -> list[Side]:
    """Return the sides that are left in a game if one resigns: a single one wins, several play on."""
    return [each for each in game.in_play if each != side]


class _End(NamedTuple):
    """How a game is to end, or which side is to leave it."""

    kind: str
    side: Side
    winners: list[Side]


def require_in_play(game: Adjudicator, side: Side) -> None:
    """Raise CannotPlay if a side is out of the game."""
    if side in game.out:
        raise CannotPlay(f"{side} is out of the game already")


def winners_of(game: Adjudicator, named: Collection[Side]) -> list[Side]:
    """Return the sides that a draw names as its winners, in the order of the sides. Raises CannotPlay."""
    for side in named:
        if side not in game.rules.sides:
            raise CannotPlay(f"{game.name} has no side {side}; its sides are {listing(game.rules.sides)}")
        if side in game.out:
            raise CannotPlay(f"{side} is out of the game, and cannot win it")
    return [side for side in game.rules.sides if side in named]


def _enact_end(game: Adjudicator, end: _End, reason: str, by: str, more: Record) -> int:
    whose: dict[str, object] = {"side": end.side} if end.kind == RESIGNATION else {}
    named: dict[str, object] = {"winners": end.winners} if end.winners else {}
    act: dict[str, object] = {"kind": end.kind, "reason": reason, **whose, "by": by, **named, **more}
    left = left_by(game, end.side) if end.kind == RESIGNATION else []

    def play(now: Now, state: State, seed: Seed) -> Enacted:
        session = now.session
        assert session is not None
        sources = Sources({of: list(queue) for of, queue in state.pending.items()})
        told: dict[str, object] = {**whose, **named, **({"ruled": reason} if by == GAME_MASTER else {})}
        if len(left) > 1:
            _leave(state, sources, end.side)
            told["left"] = left
        else:
            session.open_decisions = ()
            session.result = (
                Result(tuple(left), "resigned", whose) if left else Result(tuple(end.winners), "draw_agreed")
            )
            sources.drop_all()
            state.defaults = {}
        if by == QUORUM:
            told["agreed"] = list(more["consents"])
        event = Event("resigned" if end.kind == RESIGNATION else "draw_agreed", told)
        return Outcome([], [event], [], [], session, None), sources

    return game.enact(act, play)


def _leave(state: State, sources: Sources, side: Side) -> None:
    """Take a side out of a game that goes on: none of its orders counts any more, waiting or standing."""
    state.resigned = [*state.resigned, side]
    sources.sheets.pop(side, None)
    state.standing = {of: list(orders) for of, orders in state.standing.items() if of != side}
    state.defaults = {of: order for of, order in state.defaults.items() if of != side}


def archive_game(game: Adjudicator) -> Path:
    """Archive a game that is over, and return its new path. Raises CannotPlay."""
    with game.lock():
        if game.result is None:
            raise CannotPlay(f"{game.name} is not over; `pbem ruling {game.name} --end` breaks it off")
        games = game.path.parent
        return _move(game.path, games / ARCHIVE / game.path.name)


def bring_back(games: Path, name: str) -> Path:
    """Bring a game back from the archive, and return its new path. Raises CannotPlay, NoSuchGame."""
    lies = games / ARCHIVE / f"{name}.git"
    if not lies.is_dir():
        raise NoSuchGame(f"there is no game called {name} in {games / ARCHIVE}")
    return _move(lies, games / lies.name)


def _move(path: Path, to: Path) -> Path:
    if to.exists():
        raise CannotPlay(f"{to} is there already; nothing was moved")
    to.parent.mkdir(exist_ok=True)
    path.rename(to)
    for folder in (to.parent, path.parent):
        sync_folder(folder)
    return to

"""The end of a game by agreement: a draw, or a side resigns.

A draw needs the consent of every side. In a game of two sides one resigns alone, and the other wins. Where more sides
play, the others would have to go on without it; so there a resignation needs the consent of all, and all others win.

Players ask by letter. The game master may ask for them, or end the game at once with a reason.
"""

from __future__ import annotations

from typing import Any

from pbem.engine.advance import Outcome
from pbem.engine.answers import Sources
from pbem.game.plain import Record
from pbem.game.wording import listing
from pbem.protocol import Event, Side
from pbem.referee import ALL_SIDES, GAME_MASTER
from pbem.referee.adjudicator import Adjudicator, Enacted
from pbem.referee.filing import file_request, require_consents
from pbem.referee.open_game import CannotPlay, Now
from pbem.referee.preconditions import reason_of, require_running
from pbem.repo.adjudication import Seed
from pbem.repo.ledger import LetterId
from pbem.repo.requests import DRAW, OPEN, RESIGNATION, Ending
from pbem.repo.state import State


def ask_for_draw(game: Adjudicator, by: Side | None, reason: str = "", letter: LetterId | None = None) -> Ending:
    """Record a proposal to end a game in a draw, and return it; a request that is open becomes void.

    The side that proposes it has consented; without one, the game master asks. `letter` is the digest, or the digests,
    of the letter that it came in. Raises CannotPlay if a side could not consent by letter.
    """
    with game.lock():
        require_running(game)
        who = GAME_MASTER if by is None else by
        said = reason_of(reason or f"{who} proposes it")
        needed, consents = _asked(game, "a draw", by), [] if by is None else [by]

        def make(number: int, state: State) -> Ending:
            return Ending(number, DRAW, who, state.adjudication, said, needed, consents)

        return file_request(game, make, "to end the game in a draw", letter)


def ask_to_resign(
    game: Adjudicator, side: Side, reason: str = "", letter: LetterId | None = None, *, by_player: bool = True
) -> Ending:
    """Record that a side wants to resign, and return the request; one that is open becomes void.

    The side has consented if it asks itself (`by_player`). `letter` is as in `ask_for_draw`. Raises CannotPlay if a
    side whose consent is needed could not give it by letter.
    """
    with game.lock():
        require_running(game)
        said = reason_of(reason or f"{side} resigns")
        alone = len(game.rules.sides) == 2
        needed = [side] if alone else _asked(game, "a resignation", side)
        if not by_player and side not in game.by_mail:
            raise CannotPlay(f"{side} has no address to ask; `--by-game-master` records what was said elsewhere")

        def make(number: int, state: State) -> Ending:
            consents = [side] if by_player else []
            return Ending(number, RESIGNATION, side, state.adjudication, said, needed, consents)

        return file_request(game, make, f"{side} resigns", letter)


def end_by_request(game: Adjudicator, request: Ending) -> int:
    """End a game as all sides have agreed that were asked, and return the adjudication. Raises CannotPlay."""
    with game.lock():
        require_running(game)
        if request.outcome != OPEN:
            raise CannotPlay(f"request {request.request} is not open any more")
        require_consents(request)
        by = ALL_SIDES if len(request.needed) > 1 else request.needed[0]
        more = {"request": request.request, "consents": list(request.consents)}
        return _end(game, request.kind, request.side, request.reason, by, more)


def end_by_game_master(game: Adjudicator, kind: str, side: Side | None, reason: str) -> int:
    """End a game in a draw, or because a side has resigned, and return the adjudication. Raises CannotPlay."""
    with game.lock():
        require_running(game)
        return _end(game, kind, side or GAME_MASTER, reason_of(reason), GAME_MASTER, {})


def result_of(game: Adjudicator, kind: str, side: Side) -> Record:
    """Return the result of a game that ends by agreement: who wins, and why."""
    if kind == DRAW:
        return {"winner": None, "reason": "draw_agreed"}
    others = [each for each in game.rules.sides if each != side]
    if len(others) == 1:
        return {"winner": others[0], "reason": "resigned", "side": side}
    return {"winner": None, "winners": others, "reason": "resigned", "side": side}


def _asked(game: Adjudicator, what: str, by: Side | None) -> list[Side]:
    """Return the sides that must agree: all, or those that can be asked by letter, if the game master asks."""
    if by is None:
        if not game.by_mail:
            raise CannotPlay(f"no side of {game.name} has an address to ask; `--by-game-master` ends it with a reason")
        return list(game.by_mail)
    missing = [side for side in game.rules.sides if side not in game.by_mail and side != by]
    if missing:
        raise CannotPlay(
            f"{what} needs the consent of {listing(missing)}, who {'have' if len(missing) > 1 else 'has'} no address "
            "here. Write to your game master, who can end the game"
        )
    return list(game.rules.sides)


def _end(game: Adjudicator, kind: str, side: Side, reason: str, by: str, more: Record) -> int:
    whose = {"side": side} if kind == RESIGNATION else {}
    act: dict[str, Any] = {"kind": kind, "reason": reason, **whose, "by": by, **more}

    def play(now: Now, state: State, seed: Seed) -> Enacted:
        session = now.session
        assert session is not None
        session.result, session.open_decisions = result_of(game, kind, side), ()
        sources = Sources({of: list(queue) for of, queue in state.pending.items()})
        sources.drop_all()
        state.defaults = {}
        told = {**whose, **({"ruled": reason} if by == GAME_MASTER else {})}
        event = Event("resigned" if kind == RESIGNATION else "draw_agreed", told)
        return Outcome([], [event], [], [], session, None), sources

    return game.enact(act, play)

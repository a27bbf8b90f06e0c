"""The files that an adjudication commits: its records, the public position, what each side may open."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.session import Answer
from pbem.game import yaml as yamlio
from pbem.referee.now import Now
from pbem.referee.open_game import OpenGame
from pbem.referee.take_home import home
from pbem.repo.adjudication import Adjudication, Seed
from pbem.repo.layout import turn_path
from pbem.repo.records import event_records
from pbem.repo.talk import heard_by


def files_of(
    game: OpenGame, now: Now, made: Adjudication, seed: Seed, span: Sequence[Answer] | None, *, talked: bool
) -> dict[str, bytes]:
    """Return the files of an adjudication: its records, the public position, what is sealed to the sides."""
    assert now.session is not None
    assert now.state is not None
    result = now.session.result
    position = yamlio.dump(game.rules.encode(game.rules.view(now.session.position, None))).encode()
    files = game.ledger.turn_files(made, seed, span=span, result=result, position=position, state=now.state)
    files |= _files_of_sides(game, now, made, len(position), len(files[turn_path(made.n)]), talked)
    return files if result is None else files | game.ledger.revealed_files()


def _files_of_sides(
    game: OpenGame, now: Now, made: Adjudication, position: int, turn: int, talked: bool
) -> dict[str, bytes]:
    """Return the view, the decisions, the events and the talk of each side that gave a key, sealed to that key.

    `position` and `turn` are the lengths of the public position and of the turn file; `talked`: files of talk are
    written with it.
    """
    assert now.state is not None
    files: dict[str, bytes] = {}
    for side in game.rules.sides:
        if game.ledger.joined(side).key is None:
            continue
        events = [event for event in made.events if event.to is None or side in event.to]
        view = {**home(game, now, side), "events": event_records(events)}
        if talked:
            view["talk"] = heard_by(side, game.talk.since(made.n - 1))
        files |= game.ledger.side_files(side, view, now.state, position, turn, talked=talked)
    return files

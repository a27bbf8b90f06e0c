"""Sentences of faults: unknown names, impossible numbers of elephants, and long lists cut short."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.game import Refusal, did_you_mean, listing, name_and_id
from pbem.rules.rome_carthage.position.state import Game
from pbem.rules.rome_carthage.position.under_way import Stack


def general_named(game: Game, general: str) -> str:
    """Return the name of a general, with his id in brackets where it is not the name in small letters."""
    record = game.board.generals.get(general)
    return general if record is None else name_and_id(record.name, general)


def generals_named(game: Game, generals: Iterable[str], joined: str = "and") -> str:
    """Return the names of generals as a sentence lists them; `nobody` if there are none."""
    return listing((general_named(game, general) for general in generals), joined) or "nobody"


def space_named(game: Game, space: str) -> str:
    """Return the name of a space, with its id in brackets where it is not the name in small letters."""
    record = game.board.spaces.get(space)
    return space if record is None else name_and_id(record.name, space)


def spaces_named(game: Game, spaces: Iterable[str], joined: str = "and") -> str:
    """Return the names of spaces as a sentence lists them; `none` if there are none."""
    return listing((space_named(game, space) for space in spaces), joined) or "none"


def no_such_space(game: Game, word: str) -> str:
    """Say that there is no such space, and which one may be meant."""
    return f"no space is called {word}" + did_you_mean(word, game.board.spaces)


def no_such_general(game: Game, word: str) -> str:
    """Say that there is no such general, and which one may be meant."""
    return f"no general is called {word}" + did_you_mean(word, game.board.generals)


def why_no_elephants(stack: Stack, cu: int, elephants: int, rule: str = "13.2") -> Refusal | None:
    """Say why that many of some CU of a stack cannot be elephants; None: they can (13.2)."""
    among = stack.elephants_among(cu)
    if elephants in among:
        return None
    can = f"{among[0]}" if len(among) == 1 else f"{among[0]} to {among[-1]}"
    return Refusal(f"of {cu} CU {can} can be elephants, not {elephants}", rule)


def why_no_such_elephants(stack: Stack, elephants: int | None, rule: str = "13.2") -> Refusal | None:
    """Say why a stack has not so many elephants, whatever the CU; None: it has, or none are named (13.2)."""
    if elephants is None or elephants <= stack.elephants:
        return None
    return Refusal(f"there are {stack.elephants} elephants there, not {elephants}", rule)

"""Words for faults: a name that nothing has, and what somebody may have meant by it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from pbem.rules.rome_carthage.state import Game


def no_such_space(game: Game, word: str) -> str:
    """Say that there is no such space, and which one may be meant."""
    return f"no space is called {word}" + meant(word, game.board.spaces)


def no_such_general(game: Game, word: str) -> str:
    """Say that there is no such general, and which one may be meant."""
    return f"no general is called {word}" + meant(word, game.board.generals)


def meant(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean x?` for the nearest known word, or nothing."""
    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""

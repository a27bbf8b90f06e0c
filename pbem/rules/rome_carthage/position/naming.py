"""Sentences of faults: unknown names, impossible numbers of elephants, and long lists cut short."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game import Refusal, did_you_mean
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import Game


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


def some(words: Sequence[str], most: int) -> str:
    """Return words in a row, the first of them if they are many.

    >>> some(["capua", "cannae", "rome"], 2)
    'capua, cannae and 1 more'
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more

"""The small pieces that sentences to players are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from pbem.game.yaml.marks import short
from pbem.protocol import Path

FEW = 12
"""Where there are no more words than these to choose from, all are named."""


def guess(word: object, known: Iterable[str]) -> str | None:
    """Return the known word that a player probably meant, or None."""
    if not isinstance(word, str):
        return None
    folded = {each.casefold(): each for each in known}
    asked = "_".join(word[:60].casefold().replace("-", " ").split())
    return next((folded[found] for found in get_close_matches(asked, folded, n=1)), None)


def hint(word: object, known: Collection[str], there_are: str, joined: str) -> str:
    """Return what a player may want instead of a word that is not known: `; did you mean x? There are x, y and z`."""
    meant = guess(word, known)
    choices = f"{there_are} {listing(known, joined)}" if 0 < len(known) <= FEW else ""
    if meant is None:
        return f"; {choices}" if choices else ""
    return f"; did you mean {meant}?" + (f" {choices[0].upper()}{choices[1:]}" if len(known) > 1 and choices else "")


def listing(words: Iterable[str], joined: str) -> str:
    """Return `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} {joined} {last}" if most else last


def shown(value: object) -> str:
    """Return a value as a sentence names it: `the text 'eight'`, `the number 8`, `a list`, `nothing`."""
    if isinstance(value, str):
        return f"the text '{short(value)}'"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"the number {value}"
    return "a mapping" if isinstance(value, dict) else "a list"


def named(path: Path, whole: str) -> str:
    """Return the name of what stands at a path: its key, or `item 2 of path`; `whole` for the empty path."""
    if not path:
        return whole
    last = path[-1]
    return short(last) if isinstance(last, str) else f"item {last + 1} of {named(path[:-1], whole)}"

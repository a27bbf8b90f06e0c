"""Wording: guesses at misspelt words, lists and values, for sentences to players."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

from pbem.game.yaml.limits import short
from pbem.protocol import Path

FEW = 12
"""Where there are no more words than these to choose from, all are named."""


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known word that is most like another; None: none is as much like it as `likeness` says, of 1."""
    return next(iter(get_close_matches(word, list(known), 1, likeness)), None)


def guess(word: object, known: Iterable[str]) -> str | None:
    """Return the known word that a player probably meant, or None. Capitals, blanks and hyphens do not count."""
    if not isinstance(word, str):
        return None
    folded = {each.casefold(): each for each in known}
    found = nearest("_".join(word[:60].casefold().replace("-", " ").split()), folded)
    return None if found is None else folded[found]


def did_you_mean(word: object, known: Iterable[str], before: str = "; ") -> str:
    """Return the end of a sentence about a word that is not known; empty if no known word is near.

    >>> did_you_mean("Saguntm", ["rome", "saguntum"])
    '; did you mean saguntum?'
    """
    meant = guess(word, known)
    return f"{before}did you mean {meant}?" if meant is not None else ""


def hint(word: object, known: Collection[str], there_are: str, joined: str) -> str:
    """Return what a player may want instead of a word that is not known: `; did you mean x? There are x, y and z`."""
    meant = did_you_mean(word, known)
    choices = f"{there_are} {listing(known, joined)}" if 0 < len(known) <= FEW else ""
    if not meant:
        return f"; {choices}" if choices else ""
    return meant + (f" {choices[0].upper()}{choices[1:]}" if len(known) > 1 and choices else "")


def listing(words: Iterable[str], joined: str = "and") -> str:
    """Return words as a sentence lists them; empty if there are none. A comma before the last tells names apart.

    >>> listing(["Arpi", "Cannae", "Capua"])
    'Arpi, Cannae and Capua'
    >>> listing(["Elm", "Oak and Ash", "Fir"])
    'Elm, Oak and Ash, and Fir'
    """
    *most, last = [*words] or [""]
    comma = "," if any(f" {joined} " in each for each in (*most, last)) else ""
    return f"{', '.join(most)}{comma} {joined} {last}" if most else last


def some(words: Sequence[str], most: int) -> str:
    """Return words in a row, the first of them if they are many.

    >>> some(["capua", "cannae", "rome"], 2)
    'capua, cannae and 1 more'
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def name_and_id(name: str, id: str) -> str:
    """Return a name, with its id in brackets where that is not the name in small letters.

    >>> name_and_id("New Carthage", "new_carthage"), name_and_id("T. Longus", "longus")
    ('New Carthage', 'T. Longus (longus)')
    """
    return name if name.lower().replace(" ", "_") == id else f"{name} ({id})"


def counted(count: int, one: str, more: str = "") -> str:
    """Return a count with its word.

    >>> counted(1, "roll"), counted(1204, "roll"), counted(2, "die", "dice")
    ('1 roll', '1,204 rolls', '2 dice')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def on_one_line(value: object) -> str:
    """Return a plain value on one line, in braces and brackets like YAML, but with texts as they are.

    >>> on_one_line({"at": "capua", "cu": [5, None]})
    '{at: capua, cu: [5, null]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {on_one_line(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(on_one_line, value)) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def shown(value: object) -> str:
    """Return a value as a sentence names it: `the text 'eight'`, `the number 8`, `a list`, `{cu: 8}`, `nothing`."""
    if isinstance(value, str):
        return f"the text '{short(value)}'"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"the number {value}"
    return short(on_one_line(value)) if isinstance(value, dict) else "a list"


def named(path: Path, whole: str) -> str:
    """Return the name of what stands at a path: its key, or `item 2 of path`; `whole` for the empty path."""
    if not path:
        return whole
    last = path[-1]
    return short(last) if isinstance(last, str) else f"item {last + 1} of {named(path[:-1], whole)}"

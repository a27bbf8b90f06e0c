"""The notes that letters were carried out: one for each commit that a letter has made.

A note is a file under a keyed digest of the letter. It is never changed: where a letter makes several commits, as with
a KEY above a sheet, each brings one of its own. A sheet that a word of the letter hands in is noted apart from the
sheet in the letter; in public the two look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias

from pbem.game import yaml as yamlio
from pbem.game.plain import Record

Read: TypeAlias = Callable[[str], bytes | None]
PathOf: TypeAlias = Callable[[str], str]
"""Returns the path of a note by the digest of its letter."""


def noted(read: Read, path_of: PathOf, digest: str) -> Record | None:
    """Return what is noted of a letter; None: nothing.

    Of a word in several notes the first counts. `word` is the sheet that a word of the letter has handed in first.
    """
    by_words = [{**note, "word": note["sheet"]} for note in _notes(read, path_of, _by_word(digest))]
    notes = [
        *_notes(read, path_of, digest),
        *({word: value for word, value in note.items() if word != "sheet"} for note in by_words),
    ]
    return {word: value for note in reversed(notes) for word, value in note.items()} if notes else None


def next_path(read: Read, path_of: PathOf, digest: str) -> str:
    """Return the path of the next note of a letter."""
    return next(path for path in _paths(path_of, digest) if read(path) is None)


def by_word(letter: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """Return under what a sheet is noted that a letter hands in by a word."""
    return _by_word(letter) if isinstance(letter, str) else tuple(map(_by_word, letter))


def _notes(read: Read, path_of: PathOf, digest: str) -> Iterator[Record]:
    for path in _paths(path_of, digest):
        text = read(path)
        if text is None:
            return
        record: Record = yamlio.read(text, name="letter").value
        yield record


def _paths(path_of: PathOf, digest: str) -> Iterator[str]:
    return (path_of(f"{digest} {number}" if number else digest) for number in count())


def _by_word(digest: str) -> str:
    return f"{digest} by word"

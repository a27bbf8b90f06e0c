"""The comparison of the sheets on record with the letters that their players sent (part of `pbem verify --letters`).

A sheet came from its player if one of their letters has it as it is on record. Of a sheet that had to be put right, or
that stood in no sheet, the answer encloses the canonical text, with the player's own words below it: these must be
what a letter of theirs has. So it is with AGREED, which stands for a sheet. Whether such a sheet says what its words
say, its player could see in the answer that showed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pbem.crypto.seal import salted
from pbem.game import yaml as yamlio
from pbem.orders.forgive import came_from, came_from_lines
from pbem.orders.sheet.by_word import sheet_of_word
from pbem.protocol import Side
from pbem.render.receipt import KeptLetter, ReceiptedSheet


class _Canonical(NamedTuple):
    """A sheet as a letter of the referee encloses it."""

    text: str
    adjudication: int


@dataclass
class Sent:
    """All that a side sent in a game, as far as it is kept; `last` is the last turn of the game."""

    game: str
    side: Side
    letters: Sequence[KeptLetter]
    """The letters of the side."""
    last: int
    enclosed: Sequence[bytes] = ()
    """The sheets that letters of the referee enclose as they were taken in."""
    sheets: Sequence[bytes] = ()
    _by_word: Sequence[bytes] = ()
    _used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sheets = list({text: 1 for letter in self.letters for of, text in letter.sheets if of == self.game})
        words = {word for letter in self.letters for word in letter.words}
        turns = range(1, self.last + 1)
        made = (sheet_of_word(word, self.game, self.side, n) for word in words for n in turns)
        self._by_word = [text for text in made if text is not None]

    @property
    def is_empty(self) -> bool:
        """Whether there is no letter in which a sheet may have stood."""
        return not (self.sheets or self._by_word or any(map(self._may_order, self.letters)))

    def has(self, sheet: ReceiptedSheet) -> bool:
        """Tell whether a sheet that was taken in came from the side. Ask for each sheet once, the earliest first."""
        salt = bytes.fromhex(sheet.salt)
        if any(salted(salt, text) == sheet.digest for text in (*self.sheets, *self._by_word)):
            return True
        own = (
            _canonical(text) for raw in self.enclosed for text in _as_sent(raw) if salted(salt, text) == sheet.digest
        )
        found = next((each for each in own if each is not None), None)
        return found is not None and (self._has_text(found) or self._has_lines(found))

    def _has_text(self, sheet: _Canonical) -> bool:
        return any(came_from(sheet.text, text.decode("utf-8", "replace")) for text in self.sheets)

    def _has_lines(self, sheet: _Canonical) -> bool:
        """Tell whether a letter has the words of a sheet outside any sheet. No letter stands for two sheets."""
        report = (self.game, self.side, sheet.adjudication)
        for letter in sorted(self.letters, key=lambda letter: report not in letter.answers):
            known = {number for game, side, number in letter.answers if (game, side) == report[:2]}
            if letter.where in self._used or (known and report[2] not in known):
                continue
            both = (*letter.words, *letter.lines, *letter.beside_words)
            if came_from_lines(sheet.text, letter.lines) or came_from_lines(sheet.text, both):
                self._used.add(letter.where)
                return True
        return False

    def _may_order(self, letter: KeptLetter) -> bool:
        return any((game, side) == (self.game, self.side) for game, side, _ in letter.answers)


def _as_sent(raw: bytes) -> Iterator[bytes]:
    """Yield the bytes of an enclosed sheet as they were, and with the line ends that mail may have given it."""
    yield raw
    if b"\r\n" in raw:
        yield raw.replace(b"\r\n", b"\n")


def _canonical(text: bytes) -> _Canonical | None:
    try:
        value = yamlio.read(text, name="sheet").value
    except yamlio.Unreadable:
        return None
    number = value.get("adjudication") if isinstance(value, dict) else None
    return _Canonical(text.decode("utf-8", "replace"), number) if isinstance(number, int) else None

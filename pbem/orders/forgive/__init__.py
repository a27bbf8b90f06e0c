"""Forgiveness: the one pure step from the text of a sheet as it was found to the canonical sheet.

People write orders by hand: `2) Play {card: 33, ...}`, `New Carthage`, `ops`, with curly quotes and without hyphens.
Every sheet that comes in, by letter or by `pbem submit`, is read here once. The result is the sheet in the words of
the game, with sentences about what was changed, or faults with their places in the player's own text. From then on
only the canonical sheet counts: it is committed, digested, sealed and shown to its player. Whoever reads it later
reads it strictly (`pbem.orders.sheet`), so that a reader which learns more tomorrow does not change yesterday's game.

Nothing is guessed. What may stand in a place is known from the schema of the order and the words of the box; a word
that can mean two of them is a fault that names both. Whether YAML is legal now is never asked here. Lines in words are
read against what the side may answer, as its own view shows it (`pbem.orders.said`). The name of the game and the link
of a chain are left as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.game.wording import listing
from pbem.game.words import fold
from pbem.game.yaml import LETTER, Mark, Placed, Unreadable
from pbem.game.yaml.limits import decoded
from pbem.orders.forgive.assemble import Assembled, assembled, passed_over, whole_tree
from pbem.orders.forgive.canonical import (
    BRACED,
    FIRST_MARK,
    FOR_AGREED,
    FORM_ONLY,
    FROM_REPORT,
    KEY_ABOVE,
    PUNCTUATED,
    SIGNS,
    SPELLING,
    came_from,
    came_from_lines,
    canonical_sheet,
    changes_in,
    changes_of_sense,
    for_word,
)
from pbem.orders.forgive.known import Answering, Known
from pbem.orders.forgive.lines import Line, controls, plain_lines
from pbem.orders.forgive.meaning import Meant, meaning_of
from pbem.orders.forgive.punctuation import braced, punctuated
from pbem.orders.forgive.scan import chosen, looks_like_order
from pbem.orders.forgive.worded import turned_round, worded
from pbem.orders.sheet import BadSheet, Sheet, read_sheet, sheet_from, with_keys_blank, without_keys
from pbem.protocol import MALFORMED, Fault, Path

__all__ = [
    "FOR_AGREED",
    "KEY_ABOVE",
    "Answering",
    "Forgiven",
    "Known",
    "came_from",
    "came_from_lines",
    "changes_in",
    "changes_of_sense",
    "for_word",
    "forgive",
    "is_turned_round",
    "looks_like_order",
]

_MOST_CONTROLS: Final = 100
_FEW: Final = 8
"""So many words of which only the spelling changed are named."""


@dataclass(frozen=True, slots=True)
class Forgiven:
    """A sheet that was read: as orders, as the canonical text, and what was changed in it."""

    sheet: Sheet
    """Its document is the canonical value, with the lines and places of the player's own text."""
    text: bytes
    changes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """The document of a sheet that was put right: the value that was meant, the lines and places that were written."""

    value: object
    lines: Sequence[str]
    marks: Mapping[Path, tuple[Mark, Mark]]

    def mark(self, path: Path, *, key: bool = False) -> Mark:
        """Return where the value at `path` was written, or its key. Raise KeyError for a path not there."""
        return self.marks[path][0 if key else 1]

    def nearest(self, path: Path) -> Mark:
        """Return where the value at `path` was written; if it was not, the key of the nearest thing around it."""
        if path in self.marks:
            return self.mark(path)
        around = (path[:length] for length in range(len(path) - 1, -1, -1))
        return self.mark(next(each for each in around if each in self.marks), key=True)


def forgive(raw: bytes, known: Known, *, name: str = "orders.yaml") -> Forgiven:
    """Return a sheet as it was meant. Raises BadSheet with all that cannot be read, or can be read in several ways."""
    try:
        text = decoded(raw, name, LETTER)
    except Unreadable as error:
        raise BadSheet(name, error.text.split("\n"), error.faults) from None
    own = text.split("\n")
    if (keyless := without_keys(text)) != text:
        raw = keyless.encode()
    lines, mended = plain_lines(with_keys_blank(text))
    if unseen := [each for line in lines for each in controls(line)]:
        raise BadSheet(name, own, unseen[:_MOST_CONTROLS])
    lines, uncommented = chosen(lines, known)
    lines, unpunctuated = punctuated(lines, known)
    lines, unbraced = braced(lines, known)
    sheet, meant, told = _read(lines, own, known, name)
    if _reads_alike(raw, name, known, sheet):
        return Forgiven(sheet, raw)
    changes = [*_change_sentences(meant), *told]
    if uncommented:
        changes.append(FIRST_MARK)
    if unbraced:
        changes.append(BRACED)
    if unpunctuated:
        changes.append(PUNCTUATED)
    if mended:
        changes.append(SIGNS)
    changes = changes or [FORM_ONLY]
    canonical = canonical_sheet(meant.value, changes, keyless.split("\n"))
    if canonical is None or not _reads_alike(canonical, name, known, sheet):  # the strict reader has the last word
        reason = f"with all its words written out, the sheet has more than {LETTER.size:,} bytes; send it in two"
        raise BadSheet(name, own, [Placed(Fault(MALFORMED, (), reason), Mark(1, 1, 1))])
    return Forgiven(sheet, canonical.encode(), changes)


def is_turned_round(text: str, known: Known) -> bool:
    """Tell whether words beside the orders in a text, such as "do not" or "draft only", may turn them round."""
    lines, _ = plain_lines(text)
    return bool(turned_round(assembled(lines, text.split("\n"), known), lines))


def _read(lines: list[Line], own: Sequence[str], known: Known, name: str) -> tuple[Sheet, Meant, list[str]]:
    """Return the sheet that lines make, what is meant by it, and sentences about its form. Raises BadSheet.

    What YAML passes over, or cannot read, is read as words where the reader of words knows what may be answered.
    """
    tree = whole_tree(lines, own, known)
    found = assembled(lines, own, known) if tree is None else Assembled(tree)
    turned = turned_round(found, lines)
    meant = meaning_of(found.tree, known)

    def sheet(meant: Meant, faults: Sequence[Placed]) -> Sheet:
        source = _Source(meant.value or None, own, meant.marks)
        return sheet_from(source, name, known.box.forms, faults)

    complaints: Sequence[Placed] = []
    try:
        read = sheet(meant, [*found.faults, *meant.faults])
    except BadSheet as bad:
        complaints = bad.complaints
    said = None
    if known.words is not None and (complaints or found.talk):
        said = worded(found, meant.value, complaints, lines, known.words())
    if said is not None:
        meant = meaning_of(said.tree, known)
        read = sheet(meant, [*said.faults, *meant.faults, *turned])
        return read, meant, [*said.changes, *found.changes, *passed_over(said.talk)]
    if complaints or turned:
        read = sheet(meant, [*found.faults, *meant.faults, *turned])
    return read, meant, [*found.changes, *passed_over(found.talk)]


def _reads_alike(raw: bytes | str, name: str, known: Known, sheet: Sheet) -> bool:
    """Tell whether the strict reader reads a text to the same sheet."""
    try:
        return read_sheet(raw, name=name, forms=known.box.forms).says_the_same(sheet)
    except BadSheet:
        return False


def _change_sentences(meant: Meant) -> list[str]:
    """Return what was supplied and which words were put right, in sentences."""
    told = []
    if meant.supplied:
        told.append(f"{', '.join(meant.supplied)}: {FROM_REPORT}")
    spelt = [word for written, word in meant.words.items() if fold(written) == word]
    told += [f"{written} was read as {word}" for written, word in meant.words.items() if fold(written) != word]
    if spelt:
        told.append(f"{SPELLING}{_some(spelt)}")
    return told


def _some(words: Sequence[str]) -> str:
    """Return words as a sentence lists them, the first few if there are many."""
    different = list(dict.fromkeys(words))
    more = len(different) - _FEW
    return listing([*different[:_FEW], f"{more} more"] if more > 1 else different)

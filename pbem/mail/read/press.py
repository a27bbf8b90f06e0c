"""The talk in a letter: where it stands, to whom it goes, and which lines of the letter belong to it.

`PRESS elm, ash: Shall we?` begins a talk, and so does `PRESS elm` with the words below it. It ends at a line END PRESS,
where the next talk begins, at the signature, or with the sender's own text. What they quote is never part of it: below
their words may stand their whole last report. `SHOW elm: card 7` is one line. So is `SAY Good luck!`, which goes to all
others and stands above a sheet; only what a mail program has wrapped belongs to it as well.

A talk without END PRESS could swallow what was meant for the referee. So a sheet, an order or a command in it sends it
back: the enemy would read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from pbem.game.wording import listing
from pbem.game.words import Vocabulary
from pbem.mail.read.commands import Instruction, Words, commands_in
from pbem.mail.read.quoting import BULLETS, MARKS, SENT_FROM, WROTE, LetterLine, letter_lines
from pbem.mail.read.sheet_finder import bare_orders, sheets
from pbem.protocol import Side
from pbem.referee.game.open_game import CannotPlay

ALL: Final = "ALL"
UNSIGNED: Final = "UNSIGNED"
_BEGINS: Final = re.compile(
    rf"\s*{BULLETS}[{MARKS}]*(?:(?P<word>PRESS|SHOW)|(?P<say>SAY)[{MARKS}]*[:：]?)[{MARKS}]*(?:\s+(?P<rest>.*))?"
)
_ENDS: Final = re.compile(rf"[\s{MARKS}]*(?:END PRESS|PRESS END|END OF PRESS)[\s.{MARKS}]*", re.IGNORECASE)
_HAS_A_KEY: Final = re.compile(r"\W*\w[\w .-]*[:：{]")
"""How an order and each line of a sheet begin."""
_ONE_LINE: Final = "SAY"
_MANY_LINES: Final = "PRESS"
_MOST_LINES: Final = 500
_MOST_NAMES: Final = 40
_LONGEST_LINE: Final = 80
_WRAPPED: Final = 70
"""A mail program has wrapped a line if the first word of the next would have made it longer than this."""
CLOSED: Final = "\x1e"
"""What ends the text of a talk that END PRESS has ended: no letter holds it."""
Names: TypeAlias = Mapping[Side, Sequence[str]]
"""The names of all sides; the first of each is the one that letters call it by."""


class Press(NamedTuple):
    """The talk of one text: what it says, and the text without it, line for line."""

    instructions: tuple[Instruction, ...]
    rest: str


def press_in(text: str, words: Words) -> Press:
    """Return the talk in a tidied text, and the text without it; `words` are those of all commands."""
    if not any(word.is_talk and word.name in text for word in words.values()):
        return Press((), text)
    read, raw = letter_lines(text), text.split("\n")
    found: list[Instruction] = []
    at = 0
    while at < len(read):
        begun = _BEGINS.fullmatch(read[at].text) if read[at].depth == 0 else None
        if read[at].depth == 0 and read[at].text == "--":
            break
        if begun is None:
            at += 1
            continue
        word, said = words[begun["word"] or begun["say"]], [begun["rest"] or ""]
        first, raw[at] = at + 1, ""
        at += 1
        while word.name == _ONE_LINE and at < len(read) and _is_wrapped(read[at - 1], read[at], words):
            said[0] += f" {read[at].text.strip()}"
            raw[at] = ""
            at += 1
        if word.name == _MANY_LINES:
            end = _end_of_talk(read, at)
            taken = [each for each in range(at, end) if read[each].depth == 0]
            said += [read[each].text for each in _without_heads(read, taken)]
            for each in taken:
                raw[each] = ""
            at = end
            said = _without_tail(said)
            if at < len(read) and read[at].depth == 0 and _ENDS.fullmatch(read[at].text):
                raw[at] = ""
                said[-1] += CLOSED
                at += 1
        found.append(Instruction(word, "\n".join(said), first))
    return Press(tuple(found), "\n".join(raw))


def _is_wrapped(line: LetterLine, below: LetterLine, words: Words) -> bool:
    """Tell whether a mail program has wrapped a line, so that the one below it belongs to it.

    What may be meant for the referee never does: the enemy would read it.
    """
    first = next(iter(below.text.split()), "")
    if not first or below.depth or len(line.text.rstrip()) + 1 + len(first) <= _WRAPPED:
        return False
    if below.text == "--" or _BEGINS.fullmatch(below.text) or _HAS_A_KEY.match(below.text):
        return False
    said = commands_in(words, "", [below.text])
    return not (said.instructions or said.unclear)


def _end_of_talk(read: Sequence[LetterLine], start: int) -> int:
    """Return the line before which a talk ends."""
    for at in range(start, min(len(read), start + _MOST_LINES)):
        line = read[at]
        if line.depth == 0 and (line.text == "--" or _ENDS.fullmatch(line.text) or _BEGINS.fullmatch(line.text)):
            return at
    return min(len(read), start + _MOST_LINES)


def _without_heads(read: Sequence[LetterLine], own: Sequence[int]) -> list[int]:
    """Return the lines of a talk without those that say whose letter is quoted below them, with an address."""
    kept = list(own)
    for at in own:
        below = next((each for each in range(at + 1, len(read)) if read[each].text.strip()), None)
        if below is not None and read[below].depth and WROTE.search(read[at].text):
            kept.remove(at)
            if at - 1 in kept and "@" in read[at - 1].text:
                kept.remove(at - 1)
    return kept


def _without_tail(said: Sequence[str]) -> list[str]:
    """Return the lines of a talk without blank ones at its end and what a program adds: `Sent from my phone`."""
    kept = list(said)
    while len(kept) > 1 and (not kept[-1].strip() or (SENT_FROM.fullmatch(kept[-1]) and not kept[-2].strip())):
        kept.pop()
    return kept


@dataclass(frozen=True, slots=True)
class Addressed:
    """What is said or shown, and to which sides."""

    to: tuple[Side, ...]
    text: str
    unsigned: bool = False


class TalkNames(NamedTuple):
    """What talk may name: the sides; and what it may not hold by mistake: the orders of the game, and commands."""

    sides: Names
    orders: Sequence[str]
    words: Words


def addressed(rest: str, side: Side, names: TalkNames) -> Addressed:
    """Return to whom the talk of a side goes, and what it says; `rest` is what stands behind the word.

    Raises CannotPlay where that cannot be told.
    """
    head, _, below = rest.partition("\n")
    to, colon, first = head.partition(":") if ":" in head else head.partition("：")
    to = to.rstrip(CLOSED)
    text = "\n".join([*([first.strip()] if first.strip() else []), below]) if below else first.strip()
    if not text.endswith(CLOSED):
        _require_no_order(below, names)
    sides, unsigned = _sides_meant(to, side, names.sides, ends=bool(colon))
    return Addressed(sides, text.rstrip(CLOSED), unsigned)


def said_to_all(rest: str, side: Side, names: Names) -> Addressed:
    """Return what SAY says: to all others, or as PRESS does to the sides that stand before a colon."""
    to, colon, words = rest.partition(":") if ":" in rest else rest.partition("：")
    if colon:
        with suppress(CannotPlay):
            sides, unsigned = _sides_meant(to, side, names, ends=True)
            return Addressed(sides, words.strip(), unsigned)
    return Addressed(tuple(each for each in names if each != side), rest.strip())


def _sides_meant(to: str, side: Side, names: Names, *, ends: bool) -> tuple[tuple[Side, ...], bool]:
    """Return the sides that are named before the colon, and whether the talk is unsigned."""
    words = Vocabulary(names)
    found: list[Side] = []
    unsigned = False
    asked = re.sub(rf"(?i)\b(?:{UNSIGNED})\b", ",", to)
    unsigned = asked != to
    asked = re.sub(r"(?i)^[\s,]*to\b", "", asked)
    for each, (called, *_) in names.items():  # a name may hold what stands between two
        asked = re.sub(rf"(?i)\b{re.escape(called)}\b", each, asked)
    for name in [each.strip() for each in re.split(r"(?i)\s*(?:[,;&+]|\band\b)\s*", asked)[:_MOST_NAMES]]:
        if name.upper() in (ALL, "EVERYBODY", "EVERYONE"):
            found += [each for each in names if each != side]
        elif name:
            found.append(_side_meant(name, words, names, ends=ends))
    if not found:
        raise CannotPlay(f"write to whom: {_names_listed(names)}, several of them, or ALL; then a colon")
    return tuple(dict.fromkeys(found)), unsigned


def _side_meant(name: str, words: Vocabulary, names: Names, *, ends: bool) -> Side:
    """Return the side that a name means."""
    meant = words.readings(name)
    if len(meant) == 1:
        return meant[0]
    shown = name if len(name) <= _LONGEST_LINE else f"{name[:_LONGEST_LINE]}..."
    if meant:
        raise CannotPlay(f"{shown!r} can be {listing([names[each][0] for each in meant], 'or')}: write which")
    how = "" if ends else ". Write the sides, a colon, and then what you say"
    raise CannotPlay(f"there is no side {shown!r}; there are {_names_listed(names)}, and ALL{how}")


def _names_listed(names: Names) -> str:
    return listing(called for called, *_ in names.values())


def _require_no_order(text: str, names: TalkNames) -> None:
    """Raise CannotPlay if lines of a talk that nothing ends look as if they were meant for the referee."""
    own = text.split("\n")
    orders = [each.lines[0] for each in bare_orders(own, names.orders)] or [
        each.text.split("\n")[0] for each in sheets(text) if each.depth == 0
    ]
    said = commands_in(names.words, "", own)
    words = [str(each) for each in said.instructions]
    if orders or words:
        line, what = (orders[0], "an order") if orders else (words[0], "a command")
        raise CannotPlay(
            f"the line {line.strip()[:_LONGEST_LINE]!r} below it looks like {what}, and would be passed on. Write END "
            "PRESS on a line of its own where your talk ends: above that line, or below it if it is talk"
        )

"""The receipt in a letter: a block of lines that `pbem verify --letters` compares with the game.

Every letter about a game encloses it in the file receipt.txt. Older letters have it at the end of their text, too. It
looks like this:

```
----- BEGIN RECEIPT -----
receipt: punica rome
tip: 9945e603...
rules: 5d1be7ee...
commit: 7c6736ca...
told: 12-13
until: 2026-11-29T19:00:00Z
turn: 12
  7a705c84...
turn: 13
  0d94f106...
sheet: 9 sheets/rome/000/0009.age
  2358003d...
  b8083dbe...
closed: 14 12040883
  9b868bce...
----- END RECEIPT -----
```

It names the game and the side that it is for, the tip of the dice, the SHA-256 of `rules.yaml` (the rules with which
the game was begun), the commit at which the letter was written, and the adjudications that the letter tells of. In a
game with a clock it says until when the side has time. Then come the newest turn files, each with its SHA-256, and the
sheets that were taken in, each with its path, the salted digest of its text, and the salt. While the sheets are closed
it says for which adjudication, until which round of the beacon, and the digest of what is closed. No line looks like an
order sheet or a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from pbem.crypto.sealed_orders import SealedBlock
from pbem.paths import GAME_NAME
from pbem.protocol import PbemError, Side

NAME: Final = "receipt.txt"
"""The name under which the block is enclosed."""
MOST_TURNS: Final = 5
"""So many turn files are named at most, the newest: each names the one before by its digest."""
_MOST_TOLD: Final = 100_000
"""More adjudications than any letter tells of."""
_INSTANT: Final = "%Y-%m-%dT%H:%M:%SZ"
_BEGIN: Final = "----- BEGIN RECEIPT -----"
_END: Final = "----- END RECEIPT -----"
_FIRST: Final = re.compile(r"[\s*_–—-]*BEGIN RECEIPT[\s*_–—-]*")
_LAST: Final = re.compile(r"[\s*_–—-]*END RECEIPT[\s*_–—-]*")
_FIELD: Final = re.compile(r"(receipt|tip|rules|commit|told|until|turn|sheet|closed):\s*(.*)")
_MORE: Final = re.compile(r"sheets/\S+|[0-9a-f]+(?: [0-9a-f]+)*")
"""The rest of a field on a line of its own: a digest, or what a mail program has broken off."""
_HEX: Final = re.compile(r"[0-9a-f]*")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,11}")
_SPAN: Final = re.compile(r"([1-9][0-9]{0,11})-([1-9][0-9]{0,11})")
_SHAPES: Final[Mapping[str, tuple[int, int]]] = {
    "receipt": (2, 0),
    "tip": (0, 64),
    "rules": (0, 64),
    "commit": (0, 40),
    "told": (1, 0),
    "until": (1, 0),
    "turn": (1, 64),
    "sheet": (2, 128),
    "closed": (2, 64),
}
"""How many words stand in each field, and how many hexadecimal digits follow them."""
_ONCE: Final = ("receipt", "tip", "rules", "commit", "told", "until", "closed")


class BadReceipt(PbemError, ValueError):
    """A block that is no receipt; the text says why."""


class ReceiptedSheet(NamedTuple):
    """A sheet that was taken in: where it is in the repo, its salted digest, and the salt."""

    number: int
    path: str
    digest: str
    salt: str


class ClosedSheets(NamedTuple):
    """The closing of the sheets for an adjudication until a round of the beacon, with the digest of the inputs."""

    adjudication: int
    round: int
    digest: str


@dataclass(frozen=True, slots=True)
class LetterReceipt:
    """What a letter to a side says of a game."""

    game: str
    side: Side
    tip: str
    rules: str
    """The SHA-256 of the file that pins the rules with which the game was begun."""
    commit: str
    told: tuple[int, int] | None = None
    """The first and the last adjudication that the letter tells of; None: it tells of none."""
    turns: tuple[tuple[int, str], ...] = ()
    """Number and digest of the newest turn files, the oldest first."""
    sheets: tuple[ReceiptedSheet, ...] = ()
    closed: ClosedSheets | None = None
    until: datetime | None = None
    """Until when the side has time for what it is asked; None: it is asked nothing, or the game has no clock."""

    @property
    def adjudications(self) -> range:
        """The adjudications that the letter tells of."""
        return range(0) if self.told is None else range(self.told[0], self.told[1] + 1)


class ReceiptBlock(NamedTuple):
    """A block in some lines: the first line, the line after the last, and the receipt, or why it is none."""

    first: int
    end: int
    receipt: LetterReceipt | None
    reason: str = ""


class HeardTalk(NamedTuple):
    """What a letter passes on of the talk in a game: who says it, by name (None: it does not say), and the words."""

    game: str
    by: str | None
    text: str
    shows: bool = False
    """Whether it shows something instead, in the words of the referee."""


@dataclass(frozen=True, slots=True)
class KeptLetter:
    """A letter in a player's mailbox, got or sent, as far as it witnesses to a game."""

    where: str
    """The file, and in a file of many letters the number."""
    subject: str = ""
    message_id: str = ""
    sender: str = ""
    """The bare address in lower case; empty if the letter does not say it plainly."""
    to: str = ""
    written: datetime | None = None
    """When it was written, as it says itself."""
    arrived: datetime | None = None
    """When it came to the server that took it in last, as that says."""
    signed_by: tuple[str, ...] = ()
    """The domains whose DKIM signatures it has; nobody has checked them."""
    receipts: tuple[LetterReceipt, ...] = ()
    """The receipts in its own text or files, or in the text that it quotes."""
    talk: HeardTalk | None = None
    """The talk that it passes on, if it is a letter of the referee that does."""
    own: bool = False
    """Whether one of its receipts is its own, not quoted."""
    sheets: tuple[tuple[str, bytes], ...] = ()
    """The order sheets in it as the referee would read them, each with the name of its game."""
    sealed: tuple[SealedBlock, ...] = ()
    """The blocks of sealed orders in it."""
    taken_in: tuple[bytes, ...] = ()
    """The sheets that it encloses as the referee has taken them in."""
    words: tuple[str, ...] = ()
    """Its commands, as the referee would read them: some stand for a sheet."""
    lines: tuple[str, ...] = ()
    """Its lines that stand in no order sheet, without quote marks: orders may stand there too."""
    beside_words: tuple[str, ...] = ()
    """The lines of a sheet that it quotes below its words: standing orders beside AGREED may stand there."""
    answers: tuple[tuple[str, Side, int], ...] = ()
    """The reports that it shows that it answers, by game, side and adjudication."""
    damage: str = ""
    """Why it, or a receipt in it, cannot be read."""

    @property
    def time(self) -> datetime | None:
        """The best that is known of when it was there: when it arrived, or else when it was written."""
        return self.arrived or self.written

    def __str__(self) -> str:
        when = f" of {self.written:%Y-%m-%d %H:%M:%S} UTC" if self.written else ""
        came = f", arrived {self.arrived:%Y-%m-%d %H:%M:%S} UTC" if self.arrived else ""
        words = [f'the letter "{self.subject}"{when}{came}', self.message_id, f"in {self.where}"]
        if self.signed_by:
            words.append(f"with an unchecked DKIM signature of {' and '.join(self.signed_by)}")
        return ", ".join(word for word in words if word)


def receipt_block(receipt: LetterReceipt) -> str:
    """Return the block of a receipt."""
    lines = [_BEGIN, f"receipt: {receipt.game} {receipt.side}", f"tip: {receipt.tip}"]
    lines += [f"rules: {receipt.rules}", f"commit: {receipt.commit}"]
    if receipt.told is not None:
        lines.append(f"told: {receipt.told[0]}-{receipt.told[1]}")
    if receipt.until is not None:
        lines.append(f"until: {receipt.until:{_INSTANT}}")
    for number, digest in receipt.turns:
        lines += [f"turn: {number}", f"  {digest}"]
    for sheet in receipt.sheets:
        lines += [f"sheet: {sheet.number} {sheet.path}", f"  {sheet.digest}", f"  {sheet.salt}"]
    if (closed := receipt.closed) is not None:
        lines += [f"closed: {closed.adjudication} {closed.round}", f"  {closed.digest}"]
    return "\n".join([*lines, _END]) + "\n"


def receipt_blocks(lines: Sequence[str]) -> Iterator[ReceiptBlock]:
    """Yield the blocks in the lines of a text without quote marks.

    A block ends at its last line, or before the first line that cannot belong to it.
    """
    at = 0
    while at < len(lines):
        if not _FIRST.fullmatch(lines[at]):
            at += 1
            continue
        first, at = at, at + 1
        while at < len(lines) and _belongs_to_block(lines[at].strip()):
            at += 1
        whole = at < len(lines) and _LAST.fullmatch(lines[at]) is not None
        at += whole
        try:
            if not whole:
                raise BadReceipt("its end is missing")
            yield ReceiptBlock(first, at, receipt_in(lines[first:at]))
        except BadReceipt as wrong:
            yield ReceiptBlock(first, at, None, str(wrong))


def _belongs_to_block(line: str) -> bool:
    return not line or _FIELD.fullmatch(line) is not None or _MORE.fullmatch(line) is not None


def receipt_in(lines: Sequence[str]) -> LetterReceipt:
    """Return the receipt that the lines of a block hold, the first and the last among them. Raises BadReceipt.

    Lines may be broken at any blank and within a digest, as mail programs break them.
    """
    fields = _fields([line.strip() for line in lines[1:-1] if line.strip()])
    found: dict[str, list[tuple[list[str], str]]] = {key: [] for key in _SHAPES}
    for key, words in fields:
        found[key].append(_shaped(key, words))
    for key in _ONCE:
        if len(found[key]) > 1 or (not found[key] and key in ("receipt", "tip", "rules", "commit")):
            raise BadReceipt(f"it has {len(found[key])} lines `{key}:`")
    ((game, side), _), ((_, tip),), ((_, rules),) = found["receipt"][0], found["tip"], found["rules"]
    ((_, commit),) = found["commit"]
    if not (GAME_NAME.fullmatch(game) and GAME_NAME.fullmatch(side)):
        raise BadReceipt(f"{game[:70]} {side[:70]}: this names no game and side")
    turns = tuple((_number_in("turn", word), digest) for (word,), digest in found["turn"])
    if [n for n, _ in turns] != sorted({n for n, _ in turns}):
        raise BadReceipt("its turns do not stand in their order")
    sheets = (
        ReceiptedSheet(_number_in("sheet", number), path, both[:64], both[64:])
        for (number, path), both in found["sheet"]
    )
    closed = [
        ClosedSheets(_number_in("closed", n), _number_in("closed", round), d) for (n, round), d in found["closed"]
    ]
    told = [_sheet_span(word) for (word,), _ in found["told"]]
    until = [_instant(word) for (word,), _ in found["until"]]
    return LetterReceipt(
        *(
            game,
            side,
            tip,
            rules,
            commit,
            told[0] if told else None,
            turns,
            tuple(sheets),
            closed[0] if closed else None,
        ),
        until[0] if until else None,
    )


def _fields(lines: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the fields of a block: the key of each, and its words from all its lines."""
    fields: list[tuple[str, list[str]]] = []
    for line in lines:
        if (field := _FIELD.fullmatch(line)) is not None:
            fields.append((field[1], field[2].split()))
        elif fields and _MORE.fullmatch(line):
            fields[-1][1].extend(line.split())
        else:
            raise BadReceipt(f"it cannot have the line {line[:70]!r}")
    return fields


def _shaped(key: str, words: Sequence[str]) -> tuple[list[str], str]:
    """Return the words of a field, and the digits after them."""
    count, digits = _SHAPES[key]
    rest = "".join(words[count:])
    if len(words) < count or len(rest) != digits or not _HEX.fullmatch(rest):
        raise BadReceipt(f"`{key}: {' '.join(words)[:70]}` is not complete")
    return list(words[:count]), rest


def _number_in(key: str, word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise BadReceipt(f"`{key}: {word[:70]}` has no number")
    return int(word)


def _instant(word: str) -> datetime:
    try:
        return datetime.strptime(word, _INSTANT).replace(tzinfo=UTC)
    except ValueError:
        raise BadReceipt(f"`until: {word[:70]}` is no time") from None


def _sheet_span(word: str) -> tuple[int, int]:
    found = _SPAN.fullmatch(word)
    if found is None or not 0 <= int(found[2]) - int(found[1]) < _MOST_TOLD:
        raise BadReceipt(f"`told: {word[:70]}` names no adjudications")
    return int(found[1]), int(found[2])

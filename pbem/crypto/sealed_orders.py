"""Sealed orders: a block of text that can be pasted anywhere, and that only the referee of its game opens.

    sealed orders: punica rome 1876 3f9a0c52
    -----BEGIN AGE ENCRYPTED FILE-----
    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBYc0h5cFZJdGtPVmJ0NDBM
    -----END AGE ENCRYPTED FILE-----

Its first line names the game, the side, how many letters stand between the two rules, and the first digits of their
SHA-256: so a block that lost a letter on its way says so. All below is an age file. Inside stands a sheet, sealed for a
path of its game and side (`pbem.crypto.seal`) and padded: its size does not tell how much is ordered.

A forum may set quote marks in front of the lines, join them, set other blanks and dashes, or leave the first line out.
What stands between the rules are letters of base64 and nothing else, so all that can be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from pbem.crypto.seal import MARK, CannotOpen, open_padded, room_for, unpadded, wrap
from pbem.protocol import Side

ROOM: Final = 1024
"""The least room of a sheet in a block, in bytes."""
_WIDTH: Final = 64
_RULE: Final = "-----{} AGE ENCRYPTED FILE-----"
_DASHES: Final = r"[-\u2010-\u2015\u2212*_]{0,12}"
_BEGIN: Final = re.compile(
    rf"{_DASHES}[ \t]{{0,4}}BEGIN\s{{1,8}}AGE\s{{1,8}}ENCRYPTED\s{{1,8}}FILE[ \t]{{0,4}}{_DASHES}", re.IGNORECASE
)
_END: Final = re.compile(
    rf"{_DASHES}[ \t]{{0,4}}END\s{{1,8}}AGE\s{{1,8}}ENCRYPTED\s{{1,8}}FILE[ \t]{{0,4}}{_DASHES}", re.IGNORECASE
)
_HEADING: Final = re.compile(
    r"sealed[ ]+orders[ ]*:[ ]*(?P<game>[\w.-]+)[ ]+(?P<side>\w+)[ ]+(?P<length>\d{1,7})[ ]+(?P<check>[0-9a-f]{8})\b",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r"[\s>`~*_]*(?:\d{1,4}[.):|]?\s+)?")
"""What may stand between the first line and the block."""
_NEAR: Final = 400
"""The first line of a block stands at most so many characters before its upper rule."""
_LETTERS: Final = re.compile(r"[A-Za-z0-9+/]+")
_FRAME: Final = re.compile(r"^[ \t]*(?:>[ \t>]*)?", re.MULTILINE)
_NUMBER: Final = re.compile(r"[ \t]*(\d{1,4})[.):|]?(?:[ \t]+|$)")
_MOST: Final = 200_000
"""A block with more characters is none."""


class BadBlock(CannotOpen):
    """A block of sealed orders that cannot be opened; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class SealedBlock:
    """A block of sealed orders as it was found in a text, from `start` to `end`, and what its first line says."""

    start: int
    end: int
    letters: str
    whole: bool
    """Whether both its rules are there."""
    game: str = ""
    side: Side = ""
    length: int = 0
    check: str = ""


def sealed_orders(recipient: str, game: str, side: Side, sheet: bytes) -> str:
    """Return a sheet as a block that only the holder of a game's key opens."""
    path = path_of(game, side)
    head = b"%b %b %d\n" % (MARK, path.encode(), len(sheet))
    filled = (head + sheet).ljust(room_for(len(head) + len(sheet), ROOM), b"\0")
    letters = "".join(wrap(filled, [recipient]).decode().splitlines()[1:-1])
    lines = [letters[at : at + _WIDTH] for at in range(0, len(letters), _WIDTH)]
    first = f"sealed orders: {game} {side} {len(letters)} {_checksum(letters)}"
    return "\n".join([first, _RULE.format("BEGIN"), *lines, _RULE.format("END"), ""])


def path_of(game: str, side: Side) -> str:
    """Return the path that the orders of a side are sealed for; no file of a game has it."""
    return f"orders/{game}/{side}"


def find_blocks(text: str) -> Iterator[SealedBlock]:
    """Yield the blocks of sealed orders in a text."""
    at = 0
    while (begin := _BEGIN.search(text, at)) is not None:
        following = _BEGIN.search(text, begin.end())
        until = following.start() if following else len(text)
        end = _END.search(text, begin.end(), min(until, begin.end() + _MOST))
        stop = end.start() if end else _letters_end(text, begin.end(), until)
        headings = list(_HEADING.finditer(text, max(at, begin.start() - _NEAR), begin.start()))
        said = headings[-1] if headings and _BETWEEN.fullmatch(text, headings[-1].end(), begin.start()) else None
        start = begin.start() if said is None else said.start()
        at = end.end() if end else stop
        letters = _only_letters(text[begin.end() : stop])
        named = {} if said is None else {"game": said["game"].lower(), "side": said["side"].lower()}
        count = (0, "") if said is None else (int(said["length"]), said["check"].lower())
        yield SealedBlock(start, at, letters, end is not None, **named, length=count[0], check=count[1])


def open_block(block: SealedBlock, identities: Sequence[tuple[str, str]]) -> tuple[str, Side, bytes]:
    """Return the game, the side and the sheet of a block; `identities` are games, each with its key.

    Raises BadBlock, which says what is wrong: the block is damaged, or was sealed for another game.
    """
    problem = _damage(block)
    if problem:
        raise BadBlock(f"{problem} {_AGAIN}")
    lines = [block.letters[at : at + _WIDTH] for at in range(0, len(block.letters), _WIDTH)]
    armoured = "\n".join([_RULE.format("BEGIN"), *lines, _RULE.format("END"), ""]).encode()
    for _, identity in identities:
        try:
            padded = open_padded(identity, "sealed orders", armoured)
        except CannotOpen:
            continue
        return _in_block(block, padded, [name for name, key in identities if key == identity])
    names = [game for game, _ in identities]
    if block.check and block.game not in names:
        raise BadBlock(f"The block of sealed orders is for the game {block.game}, which is not this one. {_AGAIN}")
    if block.check:
        raise BadBlock(
            f"The block of sealed orders is whole, but it was not sealed to the key of {block.game} (`sealed_to` in "
            f"its game.yaml). Perhaps it was made for an earlier game of that name. {_AGAIN}"
        )
    raise BadBlock(
        "The block of sealed orders does not open: either letters of it were changed on the way, or it was sealed for "
        f"another game. Paste it with the line `sealed orders: ...` above it, which tells which. {_AGAIN}"
    )


def _in_block(block: SealedBlock, padded: bytes, games: Sequence[str]) -> tuple[str, Side, bytes]:
    """Return the game, the side and the sheet of an opened block, which must be for one of some games."""
    words = padded.partition(b"\n")[0].decode("utf-8", "replace").split(" ")
    path = words[1].split("/") if len(words) == 3 else []
    if len(path) != 3 or path[0] != "orders":
        raise BadBlock(f"What the block of sealed orders holds is no order sheet. {_AGAIN}")
    _, game, side = path
    if game not in games:
        raise BadBlock(f"The block of sealed orders is for the game {game}, not for {games[0]}. {_AGAIN}")
    if (block.game or game, block.side or side) != (game, side):
        raise BadBlock(
            f"The line above the block says {block.game} {block.side}, but the block was sealed for {game} {side}: two "
            f"blocks may have been mixed up. {_AGAIN}"
        )
    return game, side, unpadded("/".join(path), padded)


_AGAIN: Final = (
    "Nothing of it was carried out. Paste the whole block again as `pbem seal-orders` printed it, in a code box if the "
    "forum has one, or make a new one."
)


def _damage(block: SealedBlock) -> str:
    """Return what was lost or changed of a block on its way, as far as it shows; empty: nothing."""
    if not block.whole:
        return "The block of sealed orders has no end: the line with END AGE ENCRYPTED FILE is missing."
    if not block.check:
        return ""
    there, sealed = len(block.letters), block.length
    if there < sealed:
        return f"The block of sealed orders is damaged: {sealed - there} of its {sealed} letters are missing."
    if there > sealed:
        return f"The block of sealed orders is damaged: it has {there - sealed} letters more than the {sealed} sealed."
    if _checksum(block.letters) != block.check:
        return "The block of sealed orders is damaged: it has all its letters, but some were changed on the way."
    return ""


def _checksum(letters: str) -> str:
    return sha256(letters.encode()).hexdigest()[:8]


def _only_letters(text: str) -> str:
    """Return the letters of base64 in what stands between the rules, without quote marks and numbers of lines."""
    lines = [line for line in _FRAME.sub("", text).split("\n") if line.strip()]
    numbers = [_NUMBER.match(line) for line in lines]
    first = int(numbers[0][1]) if numbers and numbers[0] is not None else 0
    if len(lines) > 1 and all(found is not None and int(found[1]) == first + at for at, found in enumerate(numbers)):
        lines = [_NUMBER.sub("", line, count=1) for line in lines]  # the last is that of the rule
    return re.sub(r"[^A-Za-z0-9+/=]", "", "".join(lines))


def _letters_end(text: str, start: int, until: int) -> int:
    """Return where the letters of a block end whose last rule is missing: before a line that is none of them."""
    at = start
    for line in text[start:until].splitlines(keepends=True):
        bare = _FRAME.sub("", line).strip().rstrip("=")
        if bare and not _LETTERS.fullmatch(bare):
            break
        at += len(line)
    return at

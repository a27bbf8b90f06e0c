"""Player chains: links that players open with their sheets, so that no adjudicator alone controls the dice.

A side may promise a chain of its own before the first shuffle, made as `pbem.crypto.dice` makes them. From then on
each of its sheets opens the next link. A sheet that replaces one not used yet opens the same link again.

The contribution of a side to an adjudication goes into the dice. It is one of:

* `{link: ...}` where a sheet of it went in that opened a link;
* `{missing: ...}` where none did: SHA-256 of the bytes of the link opened last (or the tip), a blank, and the number of
  the adjudication in decimal. Anybody can compute it, and nobody can choose it;
* `{lost: ...}` where its sheet says that the chain is lost: the same digest, for the last time. After that the side
  has no chain.

Standard library only: whoever checks a game needs this module and `pbem.crypto.dice`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from re import compile as pattern
from typing import Final

from pbem.crypto.dice import check_link, missing_share
from pbem.protocol import PbemError

LOST: Final = "lost"
"""The word in place of a link, from a player who has lost their chain."""
LINK_SHAPE: Final = pattern("[0-9a-f]{64}")
MOST_LINKS: Final = 100_000
"""The greatest length of a player's chain: its links are counted by making them."""


class BadShare(PbemError):
    """A turn file has a wrong share of a side's own chain; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class OwnChain:
    """The public state of a player's chain: its tip, its length, and the link opened last (at first the tip).

    `waiting` is the link, or the word `lost`, of a sheet that has not been used yet.
    """

    tip: str
    length: int
    last: str
    waiting: str | None = None

    @property
    def opened(self) -> int:
        """How many links have been opened."""
        return self.number(self.last) or 0

    def number(self, link: str) -> int | None:
        """Return which link of the chain this is, the tip being 0; None: it is none of it."""
        if LINK_SHAPE.fullmatch(link):
            digest = bytes.fromhex(link)
            for number in range(min(self.length, MOST_LINKS) + 1):
                if digest.hex() == self.tip:
                    return number
                digest = sha256(digest).digest()
        return None


def wrong_with(written: str | None, own: OwnChain | None) -> str | None:
    """Return what is wrong with the link that a sheet opens, and the way out; None: nothing.

    `written` is None where the sheet opens none, `own` where its side has no chain.
    """
    if own is None:
        return None if written is None else "you have no chain of your own in this game; leave this line out"
    if own.waiting not in (None, LOST):
        if written == own.waiting:
            return None
        return f"your last sheet, which has not been used yet, has opened a link; repeat it: 'link: {own.waiting}'"
    opened = own.opened
    way_out = f"the next is link {opened + 1}, which `pbem my-chain next FILE --after {opened}` prints"
    if opened >= own.length:
        way_out = f"all {own.length} are opened; write 'link: {LOST}', which ends the chain"
    if written is None:
        return f"link is missing: a sheet of yours opens the next link of your chain; {way_out}"
    if written == LOST or check_link(written, own.last):
        return None
    number = own.number(written)
    if number is None:
        return f"this is no link of the chain that you have promised, whose tip is {own.tip[:12]}...; {way_out}"
    if number <= opened:
        return f"{f'link {number}' if number else 'the tip'} has been opened before; {way_out}"
    return f"this is link {number}; {way_out}"


def share(last: str, waiting: str | None, n: int) -> dict[str, str]:
    """Return the contribution of a side to adjudication n; `waiting` is the link that its sheets have opened since."""
    if waiting is None:
        return {"missing": missing_share(last, n)}
    return {LOST: missing_share(last, n)} if waiting == LOST else {"link": waiting}


def check_share(share: Mapping[str, str], last: str, n: int) -> str | None:
    """Return what is wrong with a side's contribution to adjudication n, given its last link; None: nothing."""
    if len(share) != 1:
        return "a share has one word: link, missing or lost"
    ((word, value),) = share.items()
    if word == "link":
        return None if check_link(value, last) else f"link {value} does not follow {last}"
    if word in ("missing", LOST):
        stated = missing_share(last, n)
        return None if value == stated else f"what stands for the missing link must be {stated}, not {value}"
    return f"a share is a link, missing or lost, not {word}"


def last_links(shares: Mapping[str, Mapping[str, str]], lasts: Mapping[str, str]) -> dict[str, str]:
    """Return the links opened last, by side, after an adjudication with these shares; `lasts` are those before it."""
    opened = {side: share["link"] for side, share in shares.items() if "link" in share}
    return {side: opened.get(side, last) for side, last in lasts.items() if LOST not in shares.get(side, {})}


def follow(shares: Mapping[str, Mapping[str, str]], lasts: Mapping[str, str], n: int) -> dict[str, str]:
    """Return the links opened last, by side, after adjudication n, out of those before it.

    Raise `BadShare` unless every side with a chain, and no other, has given a share, and each is right.
    """
    for side in sorted({*shares, *lasts}):
        if side not in lasts:
            raise BadShare(f"{side} has no chain of its own and gives a share")
        if side not in shares:
            raise BadShare(f"{side} has a chain of its own; its share is not there")
        if wrong := check_share(shares[side], lasts[side], n):
            raise BadShare(f"the share of {side}: {wrong}")
    return last_links(shares, lasts)

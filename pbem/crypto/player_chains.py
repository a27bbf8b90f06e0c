"""Player chains: links that players open with their sheets, so that no referee alone controls the dice.

A side may promise a chain of its own before the first shuffle, made as `pbem.crypto.dice` makes them. From then on
each of its sheets opens the next link, also a sheet that replaces one not used yet. So a sheet cannot be filed twice,
and how many were filed can be counted.

The contribution of a side to an adjudication goes into the dice. It is one of:

* `{link: ...}` where sheets of it went in: the link that the last of them opened. It lies as many links behind the one
  before as the turn file names sheets of the side;
* `{missing: ...}` where no sheet went in: SHA-256 of the bytes of the link before (or the tip), a blank, and the number
  of the adjudication in decimal. Anybody can compute it, and nobody can choose it;
* `{lost: ...}` where a sheet of it says that the chain is lost: the same digest, for the last time. After that the side
  has no chain.

Standard library only: whoever checks a game needs this module and `pbem.crypto.dice`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from re import compile as pattern
from typing import Final

from pbem.crypto.dice import check_link, missing_link
from pbem.protocol import PbemError

LOST: Final = "lost"
"""The word in place of a link, from a player who has lost their chain."""
LINK_SHAPE: Final = pattern("[0-9a-f]{64}")
MOST_LINKS: Final = 100_000
"""The greatest length of a player's chain: its links are counted by making them."""
_NO_CHAIN: Final = "you have no chain of your own in this game; leave this line out"
_ENDED: Final = f"your chain has ended: an earlier sheet says 'link: {LOST}'"


class BadContribution(PbemError):
    """A turn file has a wrong contribution of a player's chain; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class PlayerChain:
    """The state of a player's chain: its tip, its length, the link opened last (at first the tip), and its end."""

    tip: str
    length: int
    last: str
    """The link that the last accepted sheet has opened, used or not."""
    lost: bool = False
    """Whether an accepted sheet says that the chain is lost."""

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


def link_fault(written: str | None, chain: PlayerChain | None) -> str | None:
    """Return what is wrong with the link that a sheet opens, and the way out; None: nothing.

    `written` is None where the sheet opens none, `chain` where its side has none.
    """
    if chain is None:
        return None if written is None else _NO_CHAIN
    if chain.lost:
        return None if written in (None, LOST) else _ENDED
    opened, way_out = chain.opened, next_of(chain)
    if written is None:
        return f"link is missing: a sheet of yours opens the next link of your chain; {way_out}"
    if written == LOST or check_link(written, chain.last):
        return None
    number = chain.number(written)
    if number is None:
        return f"this is no link of the chain that you have promised, whose tip is {chain.tip[:12]}...; {way_out}"
    if number <= opened:
        return f"{f'link {number}' if number else 'the tip'} has been opened before; {way_out}"
    return f"this is link {number}; {way_out}"


def next_of(chain: PlayerChain | None) -> str:
    """Return what the next sheet of a player has to open."""
    if chain is None:
        return _NO_CHAIN
    if chain.lost:
        return _ENDED
    if chain.opened >= chain.length:
        return f"all {chain.length} are opened; write 'link: {LOST}', which ends the chain"
    return f"the next is link {chain.opened + 1}, which `pbem my-chain next FILE --after {chain.opened}` prints"


def contribution(last: str, opened: str | None, n: int) -> dict[str, str]:
    """Return what a side gives to adjudication n.

    `last` is the link that went into the dice last, `opened` the last that its sheets have opened since, or `lost`;
    None: no sheet has come.
    """
    if opened is None:
        return {"missing": missing_link(last, n)}
    return {LOST: missing_link(last, n)} if opened == LOST else {"link": opened}


def wrong_contribution(given: Mapping[str, str], last: str, n: int, sheets: int) -> str | None:
    """Return what is wrong with what a side gives to adjudication n; None: nothing.

    `last` is the link that went in last, `sheets` how many sheets of the side the turn names.
    """
    if len(given) != 1:
        return "it has one word: link, missing or lost"
    ((word, value),) = given.items()
    if word not in ("link", "missing", LOST):
        return f"it is a link, missing or lost, not {word}"
    if (word == "missing") != (sheets == 0):
        return f"it says {word}, but the turn names {sheets or 'no'} sheet{'' if sheets == 1 else 's'} of the side"
    if word == "link":
        behind = f"by {sheets} links" if sheets > 1 else ""
        return None if check_link(value, last, sheets) else f"link {value} does not follow {last} {behind}".rstrip()
    stated = missing_link(last, n)
    return None if value == stated else f"what stands for the missing link must be {stated}, not {value}"


def last_links(given: Mapping[str, Mapping[str, str]], lasts: Mapping[str, str]) -> dict[str, str]:
    """Return the links that went in last, by side, after an adjudication; `lasts` are those before it."""
    opened = {side: each["link"] for side, each in given.items() if "link" in each}
    return {side: opened.get(side, last) for side, last in lasts.items() if LOST not in given.get(side, {})}


def links_given(
    given: Mapping[str, Mapping[str, str]], lasts: Mapping[str, str], n: int, sheets: Mapping[str, int]
) -> dict[str, str]:
    """Return the links that went in last, by side, after adjudication n, out of those before it.

    `sheets` counts the sheets of each side that the turn names. Raises BadContribution unless every side with a chain,
    and no other, has given something, and each is right.
    """
    for side in sorted({*given, *lasts}):
        if side not in lasts:
            raise BadContribution(f"{side} has no chain of its own and opens a link")
        if side not in given:
            raise BadContribution(f"{side} has a chain of its own; what it gives is not there")
        if wrong := wrong_contribution(given[side], lasts[side], n, sheets.get(side, 0)):
            raise BadContribution(f"the chain of {side}: {wrong}")
    return last_links(given, lasts)

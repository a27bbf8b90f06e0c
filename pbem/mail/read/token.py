"""Tokens: unguessable words that only a side's player knows, because they stand in the letters to that side alone.

A letter that brings one back was written by somebody who has had a letter of ours. The token is part of our
Message-IDs, of the line `key:` in a form, and of the address to answer to, where the mail provider delivers
`pbem+TOKEN@...`. It follows from a secret of the game that is never revealed, the side, its address, and how often its
player has asked for a new one. So nothing has to be kept for it but that number. It lies in a note beside the repo of
the game, with when the side was last heard from. A note that cannot be read counts as if there were none.
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.protocol import Side
from pbem.referee.game.open_game import OpenGame
from pbem.repo.files.note_store import record_note

if TYPE_CHECKING:
    from pbem.mail.read.letter import Letter

LENGTH: Final = 20
"""Characters of a token, of 5 bits each."""
TOKEN: Final = rf"[a-z2-7]{{{LENGTH}}}"
"""The shape of a token, as a pattern."""
_MOST_LETTERS: Final = 100
"""So many letters that asked for a new token are remembered."""
_IN_ID: Final = re.compile(rf"~(?P<token>{TOKEN})(?=@)", re.IGNORECASE)
_IN_ADDRESS: Final = re.compile(rf"\+(?P<token>{TOKEN})@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """What is noted of the player of a side."""

    renewed: int = 0
    """How often they have asked for a new token."""
    letters: tuple[str, ...] = ()
    """The digests of the letters that asked: each counts once."""
    heard: str = ""
    """When a letter last came back that proves who wrote it: the first proves that letters go both ways."""
    by: str = ""
    """What proved it."""
    signed: tuple[tuple[str, str], ...] = ()
    """The digests of the sheets that came with a signature and no other proof, and of the letters they came in."""


ACQUAINTANCES: Final = record_note("pbem.who.", Acquaintance())


def token(game: OpenGame, side: Side) -> str:
    """Return the token of a side that counts now; empty: it has no address to send one to."""
    return _token(game, side, ACQUAINTANCES.read(game.path, side).renewed)


def deputy_token(game: OpenGame, side: Side, address: str) -> str:
    """Return the token of the deputy of a side, by the deputy's address: another one each time that one is named."""
    return _token_from(game, [side, "deputy", address.lower(), game.ledger.deputyship(side).named])


def is_deputy(game: OpenGame, side: Side, address: str) -> bool:
    """Tell whether who writes for a side from an address is its deputy, and not its player."""
    return side not in game.ledger.sides_of(address)


def tokens_for(game: OpenGame, side: Side, address: str) -> list[str]:
    """Return the tokens that show that somebody who may write for a side has written, from an address."""
    own = [deputy_token(game, side, address)] if is_deputy(game, side, address) else []
    return [*own, token(game, side)]


def earlier_tokens(game: OpenGame, side: Side) -> list[str]:
    """Return the tokens of a side that its player has replaced."""
    return [_token(game, side, number) for number in range(ACQUAINTANCES.read(game.path, side).renewed)]


def _token(game: OpenGame, side: Side, renewed: int) -> str:
    address = game.ledger.addresses.get(side, "")
    if not address:
        return ""
    return _token_from(game, [side, address.lower(), renewed])


def _token_from(game: OpenGame, of: Sequence[object]) -> str:
    about = json.dumps(["pbem token v1", game.name, *of]).encode()
    digest = hmac.digest(game.ledger.keys.office.encode(), about, "sha256")
    return b32encode(digest).decode("ascii").lower()[:LENGTH]


def renew(game: OpenGame, side: Side, letter: str) -> None:
    """Give a side a new token, once for each letter that asks for it, by its digest."""
    known = ACQUAINTANCES.read(game.path, side)
    if letter not in known.letters:
        letters = (*known.letters, letter)[-_MOST_LETTERS:]
        ACQUAINTANCES.write(game.path, replace(known, renewed=known.renewed + 1, letters=letters), side)


def note_heard(game: OpenGame, side: Side, when: datetime, by: str) -> None:
    """Note that a letter of a side has come whose writer is proven; once a day is enough."""
    known, now = ACQUAINTANCES.read(game.path, side), f"{when:%Y-%m-%d %H:%M}"
    if (known.heard[:10], known.by) != (now[:10], by):
        ACQUAINTANCES.write(game.path, replace(known, heard=now, by=by), side)


def note_signed(game: OpenGame, side: Side, sheet: str, letter: str) -> bool:
    """Note that a signed sheet came in a letter, by their digests; False: it came before, in another letter.

    A signed sheet that is sent again counts only while it is the last one that came: whoever has an earlier one must
    not put it back in force.
    """
    known = ACQUAINTANCES.read(game.path, side)
    letters = [of for signed, of in known.signed if signed == sheet]
    if letters:
        return letter in letters or known.signed[-1][0] == sheet
    ACQUAINTANCES.write(game.path, replace(known, signed=(*known.signed, (sheet, letter))[-_MOST_LETTERS:]), side)
    return True


def never_heard(repo: Path, side: Side) -> bool:
    """Tell whether no letter of a side has come yet whose writer is proven."""
    return not ACQUAINTANCES.read(repo, side).heard


def forget_heard(repo: Path, side: Side) -> None:
    """Forget that a side was heard from: its letters go to another address now."""
    known = ACQUAINTANCES.read(repo, side)
    if known.heard:
        ACQUAINTANCES.write(repo, replace(known, heard="", by=""), side)


def message_id(stamp: str, key: str, host: str) -> str:
    """Return the Message-ID of a letter of ours.

    >>> message_id("punica.rome.12", "abcdefghij234567abcd", "example.org")
    '<punica.rome.12~abcdefghij234567abcd@example.org>'
    """
    return f"<{stamp}{f'~{key}' if key else ''}@{host}>"


def with_token(reference: str, key: str) -> str:
    """Return a Message-ID of ours with another token; one that has none stays as it is."""
    return _IN_ID.sub(f"~{key}", reference)


def without_token(reference: str) -> str:
    """Return a Message-ID without its token, as those had none that earlier versions wrote."""
    return _IN_ID.sub("", reference)


def tokens_of(letter: Letter, host: str) -> set[str]:
    """Return all tokens in a letter: in the Message-IDs of `host` that it refers to, its addresses, and its sheets."""
    ours = (each for each in letter.references if each.lower().endswith(f"@{host.lower()}>"))
    return {*letter.tokens, *(found["token"].lower() for each in ours for found in _IN_ID.finditer(each))}


def tokens_in_addresses(headers: str) -> list[str]:
    """Return the tokens in addresses such as `pbem+TOKEN@example.org`."""
    return [found["token"].lower() for found in _IN_ADDRESS.finditer(headers)]


def address_with_token(sender: str, key: str) -> str:
    """Return the address to answer to, with a token in it.

    >>> address_with_token("The referee <pbem@example.org>", "abcdefghij234567abcd")
    'The referee <pbem+abcdefghij234567abcd@example.org>'
    """
    before, _, host = sender.rpartition("@")
    return f"{before}+{key}@{host}"

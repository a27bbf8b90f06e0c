"""Triage: which letters in a mailbox are for the games. It is somebody's own mailbox: all others are left alone.

A letter is ours if it carries a token, a sheet, the Message-ID of a letter of ours, or a player's address. Headers are
enough to tell, but for a sheet: only a small letter that nothing else tells of is looked into for one. What a program
sent by itself is never ours, nor is what comes by a mailing list, unless it carries a token: nothing answers them.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.seal import CannotOpen
from pbem.mail.choose.routing import games_named
from pbem.mail.inbox import is_automatic, open_letter
from pbem.mail.notes.address import MESSAGE_ID, mailbox
from pbem.mail.read.letter import Letter
from pbem.mail.read.mime import LARGEST, Headers
from pbem.mail.read.token import tokens_of
from pbem.mail.write.outgoing import MailSettings
from pbem.paths import GAME_NAME
from pbem.repo.files.layout import PLAYERS
from pbem.repo.files.seats import addresses_in
from pbem.repo.git import StoreError

_LIST_HEADERS: Final = ("list-id", "list-post", "list-unsubscribe", "mailing-list", "x-mailing-list")
_DAEMONS: Final = re.compile(r"(?:mailer-daemon|postmaster|mail-daemon)@", re.IGNORECASE)
_OF_NO_GAME: Final = re.compile(r"<(?:refusal|help)\.[0-9a-f]{24}(?:\.\d+)?@(?P<host>[^@]+)>")
"""The ids of letters of ours that are about no game."""


class Ours(NamedTuple):
    """A letter for the games."""

    by: str
    """What tells it: token, thread, address or sheet."""


class NotOurs(NamedTuple):
    """Somebody else's letter: it is left as it is, and counted."""


class Robot(NamedTuple):
    """A letter that nobody wrote, or nobody wrote to us: it is never answered."""

    why: str


class Bounce(NamedTuple):
    """A report that a letter could not be delivered; `pbem.post.who.bounces` says whether it was one of ours."""

    of: str
    """The Message-ID that its headers name; empty: they name none of ours."""


class TooBig(NamedTuple):
    """A letter for the games that is larger than what is fetched."""

    size: int


class Look(NamedTuple):
    """The headers do not tell: fetch the letter, open it, and ask `has_sheet`."""


Judgement: TypeAlias = Ours | NotOurs | Robot | Bounce | TooBig | Look


class _Known(NamedTuple):
    """What is known of a game."""

    stamp: object
    """What changes when the game gets a commit."""
    sealed: bytes | None
    """The sealed file of the players; None: it could not be opened."""
    addresses: frozenset[str]


@dataclass
class KnownPlayers:
    """The players' addresses, and the names of the games. Kept in memory, and read again when a game has changed."""

    settings: MailSettings
    most: int = LARGEST
    """The largest letter that is fetched."""
    _games: dict[str, _Known] = field(default_factory=dict)

    def refresh(self) -> None:
        """Read what has changed since the last time: before each round of letters."""
        found: dict[str, _Known] = {}
        with suppress(FileNotFoundError):  # there is no game yet
            for file in os.listdir(self.settings.games):
                if file.endswith(".git"):
                    name, stamp = file.removesuffix(".git"), _repo_stamp(f"{self.settings.games}/{file}")
                    known = self._games.get(name)
                    same = known is not None and known.stamp == stamp
                    found[name] = known if known is not None and same else self._read(name, stamp, known)
        self._games = found

    def plays(self, address: str) -> bool:
        """Tell whether an address plays in any game."""
        return any(address in addresses for _, _, addresses in self._games.values())

    def games_of(self, address: str) -> list[str]:
        """Return the games in which an address plays, by name."""
        return sorted(name for name, (_, _, addresses) in self._games.items() if address in addresses)

    def has_game(self, name: str) -> bool:
        """Tell whether there is a game of a name."""
        return name in self._games

    def _read(self, name: str, stamp: object, known: _Known | None) -> _Known:
        try:
            with self.settings.open_repo(name) as repo:
                sealed = repo.read(PLAYERS) or b""
            if known is not None and known.sealed == sealed:
                return known._replace(stamp=stamp)
            addresses = addresses_in(sealed, Keys.load(self.settings.keys, name))
            return _Known(stamp, sealed, frozenset(each.lower() for each in addresses.values()))
        except (StoreError, BadKeys, CannotOpen, OSError, ValueError, TypeError, KeyError):
            # one damaged game must not keep the letters of all the others from being read
            return _Known(stamp, None, frozenset())


def judge_letter(head: bytes, size: int, known: KnownPlayers) -> Judgement:
    """Return what a letter is, by its headers and its size. No bytes make it raise."""
    headers = Headers(head)
    letter = open_letter(head)
    host = known.settings.host
    ids = (*letter.references, *([letter.message_id] if letter.message_id else ()))
    if _is_our_own(headers, letter, known):
        return Robot("it is a letter of ours")
    if _is_bounce(headers):
        return Bounce(next((each for each in reversed(letter.references) if _is_ours(each, known)), ""))
    if is_automatic(headers):
        return Robot("a program sent it by itself")
    token = bool(tokens_of(letter, host))
    thread = any(_is_ours(each, known) for each in ids)
    by = "token" if token else "thread" if thread else "address" if known.plays(letter.sender) else ""
    if not token and any(headers.every(name) for name in _LIST_HEADERS):
        return Look() if by and size <= LARGEST else Robot("it came by a mailing list")
    if by:
        return Ours(by) if size <= known.most else TooBig(size)
    return Look() if size <= LARGEST else NotOurs()


def has_sheet(raw: bytes, letter: Letter, known: KnownPlayers) -> Ours | NotOurs:
    """Return whether a letter that was opened has an order sheet for one of the games, or a key of ours."""
    if not letter.tokens and any(Headers(raw).every(name) for name in _LIST_HEADERS):
        return NotOurs()
    sheets = (*letter.enclosures, *letter.passed_over, *letter.beside)
    named = [each.game for each in sheets if each.where != "quoted" or letter.tokens]
    if any(map(known.has_game, [*named, *filter(None, letter.sealed)])):
        return Ours("token" if letter.tokens else "sheet")
    return NotOurs()


def _is_our_own(headers: Headers, letter: Letter, known: KnownPlayers) -> bool:
    """Tell whether a letter is one that we sent, which somebody keeps in the same folder."""
    own = mailbox(known.settings.sender)
    written = own is not None and letter.sender == own.address
    return written and (bool(headers.one("auto-submitted")) or _is_ours(letter.message_id, known))


def _is_bounce(headers: Headers) -> bool:
    kind = headers.one("content-type").lower()
    if kind.startswith("multipart/report"):
        return "disposition-notification" not in kind  # a receipt that says that a letter was read
    sender = mailbox(headers.one("from"))
    daemon = sender is not None and _DAEMONS.match(sender.address) is not None
    return bool(headers.every("x-failed-recipients")) or daemon


def _is_ours(message_id: str, known: KnownPlayers) -> bool:
    """Tell whether a Message-ID may be that of a letter of ours, with a token or without."""
    if not MESSAGE_ID.fullmatch(message_id):
        return False
    if (found := _OF_NO_GAME.fullmatch(message_id)) is not None:
        return found["host"].lower() == known.settings.host.lower()
    return any(
        known.has_game(name) for name in games_named([message_id], known.settings.host) if GAME_NAME.fullmatch(name)
    )


def _repo_stamp(repo: str) -> object:
    """Return what changes when a game gets a commit."""
    found = []
    for name in ("refs/heads/main", "packed-refs"):
        try:
            about = os.stat(f"{repo}/{name}")
            found.append((about.st_mtime_ns, about.st_ino, about.st_size))
        except OSError:
            found.append((0, 0, 0))
    return tuple(found)

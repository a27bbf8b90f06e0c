"""An opened letter: who sent it, its commands, the order sheets in it, or why there is nothing to read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from pbem.mail.read.commands import Instruction
from pbem.orders.forgive import Answering
from pbem.protocol import Side

_GAME: Final = re.compile(r"""(?im)^(?:[^\S\n]|\{)*+(["']?)game\1\s*:\s*(["']?)([^\s"'#,}]*)\2""")
_ONLY_NAMES: Final = re.compile(r"\s*(?:(?:game|side)\s*:.*|#.*)?", re.IGNORECASE)
_SIDE: Final = re.compile(r"""(?im)^[^\S\n]*+side\s*:\s*["']?(\w+)""")
_NUMBER: Final = re.compile(r"(?im)^[^\S\n]*+adjudication\s*:\s*(\d{1,9})\b")
Where: TypeAlias = Literal["body", "attachment", "quoted"]
"""Where a sheet was found: in the sender's own text, in an attached file, or in the text that they quote."""


@dataclass(slots=True, frozen=True)
class Enclosure:
    """One order sheet as it was found: its name for complaints, its UTF-8 text, and where it stood.

    Orders without a heading belong to the report of ours that the letter answers (`answering`).
    """

    name: str
    text: bytes
    where: Where
    answering: Answering | None = None

    @property
    def lines(self) -> list[str]:
        """Its text, line by line."""
        return self._words.splitlines()

    @property
    def game(self) -> str:
        """The name of the game that it is for, as far as it can be read."""
        found = _GAME.search(self._words)
        return found[3] if found else ""

    @property
    def side(self) -> Side:
        """The side that its heading names; empty: it names none."""
        found = _SIDE.search(self._words)
        return found[1].lower() if found else ""

    @property
    def report(self) -> Answering | None:
        """The report that its heading names; None: it names none."""
        number = _NUMBER.search(self._words)
        return Answering(self.game, self.side, int(number[1])) if self.side and number else None

    @property
    def only_names(self) -> bool:
        """Whether it is but the line `game: NAME`, for the words of its letter."""
        return all(_ONLY_NAMES.fullmatch(line) for line in self.lines)

    @property
    def _words(self) -> str:
        return self.text.decode("utf-8", "replace")


@dataclass(slots=True, frozen=True)
class Letter:
    """An opened letter.

    `sender` is the bare address in lower case; empty if the letter does not say plainly who sent it, and then
    nobody can be answered. `references` are the message ids of the letters before it, oldest first. `commands`
    are the lines such as STATUS or `PHRASE ...`.
    `enclosures` are the sheets to be read, best first: those in the sender's own text, then attached ones. A quoted
    sheet is read only if there is no other. Two sheets for one game must say the same. `passed_over` is a quoted
    sheet that does not count because of the commands above it.
    `beside` is the sheet in the text that they quote, where the letter also has a sheet of their own. `loose` are the
    sender's own lines outside the sheets, and `quoted_lines` those that they quote: an order may stand there.
    `unclear` are lines of which nobody can tell whether they are commands.
    `refusal` is a text for the sender, set only where there is nothing to read. A letter that is `automatic`
    (out of office, delivery failure) holds no orders and must never be answered.

    A letter is known by its sender and its Message-ID, or else by its sender and its content: the commands and the
    sheets in it. The same letter may come twice, by a list that adds a footer, or by a relay that adds a header and
    encodes the text again. All digests are SHA-256 as hex.
    """

    sender: str
    subject: str
    message_id: str
    date_text: str
    digest: str
    """Of sender, Message-ID and content. Replies are named by it."""
    raw: str = ""
    """Of the letter's bytes, by which earlier versions knew a letter."""
    references: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    """The games that its blocks of sealed orders say that they are for; empty texts where they do not say it."""
    shut: bool = False
    """Whether there are such blocks, and nobody was there to open them."""
    tokens: tuple[str, ...] = ()
    """The words in it that may show who wrote it: in lines `key:`, and in the addresses that it came to."""
    commands: tuple[Instruction, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()
    passed_over: tuple[Enclosure, ...] = ()
    beside: tuple[Enclosure, ...] = ()
    loose: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    """The same lines, blank where they are greeting, closing, a command or a quotation: orders in words stand here."""
    quoted_lines: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    refusal: str | None = None
    automatic: bool = False
    only_words: bool = False
    """Whether it can be read, and there are only words in it that are neither orders nor commands."""
    seat: Side = ""
    """The side that this share of the letter is for, if its sender plays several (`pbem.mail.shared_letter`)."""

    @property
    def wants_forecast(self) -> bool:
        """Whether it asks what its sheet could lead to."""
        return any(each.word.is_about_sheet for each in self.commands)

    @property
    def identity(self) -> str:
        """The digest by which the letter is known, also if its content has changed."""
        if not self.message_id:
            return self.digest
        seat = f"\n{self.seat}" if self.seat else ""
        return sha256(f"{self.sender}\n{self.message_id}{seat}".encode("utf-8", "replace")).hexdigest()

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests under which it is noted that the letter was carried out."""
        return tuple(dict.fromkeys((self.identity, self.digest)))

"""An opened letter: who sent it, its commands, the order sheets in it, or why there is nothing to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pbem.mail.commands import Instruction

Where: TypeAlias = Literal["body", "attachment", "quoted"]
"""Where a sheet was found: in the sender's own text, in an attached file, or in the text that they quote."""


@dataclass(slots=True, frozen=True)
class Enclosure:
    """One order sheet as it was found: its name for complaints, its UTF-8 text, and where it stood."""

    name: str
    text: bytes
    where: Where


@dataclass(slots=True, frozen=True)
class Letter:
    """An opened letter.

    `sender` is the bare address in lower case; empty if the letter does not say plainly who sent it, and then
    nobody can be answered. `digest` is the SHA-256 of the letter's bytes, `references` the message ids of the
    letters before it, oldest first. `commands` are the lines such as STATUS or `PHRASE ...`.
    `enclosures` are the sheets to be read, best first: those in the sender's own text, then attached ones. A quoted
    sheet is read only if there is no other. Of two sheets for one game the first counts. `passed_over` is a quoted
    sheet that does not count because of the commands above it.
    `refusal` is a text for the sender, set only where there is nothing to read. A letter that is `automatic`
    (out of office, delivery failure) holds no orders and must never be answered.
    """

    sender: str
    subject: str
    message_id: str
    date_text: str
    digest: str
    references: tuple[str, ...] = ()
    commands: tuple[Instruction, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()
    passed_over: tuple[Enclosure, ...] = ()
    refusal: str | None = None
    automatic: bool = False

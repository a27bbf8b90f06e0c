"""The reader of archives: from a maildir, an mbox file, a folder of .eml files or one of them to the letters in it.

Nothing is changed or marked as read. A letter that cannot be read is one with its damage told. The sheets in a letter
are those that the referee would find in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from mailbox import mbox
from pathlib import Path
from re import IGNORECASE
from re import compile as pattern
from typing import Final

from pbem.crypto import sealed_orders
from pbem.mail.answer.table_talk import heard_in
from pbem.mail.choose.routing import reports_in
from pbem.mail.inbox import open_letter
from pbem.mail.notes.address import mailbox
from pbem.mail.read.forum_tags import untagged
from pbem.mail.read.letter import Letter
from pbem.mail.read.mime import Headers, MailPart, TangledLetter, take_apart
from pbem.mail.read.own_text import is_own_sheet
from pbem.mail.read.quoting import letter_lines
from pbem.mail.read.token import without_token
from pbem.protocol import Side
from pbem.render.text.receipt import NAME, KeptLetter, ReceiptBlock, receipt_blocks

LARGEST: Final = 16 * 1024 * 1024
"""Reports have maps, so that they are larger than what players send."""
_SEALED: Final = b"AGE ENCRYPTED FILE"
_ROOMS: Final = ("cur", "new")
_DOMAIN: Final = pattern(r"(?:^|;)\s*d\s*=\s*([A-Za-z0-9.-]{1,253})\s*(?:;|$)", IGNORECASE)


def read_mailbox(path: Path) -> Iterator[KeptLetter]:
    """Yield the letters of a mailbox, by file. Raises OSError if there is none, or it cannot be read."""
    for where, raw in _letters_at(path):
        yield read_letter(where, raw)


def _letters_at(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each letter at a path; of a folder, also those in the folders within it."""
    if not path.is_dir():
        with path.open("rb") as file:
            first = file.read(5)
        yield from _of_mbox(path) if first == b"From " or path.suffix == ".mbox" else [(path.name, path.read_bytes())]
        return
    is_maildir = any((path / room).is_dir() for room in _ROOMS)
    for inner in sorted(path.iterdir()):
        if inner.is_dir():
            if is_maildir and inner.name in _ROOMS:
                files = (file for file in sorted(inner.iterdir()) if file.is_file() and file.name[0] != ".")
                yield from ((f"{path.name}/{inner.name}/{file.name}", file.read_bytes()) for file in files)
            elif not (is_maildir and inner.name == "tmp"):
                yield from ((f"{path.name}/{where}", raw) for where, raw in _letters_at(inner))
        elif inner.suffix in (".eml", ".mbox"):
            yield from ((f"{path.name}/{where}", raw) for where, raw in _letters_at(inner))


def _of_mbox(path: Path) -> Iterator[tuple[str, bytes]]:
    with closing(mbox(path, create=False)) as box:
        yield from ((f"{path.name}, letter {number}", box.get_bytes(key)) for number, key in enumerate(box.keys(), 1))


def read_letter(where: str, raw: bytes) -> KeptLetter:
    """Return a letter as a player keeps it. Never raises, whatever the bytes."""
    headers, opened = Headers(raw), open_letter(raw)
    to = mailbox(headers.one("to"))
    found, damage = list[tuple[ReceiptBlock, bool]](), ""
    taken_in: list[bytes] = []
    sealed: list[sealed_orders.SealedBlock] = []
    bodies: list[str] = []
    try:
        for part in take_apart(raw, LARGEST):
            found += _blocks(part)
            sealed += sealed_orders.find_blocks(untagged((part.whole or "") if _SEALED in part.content else ""))
            bodies += [] if part.attached or part.kind != "text/plain" else [part.whole or ""]
            taken_in += [part.content] if is_own_sheet(part.name) else []
    except TangledLetter:
        damage = "it is damaged or too large"
    talk = heard_in(opened.message_id, bodies)
    wrong = [block.reason for block, _ in found if block.receipt is None]
    return KeptLetter(
        where=where,
        subject=opened.subject,
        message_id=without_token(opened.message_id),  # what is said of a letter may be shown to others
        sender=opened.sender,
        to=to.address if to else "",
        written=headers.time("date"),
        arrived=headers.arrived,
        signed_by=tuple(dict.fromkeys(_signers(headers.every("dkim-signature")))),
        receipts=tuple(dict.fromkeys(block.receipt for block, _ in found if block.receipt is not None)),
        talk=talk,
        own=any(own for block, own in found if block.receipt is not None),
        sheets=tuple((sheet.game, sheet.text) for sheet in opened.enclosures),
        sealed=tuple(sealed),
        taken_in=tuple(taken_in),
        words=tuple(map(str, opened.commands)),
        lines=(*opened.loose, *opened.quoted_lines),
        beside_words=tuple(
            line
            for sheet in (*opened.enclosures, *opened.passed_over)
            for line in sheet.text.decode("utf-8", "replace").splitlines()
        ),
        answers=tuple(_reports_answered(opened)),
        damage=damage or (f"its receipt cannot be read: {wrong[0]}" if wrong else ""),
    )


def _reports_answered(letter: Letter) -> Iterator[tuple[str, Side, int]]:
    """Yield the reports that a letter answers: of those it refers to the latest of each game, and those it quotes."""
    referred: dict[tuple[str, Side], int] = {}
    for report in reports_in(letter.references):
        referred.setdefault((report.game, report.side), report.adjudication)
    yield from ((game, side, number) for (game, side), number in referred.items())
    for sheet in (*letter.enclosures, *letter.passed_over, *letter.beside):
        if (named := sheet.report) is not None:
            yield named.game, named.side, named.adjudication


def _blocks(part: MailPart) -> Iterator[tuple[ReceiptBlock, bool]]:
    """Yield the receipts in a part of a letter, and whether each is the letter's own."""
    if part.kind != "text/plain" and part.name != NAME:
        return
    text = part.whole
    if text is not None:
        read = letter_lines(text)
        yield from ((block, read[block.first].depth == 0) for block in receipt_blocks([line.text for line in read]))


def _signers(signatures: Iterable[str]) -> Iterator[str]:
    yield from (found[1].lower() for each in signatures for found in [_DOMAIN.search(each)] if found)

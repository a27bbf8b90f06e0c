"""The writer of letters: a draft and its attachments to bytes, with the HTML part of one that has a report."""

from __future__ import annotations

import hashlib
import logging
import quopri
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email import message_from_bytes
from email.charset import QP, Charset
from email.header import Header
from email.message import EmailMessage, Message
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.policy import compat32, default
from email.utils import format_datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pbem.mail.notes.address import MESSAGE_ID, mailbox
from pbem.render.map.pictures import Picture
from pbem.render.text.contents import Contents
from pbem.render.text.receipt import NAME as RECEIPT
from pbem.render.text.report import Mail, Report, mail

if TYPE_CHECKING:
    from pbem.referee.game.open_game import OpenGame


POSITION: Final = "position.txt"
"""The name of the attachment with the position as text."""
POSITION_DATA: Final = "position.json"
"""The name of the attachment with the position as data."""
CALENDAR: Final = "deadline.ics"
"""The name of the attachment for a calendar."""
_ON_THE_WIRE: Final = compat32.clone(linesep="\r\n")
"""The old policy: the newer one encodes message ids longer than a line, which breaks threads."""
_ON_ONE_LINE: Final = _ON_THE_WIRE.clone(max_line_length=900)
_IDS: Final = ("Message-ID", "In-Reply-To", "Content-ID")
"""The headers that are never folded: some programs take the line end for a part of the id."""
_MOST_REFERENCES: Final = 20
_LONGEST_SUBJECT: Final = 200
_ASCII: Final = bytes(range(128))
_LINE: Final = 76
"""Characters of base64 on a line; a header that is no longer needs no folding."""
_PLAIN: Final = re.compile(r"[!-~]+(?: [!-~]+)*")
"""A header that is written as it is."""
LARGEST: Final = 300_000
"""So many bytes a letter has at most, as long as leaving out pictures makes it smaller."""
_PAGE_ROOM: Final = 30_000
"""So many bytes are kept for the page of a letter."""
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attachments:
    """The files that go with a letter; None: it has no such file."""

    pictures: Sequence[Picture] = ()
    """The pictures, each under its name: the window and the whole board, and the legend if it is the first letter."""
    sheet: str | None = None
    """The form, as orders.yaml."""
    standing: str | None = None
    """The position as text, as position.txt."""
    position: str | None = None
    """The position as the reader may know it, as position.json."""
    own_sheet: tuple[str, bytes] | None = None
    """The name and the text of a sheet of the reader's own."""
    receipt: str | None = None
    """The receipt, as receipt.txt."""
    calendar: str | None = None
    """The deadline, as deadline.ics."""
    of: str = ""
    """The side that they are for, which their names then end with: `orders-oak.yaml`. Empty: it has no others."""
    more: Sequence[Attachments] = ()
    """The files for other sides of the same reader."""

    @property
    def names(self) -> list[str]:
        """The names of the files."""
        return [name for name, _ in self._files()]

    def parts(self) -> Iterator[_MimePart]:
        """Yield the files as parts of a letter."""
        for name, part in self._files():
            yield part(name)

    def _files(self) -> Iterator[tuple[str, Callable[[str], _MimePart]]]:
        """Yield the name of each file, and what makes a part of a letter of it under that name."""
        for each in self.pictures:
            yield self.name_of(each.name), _file_part("image", "png", "inline", each.content)
        if self.sheet is not None:
            yield self.name_of("orders.yaml"), _file_part("application", "yaml", "attachment", self.sheet.encode())
        if self.standing is not None:
            yield self.name_of(POSITION), partial(_text_part, self.standing)
        if self.position is not None:
            yield self.name_of(POSITION_DATA), _file_part("application", "json", "attachment", self.position.encode())
        if self.own_sheet is not None:
            name, content = self.own_sheet
            yield self.name_of(name), _file_part("application", "yaml", "attachment", content)
        if self.calendar is not None:
            yield self.name_of(CALENDAR), _file_part("text", "calendar", "attachment", self.calendar.encode())
        if self.receipt is not None:
            yield self.name_of(RECEIPT), partial(_plain_part, self.receipt)
        for other in self.more:
            yield from other._files()

    def name_of(self, name: str) -> str:
        """Return the name under which a file goes."""
        return name_for(name, self.of)


def name_for(name: str, side: str) -> str:
    """Return the name of a file that is for a side, of whose reader it is not the only one.

    >>> name_for("orders.yaml", "oak"), name_for("orders.yaml", "")
    ('orders-oak.yaml', 'orders.yaml')
    """
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{side}{dot}{suffix}" if side else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A letter before it becomes bytes.

    `sender` and `to` are one mailbox each, `Name <address>` or bare. `in_reply_to` and `references` come from other
    people's letters: what is not a message id is left out.
    """

    sender: str
    to: str
    subject: str
    text: str
    message_id: str
    date: datetime
    in_reply_to: str | None = None
    references: Sequence[str] = ()
    list_id: str = ""
    """What mail programs file it by; empty: it belongs to no game."""
    reply_to: str = ""
    """The mailbox to answer to, if that is not the sender's."""
    unasked: bool = False
    """Whether it answers no letter."""
    attached: Attachments = Attachments()
    enclosed: str = ""
    """What stands below the text: the line that says what is enclosed."""
    html: str = ""
    """The page that says the same as the text; empty: there is none. Its pictures are those that are attached."""


def content_id(message_id: str, name: str) -> str:
    """Return the name by which the page of a letter shows a picture that is attached to it.

    >>> content_id("<punica.rome.12@example.org>", "map.png")
    'map.png.punica.rome.12@example.org'
    """
    return f"{name}.{message_id.strip('<>')}"


def compose(draft: Draft) -> bytes:
    """Return a letter as bytes that can be mailed. Raises ValueError for a bad mailbox or message id of ours.

    The letter says that it was sent automatically, so that well-behaved programs do not answer it.
    """
    if not MESSAGE_ID.fullmatch(draft.message_id):
        raise ValueError(f"not a message id: {draft.message_id!r}")
    parts = _parts_of(draft)
    letter, body = (parts[0].head, [parts[0].body]) if len(parts) == 1 else _multipart("mixed", parts)
    earlier = [known for known in draft.references if MESSAGE_ID.fullmatch(known)]
    answered = MESSAGE_ID.findall(draft.in_reply_to or "")[:1]
    headers = {
        "From": _mailbox_header(draft.sender),
        "To": _mailbox_header(draft.to),
        "Subject": _header(_printable_line(draft.subject)[:_LONGEST_SUBJECT]),
        "Date": format_datetime(draft.date),
        "Message-ID": draft.message_id,
        "Auto-Submitted": "auto-generated" if draft.unasked else "auto-replied",
    }
    if draft.reply_to:
        headers["Reply-To"] = _mailbox_header(draft.reply_to)
    if draft.list_id:
        headers["List-Id"] = draft.list_id
    if answered:
        headers["In-Reply-To"] = answered[0]
    if thread := _thread(earlier, answered):
        headers["References"] = " ".join(thread)
    for name, value in headers.items():
        letter[name] = value
    return b"".join([_head_bytes(letter), *body])


def slimmed(draft: Draft) -> Draft:
    """Return a letter with as many of its pictures as leave it within `LARGEST` with a page.

    The first of each side come before the second of any.
    """
    every = [draft.attached, *draft.attached.more]
    if all(not each.pictures for each in every):
        return draft
    bare = replace(draft, attached=_with_pictures([replace(each, more=()) for each in every], [[] for _ in every]))
    room = LARGEST - len(compose(bare)) - (0 if draft.attached.more else _PAGE_ROOM)
    kept: list[list[Picture]] = [[] for _ in every]
    ranked = sorted((rank, at) for at, each in enumerate(every) for rank in range(len(each.pictures)))
    for rank, at in ranked:
        picture = every[at].pictures[rank]
        room -= _wire_size(picture.content)
        if room < 0:
            break
        kept[at].append(picture)
    if sum(map(len, kept)) == len(ranked):
        return draft
    return replace(draft, attached=_with_pictures([replace(each, more=()) for each in every], kept))


def _with_pictures(every: Sequence[Attachments], pictures: Sequence[Sequence[Picture]]) -> Attachments:
    """Return the files of all sides, with these pictures in place of theirs."""
    first, *more = (replace(each, pictures=some) for each, some in zip(every, pictures, strict=True))
    return replace(first, more=more)


def _wire_size(content: bytes) -> int:
    """Return how long a file is in base64, with the headers of its part."""
    coded = (len(content) + 2) // 3 * 4
    return coded + 2 * (coded // _LINE + 1) + 500


def _parts_of(draft: Draft) -> list[_MimePart]:
    """Return the parts of a letter: the text, beside it the page with its pictures if there is one; and the files."""
    text, files = _text_part(draft.text + draft.enclosed), list(draft.attached.parts())
    if not draft.html:
        return [text, *files]
    page, shown = _text_part(draft.html, subtype="html"), [each for each in files if _is_picture(each)]
    for each in shown:
        each.head["Content-ID"] = f"<{content_id(draft.message_id, str(each.head.get_filename()))}>"
    if shown:
        page = _as_one_part("related", [page, *shown])
    return [_as_one_part("alternative", [text, page]), *(each for each in files if not _is_picture(each))]


def _is_picture(part: _MimePart) -> bool:
    return part.head.get_content_maintype() == "image"


def glance(content: bytes, most: int) -> list[str]:
    """Return to whom a letter goes, its subject, and its first lines."""
    letter = message_from_bytes(content, policy=default)
    assert isinstance(letter, EmailMessage)
    body = letter.get_body(("plain",))
    lines = [line for line in str(body.get_content()).split("\n") if line.strip()] if body is not None else []
    shown = [*lines[:most], "..."] if len(lines) > most else lines
    return [f"To: {letter['To']}", f"Subject: {letter['Subject']}", *(f"  {line.rstrip()}" for line in shown)]


class _MimePart(NamedTuple):
    """One part of a letter. The body is encoded already: the library's own writer takes longer than drawing the map."""

    head: Message
    body: bytes


def _text_part(text: str, name: str = "", subtype: str = "plain") -> _MimePart:
    """Return a text as it is, line for line; encoded so that no line is too long or begins with `From `.

    With a name it is a file that is enclosed.
    """
    content = re.sub(r"\r\n?", "\n", text.rstrip() + "\n").encode("utf-8", "replace")
    head = MIMENonMultipart("text", subtype, charset="utf-8")
    if subtype == "plain":
        head.set_param("format", "fixed")
    if name:
        head.set_param("name", name)
        head["Content-Disposition"] = f'attachment; filename="{name}"'
    if len(content.translate(None, _ASCII)) * 6 > len(content):  # base64 is then the shorter one
        head["Content-Transfer-Encoding"] = "base64"
        return _MimePart(head, _base64(content.replace(b"\n", b"\r\n")))
    head["Content-Transfer-Encoding"] = "quoted-printable"
    quoted = re.sub(b"(?m)^From ", b"=46rom ", quopri.encodestring(content))
    return _MimePart(head, quoted.replace(b"\n", b"\r\n"))


def _file_part(main: str, sub: str, disposition: str, content: bytes) -> Callable[[str], _MimePart]:
    """Return what makes a part of a letter of a file, under the name that it is given."""

    def part(name: str) -> _MimePart:
        head = MIMENonMultipart(main, sub, name=name)
        head["Content-Disposition"] = f'{disposition}; filename="{name}"'
        head["Content-Transfer-Encoding"] = "base64"
        return _MimePart(head, _base64(content))

    return part


def _plain_part(text: str, name: str) -> _MimePart:
    """Return a file of short ASCII lines, which anybody can read in the letter as it went over the wire."""
    head = MIMENonMultipart("text", "plain", charset="us-ascii", name=name)
    head["Content-Disposition"] = f'attachment; filename="{name}"'
    head["Content-Transfer-Encoding"] = "7bit"
    return _MimePart(head, text.replace("\n", "\r\n").encode("ascii"))


@lru_cache(maxsize=4)
def _base64(content: bytes) -> bytes:
    """Return a file in lines of base64; the same map often goes to several sides, one after the other."""
    coded = b64encode(content)
    return b"".join([coded[at : at + _LINE] + b"\r\n" for at in range(0, len(coded), _LINE)])


def _as_one_part(kind: str, parts: list[_MimePart]) -> _MimePart:
    """Return several parts as one."""
    head, body = _multipart(kind, parts)
    return _MimePart(head, b"".join(body))


def _multipart(kind: str, parts: list[_MimePart]) -> tuple[Message, list[bytes]]:
    """Return a wrapper for parts, and its body. Its boundary is in none of them: `=_` is neither base64 nor quoted."""
    digest, written = hashlib.sha256(), []
    for head, body in parts:
        del head["MIME-Version"]
        written.append((_head_bytes(head), body))
        for piece in written[-1]:
            digest.update(piece)
    boundary = f"=_{digest.hexdigest()[:40]}"
    edge = f"--{boundary}".encode("ascii")
    whole = [piece for pair in written for piece in (edge, b"\r\n", *pair, b"\r\n")]
    return MIMEMultipart(kind, boundary=boundary), [*whole, edge, b"--\r\n"]


def _head_bytes(head: Message) -> bytes:
    """Return headers, and the blank line below them, as they go over the wire."""
    return b"".join([_header_line(name, value) for name, value in head.items()]) + b"\r\n"


def _header_line(name: str, value: str) -> bytes:
    """Return a header as it goes over the wire; the library, which is slow, folds what is longer than a line."""
    line = f"{name}: {value}"
    if len(line) <= _LINE and _PLAIN.fullmatch(line):
        return line.encode() + b"\r\n"
    return (_ON_ONE_LINE if name in _IDS else _ON_THE_WIRE).fold_binary(name, value)


def _thread(earlier: list[str], answered: list[str]) -> list[str]:
    """Return the ids of the thread, the first and the latest ones if it is long."""
    thread = list(dict.fromkeys([*(known for known in earlier if known not in answered), *answered]))
    return thread if len(thread) <= _MOST_REFERENCES else [thread[0], *thread[1 - _MOST_REFERENCES :]]


def _mailbox_header(text: str) -> str:
    found = mailbox(_printable_line(text))
    if found is None:
        raise ValueError(f"not one mail address: {text!r}")
    if not found.name:
        return found.address
    if not found.name.isascii():
        return f"{_header(found.name)} <{found.address}>"
    quoted = re.sub(r'(["\\])', r"\\\1", found.name)
    return f'"{quoted}" <{found.address}>'


def _header(text: str) -> str:
    """Return a text for a header: as it is, or as encoded words."""
    if text.isascii() and "=?" not in text:
        return text
    charset = Charset("utf-8")
    charset.header_encoding = QP
    return Header(text, charset, maxlinelen=64).encode(linesep="\n")


def _printable_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


@dataclass(frozen=True, slots=True)
class Framed:
    """A letter as text, with what its page is made of: the game, the report, the text above and below the report."""

    text: Mail
    game: OpenGame
    contents: Contents[Any]
    before: str
    after: str


def framed(
    template: str, game: OpenGame, contents: Contents[Any], report: Report, values: Mapping[str, object]
) -> Framed:
    """Return the letter that a template makes of a report and other values, and what stands around the report in it."""
    text = mail(template, **{**values, "game": game.name, "report": report.words})
    before, _, after = text.text.partition(report.text.rstrip())
    return Framed(text, game, contents, before, after)


def html_of(letter: Framed, draft: Draft, *, must_sign: bool) -> str:
    """Return the page of a letter; empty if it cannot be made: the log says why, and the text goes without it."""
    from pbem.pages.letter_page import Envelope, LetterPicture, letter_page

    try:
        to = mailbox(draft.reply_to or draft.sender)
        assert to is not None
        shown = [LetterPicture(content_id(draft.message_id, name), alt) for name, alt in _pictures(draft)]
        enclosed = f"\n\nEnclosed: {', '.join(names)}" if (names := draft.attached.names) else ""
        around = Envelope(
            draft.subject,
            letter.before,
            letter.after + enclosed,
            to.address,
            shown,
            must_sign,
        )
        return letter_page(letter.contents, around)
    except Exception as wrong:  # a slip in a page must not hold a letter back
        _LOG.error("%s: the page of letter %s cannot be made; it goes as text", letter.game.name, draft.message_id)
        _LOG.debug("why it cannot be made", exc_info=wrong)
        return ""


def _pictures(draft: Draft) -> Sequence[tuple[str, str]]:
    return [(draft.attached.name_of(each.name), each.alt) for each in draft.attached.pictures]

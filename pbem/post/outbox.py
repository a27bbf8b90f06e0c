"""The way out: a report, its map and its form to the bytes of a letter; the same things in, the same bytes out."""

from __future__ import annotations

import hashlib
import quopri
import re
from collections.abc import Iterable
from datetime import datetime
from email.charset import QP, Charset
from email.encoders import encode_base64
from email.header import Header
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.policy import compat32
from email.utils import format_datetime
from typing import Final

from pbem.post.address import MESSAGE_ID, mailbox

_ON_THE_WIRE: Final = compat32.clone(linesep="\r\n")
"""The old policy: the newer one encodes message ids longer than a line, which breaks threads."""
_MOST_REFERENCES: Final = 20
_LONGEST_SUBJECT: Final = 200


def compose(
    *,
    sender: str,
    to: str,
    subject: str,
    text: str,
    picture: bytes | None = None,
    sheet: str | None = None,
    position: str | None = None,
    in_reply_to: str | None = None,
    references: Iterable[str] = (),
    message_id: str,
    date: datetime,
) -> bytes:
    """Return a letter as bytes that can be mailed: the text, the map, the form, the position.

    They are called map.png, orders.yaml and position.json.

    `sender` and `to` are one mailbox each, `Name <address>` or bare; ValueError if they are not, or if `message_id`
    is none. `in_reply_to` and `references` come from others' letters: what is no message id is left out.
    The letter says that it was sent automatically, so that well-behaved programs do not answer it.
    """
    if not MESSAGE_ID.fullmatch(message_id):
        raise ValueError(f"not a message id: {message_id!r}")
    parts = [_text_part(text)]
    if picture is not None:
        parts.append(_file_part("image", "png", "inline", "map.png", picture))
    if sheet is not None:
        parts.append(_file_part("application", "yaml", "attachment", "orders.yaml", sheet.encode()))
    if position is not None:
        parts.append(_file_part("application", "json", "attachment", "position.json", position.encode()))
    letter = parts[0] if len(parts) == 1 else _bound(parts)
    earlier = [known for known in references if MESSAGE_ID.fullmatch(known)]
    answered = MESSAGE_ID.findall(in_reply_to or "")[:1]
    headers = {
        "From": _named(sender),
        "To": _named(to),
        "Subject": _header(_one_line(subject)[:_LONGEST_SUBJECT]),
        "Date": format_datetime(date),
        "Message-ID": message_id,
        "Auto-Submitted": "auto-replied",
    }
    if answered:
        headers["In-Reply-To"] = answered[0]
    if thread := _thread(earlier, answered):
        headers["References"] = " ".join(thread)
    for name, value in headers.items():
        letter[name] = value
    return letter.as_bytes(policy=_ON_THE_WIRE)


def _text_part(text: str) -> Message:
    """Return the text as it is, line for line; encoded so that no line is too long or begins with `From `."""
    content = re.sub(r"\r\n?", "\n", text.rstrip() + "\n").encode("utf-8", "replace")
    part = MIMENonMultipart("text", "plain", charset="utf-8", format="fixed")
    if sum(byte > 127 for byte in content) * 6 > len(content):  # base64 is then the shorter one
        part.set_payload(content.replace(b"\n", b"\r\n"))
        encode_base64(part)
    else:
        quoted = quopri.encodestring(content).decode("ascii")
        part.set_payload(re.sub(r"(?m)^From ", "=46rom ", quoted))
        part["Content-Transfer-Encoding"] = "quoted-printable"
    return part


def _file_part(main: str, sub: str, disposition: str, name: str, content: bytes) -> Message:
    part = MIMENonMultipart(main, sub, name=name)
    part["Content-Disposition"] = f'{disposition}; filename="{name}"'
    part.set_payload(content)
    encode_base64(part)
    return part


def _bound(parts: list[Message]) -> Message:
    """Return the parts in one wrapper. Its boundary cannot stand in them: `=_` is neither base64 nor quoted."""
    digest = hashlib.sha256(b"\0".join(part.as_bytes(policy=_ON_THE_WIRE) for part in parts))
    whole = MIMEMultipart("mixed", boundary=f"=_{digest.hexdigest()[:40]}")
    for part in parts:
        del part["MIME-Version"]
        whole.attach(part)
    return whole


def _thread(earlier: list[str], answered: list[str]) -> list[str]:
    """Return the ids of the thread, the first and the latest ones if it is long."""
    thread = list(dict.fromkeys([*(known for known in earlier if known not in answered), *answered]))
    return thread if len(thread) <= _MOST_REFERENCES else [thread[0], *thread[1 - _MOST_REFERENCES :]]


def _named(text: str) -> str:
    found = mailbox(_one_line(text))
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


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())

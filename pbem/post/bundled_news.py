"""News in one letter: what waited for one reader because no more could be sent, in order, oldest first.

It keeps the head of the last letter, and so its Message-ID, and the files of the last; of the others only the receipts,
by which players check the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from pbem.render.receipt import NAME as RECEIPT

_KEPT: Final = [
    "From",
    "To",
    "Reply-To",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "List-Id",
    "In-Reply-To",
    "References",
]
"""The headers of the last letter that stay; its subject says how many there are."""
_RULE: Final = "=" * 72


def news_in_one(letters: Sequence[bytes]) -> bytes:
    """Return one letter in place of several of one thread to one reader."""
    opened = [_open(each) for each in letters]
    last = opened[-1]
    whole = EmailMessage(policy=SMTP)
    for name in _KEPT:
        if last[name] is not None:
            whole[name] = str(last[name])
    whole["Subject"] = f"{last['Subject']} (and {len(letters) - 1} before it)"
    whole.set_content("\n".join(_section(at, each) for at, each in enumerate(opened, 1)), cte="quoted-printable")
    for at, each in enumerate(opened, 1):
        for part in _files(each):
            name = part.get_filename() or ""
            if each is last or name.startswith(RECEIPT.partition(".")[0]):
                _attach(whole, part, name if each is last else _numbered(name, at))
    return whole.as_bytes()


def _open(content: bytes) -> EmailMessage:
    found = message_from_bytes(content, policy=SMTP)
    assert isinstance(found, EmailMessage)
    return found


def _files(letter: EmailMessage) -> Iterator[EmailMessage]:
    """Yield the files of a letter, the pictures that its page shows among them."""
    for part in letter.walk():
        if part.get_filename() and isinstance(part, EmailMessage):
            yield part


def _section(number: int, letter: EmailMessage) -> str:
    """Return the text of one letter under its subject."""
    body = letter.get_body(("plain",))
    text = str(body.get_content()).strip("\n").replace("\r\n", "\n") if body is not None else ""
    return f"{_RULE}\n{number}. {letter['Subject']}\n{_RULE}\n\n{text}\n"


def _attach(whole: EmailMessage, part: EmailMessage, name: str) -> None:
    """Enclose a file of another letter."""
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    disposition = part.get_content_disposition() or "attachment"
    main, sub = part.get_content_maintype(), part.get_content_subtype()
    if main == "text":
        text, cte = content.decode("utf-8", "replace"), "7bit" if content.isascii() else "quoted-printable"
        whole.add_attachment(text, sub, disposition=disposition, filename=name, cte=cte)
    else:
        whole.add_attachment(content, main, sub, disposition=disposition, filename=name)


def _numbered(name: str, number: int) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{number}{dot}{suffix}"

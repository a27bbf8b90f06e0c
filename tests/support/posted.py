"""Letters as the post gets them: from players of Three Hills, with the tokens of their sides or without."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage

from pbem.mail.read.token import token
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import MailSettings, Outgoing, side_report
from pbem.post.service.reception import received
from pbem.post.service.triage import KnownPlayers
from pbem.post.settings import WhoConfig
from tests.support.live import NOON, Folder, order, sheet

WHO = WhoConfig()
_POSTFIX = """\
From: MAILER-DAEMON@mail.example.org (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: pbem@example.org
Auto-Submitted: auto-replied
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

This is the mail system at host mail.example.org.

<red@example.org>: host mx.example.org said: 552 5.2.2 <red@example.org> Quota exceeded

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.org

Final-Recipient: rfc822; red@example.org
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 552 5.2.2 <red@example.org> Quota exceeded
    (mailbox for user is full)

--b
Content-Type: message/rfc822

From: Referee <pbem@example.org>
To: red@example.org
Message-ID: {id}
References: <punica.red.0~aaaaaaaaaaaaaaaaaaaa@example.net>

Your move
--b--
"""


def at(folder: Folder, **later: float) -> MailSettings:
    """Return the settings for a letter that comes some time after noon."""
    return replace(folder.office, came=NOON + timedelta(**later))


def token_of(folder: Folder, side: str, name: str = "punica") -> str:
    with folder.open(name) as game:
        return token(game, side)


def report_id(folder: Folder, side: str, name: str = "punica", *, key: str | None = None) -> str:
    """Return the Message-ID of the report that a side has."""
    with folder.open(name) as game:
        own = token(game, side) if key is None else key
        return f"<{name}.{side}.{game.adjudication}{own and f'~{own}'}@example.org>"


def bury(folder: Folder, side: str = "red", at: int = 0, name: str = "punica") -> str:
    """Return a sheet by which a side buries one of its cards."""
    with folder.open(name) as game:
        return sheet(game, side, order("bury", card=game.view(side).hands[side][at])).decode()


def form_of(folder: Folder, side: str = "red") -> str:
    with folder.open() as game:
        text = side_report(game, side, game.adjudication).sheet
        assert text is not None
        return text


_COUNT = iter(range(1, 10_000))


def written(
    text: str,
    *,
    sender: str = "red@example.org",
    to: str = "pbem@example.org",
    answers: str = "",
    subject: str = "Re: punica",
    more: str = "",
    id: str = "",
) -> bytes:
    """Return a letter; `answers` is the Message-ID of the one that it replies to."""
    reply = f"In-Reply-To: {answers}\nReferences: {answers}\n" if answers else ""
    head = f"From: {sender}\nTo: {to}\nSubject: {subject}\nMessage-ID: {id or f'<{next(_COUNT)}@mail.example.com>'}\n"
    return f"{head}{reply}Content-Type: text/plain; charset=utf-8\n{more}\n{text}".encode()


def take(
    folder: Folder,
    raw: bytes,
    who: WhoConfig = WHO,
    *,
    settings: MailSettings | None = None,
    by: str = "",
    sent: Collection[str] = (),
) -> Handled:
    return received(raw, who, settings or folder.office, by, lambda address: sent)


def sheets(folder: Folder, side: str = "red", name: str = "punica") -> int:
    """Return how many sheets of a side are on record."""
    with folder.open(name) as game:
        return game.sheets(side)


def players(folder: Folder) -> KnownPlayers:
    known = KnownPlayers(folder.office)
    known.refresh()
    return known


def shown(out: Outgoing) -> EmailMessage:
    message = message_from_bytes(out.content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def text_of(out: Outgoing) -> str:
    body = shown(out).get_body(("plain",))
    assert body is not None
    text: str = body.get_content()
    return text.replace("\r\n", "\n")


def kinds(handled: Handled) -> list[str]:
    """Return how the names of the answers begin, and to whom they go."""
    return [f"{out.name.partition('.')[0]} {out.to}" for out in handled.letters]


def the_day(settings: MailSettings) -> datetime:
    return settings.letter_time


def postfix(id: str, action: str = "failed", status: str = "5.2.2") -> bytes:
    """Return the bounce of a letter of ours as Postfix writes one."""
    return _POSTFIX.format(id=id, action=action, status=status).encode()

"""The sending of letters: from the tables to a mail server, as fast as its provider allows, each at least once.

Players who are asked something come first. News leave room for them, and what waits of it for one reader becomes one
letter. That has the head of the last one, and so its Message-ID, and its files; of the others only the receipts, by
which players check the record. A letter that a server puts off is tried again with the same Message-ID; one that it
refuses is given up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from time import time
from typing import Final, TypeAlias

from pbem.mail.read.mime import Headers, header_text
from pbem.post.service_log import Say
from pbem.post.settings import Rates
from pbem.post.tables.open_tables import asked_by
from pbem.post.tables.tables import DAY, HOUR, Tables, ToSend, Urgency
from pbem.post.transport.base import Accepted, Later, Sender
from pbem.render.text.receipt import NAME as RECEIPT

_KEPT_HEADERS: Final = [
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
_SEPARATOR: Final = "=" * 72
_FOR_NEWS: Final = 0.75
"""The part of what may be sent that news may take: the rest is kept for players who are asked."""
_LETTERS_AT_ONCE: Final = 8
"""Letters that are taken out of the tables together."""
_GIVE_UP: Final = 5 * DAY
"""Seconds for which a letter is tried again that a server puts off."""
FULL: Final = "sending full"
"""The note that says why letters wait: as many have gone as may, of all or of news."""
_FIRST_PAUSE: Final = 60.0
_LONGEST_PAUSE: Final = 4 * HOUR
OnRefusal: TypeAlias = Callable[[str, str, str], None]
"""Is told of a letter that was refused for good: its Message-ID, to whom it went, and why."""


def news_in_one(letters: Sequence[bytes]) -> bytes:
    """Return one letter in place of several of one thread to one reader."""
    opened = [_as_message(each) for each in letters]
    last = opened[-1]
    whole = EmailMessage(policy=SMTP)
    for name in _KEPT_HEADERS:
        if last[name] is not None:
            whole[name] = str(last[name])
    whole["Subject"] = f"{last['Subject']} (and {len(letters) - 1} before it)"
    whole.set_content("\n".join(_section(at, each) for at, each in enumerate(opened, 1)), cte="quoted-printable")
    for at, each in enumerate(opened, 1):
        for part in _files_of(each):
            name = part.get_filename() or ""
            if each is last or name.startswith(RECEIPT.partition(".")[0]):
                _attach(whole, part, name if each is last else _numbered_name(name, at))
    return whole.as_bytes()


def _as_message(content: bytes) -> EmailMessage:
    found = message_from_bytes(content, policy=SMTP)
    assert isinstance(found, EmailMessage)
    return found


def _files_of(letter: EmailMessage) -> Iterator[EmailMessage]:
    """Yield the files of a letter, the pictures that its page shows among them."""
    for part in letter.walk():
        if part.get_filename() and isinstance(part, EmailMessage):
            yield part


def _section(number: int, letter: EmailMessage) -> str:
    """Return the text of one letter under its subject."""
    body = letter.get_body(("plain",))
    text = str(body.get_content()).strip("\n").replace("\r\n", "\n") if body is not None else ""
    return f"{_SEPARATOR}\n{number}. {letter['Subject']}\n{_SEPARATOR}\n\n{text}\n"


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


def _numbered_name(name: str, number: int) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{number}{dot}{suffix}"


@dataclass
class Sending:
    """Sends what the tables hold."""

    sender: Sender
    tables: Tables
    rates: Rates
    say: Say
    on_refusal: OnRefusal = lambda message_id, to, reason: None
    clock: Callable[[], float] = time

    def send(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Send what may be sent now; return how many letters were accepted. Raises Unreachable."""
        count = 0
        while not stop():
            batch = self._allowed()
            if not batch:
                break
            for letter in batch:
                count += self._send(letter)
                if stop():
                    break
        return count

    def room(self, share: float = 1.0) -> int:
        """Return how many letters may be sent now, if this share of the rates is used up."""
        now = self.clock()
        of_hour = int(self.rates.per_hour * share) - self.tables.sent_between(now - HOUR, now)
        of_day = int(self.rates.per_day * share) - self.tables.sent_between(now - DAY, now)
        return max(0, min(of_hour, of_day))

    def _allowed(self) -> list[ToSend]:
        """Return the letters that are sent next."""
        room, for_news = self.room(), self.room(_FOR_NEWS)
        allowed = list(self._chosen(room, for_news))
        rates = f"{self.rates.per_hour} letters an hour, {self.rates.per_day} a day"
        if not room:
            self._note_full(f"As many have gone as may: {rates}")
        elif not allowed and for_news <= 0 and self.tables.to_send(self.clock(), 1):
            self._note_full(f"The news wait, and leave room for players who are asked: {rates}")
        else:
            self._note_full("")
        return allowed

    def _chosen(self, room: int, for_news: int) -> Iterator[ToSend]:
        """Yield the letters that are sent next, where there is so much room for all of them, and so much for news."""
        for letter in self.tables.to_send(self.clock(), min(room, _LETTERS_AT_ONCE)) if room else ():
            if letter.urgency == Urgency.NEWS:
                if for_news <= 0:
                    break
                for_news -= 1
                if letter.thread and letter.tries == 0:
                    yield self._bundled(letter)
                    return  # what it was bundled with is not to be sent as well
            yield letter

    def _note_full(self, why: str) -> None:
        """Note why letters wait, for `pbem status`; empty: none has to."""
        noted = self.tables.noted(FULL)
        if not why and noted is not None:
            self.tables.forget(FULL)
        elif why and (noted is None or noted[0] != why):
            self.tables.note(FULL, why, self.clock())

    def _bundled(self, letter: ToSend) -> ToSend:
        """Put the news that wait for one reader into one letter, and return that."""
        waiting = self.tables.waiting_for(letter.to, letter.thread, Urgency.NEWS)
        waiting = [each for each in waiting if each.tries == 0]
        if len(waiting) < 2:
            return letter
        last, others = waiting[-1], waiting[:-1]
        content = news_in_one([each.content for each in waiting])
        self.tables.bundle(last.name, content, [each.name for each in others])
        return replace(last, content=content)

    def _send(self, letter: ToSend) -> bool:
        """Send a letter; return whether it was accepted."""
        delivery = self.sender.send(letter.to, letter.content)
        now = self.clock()
        if isinstance(delivery, Accepted):
            self._note_handed(letter, now)
            self.tables.sent(letter.name, now)
            return True
        if isinstance(delivery, Later) and now - letter.since < _GIVE_UP:
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(letter.tries, 20))
            self.tables.later(letter.name, now + pause, delivery.reason)
            if letter.tries == 0:
                self.say(f"a letter to {letter.to} is put off: {delivery.reason}")
            return False
        self.tables.refused(letter.name, now, delivery.reason)
        subject = header_text(Headers(letter.content).one("subject"))
        self.say(f"a letter to {letter.to} is refused for good ({subject}): {delivery.reason}")
        self.on_refusal(Headers(letter.content).one("message-id"), letter.to, delivery.reason)
        return False

    def _note_handed(self, letter: ToSend, now: float) -> None:
        """Note that a letter with forms was handed over, unless a later one still waits that asks the same side.

        Letters may wait for days. What the earlier one asks may be over, and then the clock is that of the later one.
        """
        game, sides = asked_by(letter)
        waiting = self.tables.waiting_for(letter.to, letter.thread, Urgency.ASKED) if sides else ()
        names = [each.name for each in waiting]
        later = waiting[names.index(letter.name) + 1 :] if letter.name in names else ()
        asked_later = {side for each in later for side in asked_by(each)[1]}
        for side in sides:
            if side not in asked_later:
                self.tables.note_handed(game, side, now)

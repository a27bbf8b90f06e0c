"""A game with a clock, whose letters are kept as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from pbem.mail.due import carry_out_due
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import Outgoing
from pbem.mail.write.report_letters import first_letters
from tests.support.live import ADDRESSES, NOON, Folder, letter, sheet


class Desk:
    """A game with a clock, whose letters are kept as they are written."""

    def __init__(self, path: Path, clock: Mapping[str, Any], rules: str = "toy") -> None:
        self.folder = Folder(path)
        self.now = NOON
        self.written: list[Outgoing] = []
        with self.folder.create(rules, clock=clock, begin=False) as game:
            game.carry_out_letter_of(NOON, NOON)
            game.adjudicate()
            letters = list(first_letters(game, self.office))
            self.keep(letters)

    @property
    def office(self) -> Any:
        outbox = MaildirOutbox(self.folder.path / "outbox")
        return replace(self.folder.office, outbox=outbox, now=self.now)

    def keep(self, letters: list[Outgoing]) -> None:
        from pbem.mail.write.posting import note_handed_over

        for out in letters:
            out.put_into(self.office.outbox)
        with self.folder.open() as game:
            game.carry_out_letter_of(self.now, self.now)
            note_handed_over(game, letters, self.now)
        self.written += letters

    def sends(self, side: str, body: bytes) -> Handled:
        handled = take_in(letter(side, body, number=round(self.now.timestamp())), self.office)
        self.written += handled.letters
        return handled

    def answers(self, side: str) -> Handled:
        with self.folder.open() as game:
            asked = [each for each in game.session.open_decisions if each.side == side]
            text = sheet(game, side, *[next(iter(game.rules.legal_orders(game.view(side), each))) for each in asked])
        return self.sends(side, text)

    def wait(self, span: timedelta) -> list[str]:
        """Let time pass, and return the subjects and sides of the letters that are written by then."""
        self.now += span
        with self.folder.open() as game, game.lock():
            done = carry_out_due(game, self.now, self.office)
        self.written += done.letters
        return [f"{out.whose}: {shown(out)['Subject']}" for out in done.letters]


def shown(out: Outgoing) -> EmailMessage:
    message = message_from_bytes(out.content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def text(out: Outgoing) -> str:
    body = shown(out).get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def flat(out: Outgoing) -> str:
    return " ".join(text(out).split())


def last(desk: Desk, side: str) -> Outgoing:
    return next(out for out in reversed(desk.written) if out.to == ADDRESSES[side])

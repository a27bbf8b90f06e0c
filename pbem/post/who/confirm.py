"""Confirmation: a letter that proves nothing waits beside its game until its player says that it is theirs.

Such a letter came from the right address, and nothing in it shows that its owner wrote it. It lies in the folder
`pbem.held` beside the repo. Each side has a note: its letters, when it was last asked, and the codes that it was sent.
A code stands for the letters that it was sent for, and for no other, so that nobody can slip one in that the player has
not seen.

Players are asked at most once a day, by a letter that shows what came. They answer it with nothing in it, or open the
link in it, which writes a letter with a code. A robot that answers by itself does not confirm: its answer has words of
its own. Nothing is asked of an address that is not on file.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import quote

from pbem.game.wording import counted
from pbem.mail.choose.routing import games_of
from pbem.mail.inbox import open_letter
from pbem.mail.notes.address import mailbox
from pbem.mail.read.letter import Letter
from pbem.mail.read.quoting import without_frame
from pbem.mail.read.sheet_finder import may_order
from pbem.mail.read.token import address_with_token, token, without_token
from pbem.mail.write.outgoing import About, MailSettings, NewLetter, Outgoing, Turned, build_letter, folded_paragraphs
from pbem.post.who.mailbox_notes import (
    ASKED,
    MOST_UNCONFIRMED,
    WAITS,
    Unconfirmed,
    drop_unconfirmed,
    keep_unconfirmed,
    letter_of,
    note_asked,
    side_of_code,
)
from pbem.protocol import Side
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import mail

_CODE_PATTERN: Final = r"[0-9a-f]{24}"
_CONFIRM_WORD: Final = re.compile(rf"\bCONFIRM\s+({_CODE_PATTERN})\b", re.IGNORECASE)
_CONFIRM_ID: Final = re.compile(rf"<confirm\.[^@]+\.({_CODE_PATTERN})@(?P<host>[^@]+)>")
_YES: Final = re.compile(r"\W*(?:yes|yep|ok|okay|confirm(?:ed)?|ja|oui|s[iíì]|sim|tak|да|はい)\b\W*", re.IGNORECASE)
_LINES_SHOWN: Final = 40
"""Lines of a letter that are shown to its player at most: all, but of a very long one."""


def hold_and_ask(game: Adjudicator, side: Side, unproven: Letter, raw: bytes, settings: MailSettings) -> Turned:
    """Keep a letter until it is confirmed, and ask for that if its player may be asked today. The game is locked."""
    at = settings.letter_time
    came = f"letter of {side}: nothing shows that its player wrote it"
    digest = keep_unconfirmed(game.path, side, raw, at, unproven.subject)
    if digest is None:
        dropped = f"{came}; {MOST_UNCONFIRMED} such letters wait already, and it is dropped"
        return Turned(dropped, list(due(game, side, at, settings)))
    letters = [*_asked_before(game, side, digest, settings), *due(game, side, at, settings)]
    return Turned(
        f"{came}; it waits to be confirmed" + ("" if letters else ", and its player was asked today"), letters
    )


def due(game: Adjudicator, side: Side, now: datetime, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter that asks a side about what it was not asked about yet, if it may be asked now.

    Called when a letter comes, and for letters that came later on the same day by the next sweep. The game is locked.
    The side is noted as asked when the caller has dealt with the letter and asks for the next one.
    """
    drop_unconfirmed(game.path, side, now)
    known = ASKED.read(game.path, side)
    if side in game.ledger.addresses and known.is_news and known.may_ask(now):
        waiting = list(known.letters)
        about = "\n".join([game.name, side, *(each.digest for each in waiting)]).encode()
        code = hmac.digest(game.ledger.keys.office.encode(), b"pbem confirm v1\n" + about, "sha256").hex()[:24]
        yield _confirm_letter(game, side, _Asking(code, waiting, known.dropped), settings)
        note_asked(game.path, side, code, waiting, now)


def sides_to_ask(game: Adjudicator) -> list[Side]:
    """Return the sides of a game with letters of which their players were not told yet."""
    return [side for side in game.ledger.addresses if ASKED.read(game.path, side).is_news]


def _asked_before(game: Adjudicator, side: Side, digest: str, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter again by which a side was asked about a letter that is taken in again, after a crash."""
    known = ASKED.read(game.path, side)
    for code, digests in known.codes.items():
        waiting = [each for each in known.letters if each.digest in digests]
        if digest in digests and len(waiting) == len(digests):
            yield _confirm_letter(game, side, _Asking(code, waiting), settings)
            return


def code_in(answer: Letter, settings: MailSettings) -> str:
    """Return the code that a letter confirms by; empty: it confirms nothing."""
    for line in (answer.subject, *answer.loose):
        if found := _CONFIRM_WORD.search(line):
            return found[1].lower()
    replied = _CONFIRM_ID.fullmatch(without_token(answer.references[-1])) if answer.references else None
    if replied is None or replied["host"].lower() != settings.host.lower() or answer.commands:
        return ""
    own = without_frame(answer.loose)
    orders = may_order(answer.loose) or any(each.where != "quoted" for each in answer.enclosures)
    return replied[1] if not orders and (not own or _YES.fullmatch(own[0])) else ""


def side_confirmed(answer: Letter, code: str, settings: MailSettings) -> tuple[str, Side] | None:
    """Return the game and the side that a code was sent to, if the sender of the letter plays it."""
    for name in games_of(settings, answer.sender):
        if (side := side_of_code(settings.games / f"{name}.git", code)) is not None:
            with settings.open(name) as game:
                return (name, side) if side in game.sides_of(answer.sender) else None
    return None


@dataclass(frozen=True, slots=True)
class _Asking:
    """What a player is asked: whether letters are theirs."""

    code: str
    """What confirms them."""
    waiting: Sequence[Unconfirmed]
    dropped: int = 0
    """How many more came, and were not kept."""


def _confirm_letter(game: Adjudicator, side: Side, question: _Asking, settings: MailSettings) -> Outgoing:
    """Return the letter that asks a player whether letters are theirs."""
    waiting, dropped = question.waiting, question.dropped
    shown = [line for each in waiting for line in _shown_letter(game, each)]
    until = f"{min(each.came for each in waiting) + WAITS:%A, %d %B}"
    many = len(waiting) > 1
    many_came = f"{counted(len(waiting), 'letter')} came" if many else "A letter came"
    they = "them" if many else "it"
    words = mail(
        "confirm",
        game=game.name,
        came=folded_paragraphs(
            [
                f"{many_came} from your address, and nothing in {they} shows that you wrote {they}. Anybody can write "
                "your address."
            ]
        ),
        letters=shown,
        more=folded_paragraphs([_not_kept(dropped)] if dropped else []),
        link=_confirm_link(game, side, question.code, settings),
        until=until,
        many=many,
    )
    stamp = f"confirm.{game.name}.{side}.{game.adjudication}.{question.code}"
    return build_letter(
        settings, NewLetter(game.ledger.addresses[side], stamp, words, about=About(game, side, shared=False))
    )


def _not_kept(count: int) -> str:
    """Return what a player is told of letters that were dropped."""
    came, yours = (
        ("One more letter came, and was", "it is") if count == 1 else (f"{count} more letters came, and were", "one is")
    )
    again = f"If {yours} yours, write it again as an answer to a letter of the referee."
    return f"{came} not kept: no more than {MOST_UNCONFIRMED} wait. {again}"


def _shown_letter(game: Adjudicator, waiting: Unconfirmed) -> list[str]:
    """Return what is shown of a letter: when it came, its subject, what it asks for."""
    found = open_letter(letter_of(game.path, waiting))
    said = [str(each) for each in found.commands]
    said += [line for each in found.enclosures for line in each.text.decode("utf-8", "replace").splitlines()]
    said = [line for line in said or [*found.loose] if line.strip() and not line.lstrip().startswith("#")]
    left = len(said) - _LINES_SHOWN
    more = [f"  | ... and {left} more lines"] if left > 0 else []
    head = f"  {waiting.came:%Y-%m-%d %H:%M} UTC: {found.subject[:50] or 'without a subject'}"
    return [head, *(f"  | {line.rstrip()[:70]}" for line in said[:_LINES_SHOWN]), *more]


def _confirm_link(game: Adjudicator, side: Side, code: str, settings: MailSettings) -> str:
    """Return the link that writes the letter with the code."""
    to = address_with_token(settings.sender, token(game, side)) if settings.plus else settings.sender
    found = mailbox(to)
    return f"mailto:{quote(found.address if found else to, safe='@+')}?subject=CONFIRM%20{code}"

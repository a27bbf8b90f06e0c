"""Confirmation: a letter from the right address that proves nothing waits until its player says that it is theirs.

They are asked at most once a day, by a letter that shows what came. They answer it with nothing in it, or open the link
in it, which writes a letter with a code. A robot that answers by itself does not confirm: its answer has words of its
own. Nothing is asked of an address that is not on file.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote

from pbem.game.wording import counted
from pbem.mail.address import mailbox
from pbem.mail.bare_orders import may_order
from pbem.mail.door import Turned
from pbem.mail.inbox import open_letter
from pbem.mail.letter import Letter
from pbem.mail.lines import without_frame
from pbem.mail.outgoing import About, MailSettings, Outgoing, letter, paragraphs
from pbem.mail.routing import games_of
from pbem.mail.token import address_with_token, token, without_token
from pbem.post import held
from pbem.post.held import Waiting
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.render.report import mail

_CODE: Final = r"[0-9a-f]{24}"
_WORD: Final = re.compile(rf"\bCONFIRM\s+({_CODE})\b", re.IGNORECASE)
_ID: Final = re.compile(rf"<confirm\.[^@]+\.({_CODE})@(?P<host>[^@]+)>")
_YES: Final = re.compile(r"\W*(?:yes|yep|ok|okay|confirm(?:ed)?|ja|oui|s[iíì]|sim|tak|да|はい)\b\W*", re.IGNORECASE)
_MOST_SHOWN: Final = 40
"""So many lines of a letter are shown to who has to confirm it: all, but of a very long one."""


def ask(game: Adjudicator, side: Side, unproven: Letter, raw: bytes, settings: MailSettings) -> Turned:
    """Keep a letter until it is confirmed, and ask for that if its player may be asked today. The game is locked."""
    at = settings.letter_time
    came = f"letter of {side}: nothing shows that its player wrote it"
    digest = held.hold(game.path, side, raw, at, unproven.subject)
    if digest is None:
        dropped = f"{came}; {held.MOST} such letters wait already, and it is dropped"
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
    held.drop_old(game.path, side, now)
    known = held.asked(game.path, side)
    if side in game.ledger.addresses and known.is_news and known.may_ask(now):
        waiting = list(known.letters)
        about = "\n".join([game.name, side, *(each.digest for each in waiting)]).encode()
        code = hmac.digest(game.ledger.keys.office.encode(), b"pbem confirm v1\n" + about, "sha256").hex()[:24]
        yield _letter(game, side, code, waiting, settings, known.dropped)
        held.note_asked(game.path, side, code, waiting, now)


def sides_to_ask(game: Adjudicator) -> list[Side]:
    """Return the sides of a game with letters of which their players were not told yet."""
    return [side for side in game.ledger.addresses if held.asked(game.path, side).is_news]


def _asked_before(game: Adjudicator, side: Side, digest: str, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter again by which a side was asked about a letter that is taken in again, after a crash."""
    known = held.asked(game.path, side)
    for code, digests in known.codes.items():
        waiting = [each for each in known.letters if each.digest in digests]
        if digest in digests and len(waiting) == len(digests):
            yield _letter(game, side, code, waiting, settings)
            return


def code_in(answer: Letter, settings: MailSettings) -> str:
    """Return the code that a letter confirms by; empty: it confirms nothing."""
    for line in (answer.subject, *answer.loose):
        if found := _WORD.search(line):
            return found[1].lower()
    replied = _ID.fullmatch(without_token(answer.references[-1])) if answer.references else None
    if replied is None or replied["host"].lower() != settings.host.lower() or answer.commands:
        return ""
    own = without_frame(answer.loose)
    orders = may_order(answer.loose) or any(each.where != "quoted" for each in answer.enclosures)
    return replied[1] if not orders and (not own or _YES.fullmatch(own[0])) else ""


def side_confirmed(answer: Letter, code: str, settings: MailSettings) -> tuple[str, Side] | None:
    """Return the game and the side that a code was sent to, if the sender of the letter plays it."""
    for name in games_of(settings, answer.sender):
        if (side := held.side_of_code(settings.games / f"{name}.git", code)) is not None:
            with settings.open(name) as game:
                return (name, side) if side in game.sides_of(answer.sender) else None
    return None


def _letter(
    game: Adjudicator, side: Side, code: str, waiting: Sequence[Waiting], settings: MailSettings, dropped: int = 0
) -> Outgoing:
    """Return the letter that asks a player whether letters are theirs, and says how many more were `dropped`."""
    shown = [line for each in waiting for line in _shown(game, each)]
    until = f"{min(each.came for each in waiting) + held.WAITS:%A, %d %B}"
    many = len(waiting) > 1
    many_came = f"{counted(len(waiting), 'letter')} came" if many else "A letter came"
    they = "them" if many else "it"
    words = mail(
        "confirm",
        game=game.name,
        came=paragraphs(
            [
                f"{many_came} from your address, and nothing in {they} shows that you wrote {they}. Anybody can write "
                "your address."
            ]
        ),
        letters=shown,
        more=paragraphs([_not_kept(dropped)] if dropped else []),
        link=_link(game, side, code, settings),
        until=until,
        many=many,
    )
    stamp = f"confirm.{game.name}.{side}.{game.adjudication}.{code}"
    return letter(settings, game.ledger.addresses[side], stamp, words, about=About(game, side, shared=False))


def _not_kept(count: int) -> str:
    """Return what a player is told of letters that were dropped."""
    came, yours = (
        ("One more letter came, and was", "it is") if count == 1 else (f"{count} more letters came, and were", "one is")
    )
    again = f"If {yours} yours, write it again as an answer to a letter of the referee."
    return f"{came} not kept: no more than {held.MOST} wait. {again}"


def _shown(game: Adjudicator, waiting: Waiting) -> list[str]:
    """Return what is shown of a letter: when it came, its subject, what it asks for."""
    found = open_letter(held.letter_of(game.path, waiting))
    said = [str(each) for each in found.commands]
    said += [line for each in found.enclosures for line in each.text.decode("utf-8", "replace").splitlines()]
    said = [line for line in said or [*found.loose] if line.strip() and not line.lstrip().startswith("#")]
    left = len(said) - _MOST_SHOWN
    more = [f"  | ... and {left} more lines"] if left > 0 else []
    head = f"  {waiting.came:%Y-%m-%d %H:%M} UTC: {found.subject[:50] or 'without a subject'}"
    return [head, *(f"  | {line.rstrip()[:70]}" for line in said[:_MOST_SHOWN]), *more]


def _link(game: Adjudicator, side: Side, code: str, settings: MailSettings) -> str:
    """Return the link that writes the letter with the code."""
    to = address_with_token(settings.sender, token(game, side)) if settings.plus else settings.sender
    found = mailbox(to)
    return f"mailto:{quote(found.address if found else to, safe='@+')}?subject=CONFIRM%20{code}"

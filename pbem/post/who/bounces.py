"""Bounces: reports of mail servers on letters that they could not deliver, and the mailboxes that refuse letters.

Only a bounce that brings back the Message-ID of a letter of ours, with its token, is believed: whoever forges one would
have to know that. A mailbox that refuses is noted beside the repo of its game until a letter of its player comes. The
game master is told when it begins to refuse. The bounce itself is never answered.
"""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import sha256
from typing import Final, NamedTuple

from pbem.mail.choose.routing import games_named
from pbem.mail.read.token import TOKEN, earlier_tokens, token, without_token
from pbem.mail.write.enclosures import Maps
from pbem.mail.write.outgoing import MailSettings, NewLetter, Outgoing, build_letter, folded_paragraphs
from pbem.mail.write.posting import note_handed_over
from pbem.mail.write.report_letters import TurnNews, before_last_report, turn_letter
from pbem.paths import GAME_NAME
from pbem.post.who.mailbox_notes import REFUSALS, Refusals
from pbem.protocol import PbemError, Side
from pbem.referee.acts.timekeeping import note_bounced, note_reached
from pbem.referee.game.side_clocks import deadline
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import mail

_MOST_READ: Final = 512 * 1024
_MOST_IDS: Final = 50
_REASON_LENGTH: Final = 200
_ANY_ID: Final = re.compile(rb"<[!-;=?-~]{1,240}>")
_OF: Final = re.compile(rb"(?im)^message-id[ \t]*:[ \t]*(?:\r?\n[ \t]+)?(<[!-;=?-~]{1,240}>)")
"""The line of a letter, or of the copy of one, with the id of its own."""
_OWN_ID: Final = re.compile(rf"~({TOKEN})@", re.IGNORECASE)
_REPORT_FIELD: Final = re.compile(
    rb"(?im)^(action|status|diagnostic-code)[ \t]*:[ \t]*([^\r\n]*(?:\r?\n[ \t]+[^\r\n]+)*)", re.IGNORECASE
)
_SAYS: Final = re.compile(rb"(?m)^[ \t>]*(?:.{0,60}\b)?(5\d\d[ -][^\r\n]{5,200})")
"""What a server answered, in a bounce that has no fields."""


class BouncedLetter(NamedTuple):
    """A letter of ours that came back: its Message-ID, whether for good, and why."""

    message_id: str
    for_good: bool
    reason: str


def read_bounce(raw: bytes, host: str) -> BouncedLetter | None:
    """Return what a bounce says of a letter of ours; None: it is about no letter with a token."""
    head = raw[:_MOST_READ]
    named = [found[1] for found, _ in zip(_OF.finditer(head), range(_MOST_IDS), strict=False)]
    ids = [found[0] for found, _ in zip(_ANY_ID.finditer(head), range(_MOST_IDS), strict=False)]
    known = [each.decode("ascii", "replace") for each in (*ids, *named)]  # last its own; before it what it answers
    ours = [each for each in known if each.lower().endswith(f"@{host.lower()}>") and _OWN_ID.search(each)]
    if not ours:
        return None
    said: dict[str, str] = {}
    for found in _REPORT_FIELD.finditer(head):
        said.setdefault(found[1].decode().lower(), " ".join(found[2].decode("utf-8", "replace").split()))
    action, status = said.get("action", "failed").lower(), said.get("status", "5")
    diagnostic = said.get("diagnostic-code", "").partition(";")[2].strip() or said.get("diagnostic-code", "")
    answered = _SAYS.search(head)
    reason = diagnostic or (answered[1].decode("utf-8", "replace") if answered else "") or said.get("status", "")
    for_good = action == "failed" and not status.startswith(("2", "4"))
    return BouncedLetter(ours[-1], for_good, _reason_line(reason) or "no reason was given")


def note(bounced: BouncedLetter, at: datetime, settings: MailSettings, game_master: str) -> list[Outgoing]:
    """Note that a mailbox has refused a letter, and return the letter to the game master, if it is the first.

    Also for what the server refused that our letters are handed to. Nothing is noted of what may still arrive, of a
    letter that is not ours, and of an address that is no longer on file.
    """
    found = _side_of(bounced.message_id, settings) if bounced.for_good else None
    if found is None:
        return []
    name, side = found
    with settings.open(name) as game, game.lock():
        known, when = REFUSALS.read(game.path, side), f"{at:%Y-%m-%d %H:%M}"
        now = Refusals(known.since or when, when, known.count + 1, bounced.reason)
        out = _bounce_letter(game, side, now, settings, game_master)
        if settings.outbox is not None and not known.count:
            out.put_into(settings.outbox)
        REFUSALS.write(game.path, now, side)
        _stop_clock(game, side, bounced.message_id, at, settings)
        return [] if known.count else [out]


def _stop_clock(game: Adjudicator, side: Side, message_id: str, at: datetime, settings: MailSettings) -> None:
    """Stop the clock of a side. If it is the report with the question that came back, none of its time counts.

    Otherwise it stops now, unless its deadline has passed before.
    """
    terms, clocks = game.clock.terms, game.clock.read()
    if terms is None or clocks is None or game.result is not None or (since := clocks.sides[side].since) is None:
        return
    asked = without_token(message_id).startswith(f"<{game.name}.{side}.{clocks.sides[side].asked}@")
    last = deadline(terms, clocks, side)
    if asked or (last is not None and at <= last):
        game.carry_out_letter_of(at, settings.now)
        note_bounced(game, side, since if asked else at)


def heard_again(game: Adjudicator, side: Side, settings: MailSettings) -> None:
    """Forget that the mailbox of a side refused: its player has written. They get again what they may have missed.

    The game's lock is held. The note goes last: if this fails halfway, as on a full disk, the next letter, or the same
    one taken in again, does all of it once more.
    """
    if not REFUSALS.exists(game.path, side):
        return
    _report_again(game, side, settings)
    REFUSALS.forget(game.path, side)


def _report_again(game: Adjudicator, side: Side, settings: MailSettings) -> None:
    """Send a side its last report again if it is asked anything, and let its clock run on."""
    clocks = game.clock.read()
    if settings.outbox is None or clocks is None or not clocks.sides[side].asked or game.result is not None:
        return
    digest = sha256(f"{game.name} {side} {settings.letter_time}".encode()).hexdigest()[:24]
    stamp = f"report.{game.name}.{side}.{game.adjudication}.{digest}"
    since = before_last_report(game)
    letters = list(turn_letter(game, side, TurnNews(since, stamp=stamp), settings, Maps(settings.drawings)))
    for out in letters:
        out.put_into(settings.outbox)
    game.carry_out_letter_of(settings.letter_time, settings.now)
    note_reached(game, side)
    if settings.outbox.hands_over:
        note_handed_over(game, letters, settings.now)


def _side_of(message_id: str, settings: MailSettings) -> tuple[str, Side] | None:
    """Return the game and the side that a letter of ours went to, by its token; None: it is not ours."""
    found = _OWN_ID.search(message_id)
    for name in games_named([message_id], settings.host) if found else ():
        if not GAME_NAME.fullmatch(name) or not (settings.games / f"{name}.git").is_dir():
            continue
        try:
            with settings.open(name) as game:
                for side in game.ledger.addresses:
                    if found is not None and found[1].lower() in [token(game, side), *earlier_tokens(game, side)]:
                        return name, side
        except PbemError:
            continue
    return None


def _bounce_letter(game: Adjudicator, side: Side, now: Refusals, settings: MailSettings, game_master: str) -> Outgoing:
    """Return the letter that tells the game master that a mailbox refuses."""
    words = mail(
        "bounced",
        game=game.name,
        side=side,
        player=game.player(side),
        since=now.since,
        reason="\n".join(folded_paragraphs([now.reason])),
    )
    stamp = f"bounced.{game.name}.{side}.{re.sub(r'[^0-9]', '', now.since)}"
    return build_letter(settings, NewLetter(game_master, stamp, words))


def _reason_line(text: str) -> str:
    shown = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(shown.split())[:_REASON_LENGTH]

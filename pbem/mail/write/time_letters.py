"""The letters about time: reminders of what a game asks, pauses, more time.

Each side has its own, and none after it has answered. The note of a side says which was written last. Where several
have fallen due, as after a night off, only the last one is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from pbem.game import yaml as yamlio
from pbem.game.wording import listing
from pbem.mail.notes.correspondence import CORRESPONDENCES, note_reminded
from pbem.mail.notes.reader_time import calendar_file, deadline_line, reader_zone, time_shown
from pbem.mail.write.draft import Attachments
from pbem.mail.write.enclosures import enclosed
from pbem.mail.write.outgoing import (
    About,
    MailSettings,
    NewLetter,
    Outgoing,
    build_letter,
    folded_paragraphs,
    side_name,
    side_report,
)
from pbem.protocol import Side
from pbem.referee.game import side_clocks
from pbem.referee.game.facts import Extended, Fact, Held, Paused, Resumed, read_fact
from pbem.referee.game.open_game import OpenGame
from pbem.referee.game.side_clocks import What
from pbem.referee.game.terms import BOT, DEFAULT
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import mail
from pbem.repo.files.layout import fact_path

_WORDS: Final[Mapping[What, str]] = {
    What.HALF_TIME: "Half of your time has passed.",
    What.LAST_DAY: "Your last day begins.",
    What.LATE: "",
}
"""What a reminder says above the deadline."""
_TOLD = (Paused, Resumed, Held, Extended)


class Reminder(NamedTuple):
    """A reminder that is to be written to a side: when, and which."""

    at: datetime
    side: Side
    what: What


def reminders_due(game: Adjudicator) -> Iterator[Reminder]:
    """Yield the reminders that are still to be written, as things stand."""
    terms, clocks = game.clock.terms, game.clock.read()
    if terms is None or clocks is None or not terms.runs:
        return
    for each in side_clocks.expected(terms, clocks):
        if each.what not in (What.HALF_TIME, What.LAST_DAY) or each.side not in game.ledger.addresses:
            continue
        if each.what > _last_reminder(game, each.side, clocks.sides[each.side].asked):
            yield Reminder(each.at, each.side, each.what)


def write_reminder(game: Adjudicator, due: Reminder, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield a reminder that has fallen due, unless the next one has as well, and note it."""
    clocks = game.clock.read()
    assert clocks is not None
    later = [each for each in reminders_due(game) if each.side == due.side and each.what > due.what]
    if not any(each.at <= settings.now for each in later) and any(
        each.side == due.side for each in game.open_decisions
    ):
        yield reminder(game, due.side, _WORDS[due.what], f"{due.what.name} {clocks.sides[due.side].asked}", settings)
    note_reminded(game.path, due.side, f"{clocks.sides[due.side].asked} {due.what:d}")


def at_deadline(game: Adjudicator, before: int, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield a letter to each side that was called late and is asked the same still: the game waits for it."""
    clocks = game.clock.read()
    if clocks is None or game.adjudication > before or game.result is not None:  # they get a report
        return
    for side, clock in clocks.sides.items():
        asked = side in game.ledger.addresses and any(each.side == side for each in game.open_decisions)
        if clock.called is not None and asked and _last_reminder(game, side, clock.asked) < What.LATE:
            yield reminder(game, side, _WORDS[What.LATE], f"{What.LATE.name} {clock.asked}", settings)
            note_reminded(game.path, side, f"{clock.asked} {What.LATE:d}")


def reminder(game: Adjudicator, side: Side, words: str, about: str, settings: MailSettings) -> Outgoing:
    """Return a letter that reminds a side of what it is asked; `about` tells several for the same question apart."""
    report = side_report(game, side, game.adjudication)
    own = [each for each in game.open_decisions if each.side == side]
    terms = game.clock.terms
    by_default = all(each.default is not None for each in own) or side in game.defaults
    if terms is not None and game.clock.decides:
        by_default = by_default and terms.late == DEFAULT
    text = mail(
        "reminder",
        game=game.name,
        player=game.player(side),
        asked=report.asked,
        said=folded_paragraphs([said] if (said := f"{words} {deadline_line(game, side)}".strip()) else []),
        by_default=by_default,
        by_bot=terms is not None and game.clock.decides and terms.late == BOT,
        sheet=(report.sheet or "").rstrip("\n"),
    )
    digest = sha256(f"{game.name} {side} {game.adjudication} {about}".encode()).hexdigest()[:24]
    stamp = f"remind.{game.name}.{side}.{game.adjudication}.{digest}"
    wanted = CORRESPONDENCES.read(game.path, side).calendar
    attached = Attachments(
        sheet=report.sheet,
        receipt=enclosed(game, side),
        calendar=calendar_file(game, side, game.clock.now) if wanted else None,
    )
    return build_letter(
        settings, NewLetter(game.ledger.addresses[side], stamp, text, attached=attached, about=About(game, side))
    )


def _last_reminder(game: Adjudicator, side: Side, asked: int) -> int:
    """Return which reminder of a question was written to a side last; 0: none was."""
    question, _, what = CORRESPONDENCES.read(game.path, side).reminded.partition(" ")
    return int(what) if question == str(asked) and what.isdigit() else 0


def facts_so_far(game: OpenGame) -> int:
    """Return how many facts of time are on record."""
    clocks = game.clock.read()
    return 0 if clocks is None else clocks.facts


def time_letters(game: Adjudicator, since: int, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that tell the sides with an address of pauses and extensions after a fact of that number."""
    for number in range(since + 1, facts_so_far(game) + 1):
        path = fact_path(number)
        fact = read_fact(yamlio.read(game.ledger.repo.read(path) or b"", name=path).value)
        if not isinstance(fact, _TOLD):
            continue
        for side, to in game.ledger.addresses.items():
            said = [_fact_told(game, fact, reader_zone(game, side)), deadline_line(game, side)]
            words = mail(
                "time",
                game=game.name,
                player=game.player(side),
                subject=_fact_subject(fact),
                said=folded_paragraphs([each for each in said if each]),
            )
            stamp, attached = f"{game.name}.{side}.fact-{number}", Attachments(receipt=enclosed(game, side))
            yield build_letter(settings, NewLetter(to, stamp, words, attached=attached, about=About(game, side)))


def _fact_subject(fact: Fact) -> str:
    if isinstance(fact, Held):
        return "on hold" if fact.until > fact.at else "goes on"
    return "paused" if isinstance(fact, Paused) else "goes on" if isinstance(fact, Resumed) else "more time"


def _fact_told(game: OpenGame, fact: Paused | Resumed | Held | Extended, zone: ZoneInfo) -> str:
    """Return what a fact says, as a paragraph of a letter."""
    agreed = isinstance(fact, Paused | Extended) and fact.request
    by = "By consent" if agreed else "By the game master"
    reason = f"Reason: {fact.reason.rstrip('.')}"
    match fact:
        case Paused():
            return f"{game.name} is paused until {time_shown(fact.until, zone)}: no clock runs. {by}. {reason}."
        case Resumed():
            return f"The pause of {game.name} is over: the clocks run. {by}. {reason}."
        case Held() if fact.until > fact.at:
            when = time_shown(fact.until, zone)
            return (
                f"{game.name} is on hold until {when}: it does not go on, and orders can be taken back. {by}. {reason}."
            )
        case Held():
            return f"{game.name} is not on hold any more. {by}. {reason}."
        case Extended():
            times: dict[str, list[Side]] = {}
            for side, at in fact.sides.items():
                times.setdefault(time_shown(at, zone), []).append(side)
            who = [f"{listing([side_name(game, side) for side in sides])} until {at}" for at, sides in times.items()]
            return f"More time: {listing(who)}. {by}. {reason}."

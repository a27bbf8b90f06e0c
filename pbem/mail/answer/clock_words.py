"""The commands about the clock of a game: AWAY, BACK and PAUSE."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from pbem.game.wording import counted, listing
from pbem.mail.answer.command import Command, CommandTask, Topic, ask_others
from pbem.mail.notes.reader_time import days_of, reader_zone, span_of, time_shown
from pbem.mail.read.commands import Word
from pbem.mail.write.outgoing import side_name
from pbem.referee.acts import timekeeping
from pbem.referee.acts.consents import carry_out_request, propose
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game import calendar
from pbem.referee.game.calendar import Span
from pbem.referee.game.facts import days_left
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.side_clocks import Clocks
from pbem.referee.game.terms import Terms
from pbem.repo.files import requests

_DAY: Final = timedelta(days=1)
_UNTIL: Final = ("until ", "till ", "til ", "to ", "through ", "thru ", "up to ", "- ")


def announce_away(task: CommandTask) -> str:
    """Put on record that a side is away on some days, during which its clock stands still."""
    game, side = task.game, task.side
    terms, clocks = timekeeping.require_clock(game)
    if task.letter is not None:
        now = timekeeping.fact_time(game, clocks)
        if task.behind_game.lower() == "off":
            return announce_back(task)
        first, last = days_of(task.behind_game, terms.where.local(now).date())
        clocks = timekeeping.note_away(game, side, first, last, task.letter)
    return f"AWAY: on record for {side_name(game, side)}. {_vacations(task, terms, clocks)}"


def announce_back(task: CommandTask) -> str:
    """Put on record that a side is back, and that what it has announced for later does not count."""
    game, side = task.game, task.side
    terms, clocks = timekeeping.require_clock(game)
    if task.letter is not None:
        clocks = timekeeping.note_back(game, side, task.letter)
    return f"BACK: on record for {side_name(game, side)}. {_vacations(task, terms, clocks)}"


def propose_pause(task: CommandTask) -> str:
    """Propose a pause to the other sides, and return the answer."""
    game = task.game
    terms, clocks = timekeeping.require_clock(game)
    if task.letter is None:
        return task.requested(PAUSE.word, task.noted_request)
    until = _pause_until(task.behind_game, timekeeping.fact_time(game, clocks), terms)
    motion = propose(game, task.side, Proposal(requests.PAUSE, until), letter=task.letter)
    carry_out_request(game, motion)
    return task.requested(PAUSE.word, motion.request)


def _pause_until(text: str, now: datetime, terms: Terms) -> datetime:
    """Return until when a pause is proposed: for a span, or until a day, the whole of which is in it."""
    if (span := span_of(text)) is not None:
        return now + span
    word = next((text[len(each) :] for each in _UNTIL if text.lower().startswith(each)), "")
    if not word:
        raise CannotPlay("write how long, or until which day, such as PAUSE 2 weeks or PAUSE until 14 Dec")
    last = days_of(word, terms.where.local(now).date())[1]
    return calendar.day_start(terms, last + _DAY)


def _vacations(task: CommandTask, terms: Terms, clocks: Clocks) -> str:
    """Return which vacations of a side are to come or under way, and how many days it has left this year."""
    now, zone = timekeeping.fact_time(task.game, clocks), reader_zone(task.game, task.side)
    coming = [span for span in clocks.sides[task.side].away if span.until > now]
    year = terms.where.local(now).year
    left = counted(max(0, days_left(terms, clocks, task.side, year)), "day")
    spans = [_vacation_span(span, zone) for span in coming]
    said = f"Your clock stands still {listing(spans)}." if spans else "Your clock runs when you are asked."
    return f"{said} You have {left} of vacation left in {year}."


def _vacation_span(span: Span, zone: ZoneInfo) -> str:
    return f"from {time_shown(span.since, zone)} to {time_shown(span.until, zone)}"


_WITH_A_CLOCK: Final = Topic("In a game with a clock,")
AWAY: Final = Command(
    word=Word("AWAY", capitals_only=True),
    does=announce_away,
    topic=_WITH_A_CLOCK,
    help=("AWAY 1-14 Dec", "stops your clock on these days,"),
    docs=(("AWAY 1-14 Dec", "stops your [clock](clock.md#for-players) on these days"),),
)
BACK: Final = Command(
    word=Word("BACK", capitals_only=True),
    does=announce_back,
    topic=_WITH_A_CLOCK,
    help=("and BACK", "ends that."),
    docs=(("BACK", "ends that: your clock runs again"),),
)
PAUSE: Final = Command(
    word=Word("PAUSE", capitals_only=True),
    does=propose_pause,
    tells=ask_others,
    topic=_WITH_A_CLOCK,
    help=("PAUSE 2 weeks", "asks the others for a pause."),
    docs=(("PAUSE 2 weeks", "asks the others for a pause of all clocks; `PAUSE until 14 Dec` for one up to that day"),),
)
COMMANDS: Final = (AWAY, BACK, PAUSE)

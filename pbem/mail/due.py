"""What falls due in a game by itself: the end of a hold, a reminder, a deadline, news that is told once a day.

Nothing waits here and there are no timers: whoever looks at a game has done in order what has fallen due meanwhile,
each thing as of the time at which it was due. A letter goes before a hold or a deadline that ends in the same second:
these fall due in the second after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from pbem.mail.notes.correspondence import CLOSED, REPORTED
from pbem.mail.tasks import NextDue
from pbem.mail.write.observers import next_news
from pbem.mail.write.outgoing import MailSettings, Outgoing
from pbem.mail.write.posting import bundled, post_letters
from pbem.mail.write.report_letters import closing_letters, daily_news, news_due, reports
from pbem.mail.write.time_letters import at_deadline, reminders_due, write_reminder
from pbem.protocol import Side
from pbem.referee.acts.timekeeping import catch_up, hand_over, note_down
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.side_clocks import late_from
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import hold_ends

_MOST: Final = 1000
"""So many things fall due at most before a game is looked at again."""


class DueAct(NamedTuple):
    """A thing that falls due in a game: when, what it is for the log, and what carries it out."""

    when: datetime
    what: str
    carry_out: Callable[[], Iterable[Outgoing]]


class DueDone(NamedTuple):
    """What was carried out in a game: the letters, a line for the log for each thing, and what falls due next."""

    letters: list[Outgoing]
    log: list[str]
    next: DueAct | None = None


class Witnessed(NamedTuple):
    """What the service has seen of a game, to be put on record."""

    handed: Mapping[Side, datetime]
    """Side -> when a letter that asks it was handed over last."""
    downs: Sequence[tuple[datetime, datetime]]
    """From when until when nobody looked into the mailboxes, in order."""


_NOTHING_SEEN: Final = Witnessed({}, ())


class GoneOn(NamedTuple):
    """What has become of a game that was looked at: lines for the log, and what falls due next."""

    log: list[str]
    due: NextDue


def go_on(name: str, until: datetime, settings: MailSettings, witnessed: Witnessed = _NOTHING_SEEN) -> GoneOn:
    """Carry out what has fallen due in a game until a time, and write to everybody concerned.

    No letter for the game waits that came before. What an earlier command still owes the players is told them, too.
    Raises CannotPlay if something is due and remains so, which is a fault of pbem.
    """
    with settings.open(name) as game, game.lock():
        log = put_on_record(game, witnessed, settings)
        pay_debts(game, settings)
        done = carry_out_due(game, until, settings)
        if done.next is not None and done.next.when <= until:
            raise CannotPlay(f"{done.next.what}, due {done.next.when:%Y-%m-%d %H:%M:%S} UTC, and nothing comes of it")
        return GoneOn(log + done.log, noted_due(game, done.next))


def put_on_record(game: Adjudicator, witnessed: Witnessed, settings: MailSettings) -> list[str]:
    """Put on record what the service has seen, as far as it changes the clock of a game; return lines for the log.

    What has fallen due before that is carried out first.
    """
    log: list[str] = []
    if game.clock.terms is None:
        return log
    for since, until in witnessed.downs:
        game.carry_out_letter_of(until, settings.now)
        if note_down(game, since, until):
            log.append(f"{game.name}: the service was down from {since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC")
    for at in sorted(set(witnessed.handed.values())):
        sides = [side for side, when in witnessed.handed.items() if when == at]
        if not _wait_for_letter(game, sides, at):
            continue
        log += carry_out_due(game, at, settings).log
        if waiting := _wait_for_letter(game, sides, at):
            game.carry_out_letter_of(at, settings.now)
            hand_over(game, dict.fromkeys(waiting, at))
    return log


def _wait_for_letter(game: Adjudicator, sides: Iterable[Side], at: datetime) -> list[Side]:
    """Return those of some sides that were asked by a time, and whose clock waits for the letter that asks."""
    clocks = game.clock.read()
    if clocks is None:
        return []
    asked = ((side, clocks.sides[side]) for side in sides)
    return [side for side, clock in asked if clock.since is None and clock.opened is not None and clock.opened <= at]


def due_in(game: Adjudicator, settings: MailSettings) -> DueAct | None:
    """Return what falls due next in a game; None: nothing does before something comes from outside.

    A game that is played with other rules than those here waits for its game master.
    """
    if not game.begun or game.result is not None or game.differs is not None:
        return None
    due = [*_clock_due(game, settings), *_news_due(game, settings), *_observers_due(game, settings)]
    return min(due, default=None, key=_when)


def noted_due(game: Adjudicator, due: DueAct | None) -> NextDue:
    """Return when something falls due next in a game, which is what `due_in` has found."""
    runs = game.clock.terms is not None and game.result is None
    return NextDue(None if due is None else due.when, game.ledger.repo.head, runs)


def carry_out_due(game: Adjudicator, until: datetime, settings: MailSettings) -> DueDone:
    """Carry out what has fallen due in a game until a time, in order. The game's lock is held."""
    letters: list[Outgoing] = []
    log: list[str] = []
    due: DueAct | None = None
    before: tuple[datetime | None, str] = None, ""
    for _ in range(_MOST):
        due = due_in(game, settings)
        if due is None or due.when > until or (due.when, due.what) == before:
            break
        before = due.when, due.what
        game.carry_out_letter_of(due.when, settings.now)
        letters += _put_out(game, due.carry_out(), settings)
        log.append(f"{game.name}: {due.what}, due {due.when:%Y-%m-%d %H:%M:%S} UTC")
    return DueDone(letters, log, due)


def pay_debts(game: Adjudicator, settings: MailSettings) -> list[Outgoing]:
    """Return the letters that a command owes the players which has ended before it wrote them.

    The game's lock is held, and no letter waits to be taken in: else that one's answer tells what is owed.
    """
    known = REPORTED.read(game.path)
    if settings.outbox is None or known is None or known >= game.adjudication:
        return []
    return _put_out(game, _owed_letters(game, known, settings), settings)


def _put_out(game: Adjudicator, letters: Iterable[Outgoing], settings: MailSettings) -> list[Outgoing]:
    """Put letters into the outbox, if there is one, and note that all has been told; return them."""
    whole = bundled(list(letters))
    post_letters(game, whole, settings, settings.now)
    return whole


def _when(due: DueAct) -> datetime:
    return due.when


def _clock_due(game: Adjudicator, settings: MailSettings) -> Iterator[DueAct]:
    if (when := hold_ends(game, game.ready)) is not None:
        yield DueAct(when, "a hold is over", lambda: _played_on(game, game.adjudicate, settings))
    terms, clocks = game.clock.terms, game.clock.read() if game.closed is None else None
    if terms is not None and clocks is not None and (when := late_from(terms, clocks)) is not None:
        yield DueAct(when, "a deadline has passed", lambda: _call_late(game, settings))
    for each in reminders_due(game):
        yield DueAct(each.at, f"a reminder for {each.side}", partial(write_reminder, game, each, settings))


def _call_late(game: Adjudicator, settings: MailSettings) -> Iterator[Outgoing]:
    """Call who is late, and yield the letters that tell of what follows from it."""
    before = game.adjudication
    yield from _played_on(game, partial(catch_up, game), settings)
    yield from at_deadline(game, before, settings)


def _news_due(game: Adjudicator, settings: MailSettings) -> Iterator[DueAct]:
    times = [when for side in game.rules.sides if (when := news_due(game, side)) is not None]
    if times:
        yield DueAct(min(times), "the news of the day", lambda: daily_news(game, min(times), settings))


def _observers_due(game: Adjudicator, settings: MailSettings) -> Iterator[DueAct]:
    if settings.outbox is not None and (when := next_news(game)) is not None:
        yield DueAct(when, "the news for observers", list)  # they are written to whenever letters are


def _played_on(game: Adjudicator, play_on: Callable[[], object], settings: MailSettings) -> Iterator[Outgoing]:
    """Play a game on, and yield the letters that tell of it, with what an earlier command still owes."""
    before = game.adjudication
    with game.transaction():
        play_on()
    known = REPORTED.read(game.path)
    yield from _owed_letters(game, before if known is None else known, settings)


def _owed_letters(game: Adjudicator, since: int, settings: MailSettings) -> Iterator[Outgoing]:
    if since < game.adjudication:
        yield from reports(game, since, settings)
    if (closed := game.closed) is not None and CLOSED.read(game.path) != closed.round:
        yield from closing_letters(game, settings)

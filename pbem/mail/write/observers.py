"""The observers of a game: addresses that get what an observer may see, at once or so many turns or days late.

Who watches is no part of the game and not on record. It stands in a note beside the repo, with how far each observer
has been told. What they are told is made from the view that everybody has, as it was after the last adjudication that
they may know of: nothing that came later shows in it, not even that something was rolled back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import NamedTuple

from pbem.mail.notes.outboxes import Outbox
from pbem.mail.notes.watching import OBSERVERS, Observer, note_observer_told, observers
from pbem.mail.write.draft import Attachments
from pbem.mail.write.enclosures import Maps
from pbem.mail.write.outgoing import MailSettings, NewLetter, Outgoing, build_letter, folded_paragraphs
from pbem.referee.game.open_game import OpenGame, position_at, result_at, told_until
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.report import Report, mail


class ObserverNews(NamedTuple):
    """What an observer is told next: when that may be, at the earliest, and the last adjudication that it tells of."""

    when: datetime
    until: int


def write_to_observers(game: OpenGame, settings: MailSettings, outbox: Outbox, now: datetime) -> list[Outgoing]:
    """Write to the observers of a game what they may know by now, and return the letters. The game's lock is held."""
    written: list[Outgoing] = []
    if not game.begun or not observers(game.path):
        return written
    maps = Maps(settings.drawings)
    for observer in observers(game.path):
        news = news_for(game, observer)
        if news is None or news.when > now:
            continue
        out = _observer_letter(game, observer, news.until, settings, maps)
        if out is not None:
            out.put_into(outbox)
            written.append(out)
            note_observer_told(game.path, observer, news.until)
    return written


def next_news(game: OpenGame) -> datetime | None:
    """Return when an observer who is days behind is told next; None: no such observer has anything to wait for."""
    late = [each for each in observers(game.path) if each.days] if game.begun else []
    return min((news.when for each in late if (news := news_for(game, each)) is not None), default=None)


def news_for(game: OpenGame, observer: Observer) -> ObserverNews | None:
    """Return what an observer is told next; None: nothing, as the game stands."""
    last = game.adjudication if game.result is not None else _last_to_tell(game, observer)
    if last <= observer.told:
        return None
    at_once = datetime.min.replace(tzinfo=UTC)
    if not observer.days or game.result is not None:
        return ObserverNews(at_once, last)
    first = _told_on(game, observer.told + 1, observer.days)
    until = observer.told + 1
    while until < last and _told_on(game, until + 1, observer.days) <= first:
        until += 1
    return ObserverNews(first, until)


def _last_to_tell(game: OpenGame, observer: Observer) -> int:
    """Return the last adjudication that an observer may know of, by the turns of the game."""
    if not observer.turns:
        return game.adjudication
    turns = _turns_so_far(game)
    now = str(game.periods.get(game.rules.turn, ""))
    at = next((at for at, (word, _) in enumerate(turns) if word == now), 0) - observer.turns + 1
    return turns[at][1] - 1 if at > 0 else 0


def _turns_so_far(game: OpenGame) -> Sequence[tuple[str, int]]:
    """Return the turns of a game, each with the adjudication by which it first began, and note them."""
    note = OBSERVERS.read(game.path)
    turns = dict(note.turns)
    for n in range(note.counted + 1, game.adjudication + 1):
        position = position_at(game, n)
        word = "" if position is None else str(game.rules.periods(position).get(game.rules.turn, ""))
        turns.setdefault(word, n) if word else None
    if note.counted != game.adjudication:
        OBSERVERS.write(game.path, replace(note, turns=tuple(turns.items()), counted=game.adjudication))
    return list(turns.items())


def _told_on(game: OpenGame, n: int, days: int) -> datetime:
    """Return when an adjudication may be told that many days late: at the end of that day, wherever that is."""
    day = date.fromisoformat(game.ledger.public_turn(n)["day"]) + timedelta(days=days + 1)
    return datetime.combine(day, time(), UTC)


def _observer_letter(
    game: OpenGame, observer: Observer, until: int, settings: MailSettings, maps: Maps
) -> Outgoing | None:
    """Return the letter to an observer as of an adjudication; None: the rules here cannot say how things stood."""
    position, since = position_at(game, until), observer.told or until - 1
    before = position_at(game, since) if observer.told else None
    if position is None:
        return None
    view, result = game.rules.view(position, None), result_at(game, until)
    told = told_until(game, None, since, until)
    request = ReportRequest(
        game=game.name,
        adjudication=until,
        side=None,
        view=view,
        events=told,
        others=[] if result else [each["side"] for each in game.ledger.public_turn(until)["open_decisions"]],
        result=result,
        before=None if before is None else game.rules.view(before, None),
    )
    written = Report(Contents(game.rules, game.box, request))
    words = mail(
        "observer",
        game=game.name,
        summary=written.summary,
        intro=[] if observer.told else folded_paragraphs([_observer_intro(game, observer)]),
        over=result is not None,
        report=written.words,
    )
    pictures = maps.of_the_past(game, game.rules.scene(view, [each.event for each in told]))
    digest = sha256(f"{observer.address.lower()} {until}".encode()).hexdigest()[:24]
    attached = Attachments(pictures=pictures, standing=written.position)
    return build_letter(
        settings, NewLetter(observer.address, f"observer.{game.name}.{digest}", words, attached=attached)
    )


def _observer_intro(game: OpenGame, observer: Observer) -> str:
    late = f", {observer.late} late" if observer.late else ""
    return (
        f"You watch {game.name}, a game of {game.box.title}. These letters tell what everybody may see{late}. The game "
        "master can end them."
    )

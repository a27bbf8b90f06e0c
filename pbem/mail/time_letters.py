"""The letters that tell every side that the game is paused or goes on, or that sides have more time."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from pbem.game import yaml as yamlio
from pbem.game.wording import listing
from pbem.mail.deadlines import deadline_line
from pbem.mail.outbox import Attachments
from pbem.mail.outgoing import About, MailSettings, Outgoing, called, letter, paragraphs
from pbem.mail.reader_time import shown, zone_of
from pbem.mail.receipts import enclosed
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.clock.facts import Extended, Fact, Held, Paused, Resumed, read_fact
from pbem.referee.open_game import OpenGame
from pbem.render.report import mail
from pbem.repo.layout import fact_path

_TOLD = (Paused, Resumed, Held, Extended)


def facts_so_far(game: OpenGame) -> int:
    """Return how many facts of time are on record."""
    clocks = game.clock.read()
    return 0 if clocks is None else clocks.facts


def time_letters(game: Adjudicator, since: int, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that tell the sides with an address of pauses and extensions after a fact of that number."""
    for number in range(since + 1, facts_so_far(game) + 1):
        path = fact_path(number)
        fact = read_fact(yamlio.read(game.ledger.read(path) or b"", name=path).value)
        if not isinstance(fact, _TOLD):
            continue
        for side, to in game.ledger.addresses.items():
            said = [_said(game, fact, zone_of(game, side)), deadline_line(game, side)]
            words = mail(
                "time",
                game=game.name,
                player=game.player(side),
                subject=_subject(fact),
                said=paragraphs([each for each in said if each]),
            )
            stamp, attached = f"{game.name}.{side}.fact-{number}", Attachments(receipt=enclosed(game, side))
            yield letter(settings, to, stamp, words, attached=attached, about=About(game, side))


def _subject(fact: Fact) -> str:
    if isinstance(fact, Held):
        return "on hold" if fact.until > fact.at else "goes on"
    return "paused" if isinstance(fact, Paused) else "goes on" if isinstance(fact, Resumed) else "more time"


def _said(game: OpenGame, fact: Paused | Resumed | Held | Extended, zone: ZoneInfo) -> str:
    """Return what a fact says, as a paragraph of a letter."""
    agreed = isinstance(fact, Paused | Extended) and fact.request
    by = "By consent" if agreed else "By the game master"
    reason = f"Reason: {fact.reason.rstrip('.')}"
    match fact:
        case Paused():
            return f"{game.name} is paused until {shown(fact.until, zone)}: no clock runs. {by}. {reason}."
        case Resumed():
            return f"The pause of {game.name} is over: the clocks run. {by}. {reason}."
        case Held() if fact.until > fact.at:
            when = shown(fact.until, zone)
            return (
                f"{game.name} is on hold until {when}: it does not go on, and orders can be taken back. {by}. {reason}."
            )
        case Held():
            return f"{game.name} is not on hold any more. {by}. {reason}."
        case Extended():
            times: dict[str, list[Side]] = {}
            for side, at in fact.sides.items():
                times.setdefault(shown(at, zone), []).append(side)
            who = [f"{listing([called(game, side) for side in sides])} until {at}" for at, sides in times.items()]
            return f"More time: {listing(who)}. {by}. {reason}."

"""The verbs that change the time of games: `pbem extend`, `pause`, `resume`, and `hold`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.desk import OnlySides
from pbem.cli.many import Dealt, GamePatterns, deal_with, games_meant, require_sides
from pbem.cli.options import WHY, Games, Json, RulesDir
from pbem.cli.runtime import mail_settings, misuse, opened_to_change, post_all
from pbem.paths import games_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pbem.mail.outgoing import MailSettings, Outgoing
    from pbem.referee.adjudicator import Adjudicator
    from pbem.referee.motions import Proposal

Why = Annotated[str, typer.Option("--reason", help=WHY)]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="When it ends, such as 2026-12-14T20:00; UTC unless a zone is given."),
]


def extend(
    names: GamePatterns,
    reason: Why,
    by: Annotated[str | None, typer.Option("--by", metavar="SPAN", help="How much more time: 2d, 12h, 1d 12h.")] = None,
    until: Until = None,
    side: OnlySides = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Give sides more time for their open decisions. If you play a side yourself, ask the others for consent."""
    from pbem.mail.time_letters import facts_so_far, time_letters
    from pbem.referee import timekeeping
    from pbem.referee.motions import Proposal
    from pbem.repo.requests import EXTENSION

    if (by is None) == (until is None):
        misuse("give --by SPAN or --until TIME")
    span, at = _span(by), _time(until)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game, game.lock():
            require_sides(game, side or ())
            settings = mail_settings(games, rules_dir)
            running = timekeeping.extended_by(game, span or timedelta(), tuple(side or ()))
            times = running if at is None else dict.fromkeys(running, at)
            if _must_ask(game):
                return _asked(game, Proposal(EXTENSION, extended=times), reason, settings)
            before = facts_so_far(game)
            timekeeping.extend(game, times, reason)
            letters = _post(time_letters(game, before, settings), settings)
            shown = {each: f"{when:%Y-%m-%d %H:%M} UTC" for each, when in times.items()}
            said = ", ".join(f"{each} until {when}" for each, when in shown.items())
            return Dealt(
                f"more time: {said}", {"until": {each: _iso(when) for each, when in times.items()}, "letters": letters}
            )

    again = _words(("--by", by), ("--until", until), *(("--side", each) for each in side or ()), ("--reason", reason))
    deal_with(games_meant(games or games_folder(), names), deal, json, verb="extend", again=again)


def pause(
    names: GamePatterns,
    reason: Why,
    until: Until = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Stop the clocks of games until a time, or for as long as their terms allow. Letters are still carried out."""
    from pbem.mail.time_letters import facts_so_far, time_letters
    from pbem.referee import timekeeping
    from pbem.referee.motions import Proposal
    from pbem.repo.requests import PAUSE

    at = _time(until)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game, game.lock():
            settings = mail_settings(games, rules_dir)
            if _must_ask(game):
                terms, clocks = timekeeping.require_clock(game)
                latest = timekeeping.time_of(game, clocks) + terms.pause
                return _asked(game, Proposal(PAUSE, until=at or latest), reason, settings)
            before = facts_so_far(game)
            end = timekeeping.pause(game, at, reason).pauses[-1].until
            letters = _post(time_letters(game, before, settings), settings)
            return Dealt(f"paused until {end:%Y-%m-%d %H:%M} UTC", {"until": _iso(end), "letters": letters})

    again = _words(("--until", until), ("--reason", reason))
    deal_with(games_meant(games or games_folder(), names), deal, json, verb="pause", again=again)


def resume(
    names: GamePatterns, reason: Why, games: Games = None, rules_dir: RulesDir = None, json: Json = False
) -> None:
    """End the pause of games. Their clocks run again."""
    from pbem.mail.time_letters import facts_so_far, time_letters
    from pbem.referee import timekeeping

    def deal(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game, game.lock():
            settings = mail_settings(games, rules_dir)
            before = facts_so_far(game)
            timekeeping.resume(game, reason)
            return Dealt("time counts again", {"letters": _post(time_letters(game, before, settings), settings)})

    deal_with(
        games_meant(games or games_folder(), names), deal, json, verb="resume", again=_words(("--reason", reason))
    )


def hold(
    names: GamePatterns,
    reason: Why,
    until: Until = None,
    for_: Annotated[str | None, typer.Option("--for", metavar="SPAN", help="How long it lasts: 2h, 1d.")] = None,
    release: Annotated[bool, typer.Option("--release", help="End the hold.")] = False,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Put games on hold. Orders are accepted and can be withdrawn, but nothing is adjudicated until the hold ends."""
    from pbem.mail.time_letters import facts_so_far, time_letters
    from pbem.referee import timekeeping

    if [until is not None, for_ is not None, release].count(True) != 1:
        misuse("give one of --until TIME, --for SPAN, --release")
    span, at = _span(for_), _time(until)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game, game.lock():
            settings, before = mail_settings(games, rules_dir), facts_so_far(game)
            _, clocks = timekeeping.require_clock(game)
            end = timekeeping.time_of(game, clocks) + span if span is not None else at
            timekeeping.hold(game, end, reason)
            letters = _post(time_letters(game, before, settings), settings)
            if end is None:
                return Dealt("its hold is over", {"until": None, "letters": letters})
            return Dealt(f"on hold until {end:%Y-%m-%d %H:%M} UTC", {"until": _iso(end), "letters": letters})

    words = _words(("--until", until), ("--for", for_), ("--reason", reason))
    again = [*(["--release"] if release else []), *words]
    deal_with(games_meant(games or games_folder(), names), deal, json, verb="hold", again=again)


def _must_ask(game: Adjudicator) -> bool:
    """Tell whether the game master plays a side, and so needs the consent of the others."""
    return game.clock.terms is not None and game.clock.terms.master is not None


def _asked(game: Adjudicator, proposal: Proposal, reason: str, settings: MailSettings) -> Dealt:
    """Ask the sides for their consent by letter."""
    from pbem.mail.consent_letters import outcome, request_letters
    from pbem.referee.motions import propose

    motion = propose(game, None, proposal, reason)
    letters = _post(request_letters(game, motion, settings), settings)
    return Dealt(outcome(game, motion.request), {"request": motion.request, "letters": letters})


def _post(letters: Iterable[Outgoing], settings: MailSettings) -> list[str]:
    return post_all(letters, settings.games / "outbox")


def _span(text: str | None) -> timedelta | None:
    from pbem.referee.clock.terms import BadTerms, duration

    try:
        return None if text is None else duration(text)
    except BadTerms as wrong:
        misuse(str(wrong))


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        misuse(f"--until {text}: write a time such as 2026-12-14T20:00, with Z or +01:00 behind it if it is not UTC")


def _iso(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _words(*options: tuple[str, str | None]) -> list[str]:
    return [word for option, value in options if value is not None for word in (option, value)]

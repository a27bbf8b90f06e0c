"""The game master's desk, for one game or many: remind, broadcast, archive, observers, more time, pauses, holds.

Each game is dealt with by itself, and either all of it is done or nothing. One that fails keeps no other from being
dealt with. The summary names those that failed, and the command that is to be given again for them alone. With --json
all these verbs print the same shape:

    {"games": [{"game": "punica", "done": true, ...}, {"game": "zama", "done": false, "why": "..."}], "failed": 1}

What stands behind `done` is up to the verb.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from re import fullmatch
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pbem.cli.runtime import (
    USUAL,
    WORLD,
    Shared,
    Why,
    mail_settings,
    misuse,
    opened_to_change,
    opened_to_read,
    post_all,
    post_letter,
    print_json,
    progress,
    read_input,
)
from pbem.protocol import Bug, PbemError

if TYPE_CHECKING:
    from pbem.mail.write.outgoing import MailSettings, Outgoing
    from pbem.protocol import Side
    from pbem.referee.acts.request_kinds import Proposal
    from pbem.referee.game.open_game import OpenGame
    from pbem.referee.play.adjudicator import Adjudicator

GamePatterns = Annotated[
    list[str], typer.Argument(metavar="GAMES...", help="Games, by name or by a pattern: 'spring-*'.")
]
OnlySides = Annotated[list[str] | None, typer.Option("--side", help="Only this side; repeat it for several.")]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="When it ends, such as 2026-12-14T20:00; UTC unless a zone is given."),
]
_PATTERN: Final = "*?["


@dataclass(frozen=True, slots=True)
class Dealt:
    """What a verb has done in one game: a line for a person, and what is told to a program."""

    line: str
    facts: dict[str, object] = field(default_factory=dict)


def games_meant(folder: Path, patterns: Sequence[str]) -> list[str]:
    """Return the names that patterns stand for, sorted, with those that are written out; end the command if none is."""
    there = sorted(path.name.removesuffix(".git") for path in folder.glob("*.git"))
    found: dict[str, None] = {}
    for pattern in patterns:
        plain = not any(each in pattern for each in _PATTERN)
        meant = [pattern] if plain else [name for name in there if fnmatchcase(name, pattern)]
        if not meant:
            misuse(f"no game in {folder} is called {pattern}")
        found.update(dict.fromkeys(meant))
    return list(found)


def require_sides(game: OpenGame, sides: Iterable[str]) -> None:
    """Raise CannotPlay unless a game has some sides. The command goes on with the other games."""
    from pbem.referee.game.open_game import CannotPlay

    for side in sides:
        if side not in game.rules.sides:
            raise CannotPlay(f"it has no side {side}; its sides are {', '.join(game.rules.sides)}")


def deal_with(
    names: Sequence[str],
    deal: Callable[[str], Dealt],
    json: bool,
    *,
    verb: str,
    again: Sequence[str] = (),
    at_end: Callable[[], Sequence[str]] | None = None,
) -> None:
    """Deal with each game, print what came of it, and end with exit code 1 if that failed in any.

    `verb` and `again` are the words of the command before and behind the names of the games. `at_end` writes letters
    that are about several of them, and returns their files.
    """
    rows = list(_deal_rows(names, deal, verb))
    letters = None if at_end is None else list(at_end())
    failed = [row["game"] for row in rows if not row["done"]]
    if json:
        told = [{key: row[key] for key in row if key != "line"} for row in rows]
        print_json({"games": told, "failed": len(failed)} | ({} if letters is None else {"letters": letters}))
    else:
        for row in rows:
            if row["done"]:
                print(f"{row['game']}: {row['line']}")
            letters = [*(letters or ()), *row.get("letters", ())]
        for path in letters or ():
            print(f"Letter: {path}")
        for row in rows:
            if not row["done"]:
                print(f"{row['game']}: nothing was done: {row['why']}", file=sys.stderr)
        if len(rows) > 1:
            print(f"{len(rows)} games: {len(rows) - len(failed)} done, {len(failed)} failed.")
        if failed and len(rows) > 1:
            print(f"Once that is mended: {join(['pbem', verb, *failed, *again])}", file=sys.stderr)
    if failed:
        sys.exit(WORLD)


def _deal_rows(names: Sequence[str], deal: Callable[[str], Dealt], verb: str) -> Iterator[dict[str, Any]]:
    with progress(verb, shown=len(names) > 1) as far:
        for done, name in enumerate(names):
            far(done, len(names))
            try:
                dealt = deal(name)
            except Bug:
                raise
            except (PbemError, OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as wrong:
                why = str(wrong).partition("\n")[0] or type(wrong).__name__
                yield {"game": name, "done": False, "why": why}
            else:
                yield {"game": name, "done": True, "line": dealt.line, **dealt.facts}


# ---- `pbem remind`, `broadcast`, `archive` and `observer`


def send_reminders(names: GamePatterns, side: OnlySides = None, shared: Shared = USUAL) -> None:
    """Send players a reminder with their form, at most once a day for the same question."""
    from pbem.mail.write.by_game_master import awaited_sides, reminders_by_hand

    def deal(name: str) -> Dealt:
        with opened_to_change(name, shared) as game, game.lock():
            require_sides(game, side or ())
            awaited = [each for each in awaited_sides(game) if not side or each in side]
            settings = mail_settings(shared)
            letters = post_all(reminders_by_hand(game, awaited, settings), settings.games / "outbox")
            whom = [each for each in awaited if each in game.ledger.addresses]
            return Dealt(_reminded(game, awaited, whom), {"reminded": whom, "letters": letters})

    again = _option_words(*(("--side", each) for each in side or ()))
    deal_with(games_meant(shared.folder, names), deal, shared.json, verb="remind", again=again)


def _reminded(game: OpenGame, awaited: list[Side], whom: list[Side]) -> str:
    from pbem.mail.write.by_game_master import names_of

    if whom:
        return f"{names_of(game, whom)} reminded"
    return f"{names_of(game, awaited)} has no address" if awaited else "nobody is asked anything"


def send_broadcast(
    names: GamePatterns,
    text: Annotated[
        Path | None, typer.Option("--text", help="A file with the words; by default standard input.")
    ] = None,
    shared: Shared = USUAL,
) -> None:
    """Write to all players and observers of games. Each reader gets one letter for all their games."""
    from pbem.game.wording import counted
    from pbem.mail.write.by_game_master import broadcast_letters, broadcast_words, readers

    meant = games_meant(shared.folder, names)
    words, settings = (broadcast_words(read_input(text or Path("-")).decode("utf-8", "replace")), mail_settings(shared))
    to: dict[str, list[str]] = {}

    def deal(name: str) -> Dealt:
        with opened_to_read(name, shared) as game:
            to[name] = readers(game)
            return Dealt(counted(len(to[name]), "reader"), {"readers": len(to[name])})

    def write() -> list[str]:
        return [post_letter(out, settings.games / "outbox") for out in broadcast_letters(words, to, settings)]

    again = [] if text is None else ["--text", str(text)]
    deal_with(meant, deal, shared.json, verb="broadcast", again=again, at_end=write)


def archive_games(
    names: GamePatterns,
    back: Annotated[bool, typer.Option("--back", help="Bring archived games back.")] = False,
    shared: Shared = USUAL,
) -> None:
    """Move games that are over into the folder `archive` beside them, or bring them back."""
    from pbem.referee.acts import ending as room

    folder = shared.folder

    def put_away(name: str) -> Dealt:
        with opened_to_change(name, shared) as game:
            lies = room.archive_game(game)
        return Dealt(f"put away in {lies}", {"folder": str(lies)})

    def bring_back(name: str) -> Dealt:
        lies = room.bring_back(folder, name)
        return Dealt(f"back in {lies}", {"folder": str(lies)})

    meant = games_meant(folder / room.ARCHIVE if back else folder, names)
    deal_with(meant, bring_back if back else put_away, shared.json, verb="archive", again=["--back"] if back else [])


def change_observers(
    names: GamePatterns,
    add: Annotated[
        str | None, typer.Option("--add", metavar="PERSON", help="Add an observer: 'Dora <dora@example.org>'.")
    ] = None,
    late: Annotated[str, typer.Option("--late", help="How far behind they are: '2 turns' or '3 days'.")] = "",
    remove: Annotated[str | None, typer.Option("--remove", metavar="ADDRESS", help="Remove an observer.")] = None,
    shared: Shared = USUAL,
) -> None:
    """Add or remove observers, who get letters with what everybody may see of a game; or list them."""
    from pbem.mail.notes.address import mailbox
    from pbem.mail.notes.outboxes import MaildirOutbox
    from pbem.mail.notes.watching import Observer, leave, observers, watch
    from pbem.mail.write.observers import write_to_observers

    if add is not None and remove is not None:
        misuse("give --add or --remove, not both")
    person = None if add is None else mailbox(add.strip())
    if add is not None and person is None:
        misuse(f"--add {add}: write NAME <address>, such as 'Dora <dora@example.org>'")
    if late and add is None:
        misuse("--late goes with --add: give both to change how late somebody is told")
    turns, days = _lateness(late)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, shared) as game, game.lock():
            settings, letters = mail_settings(shared), list[str]()
            if person is not None:
                watch(game, Observer(person.address, turns, days))
                outbox = MaildirOutbox(settings.games / "outbox")
                letters = [out.file or "" for out in write_to_observers(game, settings, outbox, settings.now)]
            if remove is not None:
                leave(game, remove)
            watching = observers(game.path)
        rows = [{"address": each.address, "late": each.late, "told": each.told} for each in watching]
        listed = ", ".join(f"{each.address}" + (f" ({each.late} late)" if each.late else "") for each in watching)
        return Dealt(f"watched by {listed or 'nobody'}", {"observers": rows, "letters": letters})

    again = _option_words(("--add", add), ("--late", late), ("--remove", remove))
    deal_with(games_meant(shared.folder, names), deal, shared.json, verb="observer", again=again)


def _lateness(text: str) -> tuple[int, int]:
    """Return how many turns, or how many days, late somebody is told."""
    found = fullmatch(r"(\d{1,4}) ?(turn|day)s?", text.strip())
    if found is None:
        if text:
            misuse(f"--late {text}: write '2 turns' or '3 days'")
        return 0, 0
    return (int(found[1]), 0) if found[2] == "turn" else (0, int(found[1]))


# ---- Time: `pbem extend`, `pause`, `resume` and `hold`


def give_more_time(
    names: GamePatterns,
    reason: Why,
    by: Annotated[str | None, typer.Option("--by", metavar="SPAN", help="How much more time: 2d, 12h, 1d 12h.")] = None,
    until: Until = None,
    side: OnlySides = None,
    shared: Shared = USUAL,
) -> None:
    """Give sides more time for their open decisions. If you play a side yourself, ask the others for consent."""
    from pbem.mail.write.time_letters import facts_so_far, time_letters
    from pbem.referee.acts import timekeeping
    from pbem.referee.acts.request_kinds import Proposal
    from pbem.repo.files.requests import EXTENSION

    if (by is None) == (until is None):
        misuse("give --by SPAN or --until TIME")
    span, at = _span_of_option(by), _time_of_option(until)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, shared) as game, game.lock():
            require_sides(game, side or ())
            settings = mail_settings(shared)
            running = timekeeping.extended_by(game, span or timedelta(), tuple(side or ()))
            times = running if at is None else dict.fromkeys(running, at)
            if _must_ask(game):
                return _ask_for_consent_to(game, Proposal(EXTENSION, extended=times), reason, settings)
            before = facts_so_far(game)
            timekeeping.extend_time(game, times, reason)
            letters = _post(time_letters(game, before, settings), settings)
            shown = {each: f"{when:%Y-%m-%d %H:%M} UTC" for each, when in times.items()}
            said = ", ".join(f"{each} until {when}" for each, when in shown.items())
            return Dealt(
                f"more time: {said}", {"until": {each: _iso(when) for each, when in times.items()}, "letters": letters}
            )

    again = _option_words(
        ("--by", by), ("--until", until), *(("--side", each) for each in side or ()), ("--reason", reason)
    )
    deal_with(games_meant(shared.folder, names), deal, shared.json, verb="extend", again=again)


def pause_clocks(names: GamePatterns, reason: Why, until: Until = None, shared: Shared = USUAL) -> None:
    """Stop the clocks of games until a time, or for as long as their terms allow. Letters are still carried out."""
    from pbem.mail.write.time_letters import facts_so_far, time_letters
    from pbem.referee.acts import timekeeping
    from pbem.referee.acts.request_kinds import Proposal
    from pbem.repo.files.requests import PAUSE

    at = _time_of_option(until)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, shared) as game, game.lock():
            settings = mail_settings(shared)
            if _must_ask(game):
                terms, clocks = timekeeping.require_clock(game)
                latest = timekeeping.fact_time(game, clocks) + terms.pause
                return _ask_for_consent_to(game, Proposal(PAUSE, until=at or latest), reason, settings)
            before = facts_so_far(game)
            end = timekeeping.pause_game(game, at, reason).pauses[-1].until
            letters = _post(time_letters(game, before, settings), settings)
            return Dealt(f"paused until {end:%Y-%m-%d %H:%M} UTC", {"until": _iso(end), "letters": letters})

    again = _option_words(("--until", until), ("--reason", reason))
    deal_with(games_meant(shared.folder, names), deal, shared.json, verb="pause", again=again)


def resume_clocks(names: GamePatterns, reason: Why, shared: Shared = USUAL) -> None:
    """End the pause of games. Their clocks run again."""
    from pbem.mail.write.time_letters import facts_so_far, time_letters
    from pbem.referee.acts import timekeeping

    def deal(name: str) -> Dealt:
        with opened_to_change(name, shared) as game, game.lock():
            settings = mail_settings(shared)
            before = facts_so_far(game)
            timekeeping.end_pause(game, reason)
            return Dealt("time counts again", {"letters": _post(time_letters(game, before, settings), settings)})

    deal_with(
        games_meant(shared.folder, names), deal, shared.json, verb="resume", again=_option_words(("--reason", reason))
    )


def hold_games(
    names: GamePatterns,
    reason: Why,
    until: Until = None,
    for_: Annotated[str | None, typer.Option("--for", metavar="SPAN", help="How long it lasts: 2h, 1d.")] = None,
    release: Annotated[bool, typer.Option("--release", help="End the hold.")] = False,
    shared: Shared = USUAL,
) -> None:
    """Put games on hold. Orders are accepted and can be withdrawn, but nothing is adjudicated until the hold ends."""
    from pbem.mail.write.time_letters import facts_so_far, time_letters
    from pbem.referee.acts import timekeeping

    if [until is not None, for_ is not None, release].count(True) != 1:
        misuse("give one of --until TIME, --for SPAN, --release")
    span, at = _span_of_option(for_), _time_of_option(until)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, shared) as game, game.lock():
            settings, before = mail_settings(shared), facts_so_far(game)
            _, clocks = timekeeping.require_clock(game)
            end = timekeeping.fact_time(game, clocks) + span if span is not None else at
            timekeeping.hold_game(game, end, reason)
            letters = _post(time_letters(game, before, settings), settings)
            if end is None:
                return Dealt("its hold is over", {"until": None, "letters": letters})
            return Dealt(f"on hold until {end:%Y-%m-%d %H:%M} UTC", {"until": _iso(end), "letters": letters})

    words = _option_words(("--until", until), ("--for", for_), ("--reason", reason))
    again = [*(["--release"] if release else []), *words]
    deal_with(games_meant(shared.folder, names), deal, shared.json, verb="hold", again=again)


def _must_ask(game: Adjudicator) -> bool:
    """Tell whether the game master plays a side, and so needs the consent of the others."""
    return game.clock.terms is not None and game.clock.terms.master is not None


def _ask_for_consent_to(game: Adjudicator, proposal: Proposal, reason: str, settings: MailSettings) -> Dealt:
    """Ask the sides for their consent by letter."""
    from pbem.mail.write.consent_letters import outcome, request_letters
    from pbem.referee.acts.consents import propose

    motion = propose(game, None, proposal, reason)
    letters = _post(request_letters(game, motion, settings), settings)
    return Dealt(outcome(game, motion.request), {"request": motion.request, "letters": letters})


def _post(letters: Iterable[Outgoing], settings: MailSettings) -> list[str]:
    return post_all(letters, settings.games / "outbox")


def _span_of_option(text: str | None) -> timedelta | None:
    from pbem.referee.game.terms import BadTerms, duration

    try:
        return None if text is None else duration(text)
    except BadTerms as wrong:
        misuse(str(wrong))


def _time_of_option(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        misuse(f"--until {text}: write a time such as 2026-12-14T20:00, with Z or +01:00 behind it if it is not UTC")


def _iso(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _option_words(*options: tuple[str, str | None]) -> list[str]:
    """Return options as the command has them, for the same command to be given again."""
    return [word for option, value in options if value for word in (option, value)]

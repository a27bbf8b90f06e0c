"""The tasks of a letter: what it asks for in each game, how it is refused where it asks for none; whom games await."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from pbem.game.wording import listing
from pbem.mail.answer.questions import FORECAST, HELP, before_the_beginning
from pbem.mail.choose.routing import Route
from pbem.mail.choose.sheet_choice import orders_outside
from pbem.mail.read.commands import Instruction
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.write.answer_letters import chat_letters, no_orders, refusal_letter
from pbem.mail.write.outgoing import Outgoing, side_name
from pbem.mail.write.posting import bundled
from pbem.protocol import PbemError, Side
from pbem.referee.game.open_game import CannotPlay, OtherRules, on_hold_until
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.git import StoreError

NO_SHEET: Final = "It asks for a FORECAST of an order sheet, but there is no sheet in it."
_TO_PASS_ON: Final = (
    "You answer what another side says, but nothing in your letter says that it is to be passed on. Begin with the "
    "line `PRESS ALL:`, or with the side in place of ALL, and write your words below it."
)


def waits_for(game: Adjudicator) -> str:
    """Return whom a game waits for, and for what, in a few words for the log."""
    if game.result is not None:
        return "the game is over"
    if game.closed is not None:
        return f"it waits for round {game.closed.round} of the beacon"
    if not game.begun:
        return f"it waits for a phrase from {listing(game.awaited, 'and')}" if game.awaited else "it has not begun"
    if (until := on_hold_until(game)) is not None:
        return f"it is on hold until {until:%Y-%m-%d %H:%M:%S} UTC"
    asked: dict[str, dict[str, None]] = {}
    for each in game.open_decisions:
        asked.setdefault(each.side, {})[each.kind] = None
    sides = [f"{side} ({', '.join(kinds)})" for side, kinds in asked.items()]
    return f"it waits for {listing(sides, 'and')}" if sides else "it waits for nobody"


class Unread(NamedTuple):
    """The game of a letter in which nothing is found: a line for the log, and what to do if it has not begun."""

    game: str
    log: str
    no_orders: str
    """What is said of mere words."""
    not_begun: str | None


def unread(route: Route) -> Unread | None:
    """Return what is known of the game that a letter is about in which nothing is found; None: it shows none."""
    letter, settings = route.letter, route.settings
    try:
        name = route.shown
        if name is None:
            return None
        with settings.open(name) as game:
            game.carry_out_letter_of(settings.letter_time, settings.now)
            side = next(iter(game.written_by(letter.sender)), None)
            if side is None:
                return None
            log = log_line(game, side, "nothing was found in it")
            return Unread(name, log, no_orders(game, letter.refusal or ""), _before_begun(game, side))
    except OtherRules:
        raise
    except (CannotPlay, StoreError):
        return None


def orders_of_another(route: Route) -> str | None:
    """Return what to tell a player whose orders only another game of theirs knows; None: no such game is found."""
    for name in route.own_games:
        try:
            with route.settings.open(name) as game:
                found = [each for each in orders_outside(route.letter, game) if each.word in game.box.forms]
        except (CannotPlay, StoreError):
            continue
        if found:
            lines = "\n".join(f"  | {line.rstrip()[:100]}" for line in found[0].lines)
            return (
                f"Its orders look like those of your game {name}, but it is about another game:\n{lines}\nAnswer the "
                f"last report of {name} with them."
            )
    return None


def log_line(game: Adjudicator, side: Side, came: str) -> str:
    """Return the line for the log that says what came of a letter of a side, and whom the game now waits for."""
    return f"{game.name}: letter of {side}: {came}; {waits_for(game)}"


def _before_begun(game: Adjudicator, side: Side) -> str | None:
    """Return what to tell a side of a game that has not begun; None: it has."""
    if game.begun:
        return None
    said = f"There is nothing in it for {game.name}. {' '.join(before_the_beginning(game, side))}"
    if side not in game.awaited:
        return f"{said} You need not do anything; {side_name(game, side)} has sent a phrase."
    return f"{said} Answer with one line that begins with the word PHRASE in capitals:\n\n  PHRASE any words of yours"


class NextDue(NamedTuple):
    """When something falls due next in a game by itself (None: nothing does), as of a commit."""

    when: datetime | None
    tip: str
    clock: bool = False
    """Whether the game has a clock that can run."""


@dataclass(slots=True)
class Handled:
    """The outcome of a letter: the answers, whether all its sheets were accepted, and lines for the log."""

    letters: list[Outgoing] = field(default_factory=list)
    accepted: bool = True
    notes: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """The faults of each sheet that was sent back."""
    waits: dict[str, PbemError] = field(default_factory=dict)
    """The games that cannot take it in before the game master has acted, and why."""
    due: dict[str, NextDue] = field(default_factory=dict)
    """What falls due next in each game that it was carried out in."""
    log: list[str] = field(default_factory=list)
    """A line for each game that the letter is about: its side, what came of it, whom the game waits for."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a letter asks for in one game: its commands, and the sheets for that game."""

    game: str
    commands: Sequence[Instruction] = ()
    sheets: Sequence[Enclosure] = ()
    """All sheets for the game in it, the quoted ones included."""


def tasks_of(handled: Handled, route: Route, without: str | None) -> list[Task]:
    """Return what a letter asks for, game by game; `without` is the game that its orders without a sheet are for."""
    letter = route.letter
    of_itself = (Instruction(FORECAST.word), Instruction(HELP.word))
    commands = [each for each in letter.commands if each not in of_itself]
    sheets: dict[str, list[Enclosure]] = {}
    for enclosure in letter.enclosures:
        if not (commands and enclosure.only_names):
            sheets.setdefault(enclosure.game, []).append(enclosure)
    for enclosure in letter.beside:
        if (name := enclosure.game) in sheets:
            sheets[name].append(enclosure)
    if without is not None:
        sheets.setdefault(without, [])
    named = None
    if commands:
        try:
            named = route.meant
            sheets.setdefault(named, [])
        except CannotPlay as refusal:
            refuse_letter(handled, route, str(refusal))
    elif letter.wants_forecast and not sheets:
        refuse_letter(handled, route, NO_SHEET)
    return [Task(name, commands if name == named else (), each) for name, each in sheets.items()]


def not_yours(name: str, letter: Letter) -> str:
    """Return the reason to refuse a game, the same whether it exists or not: nobody can find out by asking."""
    return (
        f"There is no game called {name} here in which {letter.sender} plays. Check the spelling of its name, and "
        "write from the address that you joined with."
    )


def answer_unread(handled: Handled, route: Route) -> None:
    """Answer a letter in which nothing is found: mere words by the form, others by what its sender can do about it."""
    letter, settings, found = route.letter, route.settings, unread(route)
    if found is not None:
        handled.log.append(found.log)
    if found is not None and found.not_begun is None and (said := _of_words(route, found)):
        handled.letters += bundled(chat_letters(found.game, said, letter, settings))
        handled.notes.append(f"letter {letter.digest[:12]} has no orders: its sender gets the form")
        return
    if letter.unclear:
        reason = unclear(letter.unclear)
    elif found is not None and found.not_begun is not None:
        reason = found.not_begun
    else:
        reason = orders_of_another(route) or letter.refusal or ""
    refuse_letter(handled, route, reason, reported=found is None or found.not_begun is None)


def _of_words(route: Route, found: Unread) -> str:
    """Return what is said of a letter that has only words; empty: it is to be refused."""
    if not route.letter.only_words:
        return ""
    if route.letter.unclear:
        return unclear(route.letter.unclear)
    if route.answers_talk:
        return _TO_PASS_ON
    return "" if orders_of_another(route) else found.no_orders


def unclear(lines: Sequence[str]) -> str:
    """Return what to tell a sender of lines that only begin like a command."""
    shown = "\n".join(f"  | {line[:100]}" for line in lines)
    return (
        f"Perhaps this was meant as a command:\n{shown}\nA word that asks, such as STATUS, stands alone on its line. A "
        "word that changes something stands in capitals at the start of its line, with all that belongs to it on the "
        "same line, such as: PHRASE any words of yours"
    )


def refuse_letter(handled: Handled, route: Route, reason: str, *, reported: bool = True) -> None:
    """Refuse a letter, or what it asks for in one game; `reported`: its sender may have had a report."""
    letter = route.letter
    handled.letters.append(refusal_letter(reason, len(handled.letters), letter, route.settings, reported=reported))
    handled.accepted = False
    first, _, _ = reason.partition("\n")
    handled.notes.append(f"letter {letter.digest[:12]} refused: {first}")

"""The tasks of a letter: what it asks for in each game, and how it is refused where it asks for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from pbem.mail.answer_letters import refusal_letter
from pbem.mail.bundles import bundled
from pbem.mail.chat import chat_letters
from pbem.mail.commands import Command, Instruction
from pbem.mail.letter import Enclosure, Letter
from pbem.mail.outgoing import MailSettings, Outgoing
from pbem.mail.routing import answers_talk, game_of, meant, only_names
from pbem.mail.waiting import Unread, orders_of_another, unread
from pbem.referee.open_game import CannotPlay, OtherRules


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
    waits: dict[str, OtherRules] = field(default_factory=dict)
    """The games that cannot take it in before the game master has acted, and why."""
    due: dict[str, NextDue] = field(default_factory=dict)
    """What falls due next in each game that it was carried out in."""
    log: list[str] = field(default_factory=list)
    """A line for each game that the letter is about: its side, what came of it, whom the game waits for."""


NO_SHEET: Final = "It asks for a FORECAST of an order sheet, but there is no sheet in it."


@dataclass(frozen=True, slots=True)
class Task:
    """What a letter asks for in one game: its commands, and the sheets for that game."""

    game: str
    commands: Sequence[Instruction] = ()
    sheets: Sequence[Enclosure] = ()
    """All sheets for the game in it, the quoted ones included."""


def tasks_of(handled: Handled, letter: Letter, settings: MailSettings, without: str | None) -> list[Task]:
    """Return what a letter asks for, game by game; `without` is the game that its orders without a sheet are for."""
    of_itself = (Instruction(Command.FORECAST), Instruction(Command.HELP))
    commands = [each for each in letter.commands if each not in of_itself]
    sheets: dict[str, list[Enclosure]] = {}
    for enclosure in letter.enclosures:
        if not (commands and only_names(enclosure)):
            sheets.setdefault(game_of(enclosure), []).append(enclosure)
    for enclosure in letter.beside:
        if (name := game_of(enclosure)) in sheets:
            sheets[name].append(enclosure)
    if without is not None:
        sheets.setdefault(without, [])
    named = None
    if commands:
        try:
            named = meant(letter, settings)
            sheets.setdefault(named, [])
        except CannotPlay as refusal:
            refuse(handled, letter, settings, str(refusal))
    elif wants_forecast(letter) and not sheets:
        refuse(handled, letter, settings, NO_SHEET)
    return [Task(name, commands if name == named else (), each) for name, each in sheets.items()]


def wants_forecast(letter: Letter) -> bool:
    """Tell whether a letter asks what its sheet could lead to."""
    return any(each.command == Command.FORECAST for each in letter.commands)


def not_yours(name: str, letter: Letter) -> str:
    """Return the reason to refuse a game, the same whether it exists or not: nobody can find out by asking."""
    return (
        f"There is no game called {name} here in which {letter.sender} plays. Check the spelling of its name, and "
        "write from the address that you joined with."
    )


def answer_unread(handled: Handled, letter: Letter, settings: MailSettings) -> None:
    """Answer a letter in which nothing is found: mere words by the form, others by what its sender can do about it."""
    found = unread(letter, settings)
    if found is not None:
        handled.log.append(found.log)
    if found is not None and found.not_begun is None and (said := _of_words(letter, found, settings)):
        handled.letters += bundled(chat_letters(found.game, said, letter, settings))
        handled.notes.append(f"letter {letter.digest[:12]} has no orders: its sender gets the form")
        return
    if letter.unclear:
        reason = unclear(letter.unclear)
    elif found is not None and found.not_begun is not None:
        reason = found.not_begun
    else:
        reason = orders_of_another(letter, settings) or letter.refusal or ""
    refuse(handled, letter, settings, reason, reported=found is None or found.not_begun is None)


def _of_words(letter: Letter, found: Unread, settings: MailSettings) -> str:
    """Return what is said of a letter that has only words; empty: it is to be refused."""
    if not letter.only_words:
        return ""
    if letter.unclear:
        return unclear(letter.unclear)
    if answers_talk(letter, settings):
        return _TO_PASS_ON
    return "" if orders_of_another(letter, settings) else found.no_orders


_TO_PASS_ON: Final = (
    "You answer what another side says, but nothing in your letter says that it is to be passed on. Begin with the "
    "line `PRESS ALL:`, or with the side in place of ALL, and write your words below it."
)


def unclear(lines: Sequence[str]) -> str:
    """Return what to tell a sender of lines that only begin like a command."""
    shown = "\n".join(f"  | {line[:100]}" for line in lines)
    return (
        f"Perhaps this was meant as a command:\n{shown}\nA word that asks, such as STATUS, stands alone on its line. A "
        "word that changes something stands in capitals at the start of its line, with all that belongs to it on the "
        "same line, such as: PHRASE any words of yours"
    )


def refuse(handled: Handled, letter: Letter, settings: MailSettings, reason: str, *, reported: bool = True) -> None:
    """Refuse a letter, or what it asks for in one game; `reported`: its sender may have had a report."""
    handled.letters.append(refusal_letter(reason, len(handled.letters), letter, settings, reported=reported))
    handled.accepted = False
    first, _, _ = reason.partition("\n")
    handled.notes.append(f"letter {letter.digest[:12]} refused: {first}")

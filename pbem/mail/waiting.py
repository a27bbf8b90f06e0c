"""Waiting games: whom a game waits for, for the log, and what to tell a player before it has begun."""

from __future__ import annotations

from typing import NamedTuple

from pbem.game.wording import listing
from pbem.mail.chat import no_orders
from pbem.mail.command_actions import before_the_beginning
from pbem.mail.letter import Letter
from pbem.mail.outgoing import MailSettings, called
from pbem.mail.routing import games_of, shown
from pbem.mail.sheet_choice import orders_outside
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.hold import held_until
from pbem.referee.open_game import CannotPlay, OtherRules
from pbem.repo.git import StoreError


def awaited(game: Adjudicator) -> str:
    """Return whom a game waits for, and for what, in a few words for the log."""
    if game.result is not None:
        return "the game is over"
    if game.closed is not None:
        return f"it waits for round {game.closed.round} of the beacon"
    if not game.begun:
        return f"it waits for a phrase from {listing(game.awaited, 'and')}" if game.awaited else "it has not begun"
    if (until := held_until(game)) is not None:
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


def unread(letter: Letter, settings: MailSettings) -> Unread | None:
    """Return what is known of the game that a letter is about in which nothing is found; None: it shows none."""
    try:
        name = shown(letter, settings)
        if name is None:
            return None
        with settings.open(name) as game:
            game.carry_out_letter_of(settings.letter_time, settings.now)
            side = next(iter(game.written_by(letter.sender)), None)
            if side is None:
                return None
            log = log_line(game, side, "nothing was found in it")
            return Unread(name, log, no_orders(game, letter.refusal or ""), _before(game, side))
    except OtherRules:
        raise
    except (CannotPlay, StoreError):
        return None


def orders_of_another(letter: Letter, settings: MailSettings) -> str | None:
    """Return what to tell a player whose orders only another game of theirs knows; None: no such game is found."""
    for name in games_of(settings, letter.sender):
        try:
            with settings.open(name) as game:
                found = [each for each in orders_outside(letter, game) if each.word in game.box.forms]
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
    return f"{game.name}: letter of {side}: {came}; {awaited(game)}"


def _before(game: Adjudicator, side: Side) -> str | None:
    """Return what to tell a side of a game that has not begun; None: it has."""
    if game.begun:
        return None
    said = f"There is nothing in it for {game.name}. {' '.join(before_the_beginning(game, side))}"
    if side not in game.awaited:
        return f"{said} You need not do anything; {called(game, side)} has sent a phrase."
    return f"{said} Answer with one line that begins with the word PHRASE in capitals:\n\n  PHRASE any words of yours"

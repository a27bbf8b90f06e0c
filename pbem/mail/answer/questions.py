"""The commands that only ask: STATUS, REPORT, FORM, FORECAST, HISTORY and HELP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game.wording import hint, listing
from pbem.mail.answer.command import Command, CommandTask
from pbem.mail.notes.reader_time import deadline_line, reader_zone, time_shown
from pbem.mail.read.commands import Word
from pbem.mail.write.consent_letters import outcome
from pbem.mail.write.outgoing import as_written, side_name, side_report
from pbem.protocol import Side
from pbem.referee.game.open_game import CannotPlay, deputy_of, on_hold_until
from pbem.referee.game.time_ledger import ledger_line
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.messages import sentences
from pbem.render.text.reference import one_order, order_list
from pbem.render.text.report import Titled, happened
from pbem.repo.files.requests import OPEN

_USUAL: Final = 5
"""Adjudications that HISTORY without a number tells of."""
_MOST: Final = 100
_NO_REPORT: Final = "There is no report yet."


def tell_status(task: CommandTask) -> str:
    """Return the public state of a game, for a side to read."""
    return "\n".join(status_lines(task.game, task.side))


def status_lines(game: Adjudicator, side: Side) -> Iterator[str]:
    """Yield the public state of a game, for a side to read."""
    yield f"{game.name}: {game.box.title} ({game.charter.edition})."
    if not game.begun:
        yield from before_the_beginning(game, side)
        return
    report = side_report(game, side, game.adjudication)
    yield f"After adjudication {game.adjudication}." + (f" {report.summary}." if report.summary else "")
    if game.result is not None:
        yield f"The game is over. {sentences(game.box).result(game.result)}"
    elif game.closed is not None:
        yield f"The sheets are closed until round {game.closed.round} of the beacon has come."
    elif report.asked:
        yield f"You are asked: {report.asked} {deadline_line(game, side)}".rstrip()
    elif (until := on_hold_until(game)) is not None:
        yield f"It is on hold until {time_shown(until, reader_zone(game, side))}: until then orders can be taken back."
    else:
        names = dict.fromkeys(side_name(game, each.side) for each in game.open_decisions if each.side != side)
        yield f"It waits for {listing(names)}." if names else "It waits for nobody."
    if (deputy := deputy_of(game, side)) is not None and game.result is None:
        yield f"Your deputy up to {deputy.until} is {deputy.name} <{deputy.address}>."
    if (out := game.out) and game.result is None:
        yield f"Out of the game: {listing([side_name(game, each) for each in out])}."
    if time := ledger_line(game):
        yield time
    if number := game.requests.get(OPEN, 0):
        yield outcome(game, number)


def before_the_beginning(game: Adjudicator, side: Side | None = None) -> Iterator[str]:
    """Yield what a game that has not begun waits for."""
    awaited = game.awaited
    if game.closed is not None:
        yield f"The game has not begun: its first shuffle waits for round {game.closed.round} of the beacon."
    elif awaited:
        names = ["you" if each == side else side_name(game, each) for each in awaited]
        yield f"The game has not begun: it waits for a phrase from {listing(names)}."
    else:
        yield "The game has not begun."


def tell_of_report(task: CommandTask) -> str:
    """Return why there is no report; empty: it is sent."""
    return "" if task.game.begun else _NO_REPORT


def tell_of_form(task: CommandTask) -> str:
    """Return where the form of a side stands, or why it has none."""
    if not task.game.begun:
        return _NO_REPORT
    return "FORM: see below." if task.game.asked(task.side) else "FORM: you have nothing to decide now."


def history(task: CommandTask) -> str:
    """Return what happened in the last adjudications, as the side was told of it."""
    game, word = task.game, task.rest.strip()
    if word and not (word.isascii() and word.isdigit() and len(word) < 10 and int(word)):
        raise CannotPlay(f"write a number after it, such as HISTORY {_USUAL}: that many adjudications are told again")
    if not game.begun:
        raise CannotPlay("the game has not begun")
    last = game.adjudication
    asked = min(int(word or _USUAL), _MOST)
    return Titled("\n".join(_told_again(task, max(last - asked, 0), last)))


def _told_again(task: CommandTask, since: int, last: int) -> Iterator[str]:
    """Yield what happened after an adjudication, those that were undone left out."""
    game, side = task.game, task.side
    yield f"HISTORY: adjudication {since + 1} to {last}." if since + 1 < last else f"HISTORY: adjudication {last}."
    told = as_written(game, side, game.told(side, since))
    seen = False
    for n in dict.fromkeys(each.adjudication for each in told):
        if lines := happened(game.box, [each for each in told if each.adjudication == n]):
            seen = True
            yield from ("", f"ADJUDICATION {n}", *lines)
    if not seen:
        yield from ("", "Nothing that you could see.")


def help_orders(task: CommandTask) -> str:
    """Return the orders of the game, or all about one kind of order."""
    box = task.game.box
    _, _, kind = task.rest.partition(" ")
    kind = kind.strip().lower()
    if not kind:
        first = next(iter(box.forms))
        return "\n".join(
            [
                f"HELP ORDERS: the orders of {box.title}, each with an example. HELP ORDERS {first} tells all about "
                "one kind. Your order sheet shows what is legal at the moment. Before you are asked, an order may "
                "stand below a line `ahead: true`, for once, or below `standing:`, for good.",
                "",
                *order_list(box),
            ]
        ).rstrip()
    if kind not in box.forms:
        better = hint(kind, box.forms, "there are", "and") or f"; there are {', '.join(box.forms)}"
        raise CannotPlay(f"ORDERS: there is no order {kind[:40]}{better}")
    return "\n\n".join([f"HELP ORDERS {kind}", *one_order(box, kind)])


STATUS: Final = Command(
    word=Word("STATUS", asks=True, changes=False, takes_words=False),
    does=tell_status,
    is_answered_last=True,
    is_explained=True,
    help=("STATUS", "where the game stands, and whom it waits for"),
    docs=(("STATUS", "says where the game stands, in full, and whom it waits for"),),
)
REPORT: Final = Command(
    word=Word("REPORT", asks=True, changes=False, takes_words=False),
    does=tell_of_report,
    is_answered_last=True,
    is_explained=True,
    help=("REPORT", "your last report again, in full"),
    docs=(("REPORT", "sends your last report again, in full, with what you have not been told yet"),),
)
FORM: Final = Command(
    word=Word("FORM", asks=True, changes=False, takes_words=False),
    does=tell_of_form,
    is_answered_last=True,
    is_explained=True,
    help=("FORM", "your order sheet again"),
    docs=(("FORM", "sends your order sheet again"),),
)
FORECAST: Final = Command(
    word=Word("FORECAST", asks=True, changes=False, takes_words=False, is_about_sheet=True),
    does=None,
    is_explained=True,
    help=("FORECAST", "what the sheet in the same letter could lead to; nothing is carried out"),
    docs=(("FORECAST", "says what the sheet in the same letter could lead to"),),
)
HISTORY: Final = Command(
    word=Word("HISTORY", asks=True, asks_with=r"[0-9]{1,9}", changes=False),
    does=history,
    help=("HISTORY 5", "what happened in the last five adjudications"),
    docs=(("HISTORY 5", "tells again what you could see of the last five adjudications; without a number, of five"),),
)
HELP: Final = Command(
    word=Word("HELP", asks=True, asks_with=r"ORDERS(?: +\S+)?", changes=False, takes_words=False),
    does=help_orders,
    counts_for=lambda game, side: False,  # its answer is the same for every side
    help=("HELP ORDERS", "the orders of your game; HELP ORDERS and a kind of order: all about that kind"),
    docs=(
        ("HELP", "sends these commands"),
        ("HELP ORDERS", "lists the orders of your game; `HELP ORDERS march` tells all about one kind"),
    ),
)
COMMANDS: Final = (STATUS, REPORT, FORM, FORECAST, HISTORY, HELP)

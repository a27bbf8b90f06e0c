"""What becomes of a sheet: its check, its costs, what it files, and the hold that lets its player take it back.

The sheet is committed at once, sealed. No adjudication is made, and no link of the dice chain is opened, before its
hold is over. WITHDRAW and a new sheet are commits as well. The first ends the hold, the second begins a new one. A hold
also ends at a deadline of any side.

The end of a hold follows from the terms of the clock and the time of the letter with the sheet, which is the date of
its commit. `clock.yaml` has it, with the clock of the side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pbem.engine.session import Session
from pbem.orders.check import OpenDecisions, Receipt, check_sheet
from pbem.orders.forgive import Answering
from pbem.orders.said.words_reader import WordsReader, reader_of
from pbem.orders.sheet import Sheet
from pbem.orders.standing import file_standing
from pbem.protocol import Decision, Record, Side
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.repo.files.records import as_plain
from pbem.repo.files.state import State

if TYPE_CHECKING:
    from pbem.game.prospects import Prospect

_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class SheetOrigin:
    """Where a sheet comes from."""

    name: str = "orders.yaml"
    answering: Answering | None = None
    """The report that its letter answers, if that is known."""
    ruled: bool = False
    """Whether the game master has written it: it opens no link of the player's chain."""
    recorded: bool = False
    """Whether it is on record: it is read strictly, as what is forgiven today must not change a game of yesterday."""


USUAL_ORIGIN: Final = SheetOrigin()


def check_sheet_of(
    game: OpenGame, side: Side, raw: bytes, origin: SheetOrigin = USUAL_ORIGIN
) -> tuple[Receipt, Sheet | None]:
    """Check a side's sheet and change nothing; the sheet is None if it has faults."""
    session, ruled = game.session, origin.ruled
    at = OpenDecisions(
        box=game.box,
        game=game.name,
        sides=game.rules.sides,
        side=side,
        adjudication=game.adjudication,
        decisions=game.asked(side),
        faults=session.every_fault,
        further=session.further,
        second=session.second_answers,
        costs=session.costs,
        answered=partial(_answered_without, game, session, ruled),
        standing=[each.written() for each in game.standing(side)],
        waiting=game.waits(side) and not ruled,
        periods=tuple(game.periods),
        today=game.day,
        chain=None if ruled else game.player_chain(side),
        closed=game.closed,
        recorded=origin.recorded,
        answering=origin.answering,
        out=side in game.out,
        out_by=game.box.out_rule if side in game.rules.out(session.position) else "",
        words=partial(reader_for, game, side),
        others={} if origin.recorded or ruled else _other_sides_of_player(game, side),
    )
    return check_sheet(at, raw, name=origin.name)


def reader_for(game: OpenGame, side: Side) -> WordsReader:
    """Return the reader of the words of a side: it knows what the view of the side shows, and nothing else."""
    return reader_of(game.rules, game.box, game.view(side), game.asked(side))


def _answered_without(game: OpenGame, session: Session[Any], ruled: bool, decision: Decision) -> bool:
    """Tell whether a decision has an answer without a sheet; a ruling leaves to the side what it does not say."""
    state = game.current().state
    if state is None or ruled:
        return ruled
    ready = game.in_force(state, session, game.day)
    return ready.answer(session, decision) is not None or session.only_answer(decision) is not None


def costs(game: OpenGame, side: Side) -> list[str]:
    """Return what the accepted orders of a side will cost, as text, as far as that can be forecast."""
    now, session = game.current(), game.session
    ready = [] if now.state is None else [queued.order for queued in now.state.pending.get(side, ())]
    return [
        line
        for decision in game.asked(side)
        for line in session.costs(decision, [order for order in ready if session.is_for(order, decision)])
    ]


def forecast_sheet_of(
    game: OpenGame, side: Side, raw: bytes, origin: SheetOrigin = USUAL_ORIGIN
) -> tuple[Receipt, list[Prospect]]:
    """Check a side's sheet and, if it has no faults, forecast it. Change nothing and roll nothing."""
    receipt, sheet = check_sheet_of(game, side, raw, origin)
    if sheet is None:
        return receipt, []
    from pbem.engine.forecast import of_sheet  # odds are for who asks for them

    return receipt, of_sheet(game.rules, game.view(side), game.asked(side), sheet.orders)


def _other_sides_of_player(game: OpenGame, side: Side) -> dict[Side, list[str]]:
    """Return the other sides of a side's player, each with the kinds of its open decisions."""
    address = game.ledger.addresses.get(side)
    others = [] if address is None else [each for each in game.sides_of(address) if each != side]
    return {other: [decision.kind for decision in game.asked(other)] for other in others}


def filed_standing(game: OpenGame, state: State, side: Side, sheet: Sheet) -> list[Record]:
    """Return a side's standing orders as they are kept once a sheet has changed them."""
    n, periods, usual = state.sheets[side], game.periods, game.box.standing_of(side)
    new = [
        as_plain(each.record())
        for written in (sheet.standing_add, sheet.standing or ())
        for each in file_standing(written, usual, sheet=n, after=state.adjudication, periods=periods)
    ]
    in_force = enumerate(state.standing.get(side, ()), 1)
    kept = [record for number, record in in_force if number not in sheet.standing_cancel]
    return new if sheet.standing is not None else [*new, *kept]


def is_on_hold(game: OpenGame, *, late: bool) -> bool:
    """Tell whether a sheet of a game is on hold; `late`: the game master says that a deadline has passed."""
    held = game.clock.held()
    return held is not None and held > game.clock.time and (game.clock.decides or not late)


def hold_ends(game: OpenGame, ready: Callable[[], bool]) -> datetime | None:
    """Return when a game goes on with sheets that are, or were, on hold; None: it does not.

    A letter that came at the very second at which a hold ends goes first, so that is the second after it. `ready` tells
    whether every open decision has an answer.
    """
    held = game.clock.held()
    return held + _SECOND if held is not None and game.closed is None and ready() else None


def require_gone_on(game: OpenGame, ready: Callable[[], bool]) -> None:
    """Raise CannotPlay if a hold had ended when the letter arrived, and the game has not gone on since."""
    ends = hold_ends(game, ready)
    if ends is not None and ends <= game.clock.time:
        raise CannotPlay(f"the hold of a sheet of {game.name} is over: `pbem adjudicate {game.name}` plays on")

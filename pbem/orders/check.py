"""Checks a sheet against the questions that are open to its side: at the adjudicator's and at a player's home alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pbem.crypto.closing import Closing
from pbem.crypto.player_chains import OwnChain, wrong_with
from pbem.game.box import Box
from pbem.game.yaml import Mark, Placed, by_place
from pbem.orders.sheet import (
    LINK,
    ORDERS,
    STANDING,
    STANDING_ADD,
    BadSheet,
    Sheet,
    as_rows,
    check_heading,
    complain,
    read_sheet,
)
from pbem.orders.standing import Terms, check_standing
from pbem.protocol import ILLEGAL, Decision, Fault, Order, Side

Further: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[Iterable[Fault]]]
"""Says what is wrong with each of several orders of a kind."""
Costs: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[str]]
"""Says what several orders of a kind cost."""


@dataclass(slots=True)
class Receipt:
    """What became of a sheet: accepted under a number, or refused with all its faults and nothing changed."""

    side: Side
    name: str
    lines: Sequence[str] = ()
    complaints: tuple[Placed, ...] = ()
    number: int | None = None
    costs: Sequence[str] = ()
    """What its orders cost, in words, as far as that can be foreseen."""

    def __str__(self) -> str:
        return complain(self.name, self.lines, self.complaints)

    def rows(self) -> list[dict[str, str | int | None]]:
        """Return the faults for a program to read."""
        return as_rows(self.name, self.complaints)


def check_sheet(
    box: Box, game: str, sides: Sequence[Side], side: Side, adjudication: int, waiting: Sequence[Decision],
    faults: Callable[[Decision, Order], Iterable[Fault]], raw: bytes, *, name: str = "orders.yaml",
    periods: Collection[str] = (), today: str | None = None, own: OwnChain | None = None,
    closed: Closing | None = None, further: Further | None = None, costs: Costs | None = None,
) -> tuple[Receipt, Sheet | None]:  # fmt: skip
    """Check a sheet against the questions open to its side; return what is wrong, and the sheet if nothing is.

    `faults(decision, order)` says what the rules have against an order. The first order of each open kind is
    checked against its question; further orders wait for theirs, or are checked by `further` as far as they can be
    foreseen: it says of several orders of a kind what is wrong with each. `periods` are those at whose end a standing
    order may lapse, `today` is the day on which none may have lapsed already; None: nobody knows it. `own` is the
    side's own chain; None: it has none. `closed` says what decides, while no sheet may come. `costs` says what orders
    of a kind cost.
    """
    if closed is not None:
        return _too_late(side, name, raw, closed), None
    bad: BadSheet | None = None
    try:
        sheet: Sheet | None = read_sheet(raw, name=name, forms=box.forms)
    except BadSheet as unreadable:
        bad, sheet = unreadable, unreadable.rest
    complaints = list(bad.complaints) if bad is not None else []
    if sheet is not None:
        heading = check_heading(sheet, game=game, side=side, adjudication=adjudication, sides=sides)
        complaints += [sheet.placed(fault) for fault in heading]
        if (wrong := wrong_with(sheet.link, own)) is not None:
            complaints.append(sheet.placed(Fault(ILLEGAL, (LINK,), wrong)))
        if not heading:
            terms = Terms(box.forms, periods, box.standing, today, box.names)
            for key, written in ((STANDING, sheet.standing or ()), (STANDING_ADD, sheet.standing_add)):
                complaints += [sheet.placed(fault) for fault in check_standing(key, written, terms)]
            complaints += _order_faults(sheet, waiting, _in_turn(faults, further), whole=bad is None)
    lines = bad.lines if bad is not None else sheet.document.lines if sheet is not None else ()
    if complaints or sheet is None:
        return Receipt(side, name, lines, by_place(complaints)), None
    told = [] if costs is None else list(_costs(sheet, waiting, costs))
    return Receipt(side, name, lines, costs=told), sheet


def _costs(sheet: Sheet, waiting: Sequence[Decision], costs: Costs) -> Iterator[str]:
    for decision in waiting:
        yield from costs(decision, [order for order in sheet.orders if order.kind == decision.kind])


def _too_late(side: Side, name: str, raw: bytes, closed: Closing) -> Receipt:
    """Return the refusal of a sheet that came when all sheets had been closed."""
    lines = raw.decode("utf-8", "replace").splitlines()
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    reason = (
        f"the sheets were closed for adjudication {closed.adjudication}, which round {closed.round} of drand decides "
        f"(published {closed.time}); wait for the next report and answer that"
    )
    mark = Mark(first + 1, 1, len(lines[first].rstrip()) if lines else 1)
    return Receipt(side, name, lines, (Placed(Fault(ILLEGAL, (), reason), mark),))


def _in_turn(faults: Callable[[Decision, Order], Iterable[Fault]], further: Further | None) -> Further:
    """Return what checks all orders of a kind; without `further` only the first of them."""
    return lambda decision, orders: (
        further(decision, orders) if further is not None and len(orders) > 1 else [list(faults(decision, orders[0]))]
    )


def _order_faults(sheet: Sheet, waiting: Sequence[Decision], faults: Further, *, whole: bool) -> Iterator[Placed]:
    """Yield the faults of the orders that answer an open question, and of those that come before any answer does.

    A sheet without orders is one if the game asks something, unless it came for its standing orders.
    If the sheet is not whole, the order that answers may be the one that cannot be read.
    """
    asked = sorted({decision.kind for decision in waiting})
    wrong: dict[int, Iterable[Fault]] = {}
    for decision in waiting:
        given = [at for at, order in enumerate(sheet.orders) if order.kind == decision.kind]
        if given:
            wrong |= zip(given, faults(decision, [sheet.orders[at] for at in given]), strict=False)
    answers = not whole
    files = sheet.standing is not None or sheet.standing_add
    if asked and whole and not sheet.orders and not files:
        yield sheet.placed(Fault(ILLEGAL, (ORDERS,), f"the sheet has no order; the game asks for {', '.join(asked)}"))
    for at, order in enumerate(sheet.orders):
        if order.kind in asked:
            answers = True
            yield from (sheet.placed(fault, at) for fault in wrong.get(at, ()))
        elif not answers:
            reason = f"the game does not ask you for {order.kind} now; " + (
                f"it asks for {', '.join(asked)}" if asked else "it asks nothing of you"
            )
            yield sheet.placed(Fault(ILLEGAL, (), reason), at)

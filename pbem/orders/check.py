"""The check of a sheet against the open decisions of its side, at the referee's and at a player's home alike.

An order need not say which of several decisions of its kind it answers, if it is legal for one of them alone. A sheet
that answers one of them answers all that the game waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Protocol, TypeAlias

from pbem.crypto.closing import Closing
from pbem.crypto.player_chains import PlayerChain, link_fault, next_of
from pbem.engine.faults import is_for, name_in_full
from pbem.game.boxes.box import Box
from pbem.game.order_form import OrderForm, too_much
from pbem.game.wording import listing
from pbem.game.yaml import Mark, Placed, by_place
from pbem.orders.forgive import Answering, Forgiven, Known, forgive
from pbem.orders.said.words_reader import WordsReader
from pbem.orders.sheet import (
    AHEAD,
    LINK,
    ORDERS,
    STANDING,
    STANDING_ADD,
    STANDING_CANCEL,
    BadSheet,
    Sheet,
    Written,
    as_rows,
    check_heading,
    complain,
    read_sheet,
    shortened,
)
from pbem.orders.standing import StandingTerms, check_standing
from pbem.protocol import FOR, ILLEGAL, MALFORMED, Decision, Fault, Order, Path, Record, Side

WRITE_AGREED: Final = "AGREED takes what counts without an answer"
"""Stands before what AGREED takes, where nothing is chosen."""
_SHOWN: Final = 80
"""How many characters of a line are shown within a reason."""
Further: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[Iterable[Fault]]]
"""Says what is wrong with each of several orders of a kind."""
Second: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[tuple[int, int]]]
"""Says for which of several orders of a kind no decision is left, each with the last one that could be used."""
Costs: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[str]]
"""Says what several orders of a kind cost."""


def which_is_meant(at: OpenDecisions, order: Order) -> Fault | None:
    """Return the fault of an order that does not say which of several decisions of its kind it answers.

    It need not say so if it is legal for one of them alone.
    """
    asked = at.may_be_for(order)
    if not asked or len(fits := [each for each in asked if at.is_for(order, each)]) == 1:
        return None
    choices = listing((f"{FOR}: {each.about}" for each in asked), "or")
    if not fits:  # it is legal for several
        reason = f"you are asked for {order.kind} more than once; write which one this is: {choices}"
        return Fault(ILLEGAL, (), reason, asked[0].rule)
    reasons = [f"{FOR}: {each.about}: {fault.reason}" for each in asked for fault in list(at.faults(each, order))[:1]]
    reason = f"it can be for none of those that you are asked for; {'; '.join(reasons)}"
    return Fault(ILLEGAL, (), reason, asked[0].rule)


def missing_answers(at: OpenDecisions, orders: Sequence[Order]) -> Iterator[Fault]:
    """Yield a fault for each decision that a sheet leaves out, while it answers another of the same kind."""
    if any(map(at.may_be_for, orders)):  # what an order is for without saying so is told before
        return
    answers = {order.kind for order in orders if any(at.is_for(order, each) for each in at.decisions)}
    for decision in at.decisions:
        left_out = decision.about and decision.kind in answers and not at.given(decision, orders)
        if left_out and decision.waits and not at.answered(decision):
            reason = f"an answer is missing: you are asked for {name_in_full(decision.kind, decision.about)}, too"
            yield Fault(ILLEGAL, (ORDERS,), reason)


def asks_for(decisions: Sequence[Decision]) -> str:
    """Return what a side is asked for, to be read behind what it is not."""
    asked = sorted({name_in_full(decision.kind, decision.about) for decision in decisions})
    if asked:
        return f"it asks for {', '.join(asked)}"
    return f"it asks nothing of you; orders for what comes have the line `{AHEAD}: true` above them"


class Faults(Protocol):
    """Says what is wrong with an order; `unread` are the parts of it that have not the right form, told by `fits`."""

    def __call__(
        self, decision: Decision, order: Order, unread: Sequence[Path] = ..., fits: Callable[[Order], bool] = ...
    ) -> Iterable[Fault]: ...


@dataclass(slots=True)
class Receipt:
    """The result of checking a sheet: accepted under a number, or refused with all its faults."""

    side: Side
    name: str
    lines: Sequence[str] = ()
    complaints: tuple[Placed, ...] = ()
    number: int | None = None
    costs: Sequence[str] = ()
    """Sentences that say what its orders cost, as far as that can be forecast."""
    canonical: bytes = b""
    """The canonical sheet, which is what counts of it: as it came, unless something was put right."""
    changes: Sequence[str] = ()
    """Sentences that say what was put right."""

    def __str__(self) -> str:
        return complain(self.name, self.lines, self.complaints)

    def rows(self) -> list[dict[str, str | int | None]]:
        """Return the faults for a program to read."""
        return as_rows(self.name, self.complaints)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDecisions:
    """The open decisions of a side, and all else that its sheet is checked against, at the referee's or at home."""

    box: Box
    game: str
    sides: Sequence[Side]
    side: Side
    adjudication: int
    decisions: Sequence[Decision]
    faults: Faults
    """Says what the rules have against an order."""
    further: Further | None = None
    """Says what is wrong with each of several orders of a kind, as far as it can be forecast. None: unchecked."""
    second: Second | None = None
    """Says for which of several orders of a kind no decision is left. None: nobody knows it."""
    costs: Costs | None = None
    """Says what several orders of a kind cost. None: nobody knows it."""
    answered: Callable[[Decision], bool] = lambda decision: False
    """Tells whether a decision has an answer without a sheet: a standing order's, or the only one that is legal."""
    standing: Sequence[Record] | None = None
    """The standing orders in force, as `Filed.written` writes them: those that a sheet adds go before them.

    None: nobody knows them.
    """
    waiting: bool = False
    """Whether orders of an earlier sheet are still waiting, so that an empty list of orders takes them back."""
    periods: Collection[str] = ()
    """The periods at whose end a standing order may expire."""
    today: str | None = None
    """The day on which no standing order may have expired already. None: nobody knows it."""
    chain: PlayerChain | None = None
    """The chain of the player. None: they have none."""
    closed: Closing | None = None
    """The closing of the sheets, while none may come in."""
    recorded: bool = False
    """Whether the sheet is on record already. It is then read strictly, and nobody is asked what they meant by it."""
    answering: Answering | None = None
    """The report that the letter of the sheet answers. None: only the sheet itself says it."""
    out: bool = False
    """Whether the side is out of the game, so that no order of it counts."""
    out_by: str = ""
    """The paragraph by which it is out, if the rules say so and the box names it."""
    words: Callable[[], WordsReader] | None = None
    """Makes the reader of orders in words. None: only YAML is read."""
    others: Mapping[Side, Collection[str]] = field(default_factory=dict)
    """The other sides of the same player, each with the kinds of its open decisions."""

    def all_faults(self, decision: Decision, orders: Sequence[Order]) -> Sequence[Iterable[Fault]]:
        """Return the faults of orders that begin with an answer; without `further` those of the first order alone."""
        if self.further is not None and len(orders) > 1:
            return self.further(decision, orders)
        return [list(self.faults(decision, orders[0]))]

    def is_for(self, order: Order, decision: Decision) -> bool:
        """Tell whether an order is for a decision."""
        return is_for(order, decision, self.decisions, self._is_legal)

    def may_be_for(self, order: Order) -> list[Decision]:
        """Return the decisions that an order may be for that does not say which of several it answers."""
        alike = [each for each in self.decisions if each.kind == order.kind]
        return alike if len(alike) > 1 and not order.about else []

    def _is_legal(self, decision: Decision, order: Order) -> bool:
        return not any(True for _ in self.faults(decision, order))

    def given(self, decision: Decision, orders: Sequence[Order]) -> list[int]:
        """Return the indexes of the orders that are for a decision."""
        return [number for number, order in enumerate(orders) if self.is_for(order, decision)]

    def second_answers(self, orders: Sequence[Order]) -> Iterator[tuple[int, int]]:
        """Yield the index of each order that answers what an earlier one has answered, with the index of that one."""
        if self.second is None or self.recorded:
            return
        for decision in self.decisions:
            given = self.given(decision, orders)
            if len(given) > 1:
                for second, first in self.second(decision, [orders[number] for number in given]):
                    yield given[second], given[first]

    def all_costs(self, sheet: Sheet) -> Iterator[str]:
        """Yield sentences that say what the orders of a sheet cost."""
        if self.costs is None:
            return
        for decision in self.decisions:
            yield from self.costs(decision, [sheet.orders[number] for number in self.given(decision, sheet.orders)])


def check_sheet(at: OpenDecisions, raw: bytes, *, name: str = "orders.yaml") -> tuple[Receipt, Sheet | None]:
    """Check a sheet against the open decisions of its side; return its faults, and the sheet if there are none.

    The first order of each open kind is checked against its decision. Further orders of the kind are checked as far
    as the game can be forecast, and again when they are used.
    """
    if at.closed is not None:
        return _too_late(at.side, name, raw, at.closed), None
    bad: BadSheet | None = None
    canonical: bytes = raw
    changes: Sequence[str] = ()
    try:
        read = _read_text(at, raw, name)
        sheet: Sheet | None = read.sheet
        canonical, changes = read.text, read.changes
    except BadSheet as unreadable:
        bad, sheet = unreadable, unreadable.rest
    complaints = [_with_way_out(each, at.chain) for each in bad.complaints] if bad is not None else []
    if sheet is not None:
        complaints += _sheet_faults(at, sheet, whole=bad is None)
    if bad is not None:
        complaints += _half_read(at, bad)
    lines = bad.lines if bad is not None else sheet.document.lines if sheet is not None else ()
    if complaints or sheet is None:
        return Receipt(at.side, name, lines, by_place(complaints)), None
    costs = list(at.all_costs(sheet))
    return Receipt(at.side, name, lines, costs=costs, canonical=canonical, changes=changes), sheet


def _read_text(at: OpenDecisions, raw: bytes, name: str) -> Forgiven:
    """Return a sheet as it was meant, or as it stands on record. Raises BadSheet."""
    if at.recorded:
        return Forgiven(read_sheet(raw, name=name, forms=at.box.forms), raw)
    return forgive(raw, Known(at.box, at.periods, at.answering, at.words), name=name)


def _sheet_faults(at: OpenDecisions, sheet: Sheet, *, whole: bool) -> Iterator[Placed]:
    """Yield the faults of all parts of a sheet; if its heading is wrong, its orders are not looked at."""
    heading = check_heading(sheet, game=at.game, side=at.side, adjudication=at.adjudication, sides=at.sides)
    if at.out and not heading:
        name = at.box.names.get(at.side, at.side)
        reason = f"this side, {name}, is out of the game; its orders do not count any more"
        heading = [Fault(ILLEGAL, ("side",), reason, rule=at.out_by or None)]
    yield from map(sheet.placed, heading)
    unread = sheet.link is None and sheet.document.value.get(LINK) is not None
    if not unread and (wrong := link_fault(sheet.link, at.chain)) is not None:
        yield sheet.placed(Fault(ILLEGAL, (LINK,), wrong))
    if heading:
        return
    terms = StandingTerms(at.box.forms, at.periods, at.box.standing_of(at.side), at.today, at.box.names)
    for key, written in ((STANDING, sheet.standing or ()), (STANDING_ADD, sheet.standing_add)):
        yield from map(sheet.placed, check_standing(key, written, terms))
    yield from map(sheet.placed, _cancelled_wrongly(at, sheet))
    yield from map(sheet.placed, _too_much(at, sheet))
    yield from _order_faults(at, sheet, whole=whole)


def _with_way_out(placed: Placed, chain: PlayerChain | None) -> Placed:
    """Return a fault of a sheet's form; that of a link says which link is the next."""
    if placed.fault.path != (LINK,):
        return placed
    return replace(placed, fault=replace(placed.fault, reason=f"{placed.fault.reason}; {next_of(chain)}"))


def _cancelled_wrongly(at: OpenDecisions, sheet: Sheet) -> Iterator[Fault]:
    """Yield the numbers of standing orders that a sheet cancels and that are not in force."""
    if not sheet.standing_cancel or at.standing is None:
        return
    count = len(at.standing)
    for place, number in enumerate(sheet.standing_cancel):
        if number > count:
            there_are = (
                f"they are numbered from 1 to {count}" if count > 1 else f"there is {'one' if count else 'none'}"
            )
            yield Fault(ILLEGAL, (STANDING_CANCEL, place), f"you have no standing order {number} in force; {there_are}")
    if sheet.standing is not None:
        yield Fault(
            ILLEGAL, (STANDING_CANCEL,), "`standing` replaces all your standing orders: there are none to cancel"
        )


def _too_much(at: OpenDecisions, sheet: Sheet) -> Iterator[Fault]:
    """Yield where a sheet leaves more with the referee than is kept: orders that wait, or standing orders."""
    if reason := too_much("orders", [{order.kind: order.written} for order in sheet.orders]):
        yield Fault(ILLEGAL, (ORDERS,), f"{reason}; send those for the next decisions alone")
    in_force = (at.standing or ()) if sheet.standing is None else ()
    for key, written, more in (
        (STANDING, sheet.standing or (), ()),
        (STANDING_ADD, sheet.standing_add, [*(sheet.standing or ()), *in_force]),
    ):
        records = [item for each in (*written, *more) for item in _as_kept(each, at)]
        if written and (reason := too_much("standing orders", records)):
            yield Fault(ILLEGAL, (key,), reason)


def _as_kept(written: Written, at: OpenDecisions) -> Sequence[Record]:
    """Return the standing orders that an item of a sheet stands for."""
    return at.box.standing_of(at.side) if isinstance(written, str) else [written]


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


def _order_faults(at: OpenDecisions, sheet: Sheet, *, whole: bool) -> Iterator[Placed]:
    """Yield the faults of orders that answer an open decision, and of orders that stand before the first answer.

    Orders that are sent ahead may stand alone. A sheet without orders is at fault if a decision is open, unless it came
    for its standing orders. If the sheet is not whole, the order that answers may be the one that cannot be read.
    """
    wrong: dict[int, Iterable[Fault]] = {}
    for decision in at.decisions:
        wrong |= _wrong_answers(at, sheet, decision)
    for number, first in at.second_answers(sheet.orders):
        yield sheet.placed(Fault(ILLEGAL, (), _which_of_the_two(sheet, first)), number)
    answers = not whole
    taken_back = at.waiting and sheet.document.value.get(ORDERS) is not None
    if at.decisions and whole and not (sheet.orders or sheet.files or taken_back):
        yield sheet.placed(Fault(ILLEGAL, (ORDERS,), nothing_chosen(at.box, at.decisions)))
    answering = {number for decision in at.decisions for number in at.given(decision, sheet.orders)}
    for number, order in enumerate(sheet.orders):
        if fault := which_is_meant(at, order):
            yield sheet.placed(fault, number)
        elif number in answering or number in wrong:
            yield from (sheet.placed(fault, number) for fault in wrong.get(number, ()))
        elif not answers and not sheet.ahead:
            not_asked = name_in_full(order.kind, order.about)
            reason = f"the game does not ask you for {not_asked} now; {asks_for(at.decisions)}"
            if others := [side for side, kinds in at.others.items() if order.kind in kinds]:
                reason = (
                    f"this sheet is for {at.side}, who is not asked for {order.kind} now; {listing(others)} is, whom "
                    f"you play too: write `side: {others[0]}`, or give {at.side} its own orders"
                )
            rule = at.box.forms[order.kind].paragraph(order.body)
            yield sheet.placed(Fault(ILLEGAL, (), reason, rule=rule or None), number)
        elif not at.recorded:
            yield from (sheet.placed(each, number) for each in _misspelt(at, order))
        answers = answers or number in answering or fault is not None
    if whole and not at.recorded:
        yield from map(sheet.placed, missing_answers(at, sheet.orders))


def _misspelt(at: OpenDecisions, order: Order) -> Iterator[Fault]:
    """Yield the names in an order that waits which are none, but like one: when its time has come it is too late."""
    rule = at.box.forms[order.kind].paragraph(order.body)
    for path, reason in Known(at.box).place(order.kind).misspelt(order.body):
        yield Fault(MALFORMED, path, reason, rule=rule or None)


def _wrong_answers(at: OpenDecisions, sheet: Sheet, decision: Decision) -> dict[int, Iterable[Fault]]:
    """Return the faults of the orders that answer a decision, by their number among the readable ones.

    Orders that nothing open asks for yet, and that stand behind the first of them, may answer what follows from it.
    An order behind a refused one is judged as if that were not there: where it has faults, they say so.
    """
    given = at.given(decision, sheet.orders)
    if not given:
        return {}
    asked = {each.kind for each in at.decisions}
    later = [number for number, order in enumerate(sheet.orders) if number > given[0] and order.kind not in asked]
    looked_at = given if at.recorded else sorted({*given, *later})
    wrong: dict[int, Iterable[Fault]] = {}
    refused = sheet.unreadable(decision.kind)
    every = at.all_faults(decision, [sheet.orders[number] for number in looked_at])
    for number, each in zip(looked_at, every, strict=False):
        faults, place = list(each), sheet.written[number]
        if faults:
            before = [other + 1 for other in refused if other < place]
            wrong[number] = [_once_mended(faults[0], before), *faults[1:]] if before else faults
            refused.append(place)
    return wrong


def _half_read(at: OpenDecisions, bad: BadSheet) -> Iterator[Placed]:
    """Yield what else is wrong with orders that have not the right form: in the parts that can be read."""
    if (sheet := bad.rest) is None or check_heading(
        sheet, game=at.game, side=at.side, adjudication=at.adjudication, sides=at.sides
    ):
        return
    for decision in at.decisions:
        form = at.box.forms[decision.kind]
        for place in sheet.unreadable(decision.kind):
            start: Path = (ORDERS, place, decision.kind)
            body, paths = sheet.document.value[ORDERS][place][decision.kind], bad.faulty(start)
            if not isinstance(body, dict) or not paths or () in paths:
                continue
            order = Order.read(decision.kind, body)
            if order.about != decision.about and len(at.may_be_for(Order(order.kind, {}))) > 1:
                continue
            for fault in at.faults(decision, order, paths, partial(_has_form, form)):
                yield Placed(fault, sheet.place_of(start, body, fault.path))


def _has_form(form: OrderForm, order: Order) -> bool:
    return not any(form.misfits(order.body))


def _once_mended(fault: Fault, before: Sequence[int]) -> Fault:
    """Return a fault that tells of the refused orders before it: what they change is not in the position yet."""
    orders = f"order {before[0]} is" if len(before) == 1 else f"orders {listing(map(str, before))} are"
    return replace(fault, reason=f"{fault.reason} (as things stand; judged again once {orders} mended)")


def nothing_chosen(box: Box, decisions: Sequence[Decision]) -> str:
    """Return what is wrong with a sheet that answers nothing: a form as it was sent."""
    lacking = [box.forms[decision.kind].title for decision in decisions if decision.default is None]
    if lacking:
        titles = " ".join(dict.fromkeys(lacking))
        return f"nothing is chosen, and nothing counts without an answer: {titles} Take the # off in front of an order"
    if any(box.forms[decision.kind].proposal for decision in decisions):
        return "nothing is chosen. Take the # off in front of an order"
    return f"nothing is chosen. {WRITE_AGREED}: {agreed(box, decisions)}"


def agreed(box: Box, decisions: Sequence[Decision]) -> str:
    """Return in words what counts if decisions are not answered."""
    said = []
    for each in decisions:
        if each.default is not None:
            words = box.forms[each.kind].in_words(each.default, box.names)
            said.append(f"{words} (for {box.names.get(each.about, each.about)})" if each.about else words)
    return "; ".join(said)


def _which_of_the_two(sheet: Sheet, first: int) -> str:
    """Return what is wrong with a second answer to a decision: it names the first, and shows its line."""
    line = sheet.place(first, ()).line
    return (
        f"which of the two? Line {line} has answered this already, and nothing follows it: "
        f"`{shortened(sheet.document.lines[line - 1].strip(), _SHOWN)}`. Leave one of them out"
    )

"""Standing orders: answers in advance to decisions of a kind, under conditions on their facts.

Written in a sheet under `standing`, each an order with `when` and `until` beside or inside it::

    standing:
    - intercept:
        when: {mover: [hannibal, mago], enemy_cu: "<= 10"}
        with: [{general: fabius, cu: 8}]
    - losses: default          # the answer that counts without a letter
    - respond: ask             # left to the player, whom the game then waits for where it may
    - default                  # here the set that comes with the game

The first order that fits and is legal answers. A sheet with `standing` replaces all standing orders of the side, and
`standing: []` withdraws them; `standing_add` puts its orders before those in force. They are checked and filed when the
sheet comes in, and tried (`InForce`) on the decisions of each adjudication, each decision once, first order to last.
`pbem.orders.conditions` reads `when`, `until`, and what is filled in when the decision comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from pbem.engine.session import Queued, Session
from pbem.game.order_form import OrderForm
from pbem.game.wording import guess, listing, nearest
from pbem.orders import conditions
from pbem.orders.conditions import bodies as alternatives
from pbem.orders.conditions import check_body, condition_holds, faults_in, why_not, words_in
from pbem.orders.sheet import ASK, DEFAULT, UNTIL, WHEN, Written, shortened
from pbem.protocol import FOR, ILLEGAL, MALFORMED, Decision, Event, Fault, Order, Path, Record, Side

MISSPELT: Final = 0.8
"""A word that is so much like an id, but is none, counts as misspelt: no fact ever has it as a value."""
SHORT: Final = 4
"""Words so short are like too many others, and are not checked."""
S = TypeVar("S")
PASSED: Final = "standing_passed"
MOST_REASONS: Final = 3
"""A notice gives so many reasons why an order did not answer."""
LONGEST_REASON: Final = 120
"""The most characters of such a reason."""
MOST_TOLD: Final = 8
"""A side is told of so many standing orders that did not answer in one adjudication."""
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class StandingTerms:
    """The terms that the standing orders of a game may use."""

    forms: Mapping[str, OrderForm]
    periods: Collection[str] = ()
    """The periods of the game."""
    usual: Sequence[Record] = ()
    """The set that comes with the game, as a sheet would have it."""
    today: str | None = None
    """The day of filing; None: unknown."""
    names: Collection[str] = ()
    """The ids of everything that has a name in the game."""


@dataclass(frozen=True, slots=True)
class FiledOrder:
    """A standing order in force, in the form in which it is kept."""

    by: str
    """Its name in reports: `standing 2 of sheet 5`."""
    kind: str
    body: Record | str
    """The body of the order, or a word: `default`, the default of the decision; `ask`, it is left to the player."""
    when: Record
    until: str
    after: int
    """The last adjudication when it was filed."""
    period: object = None
    """The period in which it was filed, if it is bound to one."""

    def written(self) -> dict[str, object]:
        """Return it as a sheet would have it."""
        item: dict[str, object] = {self.kind: self.body}
        if self.when:
            item[WHEN] = self.when
        return item if self.until == conditions.WITHDRAWN else {**item, UNTIL: self.until}

    def record(self) -> dict[str, object]:
        """Return it as plain data."""
        record: dict[str, object] = {"by": self.by, "kind": self.kind, "order": self.body, "after": self.after}
        if self.when:
            record["when"] = self.when
        if self.until != conditions.WITHDRAWN:
            record["until"] = self.until
        return record if self.period is None else {**record, "period": self.period}


def read_filed(record: Record) -> FiledOrder:
    """Return the order that `Filed.record` recorded."""
    until = record.get("until", conditions.WITHDRAWN)
    when = record.get("when", {})
    return FiledOrder(record["by"], record["kind"], record["order"], when, until, record["after"], record.get("period"))


def file_standing(
    written: Sequence[Written], usual: Sequence[Record], *, sheet: int, after: int, periods: Mapping[str, object]
) -> Iterator[FiledOrder]:
    """Yield the standing orders of a sheet, which have been checked, as they are filed.

    `usual` is the set that comes with the game, `after` the last adjudication, `periods` those the game is in.
    """
    for number, item in enumerate(written, 1):
        if isinstance(item, str):
            for its_number, own in enumerate(usual, 1):
                yield _file(own, f"standing {its_number} of the default set", after, periods)
        else:
            yield _file(item, f"standing {number} of sheet {sheet}", after, periods)


def check_standing(key: str, written: Sequence[Written], terms: StandingTerms) -> Iterator[Fault]:
    """Yield the faults of the standing orders that a sheet has under `key`, with paths within the sheet."""
    for at, item in enumerate(written):
        if not item:  # it could not be read
            continue
        if isinstance(item, str):
            if not terms.usual:
                yield Fault(ILLEGAL, (key, at), "no set of standing orders comes with this game; write your own")
            continue
        kind, body, when, until = _split(item)
        form, path = terms.forms[kind], (key, at, kind)
        if body not in (DEFAULT, ASK):
            yield from check_body(form, body, path)
        yield from _check_when(form, when, (key, at, WHEN) if WHEN in item else (*path, WHEN), terms.names)
        if (reason := conditions.fault_of(until, terms.periods, terms.today)) is not None:
            yield Fault(MALFORMED, (key, at, UNTIL) if UNTIL in item else (*path, UNTIL), reason)


def _check_when(form: OrderForm, when: object, where: Path, names: Collection[str]) -> Iterator[Fault]:
    if not isinstance(when, Mapping):
        yield Fault(MALFORMED, where, "when must name facts and their values, such as {enemy_cu: '<= 10'}")
        return
    known = (*form.facts, *([FOR] if form.about else ()))
    for name, wanted in when.items():
        if name not in known:
            meant = guess(name, known)
            better = f"did you mean {meant}? Its facts are" if meant else "its facts are"
            there_are = f"{better} {listing(known, 'and')}" if known else "it has none"
            yield Fault(ILLEGAL, (*where, name), f"{form.kind} has no fact {name}; {there_are}")
        for inside, reason in faults_in(wanted):
            yield Fault(MALFORMED, (*where, name, *inside), f"{name} {reason}")
        for inside, word in words_in(wanted):
            right = word in names or len(word) <= SHORT
            if not right and (near := nearest(word, names, MISSPELT)) is not None:
                yield Fault(ILLEGAL, (*where, name, *inside), f"there is no {word}; did you mean {near}?")


def _file(item: Record, by: str, after: int, periods: Mapping[str, object]) -> FiledOrder:
    kind, body, when, until = _split(item)
    period = conditions.of_period(until)
    filed_in = None if period is None else periods.get(period)
    return FiledOrder(by, kind, body, when, until, after, filed_in)


def _split(item: Record) -> tuple[str, Any, Any, Any]:
    """Return the kind, the body (or its word) without conditions, the conditions and the scope of a standing order."""
    kind = next(key for key in item if key not in (WHEN, UNTIL))
    written = item[kind] or {}
    if isinstance(written, str):
        return kind, written, item.get(WHEN, {}), item.get(UNTIL, conditions.WITHDRAWN)
    body = {key: value for key, value in written.items() if key not in (WHEN, UNTIL)}
    when = item.get(WHEN, written.get(WHEN, {}))
    return kind, body, when, item.get(UNTIL, written.get(UNTIL, conditions.WITHDRAWN))


@dataclass(slots=True)
class _Tried:
    """The result of trying a side's orders on one decision: the answer, or why each order of its kind gave none."""

    decision: Decision
    answer: Queued | None = None
    asks: bool = False
    """Whether the side wants to be waited for."""
    stopped: list[tuple[FiledOrder, str]] = field(default_factory=list)


class InForce:
    """The standing orders of all sides during one adjudication.

    `earlier` are the decisions that were open when it began, `opened` is the adjudication that asked them. An order
    filed after that adjudication does not answer them. `today` is the day by which orders that name a day expire.
    """

    def __init__(
        self,
        filed: Mapping[Side, Sequence[FiledOrder]],
        *,
        today: str,
        earlier: Sequence[Decision] = (),
        opened: int = 0,
    ) -> None:
        self._filed = filed
        self._today = today
        self._earlier = earlier
        self._opened = opened
        self._tried: list[_Tried] = []

    def answer(self, session: Session[S], decision: Decision) -> Queued | None:
        """Return the answer of the first order that fits a decision and is legal."""
        return self._try(session, decision).answer

    def waits(self, session: Session[S], decision: Decision) -> bool:
        """Tell whether the game waits for the answer to a decision, as the orders of its side want it."""
        return decision.waits and (not decision.on_request or self._try(session, decision).asks)

    def as_wanted(self, session: Session[S], decision: Decision) -> Decision:
        """Return a decision that waits if its side wants it."""
        return replace(decision, waits=self.waits(session, decision)) if decision.on_request else decision

    def _try(self, session: Session[S], decision: Decision) -> _Tried:
        """Try the orders of a side on a decision, each decision only once."""
        for before in self._tried:
            if before.decision is decision:
                return before
        tried = _Tried(decision)
        self._tried.append(tried)
        orders = [each for each in self._filed.get(decision.side, ()) if each.kind == decision.kind]
        if not orders:
            return tried
        facts, now = _Facts(session, decision), session.rules.periods(session.position)
        for each in orders:
            if conditions.is_expired(each.until, each.period, now, self._today):
                continue
            asks = each.body == ASK
            if self._is_earlier(decision) and each.after >= self._opened and not asks:
                continue
            why = _unmet(each, facts)
            if why is None and asks:
                tried.asks = True
                break
            if why is None:
                order, why = _first_legal(session, decision, each, facts)
                if order is not None:
                    tried.answer = Queued(order, each.by)
                    break
            tried.stopped.append((each, why))
        return tried

    def notices(self) -> Iterator[Event]:
        """Yield private notices about orders that did not answer a decision of their kind, one for each order.

        If the decision does not wait for an answer, only orders with conditions are mentioned: the others would be
        mentioned again and again.
        """
        stopped: dict[tuple[Side, str, str], list[str]] = {}
        told: Counter[Side] = Counter()
        for tried in self._tried:
            if tried.answer is not None or tried.asks or self._is_earlier(tried.decision):
                continue
            for each, why in tried.stopped:
                if each.when or (tried.decision.waits and not tried.decision.on_request):
                    reasons = stopped.setdefault((tried.decision.side, each.kind, each.by), [])
                    brief = shortened(why, LONGEST_REASON)
                    if brief not in reasons and len(reasons) < MOST_REASONS:
                        reasons.append(brief)
        for (side, kind, by), reasons in stopped.items():
            told[side] += 1
            if told[side] > MOST_TOLD:
                continue
            yield Event(PASSED, {"order": kind, "by": by, "reasons": reasons}, None, (side,))

    def expired(self, session: Session[S]) -> Iterator[tuple[Side, FiledOrder]]:
        """Yield the orders that have expired in a game as it stands, because their period or their day is over."""
        now = session.rules.periods(session.position)
        for side, orders in self._filed.items():
            for each in orders:
                if conditions.is_expired(each.until, each.period, now, self._today):
                    yield side, each

    def _is_earlier(self, decision: Decision) -> bool:
        return any(decision is each for each in self._earlier)


class _Facts:
    """The facts that a condition may use: those of the decision, and those that the rules add."""

    def __init__(self, session: Session[Any], decision: Decision) -> None:
        self._session = session
        self._decision = decision
        self._more: Record | None = None

    def get(self, name: str) -> object:
        """Return a fact by its name, in the view of the side that is asked; `_MISSING` if there is none."""
        if name in self._decision.facts:
            return self._decision.facts[name]
        if name == FOR and self._decision.about:
            return self._decision.about
        if self._more is None:
            rules = self._session.rules
            view = rules.view(self._session.position, self._decision.side)
            self._more = rules.facts(view, self._decision)
        return self._more.get(name, _MISSING)


def _first_legal(session: Session[S], decision: Decision, filed: FiledOrder, facts: _Facts) -> tuple[Order | None, str]:
    """Return the first alternative of an order that is legal; else None, and what is wrong with it."""
    why = "none of its alternatives is there"
    bodies = [decision.default] if filed.body == DEFAULT else alternatives(filed.body, facts.get)
    for at, body in enumerate(bodies):
        order = Order.read(decision.kind, body or {})
        if order.about and order.about != decision.about:
            why = f"it is for {order.about}"
            continue
        faults = session.faults(decision, order)
        if not faults:
            return order, ""
        if at == 0:
            why = "; ".join(fault.reason for fault in faults)
    return None, why


def _unmet(order: FiledOrder, facts: _Facts) -> str | None:
    """Return a sentence about the condition of an order that does not hold; None: all hold."""
    for name, wanted in order.when.items():
        fact = facts.get(name)
        if fact is _MISSING:
            return f"there is no {name} here"
        if not condition_holds(wanted, fact):
            return why_not(name, wanted, fact)
    if order.body == DEFAULT and facts._decision.default is None:
        return "this question has no default"
    return None

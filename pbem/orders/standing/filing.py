"""Standing orders as a sheet files them: what is wrong with them, and the form in which they are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbem.game.order_form import OrderForm
from pbem.game.plain import Record
from pbem.game.wording import guess, listing, nearest
from pbem.orders.sheet import ASK, DEFAULT, UNTIL, WHEN, Written
from pbem.orders.standing import conditions
from pbem.orders.standing.conditions import check_body, faults_in, words_in
from pbem.protocol import FOR, ILLEGAL, MALFORMED, Fault, Path

MISSPELT: Final = 0.8
"""A word that is so much like an id, but is none, counts as misspelt: no fact ever has it as a value."""
SHORT: Final = 4
"""Words so short are like too many others, and are not checked."""


@dataclass(frozen=True, slots=True)
class Terms:
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
class Filed:
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

    def written(self) -> dict[str, Any]:
        """Return it as a sheet would have it."""
        item: dict[str, Any] = {self.kind: self.body}
        if self.when:
            item[WHEN] = self.when
        return item if self.until == conditions.WITHDRAWN else {**item, UNTIL: self.until}

    def record(self) -> dict[str, Any]:
        """Return it as plain data."""
        record: dict[str, Any] = {"by": self.by, "kind": self.kind, "order": self.body, "after": self.after}
        if self.when:
            record["when"] = self.when
        if self.until != conditions.WITHDRAWN:
            record["until"] = self.until
        return record if self.period is None else {**record, "period": self.period}


def read_filed(record: Record) -> Filed:
    """Return the order that `Filed.record` recorded."""
    until = record.get("until", conditions.WITHDRAWN)
    when = record.get("when", {})
    return Filed(record["by"], record["kind"], record["order"], when, until, record["after"], record.get("period"))


def file_standing(
    written: Sequence[Written], usual: Sequence[Record], *, sheet: int, after: int, periods: Mapping[str, object]
) -> Iterator[Filed]:
    """Yield the standing orders of a sheet, which have been checked, as they are filed.

    `usual` is the set that comes with the game, `after` the last adjudication, `periods` those the game is in.
    """
    for number, item in enumerate(written, 1):
        if isinstance(item, str):
            for its_number, own in enumerate(usual, 1):
                yield _filed(own, f"standing {its_number} of the default set", after, periods)
        else:
            yield _filed(item, f"standing {number} of sheet {sheet}", after, periods)


def check_standing(key: str, written: Sequence[Written], terms: Terms) -> Iterator[Fault]:
    """Yield the faults of the standing orders that a sheet has under `key`, with paths within the sheet."""
    for at, item in enumerate(written):
        if not item:  # it could not be read
            continue
        if isinstance(item, str):
            if not terms.usual:
                yield Fault(ILLEGAL, (key, at), "no set of standing orders comes with this game; write your own")
            continue
        kind, body, when, until = _parts(item)
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


def _filed(item: Record, by: str, after: int, periods: Mapping[str, object]) -> Filed:
    kind, body, when, until = _parts(item)
    period = conditions.of_period(until)
    filed_in = None if period is None else periods.get(period)
    return Filed(by, kind, body, when, until, after, filed_in)


def _parts(item: Record) -> tuple[str, Any, Any, Any]:
    """Return the kind, the body (or its word) without conditions, the conditions and the scope of a standing order."""
    kind = next(key for key in item if key not in (WHEN, UNTIL))
    written = item[kind] or {}
    if isinstance(written, str):
        return kind, written, item.get(WHEN, {}), item.get(UNTIL, conditions.WITHDRAWN)
    body = {key: value for key, value in written.items() if key not in (WHEN, UNTIL)}
    when = item.get(WHEN, written.get(WHEN, {}))
    return kind, body, when, item.get(UNTIL, written.get(UNTIL, conditions.WITHDRAWN))

"""The corpus of lines as players write them: files of positions, each with its lines and what each should be read as.

A position is come by as in a case: a scenario, changes of it, orders that are played, loaded dice. The rest of the dice
come from a fixed seed. What nobody ordered is answered by its "no", or by what happens at a deadline.

A line says what it `means`, or what the answer `asks` about (words, of which one must be named, between them ` | `), or
that it is `talk`. What it means has the names of places as the line has them: `mantua` where it says Mantua, the number
of the hex where it says that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pbem.crypto.dice import LoadedDice, SeededDice
from pbem.engine.cases.compare import change
from pbem.engine.session import Session
from pbem.game.boxes.shelf import Loaded
from pbem.game.decision_kinds import decline
from pbem.game.table import Table
from pbem.game.yaml.reader import read
from pbem.protocol import Decision, Fault, Order, Record, Side
from tests.support.walks import loaded

FOLDER: Final = Path(__file__).resolve().parents[1] / "orders" / "said"
_MOST_QUESTIONS: Final = 200


@dataclass(frozen=True, slots=True)
class Said:
    """One line of the corpus, or several that belong together, and what it should be read as."""

    text: str
    who: str
    """The writer whose habit it shows."""
    means: tuple[Order, ...] = ()
    """The orders that it gives, in their order: canonical words, and only what the line says or must be written."""
    asks: tuple[str, ...] = ()
    """Words of which the answer must name one, if the line has to be asked back."""
    talk: bool = False
    """Whether it orders nothing."""


@dataclass(frozen=True)
class Told:
    """A position of the corpus as its file tells it, with its lines."""

    id: str
    record: Record
    lines: tuple[Said, ...]

    @cached_property
    def game(self) -> Loaded:
        return loaded(str(self.record["rules"]))

    @property
    def side(self) -> Side:
        return str(self.record["side"])

    @cached_property
    def asked(self) -> Asked:
        """The position, set up anew; its session is the caller's to read, and `Asked.again` has another one."""
        return Asked.come_by(self)


@dataclass(frozen=True, slots=True)
class Asked:
    """The position on the table: a session that waits for the side."""

    told: Told
    session: Session[Any]

    @classmethod
    def come_by(cls, told: Told) -> Asked:
        """Set up a position and play its orders until its side is asked what it says."""
        session = _begun(told)
        left = [(side, _order(each)) for step in told.record.get("play", ()) for side, each in step.items()]
        for _ in range(_MOST_QUESTIONS):
            session = _past_rest(session)
            if not left and any(_is_wanted(told, each) for each in session.open_decisions):
                return cls(told, session)
            session.answer([_answer(session, each, left) for each in session.open_decisions])
        raise AssertionError(f"{told.id}: {told.side} is never asked {told.record['asked']}")

    def again(self) -> Asked:
        """Return the same position with a session of its own, which may be played on."""
        return Asked.come_by(self.told)

    @property
    def view(self) -> Any:
        """What the side sees."""
        return self.session.rules.view(self.session.position, self.told.side)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The questions that are open to the side."""
        return tuple(each for each in self.session.open_decisions if each.side == self.told.side)

    def faults(self, orders: Sequence[Order]) -> list[Fault]:
        """Return what is wrong with orders that follow each other; each but the last is carried out."""
        at = self.again()
        for number, order in enumerate(orders):
            decision = at.decision_for(order)
            if decision is None:
                kinds = ", ".join(each.kind for each in at.decisions) or "nothing"
                return [order.fault((), f"{order.kind} is not asked, but {kinds}", rule="")]
            if found := list(at.session.rules.check(at.view, decision, order)):
                return found
            if number < len(orders) - 1:
                at = at._carried_out(order, decision)
        return []

    def decision_for(self, order: Order) -> Decision | None:
        """Return the open question that an order answers."""
        return next((each for each in self.decisions if self.session.is_for(order, each)), None) or next(
            (each for each in self.decisions if each.kind == order.kind and order.about in ("", each.about)), None
        )

    def _carried_out(self, order: Order, decision: Decision) -> Asked:
        session = self.session
        session.answer([order if each is decision else _no(session, each) for each in session.open_decisions])
        for _ in range(_MOST_QUESTIONS):
            session = _past_rest(session)
            if any(each.side == self.told.side and each.kind != "respond" for each in session.open_decisions):
                break
            session.answer([_no(session, each) for each in session.open_decisions])
        return Asked(self.told, session)


def corpus(name: str) -> list[Told]:
    """Return the positions of a file of the corpus."""
    value = read((FOLDER / f"{name}.yaml").read_text("utf-8"), name=f"{name}.yaml").value
    return [Told(each["id"], each, tuple(_said(line) for line in each["lines"])) for each in value]


def every_line(name: str) -> Iterator[tuple[Told, Said]]:
    """Yield every line of a file with its position."""
    for told in corpus(name):
        for line in told.lines:
            yield told, line


def letters() -> list[tuple[str, Said]]:
    """Return the letters of mere chat, each with the game in which it is written; none of them orders anything."""
    value = read((FOLDER / "chat.yaml").read_text("utf-8"), name="chat.yaml").value
    return [(rules, Said(each["said"], each["who"], talk=True)) for rules, all_of in value.items() for each in all_of]


def misfits(told: Told, order: Order) -> list[str]:
    """Return what is wrong with the shape of an order."""
    form = told.game.box.forms.get(order.kind)
    return [f"no kind {order.kind}"] if form is None else [each.reason for each in form.misfits(order.written)]


def _said(line: Mapping[str, Any]) -> Said:
    means = tuple(_order(each) for each in line.get("means", ()))
    return Said(
        line["said"],
        line["who"],
        means,
        tuple(filter(None, str(line.get("asks", "")).split(" | "))),
        bool(line.get("talk", False)),
    )


def _order(written: Mapping[str, Any]) -> Order:
    [(kind, body)] = written.items()
    return Order.read(kind, body)


def _begun(told: Told) -> Session[Any]:
    record, rules = told.record, told.game.rules
    scenario = record.get("scenario", told.game.scenarios[0])
    plain = rules.encode(rules.setup(scenario, Table(SeededDice("said"))))
    for dotted, value in record.get("with", {}).items():
        assert (reason := change(plain, dotted, deepcopy(value))) is None, f"{told.id}: {reason}"
    position = rules.settle(rules.decode(plain))
    assert not (wrong := list(rules.audit(position))), f"{told.id}: {wrong}"
    return Session(rules, position, LoadedDice(record.get("dice", {}), record.get("shuffles", {}), SeededDice("said")))


def _past_rest(session: Session[Any]) -> Session[Any]:
    while session.at_checkpoint:
        session.go_on()
    return session


def _is_wanted(told: Told, decision: Decision) -> bool:
    return decision.side == told.side and decision.kind == told.record["asked"]


def _answer(session: Session[Any], decision: Decision, left: list[tuple[Side, Order]]) -> Order:
    for given in left:
        side, order = given
        if side == decision.side and session.is_for(order, decision):
            left.remove(given)
            assert not (wrong := session.faults(decision, order)), f"{order}: {wrong}"
            return order
    return _no(session, decision)


def _no(session: Session[Any], decision: Decision) -> Order:
    offered = session.rules.legal_orders(session.rules.view(session.position, decision.side), decision)
    if (no := decline(decision, offered)) is not None:
        return no
    return Order(decision.kind, decision.default) if decision.default is not None else offered[0]

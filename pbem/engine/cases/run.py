"""The run of a case: play it, and compare what happened with what it expects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Final, TypeVar

from pbem.crypto.dice import BadLoad, LoadedDice, NotLoaded, SeededDice
from pbem.engine.cases.case import Case, Given, Verdict
from pbem.engine.cases.compare import (
    change,
    event_text,
    fault_text,
    is_event,
    is_fault,
    look_up,
    same,
    waits_text,
    wanted_text,
    within,
)
from pbem.engine.session import MOST_CHECKPOINTS, Session
from pbem.game import shelf
from pbem.game.box import NotInTheBox
from pbem.game.plain import Record
from pbem.game.table import Table
from pbem.game.wording import on_one_line
from pbem.protocol import MALFORMED, Decision, Event, Fault, Order, PbemError, Rules

T = TypeVar("T")

_MOST_DECISIONS: Final = 5_000


def run_case(case: Case, game: str, folders: Iterable[str | PathLike[str]] = ()) -> Verdict:
    """Play a case under the rules of a game and return what differs from what it expects."""
    verdict = Verdict(case)
    edition, options = case.told.get("edition"), case.told.get("options", {})
    try:
        loaded = shelf.load(game, preset=edition, options=options, folders=folders)
    except NotInTheBox as missing:
        word = "edition" if f"edition {edition}" in str(missing) else "options"
        verdict.differences.append(f"{case.where(word)} {missing}")
        return verdict
    run = _Run(case, loaded, verdict)
    try:
        run.play()
    except Exception as broken:
        broken.add_note(f"in the ruling {case.where()} {case}")
        raise
    return verdict


class _Stop(PbemError):
    """The case cannot be played on; the reason is among the differences."""


class _Shuffles:
    """The dice behind a case: a fixed seed for shuffles that it does not load, and no faces."""

    def __init__(self) -> None:
        self._seeded = SeededDice("ruling")

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        raise NotLoaded(name)

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        return self._seeded.shuffled(name, items)

    def reseed(self, step_key: bytes) -> None:
        self._seeded.reseed(step_key)


class _Run:
    """One run of a case."""

    def __init__(self, case: Case, loaded: shelf.Loaded, verdict: Verdict) -> None:
        self.case, self.box, self.verdict = case, loaded.box, verdict
        self.rules: Rules[Any] = loaded.rules
        self.expect: Record = case.told["expect"]
        self.left = case.orders()
        self.last = len(self.left)
        faces = case.told.get("dice", {})
        seeded = SeededDice("ruling") if faces == "any" else _Shuffles()
        self.dice = LoadedDice({} if faces == "any" else faces, case.told.get("shuffles", {}), seeded)
        self.events: list[Event] = []
        self.faults: list[Fault] | None = None

    def differ(self, text: str, *path: str | int) -> None:
        """Record that something is not as the case has it."""
        self.verdict.differences.append(f"{self.case.where(*path)} {text}")

    # ---- playing

    def play(self) -> None:
        """Play the case and compare."""
        try:
            self.check_orders()
            session = self.settled(self.lay_out())
        except _Stop:
            return
        self.compare(session)

    def check_orders(self) -> None:
        """Refuse orders of sides and kinds that the game does not have."""
        for given in self.left:
            if given.side not in self.rules.sides:
                self.differ(f"no side is called {given.side}", "play", given.number - 1)
            elif given.order.kind not in self.box.forms:
                self.differ(f"no order is called {given.order.kind}", "play", given.number - 1)
        if self.verdict.differences:
            raise _Stop

    def lay_out(self) -> Any:
        """Return the position that the case begins with."""
        rules, told = self.rules, self.case.told
        scenario = told.get("scenario", self.box.scenarios[0])
        if scenario not in self.box.scenarios:
            self.differ(f"there is no scenario {scenario}; there are: {', '.join(self.box.scenarios)}", "scenario")
            raise _Stop
        plain = rules.encode(rules.setup(scenario, Table(_Shuffles())))
        for dotted, value in told.get("with", {}).items():
            if (reason := change(plain, dotted, value)) is not None:
                self.differ(reason, "with", dotted)
                raise _Stop
        try:
            position = rules.settle(rules.decode(plain))
            wrong = list(rules.audit(position))
        except (ValueError, KeyError, TypeError, AttributeError) as odd:
            wrong = [f"{type(odd).__name__}: {odd}"]
        if wrong:
            self.differ(f"no such position can be: {'; '.join(wrong)}", "with")
            raise _Stop
        return position

    def settled(self, position: Any) -> Session[Any]:
        """Play on from decision to decision until one stays open or the game is over."""
        try:
            session = Session(self.rules, position, self.dice)
            for _ in range(_MOST_DECISIONS):
                session = self.pass_checkpoint(session)
                answers = self.answers(session)
                if answers is None:
                    return session
                for decision, (order, by) in zip(session.open_decisions, answers, strict=True):
                    self.verdict.report.append(f"{decision.side}: {order.kind} {on_one_line(order.body)}{by}")
                session.answer([order for order, _ in answers])
            self.differ(f"no end after {_MOST_DECISIONS:,} questions")
        except NotLoaded as missing:
            loaded = ", ".join(self.dice.unused()) or "nothing that is left"
            self.differ(f"no dice are loaded for the roll {missing}; loaded is {loaded}", "dice")
        except BadLoad as bad:
            self.differ(str(bad), "dice")
        raise _Stop

    def pass_checkpoint(self, session: Session[Any]) -> Session[Any]:
        """Go on from a checkpoint, as a game does on another day."""
        for _ in range(MOST_CHECKPOINTS):
            if not session.at_checkpoint:
                break
            self.tell(session.table.events)
            session = Session(self.rules, self.rules.decode(self.rules.encode(session.position)), self.dice)
        return session

    def answers(self, session: Session[Any]) -> list[tuple[Order, str]] | None:
        """Return the answers to all open decisions, each with its source; None: the game waits, or is over."""
        if not session.open_decisions:
            return None
        found: list[tuple[Order, str]] = []
        for decision in session.open_decisions:
            asked = decision.side, decision.kind
            given = next((one for one in self.left if (one.side, one.order.kind) == asked), None)
            if given is not None:
                self.left.remove(given)
                if self.refused(session, decision, given):
                    return None
                found.append((given.order, ""))
            elif (only := session.only_answer(decision)) is not None:
                found.append((only, "  (the only answer)"))
            elif decision.default is not None and (self.case.told.get("defaults") or not decision.waits):
                found.append((Order(decision.kind, decision.default), "  (by default)"))
            else:
                return None
        return found

    def refused(self, session: Session[Any], decision: Decision, given: Given) -> bool:
        """Tell whether an order has faults, which only the last one may, and only if they are expected."""
        misfits = self.box.forms[decision.kind].misfits(given.order.body)
        faults = [Fault(MALFORMED, misfit.path, misfit.reason) for misfit in misfits]
        faults = faults or session.faults(decision, given.order)
        if given.number == self.last and "faults" in self.expect:
            self.faults = faults
        elif faults:
            for fault in faults:
                self.differ(f"{given} is refused: {fault_text(fault)}", "play", given.number - 1)
            raise _Stop
        for fault in faults:
            self.verdict.report.append(
                f"{given.side}: {given.order.kind} {on_one_line(given.order.body)}: {fault_text(fault)}"
            )
        return bool(faults)

    def tell(self, events: Iterable[Event]) -> None:
        """Record what happened."""
        for event in events:
            self.events.append(event)
            self.verdict.report.append(f"  {event_text(event)}")

    # ---- comparing

    def compare(self, session: Session[Any]) -> None:
        """Record everything that is not as expected."""
        self.tell(session.table.events)
        for given in self.left:
            self.differ(f"{given} is never asked for; the game {waits_text(session)}", "play", given.number - 1)
        self.compare_faults()
        self.compare_events()
        self.compare_position(session.position)
        self.compare_waiting(session)
        for name in self.dice.unused():
            sort = "dice" if name in self.case.told.get("dice", {}) else "shuffles"
            self.differ(f"{name} is loaded but never rolled", sort, name)
        for wrong in self.rules.audit(session.position):
            self.differ(f"the position it comes to is broken: {wrong}")

    def compare_faults(self) -> None:
        """Compare the faults of the last order: all of them, in their order."""
        if "faults" not in self.expect:
            return
        expected = self.expect["faults"]
        if self.faults is None:
            self.differ("the order that should have had faults was never asked for", "expect", "faults")
            return
        for at, wanted in enumerate(expected):
            if not any(is_fault(fault, wanted) for fault in self.faults):
                got = "; ".join(map(fault_text, self.faults)) or "none at all"
                self.differ(f"expected fault {on_one_line(wanted)}; the faults are: {got}", "expect", "faults", at)
        for fault in self.faults:
            if not any(is_fault(fault, wanted) for wanted in expected):
                self.differ(f"unexpected fault: {fault_text(fault)}", "expect", "faults")

    def compare_events(self) -> None:
        """Compare the events: the expected ones in their order, and none that is forbidden."""
        at, before = 0, "the start"
        for number, expected in enumerate(self.expect.get("events", ())):
            found = next((i for i in range(at, len(self.events)) if is_event(self.events[i], expected)), None)
            if found is None:
                were = "; ".join(map(event_text, self.events[at:])) or "none"
                reason = (
                    f"expected event {wanted_text(expected)} not found after {before}; events from there on: {were}"
                )
                self.differ(reason, "expect", "events", number)
                return
            at, before = found + 1, event_text(self.events[found])
        for number, unwanted in enumerate(self.expect.get("no_events", ())):
            for event in self.events:
                if is_event(event, unwanted):
                    self.differ(f"this should not have happened: {event_text(event)}", "expect", "no_events", number)

    def compare_position(self, position: Any) -> None:
        """Compare parts of the position; what is not written there is empty, zero or false."""
        plain = self.rules.encode(position)
        for dotted, expected in self.expect.get("position", {}).items():
            actual = look_up(plain, dotted)
            if not same(expected, actual):
                reason = f"expected {dotted}: {on_one_line(expected)}; it is {on_one_line(actual)}"
                self.differ(reason, "expect", "position", dotted)

    def compare_waiting(self, session: Session[Any]) -> None:
        """Compare the open decisions, the number of choices, and the result."""
        expect = self.expect
        if "waiting" in expect:
            wanted = expect["waiting"] if isinstance(expect["waiting"], list) else [expect["waiting"]]
            asked = [
                {**decision.facts, "side": decision.side, "kind": decision.kind} for decision in session.open_decisions
            ]
            if len(wanted) != len(asked) or not all(map(within, wanted, asked)):
                reason = f"expected to wait on {on_one_line(wanted)}; the game {waits_text(session)}"
                self.differ(reason, "expect", "waiting")
        if "choices" in expect:
            if len(session.open_decisions) != 1:
                self.differ(f"choices need one open question; the game {waits_text(session)}", "expect", "choices")
                return
            (decision,) = session.open_decisions
            count = len(self.rules.legal_orders(self.rules.view(session.position, decision.side), decision))
            if count != expect["choices"]:
                self.differ(f"expected {expect['choices']} choices; there are {count}", "expect", "choices")
        if "result" in expect and (session.result is None or not within(expect["result"], session.result)):
            self.differ(
                f"expected result {on_one_line(expect['result'])}; the game {waits_text(session)}", "expect", "result"
            )

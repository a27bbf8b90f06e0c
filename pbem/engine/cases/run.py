"""The run of a case: check its words, play it, and hand what happened to its judge."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import is_dataclass
from os import PathLike
from pathlib import Path as FilePath
from typing import Final, Generic, TypeVar

from pbem.crypto.dice import BadLoad, Dice, LoadedDice, NotLoaded, SeededDice
from pbem.engine.cases.case import Case, CaseVerdict, Given
from pbem.engine.cases.case_check import CHECKPOINT, faults_of_case
from pbem.engine.cases.compare import change, event_text, fault_text, is_expected_decision, waits_text
from pbem.engine.cases.game_words import GameWords, fields_of, words_of
from pbem.engine.cases.judge import CaseOutcome, Judge
from pbem.engine.session import MOST_CHECKPOINTS, Session
from pbem.game.boxes import shelf
from pbem.game.boxes.box import Box, NotInTheBox
from pbem.game.contract import Rules
from pbem.game.decision_kinds import decline
from pbem.game.table import Table
from pbem.game.wording import did_you_mean, on_one_line
from pbem.protocol import MALFORMED, Decision, Event, Fault, Order, PbemError, Record, S

T = TypeVar("T")

_MOST_DECISIONS: Final = 5_000
_DECLINE: Final = "decline"


def run_case(case: Case, game: str, folders: Iterable[str | PathLike[str]] = ()) -> CaseVerdict:
    """Play a case under the rules of a game and return what differs from what it expects."""
    verdict = CaseVerdict(case, [f"{flaw.file}:{flaw.line}: {flaw.reason}" for flaw in case.flaws])
    if case.flaws:
        return verdict
    edition, options = case.told.get("edition"), case.told.get("options", {})
    try:
        loaded = shelf.load(game, edition=edition, options=options, folders=folders)
    except NotInTheBox as missing:
        word = "edition" if f"edition {edition}" in str(missing) else "options" if options else "game"
        verdict.differences.append(f"{case.where(word)} {missing}")
        return verdict
    _Run(case, loaded.box, loaded.rules, verdict).play()
    return verdict


class _CannotGoOn(PbemError):
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


class _Run(Generic[S]):
    """One run of a case."""

    def __init__(self, case: Case, box: Box, rules: Rules[S], verdict: CaseVerdict) -> None:
        self.case, self.box, self.rules, self.verdict = case, box, rules, verdict
        self.words = words_of(rules, box)
        self.judge = Judge(case, rules, self.words, verdict)
        self.differ = self.judge.differ
        self.left = case.orders()
        self.faulty = self.judge.expected_faults()
        self.dice = _dice_of_case(case.told)
        self.stop = _Halt(case.told.get("stop"), self.words)
        self.happened = CaseOutcome()
        self.session: Session[S] | None = None

    # ---- playing

    def play(self) -> None:
        """Play the case and compare. Whatever breaks off is a difference like any other: there are more cases."""
        try:
            position, cls = self.lay_out()
            session = self.played(position)
            self.finish(session)
            self.judge.compare(self.happened, session, cls)
        except _CannotGoOn:
            return
        except Exception as broken:
            if self.session is not None:
                self.tell(self.session.table.events)
            self.differ(f"the rules break off: {_reason(broken, self.words)}{_where_raised(broken)}")
            self.verdict.report += traceback.format_exception(broken)

    def lay_out(self) -> tuple[S, type[object] | None]:
        """Return the position that the case begins with, and the type that says what can stand in it."""
        rules, told = self.rules, self.case.told
        scenario = told.get("scenario", self.box.scenarios[0])
        if scenario not in self.box.scenarios:
            known = ", ".join(self.box.scenarios)
            self.differ(f"there is no scenario {scenario}; there are: {known}", "scenario")
            raise _CannotGoOn
        begun = rules.setup(scenario, Table(_Shuffles()))
        plain = rules.encode(begun)
        cls: type[object] | None = type(begun)
        if not is_dataclass(cls) or not plain.keys() <= fields_of(cls).keys():
            cls = None
        for reason, place in faults_of_case(self.case, self.words, cls):
            self.differ(reason, *place)
        if self.verdict.differences:
            raise _CannotGoOn
        return self.changed(plain), cls

    def changed(self, plain: dict[str, object]) -> S:
        """Return the position with the changes of the case."""
        for dotted, value in self.case.told.get("with", {}).items():
            # A copy: a later path may reach into the value, which other cases of a shared position have too.
            if (reason := change(plain, dotted, deepcopy(value))) is not None:
                self.differ(reason, "with", dotted)
                raise _CannotGoOn
        try:
            position = self.rules.settle(self.rules.decode(plain))
            wrong = list(self.rules.audit(position))
        except (ValueError, LookupError, TypeError, AttributeError) as odd:
            wrong = [_reason(odd, self.words)]
        if wrong:
            self.differ(f"no such position can be: {'; '.join(wrong)}", "with")
            raise _CannotGoOn
        return position

    def played(self, position: S) -> Session[S]:
        """Play on from decision to decision until one stays open, the case stops, or the game is over."""
        try:
            session = self.session = Session(self.rules, position, self.dice)
            for _ in range(_MOST_DECISIONS):
                session = self.session = self.pass_checkpoint(session)
                answers = None if session.at_checkpoint else self.answers(session)
                if answers is None:
                    return session
                for decision, (order, by) in zip(session.open_decisions, answers, strict=True):
                    written = on_one_line(Order(order.kind, order.body, decision.about).written)
                    self.verdict.report.append(f"{decision.side}: {order.kind} {written}{by}")
                session.answer([order for order, _ in answers])
            self.differ(f"no end after {_MOST_DECISIONS:,} questions")
        except NotLoaded as missing:
            loaded = ", ".join(self.dice.unused()) or "nothing that is left"
            self.differ(f"no dice are loaded for the roll {missing}; loaded is {loaded}", "dice")
        except BadLoad as bad:
            self.differ(str(bad), "dice")
        raise _CannotGoOn

    def pass_checkpoint(self, session: Session[S]) -> Session[S]:
        """Go on from a checkpoint, as a game does on another day, unless the case stops there."""
        for _ in range(MOST_CHECKPOINTS):
            if not session.at_checkpoint or self.stop.at_checkpoint(session.table.events, over=not self.left):
                break
            self.tell(session.table.events)
            session = self.session = Session(
                self.rules, self.rules.decode(self.rules.encode(session.position)), self.dice
            )
        return session

    def answers(self, session: Session[S]) -> list[tuple[Order, str]] | None:
        """Return the answers to all open decisions, each with its source; None: the game waits, or is over."""
        found: list[tuple[Order, str]] = []
        asked: list[Decision] = []
        waits = False
        for decision in session.open_decisions:
            given = self.given(session, decision)
            if isinstance(given, Given):
                found.append((given.order, ""))
            elif given:
                waits = True
            elif self.stop.at_question(decision):
                self.stop.reached = waits = True
            elif (only := session.only_answer(decision)) is not None:
                found.append((only, "  (the only answer)"))
            else:
                asked.append(decision)
                if (answer := self.unordered(session, decision)) is None:
                    waits = True
                else:
                    found.append(answer)
        self.happened.asked += asked
        return None if waits or not session.open_decisions else found

    def given(self, session: Session[S], decision: Decision) -> Given | bool:
        """Return the order of the case for a decision, or whether there was one and it was refused."""
        refused = False
        while given := next((one for one in self.left if _is_answered_by(one, session, decision)), None):
            self.left.remove(given)
            if not self.refused(session, decision, given):
                return given
            refused = True
        return refused

    def unordered(self, session: Session[S], decision: Decision) -> tuple[Order, str] | None:
        """Return the answer to a decision that no order of the case answers; None: it stays open."""
        if self.case.told.get("otherwise") == _DECLINE:
            view = self.rules.view(session.position, decision.side)
            if (no := decline(decision, self.rules.legal_orders(view, decision))) is not None:
                return no, "  (declined)"
        if decision.default is not None and (self.case.told.get("defaults") or not decision.waits):
            return Order(decision.kind, decision.default), "  (by default)"
        return None

    def refused(self, session: Session[S], decision: Decision, given: Given) -> bool:
        """Tell whether an order has faults, which only those may have of which they are expected."""
        misfits = self.box.forms[decision.kind].misfits(given.order.body)
        faults = [Fault(MALFORMED, misfit.path, misfit.reason) for misfit in misfits]
        faults = faults or session.faults(decision, given.order)
        if given.number in self.faulty:
            self.happened.faults[given.number] = faults
        elif faults:
            for fault in faults:
                self.differ(f"{given} is refused: {fault_text(fault)}", "play", given.number - 1)
            raise _CannotGoOn
        for fault in faults:
            self.verdict.report.append(
                f"{given.side}: {given.order.kind} {on_one_line(given.order.body)}: {fault_text(fault)}"
            )
        return bool(faults)

    def tell(self, events: Iterable[Event]) -> None:
        """Record what happened."""
        for event in events:
            self.happened.events.append(event)
            self.verdict.report.append(f"  {event_text(event)}")

    def finish(self, session: Session[S]) -> None:
        """Record what is left over at the end: orders, dice, a stop that was never reached, a broken position."""
        self.tell(session.table.events)
        for given in self.left:
            self.differ(f"{given} is never asked for; the game {waits_text(session)}", "play", given.number - 1)
        if not self.stop.reached:
            self.differ(f"the game never comes to this stop; it {waits_text(session)}", "stop")
        for name in self.dice.unused():
            sort = "dice" if name in self.case.told.get("dice", {}) else "shuffles"
            self.differ(f"{name} is loaded but never rolled", sort, name)
        for wrong in self.rules.audit(session.position):
            self.differ(f"the position it comes to is broken: {wrong}")


class _Halt:
    """The place at which a case stops: a question, the checkpoint after an event, or the next checkpoint."""

    def __init__(self, stop: str | Record | None, words: GameWords) -> None:
        self.question: Record | None = None
        self.event: str | None = None
        if isinstance(stop, Mapping):
            self.event = stop.get("event")
            self.question = None if self.event else stop
        elif stop in words.forms:
            self.question = {"kind": stop}
        else:
            self.event = stop
        self.reached = stop is None

    def at_question(self, decision: Decision) -> bool:
        """Tell whether the case stops at a decision."""
        return self.question is not None and is_expected_decision(decision, self.question)

    def at_checkpoint(self, events: Iterable[Event], *, over: bool) -> bool:
        """Tell whether the case stops at a checkpoint, after some events; `over`: all its orders are given."""
        if self.event is not None and (any(one.kind == self.event for one in events) or self.event == CHECKPOINT):
            self.reached = over
            return over
        return False


def _dice_of_case(told: Record) -> LoadedDice:
    """Return the dice of a case: those that it loads, and any others if it says so."""
    faces = told.get("dice", {})
    any_other = faces == "any" or "any" in faces
    loaded = {} if faces == "any" else {name: rolled for name, rolled in faces.items() if name != "any"}
    behind: Dice = SeededDice("ruling") if any_other else _Shuffles()
    return LoadedDice(loaded, told.get("shuffles", {}), behind)


def _is_answered_by(given: Given, session: Session[S], decision: Decision) -> bool:
    return given.side == decision.side and session.is_for(given.order, decision)


def _reason(error: Exception, words: GameWords) -> str:
    """Return an exception as a sentence; for a key that is missing, with the word that it may have been."""
    if isinstance(error, KeyError) and len(error.args) == 1 and isinstance(error.args[0], (str, int)):
        key = error.args[0]
        return f"there is no {key}{did_you_mean(str(key), {str(word) for word in words.all})} ({error!r})"
    return f"{type(error).__name__}: {error}"


def _where_raised(error: Exception) -> str:
    """Return where in the code an exception was raised, to be read behind a sentence."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({FilePath(frames[-1].filename).name}:{frames[-1].lineno}, {frames[-1].name})" if frames else ""

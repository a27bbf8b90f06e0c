"""The judge of a case: compares what happened with what the case expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from pbem.engine.cases.case import Case, CaseVerdict
from pbem.engine.cases.case_check import OBSERVER, as_list
from pbem.engine.cases.compare import (
    asked_text,
    event_facts,
    event_text,
    fault_text,
    is_event,
    is_expected_decision,
    is_fault,
    kind_and_facts,
    look_up,
    same_value,
    waits_text,
    wanted_text,
    within,
)
from pbem.engine.cases.game_words import GameWords, PositionSlot, completed, whole
from pbem.engine.session import Session
from pbem.game.contract import Rules
from pbem.game.wording import on_one_line
from pbem.protocol import Decision, Event, Fault, Record, S


@dataclass(slots=True)
class CaseOutcome:
    """What happened in a case: its events, the faults of its orders by their numbers, and the questions."""

    events: list[Event] = field(default_factory=list)
    faults: dict[int, list[Fault]] = field(default_factory=dict)
    asked: list[Decision] = field(default_factory=list)
    """The questions that were put to a side and that no order of the case answered."""


class Judge(Generic[S]):
    """The comparison of one case."""

    def __init__(self, case: Case, rules: Rules[S], words: GameWords, verdict: CaseVerdict) -> None:
        self.case, self.rules, self.words, self.verdict = case, rules, words, verdict
        self.expect: Record = case.told["expect"]

    def differ(self, text: str, *path: str | int) -> None:
        """Record that something is not as the case has it."""
        self.verdict.differences.append(f"{self.case.where(*path)} {text}")

    def compare(self, happened: CaseOutcome, session: Session[S], position: type[object] | None) -> None:
        """Record everything that is not as expected."""
        expect = self.expect
        self.compare_faults(happened.faults)
        self.compare_events(happened.events)
        self.compare_no_events(happened.events)
        self.compare_position(session.position, position, expect.get("position", {}), "expect", "position")
        for at, sight in as_list(expect.get("sees", [])):
            view = self.rules.view(session.position, None if sight["side"] == OBSERVER else sight["side"])
            self.compare_position(view, position, sight["position"], "expect", "sees", *at, "position")
        self.compare_questions(happened.asked, session)
        self.compare_end(session)

    def expected_faults(self) -> dict[int, list[tuple[int, Record]]]:
        """Return the faults that orders should have, with their places in the list, by the numbers of the orders."""
        if "faults" not in self.expect:
            return {}
        last = len(self.case.orders())
        by_order: dict[int, list[tuple[int, Record]]] = {} if self.expect["faults"] else {last: []}
        for at, wanted in enumerate(self.expect["faults"]):
            by_order.setdefault(wanted.get("order", last), []).append((at, wanted))
        return by_order

    def compare_faults(self, found: Mapping[int, Sequence[Fault]]) -> None:
        """Compare the faults of the orders that should have some: all of them, in any order."""
        last = len(self.case.orders())
        for number, expected in self.expected_faults().items():
            if number not in found:
                which = "the order" if number == last else f"order {number}"
                self.differ(f"{which} that should have had faults was never asked for", "expect", "faults")
                continue
            for at, wanted in expected:
                if not any(is_fault(fault, wanted) for fault in found[number]):
                    got = "; ".join(map(fault_text, found[number])) or "none at all"
                    self.differ(f"expected fault {on_one_line(wanted)}; the faults are: {got}", "expect", "faults", at)
            for fault in found[number]:
                if not any(is_fault(fault, wanted) for _, wanted in expected):
                    of = "" if number == last else f" of order {number}"
                    self.differ(f"unexpected fault{of}: {fault_text(fault)}", "expect", "faults")

    def compare_events(self, events: Sequence[Event]) -> None:
        """Compare the expected events, in their order."""
        at, before = 0, "the start"
        for number, expected in enumerate(self.expect.get("events", ())):
            found = next((i for i in range(at, len(events)) if is_event(events[i], expected)), None)
            if found is None:
                were = "; ".join(map(event_text, events[at:])) or "none"
                self.differ(
                    f"expected event {wanted_text(expected)} not found after {before}; events from there on: {were}",
                    "expect",
                    "events",
                    number,
                )
                kind, facts = kind_and_facts(expected)
                if told := self.told(kind, events):
                    for fault in self.words.fact_faults(kind, facts, told):
                        self.differ(fault.reason, "expect", "events", number, kind, *fault.path)
                return
            at, before = found + 1, event_text(events[found])

    def compare_no_events(self, events: Sequence[Event]) -> None:
        """Compare the events that must not happen; a fact or a word that no event can have never happens."""
        for number, unwanted in enumerate(self.expect.get("no_events", ())):
            place = ("expect", "no_events", number)
            kind, facts = kind_and_facts(unwanted)
            for fault in self.words.fact_faults(kind, facts, self.told(kind, events)):
                self.differ(fault.reason, *place, kind, *fault.path)
            for event in events:
                if is_event(event, unwanted):
                    self.differ(f"this should not have happened: {event_text(event)}", *place)

    def told(self, kind: str, events: Sequence[Event]) -> set[str]:
        """Return the facts that the events of a kind had."""
        return {fact for event in events if event.kind == kind for fact in event_facts(event)}

    def compare_position(self, position: S, cls: type[object] | None, expected: Record, *place: str | int) -> None:
        """Compare parts of a position; what is left out, or null, is what stands there if nothing is written."""
        plain = self.rules.encode(position) if cls is None else whole(position)
        for dotted, value in expected.items():
            slot = self.words.slot(cls, dotted)
            assert isinstance(slot, PositionSlot)
            actual = look_up(plain, dotted)
            if not same_value(completed(slot, value), actual):
                self.differ(f"expected {dotted}: {on_one_line(value)}; it is {on_one_line(actual)}", *place, dotted)

    def compare_questions(self, asked: Sequence[Decision], session: Session[S]) -> None:
        """Compare the open decisions, those that were asked, and the number of choices."""
        expect = self.expect
        if "waiting" in expect:
            wanted = [one for _, one in as_list(expect["waiting"])]
            if not _are(session.open_decisions, wanted):
                self.differ(
                    f"expected to wait on {on_one_line(wanted)}; the game {waits_text(session)}", "expect", "waiting"
                )
        if "asks" in expect:
            wanted = [one for _, one in as_list(expect["asks"])]
            if not _are(asked, wanted):
                said = on_one_line(wanted) if wanted else "nothing"
                self.differ(f"expected the game to ask {said}; it asks {asked_text(asked)}", "expect", "asks")
        if "choices" in expect:
            if len(session.open_decisions) != 1:
                self.differ(f"choices need one open question; the game {waits_text(session)}", "expect", "choices")
                return
            (decision,) = session.open_decisions
            count = len(self.rules.legal_orders(self.rules.view(session.position, decision.side), decision))
            if count != expect["choices"]:
                self.differ(f"expected {expect['choices']} choices; there are {count}", "expect", "choices")

    def compare_end(self, session: Session[S]) -> None:
        """Compare the result, and whether the game goes on."""
        expect = self.expect
        if "result" in expect and (session.result is None or not within(expect["result"], session.result.record())):
            self.differ(
                f"expected result {on_one_line(expect['result'])}; the game {waits_text(session)}", "expect", "result"
            )
        if "goes_on" in expect and expect["goes_on"] != (session.result is None):
            wanted = "goes on" if expect["goes_on"] else "is over"
            self.differ(f"expected that the game {wanted}; it {waits_text(session)}", "expect", "goes_on")


def _are(decisions: Sequence[Decision], wanted: Sequence[Record]) -> bool:
    """Tell whether decisions are those described, in their order."""
    return len(wanted) == len(decisions) and all(map(is_expected_decision, decisions, wanted))

"""The comparison of a player's mailbox with the calls that their side was late (part of `pbem verify --letters`).

The record says by which deadline a side was called late, and when the letter that asked was handed over. Only the
player's letters can contradict it: a letter that told another deadline, orders that they sent before the deadline, a
question that came long after it is said to have left, a letter that knew of the call before the deadline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from pbem.audit.letters.witnesses import KeptLetters, Witness
from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Findings, Place
from pbem.game import yaml as yamlio
from pbem.game.wording import counted
from pbem.protocol import Side
from pbem.referee.game.calendar import stamp
from pbem.referee.game.facts import Back, Fact, Late, Resumed, read_fact
from pbem.referee.game.side_clocks import Clocks, SideClock, read_clocks
from pbem.render.text.receipt import KeptLetter
from pbem.repo.files.layout import CLOCK, FACTS, SHEETS
from pbem.repo.git.history import Past

_ON_THE_WAY: Final = timedelta(minutes=15)
"""How long a letter may be in transit without anybody's fault."""
_HANDED_OVER: Final = timedelta(hours=1)
"""How long after it was handed over a letter that asks must have arrived."""
_CLOCKS_DIFFER: Final = timedelta(minutes=5)
"""How much the clocks of two mail servers may differ."""
_MINUTE: Final = timedelta(minutes=1)
_UNREADABLE: Final = (yamlio.Unreadable, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that a side was late: by which deadline, on which question, where it stands on record."""

    side: Side
    deadline: datetime
    clock: SideClock
    """The clock of the side just before."""
    number: int
    """The number of the fact."""
    at: int
    commit: str

    @property
    def place(self) -> Place:
        return Place(self.at, commit=self.commit)

    def __str__(self) -> str:
        return f"fact {self.number} calls {self.side} late by the deadline {stamp(self.deadline)}"


class Calls:
    """The calls on record that sides were late, with what a letter could contradict."""

    def __init__(self, evidence: Evidence) -> None:
        self.calls: list[_Call] = []
        self.places = {commit.sha: commit.at for commit in evidence.history.commits}
        self._clocks: dict[int, Clocks] = {}
        """The clocks after each commit that changes them."""
        self._facts: dict[int, Fact] = {}
        self.sheets: list[tuple[Side, datetime]] = []
        """The sheets on record, each with its side and when its letter came."""
        before: Clocks | None = None
        for commit in evidence.history.commits:
            changed = {change.path: change.new for change in commit.changes if change.new is not None}
            path = next((each for each in changed if each.startswith(FACTS)), None)
            try:
                if path is not None:
                    self._fact(commit, path, evidence.read(changed[path]), before)
                if CLOCK in changed:
                    before = read_clocks(yamlio.read(evidence.read(changed[CLOCK]), name=CLOCK).value)
                    self._clocks[commit.at] = before
                came = datetime.fromtimestamp(commit.author, UTC)
            except _UNREADABLE:  # blamed elsewhere
                continue
            self.sheets += [
                (path[len(SHEETS) :].partition("/")[0], came) for path in changed if path.startswith(SHEETS)
            ]

    def _fact(self, commit: Past, path: str, content: bytes, before: Clocks | None) -> None:
        said = yamlio.read(content, name=path).value
        fact = self._facts[commit.at] = read_fact(said)
        if isinstance(fact, Late) and before is not None:
            for side, at in sorted(fact.sides.items()):
                self.calls.append(_Call(side, at, before.sides[side], int(said["fact"]), commit.at, commit.sha))

    def asked_at(self, commit: int, side: Side) -> int:
        """Return the adjudication that asked what a side was asked as of a commit; 0: it was asked nothing."""
        known = [at for at in self._clocks if at <= commit]
        clock = self._clocks[max(known)].sides.get(side) if known else None
        return 0 if clock is None else clock.asked

    def shortened(self, side: Side, since: int, until: int) -> list[Fact]:
        """Return what ended a pause or a vacation early between two commits: a deadline may then be earlier."""
        between = [fact for at, fact in self._facts.items() if since < at < until]
        return [each for each in between if isinstance(each, Resumed) or (isinstance(each, Back) and each.side == side)]


def check_late(evidence: Evidence, kept: KeptLetters) -> None:
    """Look for letters that contradict a call on record."""
    calls, findings, count = Calls(evidence), evidence.findings, 0
    for call in calls.calls:
        if call.side not in kept.readers:
            continue
        count += 1
        own, letters = kept.to(call.side), kept.written_by(call.side)
        findings.blame(call.place, *_promised(calls, call, own, letters), *_asked_late(call, own))
        findings.blame(call.place, *_told_early(calls, call, own))
        sent = [letter for letter in letters if _answers_question(letter, kept.game, call)]
        for letter in sent:
            _hold_against(calls, call, letter, _sent_back(kept.game, call, [letter for letter, _ in own]), findings)
    if count:
        findings.check("late", f"{counted(count, 'call')} that a side was late, held against its letters")


def _promised(calls: Calls, call: _Call, own: Sequence[Witness], sent: Sequence[KeptLetter]) -> Iterator[str]:
    """Yield the letter that told a later deadline for the same question, if one did; `sent` are those of the side."""
    for letter, receipt in own:
        at = calls.places.get(receipt.commit)
        if receipt.until is None or at is None or at >= call.at or receipt.until <= call.deadline + _MINUTE:
            continue
        if calls.asked_at(at, call.side) != call.clock.asked:
            continue
        why = calls.shortened(call.side, at, call.at)
        backs = [each for each in why if isinstance(each, Back)]
        invented = backs and len(backs) == len(why) and not any(map(_ends_vacation, sent))
        if not why or invented:
            back = f", and no letter of {call.side} here has the BACK of {stamp(backs[-1].at)}" if invented else ""
            yield f"{call}; {letter}, says that there is time until {stamp(receipt.until)}{back}"
            return


def _ends_vacation(letter: KeptLetter) -> bool:
    """Tell whether a letter says BACK, or AWAY OFF."""
    words = [word.upper().split() for word in letter.words if word.strip()]
    return any(first == "BACK" or (first == "AWAY" and rest[-1:] == ["OFF"]) for first, *rest in words)


def _told_early(calls: Calls, call: _Call, own: Sequence[Witness]) -> Iterator[str]:
    """Yield that a letter knew of a call before the deadline had passed: the call is dated ahead."""
    for letter, receipt in own:  # the earliest first
        if letter.own and letter.arrived is not None and calls.places.get(receipt.commit, -1) >= call.at:
            if call.deadline - letter.arrived > _CLOCKS_DIFFER:
                early = _to_the_minute(call.deadline - letter.arrived)
                yield f"{call}; {letter}, was written after that, and came {early} before the deadline"
            return


def _asked_late(call: _Call, own: Sequence[Witness]) -> Iterator[str]:
    """Yield that the letter that asked came long after it is said to have been handed over."""
    since = call.clock.since
    if since is None or call.clock.called is not None:
        return
    for letter, receipt in own:  # the earliest first
        if letter.own and letter.arrived is not None and call.clock.asked in receipt.adjudications:
            if letter.arrived - since > _HANDED_OVER:
                yield (
                    f"{call}, and says that the letter that asked was handed over at {stamp(since)}; {letter}, came "
                    f"{_to_the_minute(letter.arrived - since)} after that"
                )
            return


def _answers_question(letter: KeptLetter, game: str, call: _Call) -> bool:
    """Tell whether a letter that a side sent before its deadline answers the question that it was called late on."""
    if letter.written is None or letter.written > call.deadline:
        return False
    if call.clock.opened is not None and letter.written < call.clock.opened:
        return False
    numbers = [number for of, side, number in letter.answers if (of, side) == (game, call.side)]
    numbers += [number for of, text in letter.sheets if of == game for number in _of_sheet(text, call.side)]
    orders = bool(letter.sheets or letter.sealed) or any(word.startswith("AGREED") for word in letter.words)
    return orders and any(number >= call.clock.asked for number in numbers)


def _of_sheet(text: bytes, side: Side) -> Iterator[int]:
    """Yield the report that a sheet of a side answers, if it says that."""
    try:
        said = yamlio.read(text, name="sheet").value
    except yamlio.Unreadable:
        return
    if isinstance(said, dict) and said.get("side", side) == side and isinstance(said.get("adjudication"), int):
        yield said["adjudication"]


def _hold_against(calls: Calls, call: _Call, letter: KeptLetter, sent_back: bool, findings: Findings) -> None:
    """Blame a call if a letter with orders was sent well before its deadline; leave it open if it may have failed."""
    assert letter.written is not None
    came = [at for side, at in calls.sheets if side == call.side and at >= letter.written]
    if any(at <= call.deadline for at in came):  # it was taken in, and did not answer all that was asked
        return
    on_record = f"; the first sheet after it on record came at {stamp(min(came))}" if came else ""
    early = call.deadline - letter.written
    said = f"{call}; {letter}, has orders for it and was written {_to_the_minute(early)} before{on_record}"
    if sent_back or early < _ON_THE_WAY:
        why = "it was sent back with faults" if sent_back else "it may have been on its way so long"
        findings.leave_open("late", f"{said}: {why}")
    else:
        findings.blame(call.place, said)


def _sent_back(game: str, call: _Call, got: Sequence[KeptLetter]) -> bool:
    """Tell whether the referee sent orders of a side back before it was called late."""
    name = f"<faults.{game}.{call.side}."
    return any(letter.message_id.startswith(name) and _in_time(letter, call.deadline) for letter in got)


def _in_time(letter: KeptLetter, deadline: datetime) -> bool:
    return letter.time is None or letter.time <= deadline + _ON_THE_WAY


def _to_the_minute(span: timedelta) -> str:
    """Return a span as text, to the minute."""
    minutes = int(span.total_seconds()) // 60
    hours, days = minutes // 60, minutes // 1440
    if days > 1:
        return f"{days} days"
    return counted(hours, "hour") if hours > 1 else counted(minutes, "minute")

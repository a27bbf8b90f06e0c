"""Checks the clock of a game without any key: who was late, by which deadline, and when that was decided.

The clocks of all sides are public. Commit by commit they are recomputed by the terms of the charter: from the facts
of time, the times of sheets (the author's dates of their commits), and the adjudications. A side must be called late by
the deadline that passed first, never earlier, and before the dice of its turn are opened.

Only the derivation, which has the secrets, can check which sides an adjudication asks, and whether a sheet answers
everything. Some facts are taken as stated: when a letter was handed over, that a mailbox refused letters, that the
service was down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Place
from pbem.audit.record.schemas import not_canonical
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.wording import counted, listing
from pbem.protocol import Record, Side
from pbem.referee.acts.timekeeping import NEED_CONSENT, proposes
from pbem.referee.game import side_clocks
from pbem.referee.game.calendar import stamp
from pbem.referee.game.facts import BadFact, Extended, Fact, Late, Paused, fact_record, put, read_fact
from pbem.referee.game.side_clocks import Clocks, SideClock
from pbem.referee.game.terms import BOT, DEFAULT, BadTerms, Terms, read_terms
from pbem.repo.files.commit_kinds import CommitKind
from pbem.repo.files.layout import CHARTER, CLOCK, FACTS, JOINED, SHEETS, request_path
from pbem.repo.files.requests import RESIGNATION, STAYING, Request, still_needed
from pbem.repo.git.history import Past

_UNREADABLE: Final = (yamlio.Unreadable, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""The exceptions of reading a file and computing with it: whoever signs the commits may write anything into it."""


def check_clock(evidence: Evidence) -> None:
    """Check the clock of a game, or that it has none."""
    history, charter, findings = evidence.history, evidence.charter, evidence.findings
    files = [path for path in history.files if path == CLOCK or path.startswith(FACTS)]
    if charter.clock is None:
        findings.blame(Place(), *(f"{path}: {CHARTER} publishes no clock" for path in sorted(files)))
        return
    try:
        terms = read_terms(charter.clock, charter.players)
    except BadTerms as wrong:
        findings.blame(Place(file=CHARTER), f"the terms of its clock cannot be read: {wrong}")
        return
    if terms.record() != charter.clock:
        findings.blame(Place(file=CHARTER), "the terms of its clock are not written as pbem writes them")
    watch = _Watch(terms, evidence)
    for commit in history.commits:
        findings.blame(Place(commit.at, commit=commit.sha), *watch.see(commit))
    late = f", {counted(watch.late, 'call')} of a side that was late" if watch.late else ""
    findings.check("clock", f"{counted(watch.facts, 'fact')} of time{late}; each clock runs as {CHARTER} says")


class _Watch:
    """The clocks of a game, watched commit by commit."""

    def __init__(self, terms: Terms, evidence: Evidence) -> None:
        self.facts = self.late = 0
        self._terms = terms
        self._history = evidence.history
        self._turns = {at: n for n, at in evidence.history.turns.items()}
        self._books = evidence.books
        self._read = evidence.read
        self._clocks: Clocks | None = None
        self._turn = 0
        """The last turn."""
        self._forfeits: list[Side] = []
        """The sides that must resign next, because they were late too often, in order."""

    def see(self, commit: Past) -> Iterator[str]:
        """Yield what is wrong with what one commit does to the clocks, and go on from what it says."""
        kind, said = self._history.kinds.get(commit.at), self._said(commit, CLOCK)
        try:
            after = self._clocks if said is None else side_clocks.read_clocks(yamlio.read(said, name=CLOCK).value)
            if said is not None and after is not None:
                yield from not_canonical(after.record(), said)
            fact_path = next((each.path for each in commit.changes if each.path.startswith(FACTS)), None)
            fact = None if fact_path is None else self._fact(commit, fact_path)
        except _UNREADABLE as wrong:
            yield f"{CLOCK} or the fact that it brings cannot be read: {_first_line(wrong)}"
            return
        try:
            if kind is CommitKind.FACT and fact is not None and after is not None:
                yield from self._of_fact(commit, fact, after)
            elif kind is CommitKind.SHEET and after is not None:
                yield from self._of_sheet(commit, after)
            elif kind is CommitKind.PLAYER and self._clocks is not None and after is not None:
                yield from self._of_player(commit, self._clocks, after)
            elif kind in (CommitKind.ADJUDICATION, CommitKind.MIGRATION):
                yield from self._of_adjudication(commit, after)
        except _UNREADABLE as wrong:
            yield f"no clock can be moved on as it says: {type(wrong).__name__}: {_first_line(wrong)}"
        self._clocks = after

    def _said(self, commit: Past, path: str) -> bytes | None:
        """Return what a commit makes of a file; None: it does not change it."""
        oid = next((each.new for each in commit.changes if each.path == path), None)
        return None if oid is None else self._read(oid)

    def _fact(self, commit: Past, path: str) -> Fact:
        """Return the fact that a commit brings. Raises ValueError if it is not written as pbem writes it."""
        content = self._said(commit, path) or b""
        fact = read_fact(yamlio.read(content, name=path).value)
        number = 1 if self._clocks is None else self._clocks.facts + 1
        if yamlio.dump(fact_record(number, fact)).encode() != content:
            raise ValueError(f"{path} is not fact {number}, or not written as pbem writes it")
        return fact

    def _of_fact(self, commit: Past, fact: Fact, after: Clocks) -> Iterator[str]:
        self.facts += 1
        if self._clocks is None:
            yield "a fact of time stands before the first adjudication"
            return
        if fact.at != _dated(commit):
            yield f"its fact is of {stamp(fact.at)}, and the commit of {stamp(_dated(commit))}"
        yield from self._consented(commit, fact)
        expected = self._clocks.copied()
        try:
            put(self._terms, expected, fact)
        except BadFact as wrong:
            yield f"the fact that it brings cannot be: {wrong}"
            return
        yield from _differs(expected, after)
        if isinstance(fact, Late):
            self.late += len(fact.sides)
            often = self._terms.forfeit
            self._forfeits += [side for side in sorted(fact.sides) if often and after.sides[side].late >= often]

    def _consented(self, commit: Past, fact: Fact) -> Iterator[str]:
        """Yield why the sides have not consented to a fact: they must if it names a request, or a player is referee."""
        number = fact.request if isinstance(fact, Paused | Extended) else 0
        if not number:
            if self._terms.master is not None and isinstance(fact, NEED_CONSENT):
                yield f"the game master plays {self._terms.master}, and the other sides have not consented to it"
            return
        oid = self._history.before(request_path(number), commit.at)
        said = {} if oid is None else yamlio.read(self._read(oid), name=request_path(number)).value
        asked = plain.decode(Request, {"needed": [], **said}) if said.get("kind") in STAYING else None
        if asked is None or not asked.is_open or still_needed(asked) or not proposes(asked, fact):
            yield f"it says that the sides have consented by request {number}, and they have not consented to that"

    def _of_sheet(self, commit: Past, after: Clocks) -> Iterator[str]:
        before, at = self._clocks, _dated(commit)
        if before is None:
            yield "a sheet stands before the first adjudication"
            return
        path = next(each.path for each in commit.changes if each.path.startswith(SHEETS))
        side = path[len(SHEETS) :].partition("/")[0]
        yield from self._late(before, at, f"it takes a sheet that came at {stamp(at)}")
        clock = before.sides[side]
        if clock.called is not None and at <= clock.called:
            yield (
                f"it takes a sheet of {side} that came at {stamp(at)}; {side} had been called late by the deadline "
                f"{stamp(clock.called)} before it was read"
            )
        since = clock.since or clock.opened
        expected = [before.copied()]
        if clock.asked and since is not None:
            for earns in (False, True):
                expected.append(before.copied())
                side_clocks.stop_clock(expected[-1], side, max(at, since), earns=earns)
                if self._terms.hold:
                    expected.append(expected[-1].copied())
                    side_clocks.hold_answer(self._terms, expected[-1], side)
            expected.append(before.copied())
            side_clocks.take_back(expected[-1], side, max(at, since))
        elif after.sides[side].asked:
            expected.append(before.copied())
            side_clocks.open_question(
                expected[-1], [side], self._turn, at, (side,) if after.sides[side].since is None else ()
            )
        if all(each != after for each in expected):
            yield from _differs(expected[-1], after)

    def _of_player(self, commit: Past, before: Clocks, after: Clocks) -> Iterator[str]:
        """Yield what is wrong with the clocks once a side has another player, or the same one another address."""
        path = next(each.path for each in commit.changes if each.path.startswith(JOINED))
        side = path[len(JOINED) : -len(".yaml")]
        expected, at = before.copied(), _dated(commit)
        if self._player(path, commit.at) != self._player(path, commit.at + 1):
            yield from self._late(before, at, f"{side} has another player since {stamp(at)}")
            if at < before.time:
                yield f"it is of {stamp(at)}, and {stamp(before.time)} is on record already"
            side_clocks.take_over(self._terms, expected, side, at)
        yield from _differs(expected, after)

    def _player(self, path: str, commits: int) -> int:
        """Return which player of its side was the latest after so many commits."""
        oid = self._history.before(path, commits)
        return 1 if oid is None else int(yamlio.read(self._read(oid), name=path).value.get("player", 1))

    def _late(self, before: Clocks, at: datetime, what: str) -> Iterator[str]:
        """Yield that something was done while somebody should have been called late."""
        if late := side_clocks.late_at(self._terms, before, at):
            yield (
                f"{what}; by then the deadline of {listing(sorted(late))} had passed ({stamp(min(late.values()))}), "
                "and nobody was called late"
            )

    def _of_adjudication(self, commit: Past, after: Clocks | None) -> Iterator[str]:
        n, before = self._turns.get(commit.at, 0), self._clocks
        self._turn = n
        turn = self._books.turns.get(n, {})
        if after is None:
            yield f"turn {n} has no {CLOCK}"
            return
        if before is None:
            before = side_clocks.new_clocks(self._terms, after.sides, _dated(commit))
        yield from self._called(n, turn, before)
        yield from self._forfeited(turn)
        held = side_clocks.last_hold_ends(before)
        if (
            held is not None
            and held > _dated(commit)
            and "act" not in turn
            and (self._terms.runs or "late" not in turn)
        ):
            yield f"turn {n} was made at {stamp(_dated(commit))}, while a sheet was on hold until {stamp(held)}"
        if _dated(commit) != after.time or after.time < before.time:
            yield f"turn {n} is of {stamp(_dated(commit))}, and its clocks of {stamp(after.time)}"
        expected = replace(before.copied(), time=after.time)
        side_clocks.end_hold(expected)
        for side, now in after.sides.items():
            if side in expected.sides:
                self._moved_on(expected, side, now, n)
        yield from _differs(expected, after)

    def _moved_on(self, clocks: Clocks, side: Side, now: SideClock, n: int) -> None:
        """Move a side's clock to what it must be after turn n, if that asks it or not as `now` says."""
        clock = clocks.sides[side]
        if clock.asked and now.asked != clock.asked:
            side_clocks.close_question(self._terms, clocks, side, clocks.time)
        if now.asked == n and not clock.asked:
            clock.asked, clock.opened = n, clocks.time
            clock.since = None if now.since is None else clocks.time

    def _called(self, n: int, turn: Record, before: Clocks) -> Iterator[str]:
        """Yield where a turn takes other sides for late, or away, than were called late before it."""
        if not self._terms.runs or "act" in turn:
            return
        called = sorted(side_clocks.late_now(before))
        for word, when in (("late", DEFAULT), ("absent", BOT)):
            expected = called if self._terms.late == when else []
            if list(turn.get(word, ())) != expected:
                yield (
                    f"turn {n} has {listing(turn.get(word, ())) or 'nobody'} {word}; called late before it, and not "
                    f"answered, was {listing(expected) or 'nobody'}"
                )

    def _forfeited(self, turn: Record) -> Iterator[str]:
        """Yield the side that was late too often, if what follows is not that it resigns."""
        if not self._forfeits:
            return
        side, act = self._forfeits.pop(0), turn.get("act", {})
        if "result" in turn:
            self._forfeits = []
        if act.get("kind") != RESIGNATION or act.get("side") != side:
            yield f"{side} has been late {counted(self._terms.forfeit, 'time')} and should resign; it does not"


def _first_line(wrong: Exception) -> str:
    return str(wrong).partition("\n")[0]


def _dated(commit: Past) -> datetime:
    return datetime.fromtimestamp(commit.author, UTC)


def _differs(expected: Clocks, after: Clocks) -> Iterator[str]:
    """Yield where clocks are not as they must be."""
    must, have = expected.record(), after.record()
    for word in must | have:
        if word != "sides" and must.get(word) != have.get(word):
            yield f"{CLOCK}, {word}: it says {have.get(word)}, it must be {must.get(word)}"
    for side in sorted(must["sides"].keys() | have["sides"].keys()):
        one, other = must["sides"].get(side, {}), have["sides"].get(side, {})
        for word in sorted(one.keys() | other.keys()):
            if one.get(word) != other.get(word):
                yield f"{CLOCK}, {side}, {word}: it says {other.get(word)}, it must be {one.get(word)}"

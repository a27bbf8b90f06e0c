"""Plays a game again from its records with the rules as they are now, and finds where the record differs (replay).

Turn by turn the rolls, the hidden draws, the events, the questions and the position are held against the record. Each
resting span is played from where the record stood: what a changed rule does to a turn is told of that turn, and not of
all that come after it. Where a question has changed, the rest of its span cannot be played; the replay goes on from
the next resting point on record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from traceback import extract_tb
from typing import Any

from pbem.audit.differences import Differ, Difference
from pbem.audit.playback import Course, Unasked
from pbem.crypto.dice import check_link
from pbem.engine.advance import Outcome
from pbem.engine.session import RulesDiffer
from pbem.game import yaml as yamlio
from pbem.referee.open_game import OpenGame
from pbem.repo.layout import POSITION
from pbem.repo.records import answer_record, as_plain, reached_checkpoint


@dataclass(slots=True)
class Replayed:
    """One adjudication played again: what differs, and how much there was to compare.

    With `played` False it could not be played, for a question before it in its span has changed. With `rests` False
    the game does not rest there. `elsewhere`: what the game goes on from is not what the record says.
    """

    n: int
    differences: list[Difference] = field(default_factory=list)
    played: bool = True
    answers: int = 0
    rolls: int = 0
    events: int = 0
    rests: bool = False
    act: str | None = None
    elsewhere: bool = False


def replay(game: OpenGame, first: int = 1, last: int | None = None) -> Iterator[Difference]:
    """Yield every difference between a game's records and what its answers come to now; see `replay_turns`."""
    for turn in replay_turns(game, first, last):
        yield from turn.differences


def replay_turns(game: OpenGame, first: int = 1, last: int | None = None) -> Iterator[Replayed]:
    """Yield adjudications played again, from the last resting point before `first` up to `last`."""
    course = Course(game)
    end = course.last if last is None else min(last, course.last)
    yield from replayed(game, course, course.rest_before(max(first, 1)), end)


def replayed(game: OpenGame, course: Course, after: int, end: int) -> Iterator[Replayed]:
    """Yield the adjudications after one, up to another, played again from where the record then stood."""
    differ, books = Differ(game), _Books(course)
    lost = not _taken_up(course, after)
    for n in range(after + 1, end + 1):
        public = course.public(n)
        turn = Replayed(n, rests=course.rests(n), act=public.get("act", {}).get("kind"))
        turn.differences += books.check(n, public)
        if lost:
            turn.played = False
        else:
            _play(course, differ, turn)
            lost = turn.elsewhere
        if lost and turn.rests:
            lost = not _taken_up(course, n)
        yield turn


def _taken_up(course: Course, n: int) -> bool:
    """Go to where the record stands after an adjudication; tell whether the rules here can."""
    try:
        course.take_up(n)
    except Exception:  # whatever rules do with a position that is not theirs: they cannot go on from it
        return False
    return True


def _play(course: Course, differ: Differ, turn: Replayed) -> None:
    """Play an adjudication again and note what differs."""
    n, recorded = turn.n, course.turn(turn.n)
    turn.answers, turn.rolls, turn.events = len(recorded.answers), len(recorded.rolls), len(recorded.events)
    try:
        outcome, _ = course.play(n)
    except RulesDiffer as differs:
        whole = isinstance(differs, Unasked)
        now = differs.outcome if isinstance(differs, Unasked) else course.so_far
        turn.differences += [*differ.compare(recorded, now, whole=whole), differ.asked_otherwise(n, differs.difference)]
    except Exception as bug:  # an answer on record may lead changed rules anywhere
        # Where, but not with what: that may be hidden.
        where = extract_tb(bug.__traceback__)[-1].name
        text = f"the rules here fail on what is on record: {type(bug).__name__} in `{where}`"
        turn.differences += [*differ.compare(recorded, course.so_far, whole=False), Difference(n, text)]
    else:
        turn.differences += differ.compare(recorded, outcome)
        standing = list(_compare_position(course, differ, n, outcome))
        turn.differences += standing
        turn.elsewhere = bool(standing)
        return
    turn.elsewhere = True


def _compare_position(course: Course, differ: Differ, n: int, outcome: Outcome[Any]) -> Iterator[Difference]:
    """Yield how what the game goes on from differs: position, questions, result; at most one difference of each."""
    rules, ledger, public = course.rules, course.ledger, course.public(n)
    session = outcome.session
    asked = [{"side": decision.side, "kind": decision.kind} for decision in session.open_decisions]
    if asked != public["waiting"]:
        yield differ.waits(n, public["waiting"], asked)
    elif n == course.last or "act" in course.public(n + 1):  # other questions are compared when they are answered
        yield from differ.open_questions(n, course.recorded(n).asked, session.open_decisions)
    if public.get("result") != (None if session.result is None else as_plain(session.result)):
        yield differ.result(n, public.get("result"), session.result)
    seen = rules.encode(rules.view(session.position, None))
    if sha256(yamlio.dump(seen).encode()).hexdigest() != public["position"]:
        content = ledger.read(POSITION, course.commits.get(n))
        yield differ.position(n, yamlio.read(content or b"{}", name=POSITION).value, seen)
        return
    whole = None if outcome.checkpoint is None or session.result is not None else rules.encode(outcome.checkpoint)
    if reached_checkpoint(public) != (whole is not None):
        told = ("no resting point", "one") if whole is not None else ("a resting point", "none")
        yield Difference(n, f"recorded {told[0]}, now {told[1]}")
    elif whole is not None and n in course.commits:
        yield from differ.checkpoint(n, course.recorded(n).checkpoint, whole)


class _Books:
    """What the turn files say of one another, as far as a replay relies on it; `pbem verify` checks all of it."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._ledger = course.ledger

    def check(self, n: int, public: Any) -> Iterator[Difference]:
        """Yield what is wrong with a turn file among the others, and at the end with what the game goes on from."""
        if n > 1:
            before = self._course.public(n - 1)
            if public["previous"] != self._course.digest(n - 1):
                yield Difference(
                    n - 1, f"the turn file was altered: it is not the one that adjudication {n} goes on from"
                )
            previous = before.get("renewal", before["link"])
        else:
            previous = self._ledger.charter.dice.tip
        if not check_link(public["link"], previous):
            yield Difference(n, "the link opened does not follow from the one before")
        if n == self._course.last:
            yield from self._check_end(n, public)

    def _check_end(self, n: int, public: Any) -> Iterator[Difference]:
        """Yield where the state that the game goes on from is not that of its last adjudication."""
        state, then = self._ledger.state(), self._course.recorded(n)
        assert state is not None
        if state.result != public.get("result"):
            yield Difference(n, "the result in the sealed state is not that of the turn file")
        if state.checkpoint != then.checkpoint:
            yield Difference(n, "the resting point in the sealed state was altered after the turn was made")
        answers = [[answer_record(answer) for answer in step.answers] for step in state.steps]
        if [step.key for step in state.steps] != [step.key for step in then.steps] or answers != [
            [answer_record(answer) for answer in step.answers] for step in then.steps
        ]:
            yield Difference(n, "the answers in the sealed state were altered after the turn was made")

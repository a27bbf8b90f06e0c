"""Replay: plays a game again from its records with the rules that are here, and finds where it differs.

Turn by turn, the rolls, the hidden draws, the events, the decisions and the position are compared with the record. Each
span starts from a recorded checkpoint. So a changed rule shows in the turn that it changes, and not in all later ones.
Where a decision has changed, the rest of its span cannot be played, and the replay goes on from the next checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from traceback import extract_tb
from typing import Any

from pbem.audit.explain.differences import Differ, Difference
from pbem.audit.explain.playback import Playback, Unasked
from pbem.crypto.dice import check_link
from pbem.engine.advance import Outcome
from pbem.engine.session import RulesDiffer
from pbem.game import yaml as yamlio
from pbem.game.plain import Record
from pbem.referee.game.open_game import OpenGame
from pbem.referee.play.played import awaited_decisions
from pbem.repo.files.layout import POSITION
from pbem.repo.files.records import reached_checkpoint, result_in


@dataclass(slots=True)
class Replayed:
    """One adjudication played again: what differs, and how much there was to compare.

    `played` is False if it could not be played, because a decision before it in its span has changed. `rests` is True
    if it reached a checkpoint, and `elsewhere` if the game would not go on from where the record does.
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
    """Yield every difference between a game's records and the same answers played now; see `replay_turns`."""
    for turn in replay_turns(game, first, last):
        yield from turn.differences


def replay_turns(game: OpenGame, first: int = 1, last: int | None = None) -> Iterator[Replayed]:
    """Yield adjudications played again, from the last checkpoint before `first` up to `last`."""
    playback = Playback(game)
    end = playback.last if last is None else min(last, playback.last)
    yield from replayed(game, playback, playback.rest_before(max(first, 1)), end)


def replayed(game: OpenGame, playback: Playback, after: int, end: int) -> Iterator[Replayed]:
    """Yield the adjudications after one, up to another, played again from the recorded states."""
    differ, books = Differ(game), _Books(playback)
    lost = not _taken_up(playback, after)
    for n in range(after + 1, end + 1):
        public = playback.public(n)
        turn = Replayed(n, rests=playback.rests(n), act=public.get("act", {}).get("kind"))
        turn.differences += books.check(n, public)
        if lost:
            turn.played = False
        else:
            _play(playback, differ, turn)
            lost = turn.elsewhere
        if lost and turn.rests:
            lost = not _taken_up(playback, n)
        yield turn


def _taken_up(playback: Playback, n: int) -> bool:
    """Go to the recorded state after an adjudication; tell whether the rules here can."""
    try:
        playback.take_up(n)
    except Exception:  # rules may do anything with a position of other rules: they cannot go on from it
        return False
    return True


def _play(playback: Playback, differ: Differ, turn: Replayed) -> None:
    """Play an adjudication again and note what differs."""
    n, recorded = turn.n, playback.turn(turn.n)
    turn.answers, turn.rolls, turn.events = len(recorded.answers), len(recorded.rolls), len(recorded.events)
    try:
        outcome, _ = playback.play(n)
    except RulesDiffer as differs:
        whole = isinstance(differs, Unasked)
        now = differs.outcome if isinstance(differs, Unasked) else playback.so_far
        turn.differences += [*differ.compare(recorded, now, whole=whole), differ.asked_otherwise(n, differs.difference)]
    except Exception as bug:  # an answer on record may lead changed rules anywhere
        # Where, but not with what: that may be hidden.
        where = extract_tb(bug.__traceback__)[-1].name
        text = f"the rules here fail on what is on record: {type(bug).__name__} in `{where}`"
        turn.differences += [*differ.compare(recorded, playback.so_far, whole=False), Difference(n, text)]
    else:
        turn.differences += differ.compare(recorded, outcome)
        standing = list(_compare_position(playback, differ, n, outcome))
        turn.differences += standing
        turn.elsewhere = bool(standing)
        return
    turn.elsewhere = True


def _compare_position(playback: Playback, differ: Differ, n: int, outcome: Outcome[Any]) -> Iterator[Difference]:
    """Yield how the state after a turn differs: position, decisions, result; at most one difference of each."""
    rules, ledger, public = playback.rules, playback.ledger, playback.public(n)
    session = outcome.session
    asked = awaited_decisions(session)
    if asked != public["open_decisions"]:
        yield differ.waits(n, public["open_decisions"], asked)
    elif n == playback.last or "act" in playback.public(n + 1):  # other questions are compared when they are answered
        yield from differ.open_questions(n, playback.recorded(n).open_decisions, session.open_decisions)
    if (recorded := result_in(public)) != session.result:
        yield differ.result(n, recorded, session.result)
    seen = rules.encode(rules.view(session.position, None))
    if sha256(yamlio.dump(seen).encode()).hexdigest() != public["position"]:
        content = ledger.read(POSITION, playback.commits.get(n))
        yield differ.position(n, yamlio.read(content or b"{}", name=POSITION).value, seen)
        return
    whole = None if outcome.checkpoint is None or session.result is not None else rules.encode(outcome.checkpoint)
    if reached_checkpoint(public) != (whole is not None):
        told = ("no checkpoint", "one") if whole is not None else ("a checkpoint", "none")
        yield Difference(n, f"recorded {told[0]}, now {told[1]}")
    elif whole is not None and n in playback.commits:
        yield from differ.checkpoint(n, playback.recorded(n).checkpoint, whole)


class _Books:
    """The links between the turn files that a replay relies on; `pbem verify` checks all of them."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback
        self._ledger = playback.ledger

    def check(self, n: int, public: Record) -> Iterator[Difference]:
        """Yield the faults of a turn file among the others and, after the last one, of the state."""
        if n > 1:
            before = self._playback.public(n - 1)
            if public["previous"] != self._playback.digest(n - 1):
                yield Difference(
                    n - 1, f"the turn file was altered: it is not the one that adjudication {n} goes on from"
                )
            previous = before.get("renewal", before["link"])
        else:
            previous = self._ledger.charter.dice.tip
        if not check_link(public["link"], previous):
            yield Difference(n, "the link opened does not follow from the one before")
        if n == self._playback.last:
            yield from self._check_end(n, public)

    def _check_end(self, n: int, public: Record) -> Iterator[Difference]:
        """Yield where the current state is not that of the last adjudication."""
        state, then = self._ledger.state(), self._playback.recorded(n)
        assert state is not None
        if state.result != result_in(public):
            yield Difference(n, "the result in the sealed state is not that of the turn file")
        if state.checkpoint != then.checkpoint:
            yield Difference(n, "the checkpoint in the sealed state was altered after the turn was made")
        if state.record()["steps"] != then.record()["steps"]:
            yield Difference(n, "the answers in the sealed state were altered after the turn was made")

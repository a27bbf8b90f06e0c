"""Replay: plays a game again from its records with the rules that are here, and says where it differs.

Turn by turn, the rolls, the hidden draws, the events, the decisions and the position are compared with the record. Each
span starts from a recorded checkpoint. So a changed rule shows in the turn that it changes, and not in all later ones.
Where a decision has changed, the rest of its span cannot be played, and the replay goes on from the next checkpoint.

What differs is said as a person would. What not everybody may know is never told: only that it differs, and where.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import zip_longest
from traceback import extract_tb
from typing import Any, Final, Protocol

from pbem.audit.explain.playback import Playback, Unasked
from pbem.audit.record.schemas import same_words
from pbem.crypto.dice import check_link
from pbem.engine.advance import Outcome
from pbem.engine.session import RulesDiffer
from pbem.game import yaml as yamlio
from pbem.game.wording import listing
from pbem.protocol import Decision, Draw, Event, Record, Result, Roll, cited
from pbem.referee import EVENTS as BY_THE_GAME_MASTER
from pbem.referee.game.open_game import OpenGame, Told
from pbem.referee.play.played import awaited_decisions
from pbem.render.text.messages import sentences
from pbem.repo.files.adjudication import Adjudication
from pbem.repo.files.layout import POSITION
from pbem.repo.files.records import as_plain, decision_record, reached_checkpoint, result_in
from pbem.repo.ledger import NotDerived

NOT_OF_THE_RULES: Final = (
    *BY_THE_GAME_MASTER,
    "beacon_missing",
    "beacon_round",
    "migrated",
    "order_expired",
    "order_unused",
    "standing_fired",
    "standing_expired",
    "standing_passed",
)
"""Events that tell of sheets and of the game master, not of the game."""
MOST_SHOWN: Final = 3
"""So many places of a position that differ are named."""
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay leaves the record: the adjudication and what differs, as a person would say it."""

    adjudication: int
    text: str

    def __str__(self) -> str:
        return f"turn {self.adjudication}, {self.text}"


class Happened(Protocol):
    """What has happened in a turn, or so far."""

    @property
    def events(self) -> Sequence[Event]: ...
    @property
    def rolls(self) -> Sequence[Roll]: ...
    @property
    def draws(self) -> Sequence[Draw]: ...


class Differ:
    """Compares turns of one game, in the words of its box."""

    def __init__(self, game: OpenGame) -> None:
        self._say = sentences(game.box)
        self._titles = {kind: form.title for kind, form in game.box.forms.items()}

    def compare(self, recorded: Adjudication, now: Happened, *, whole: bool = True) -> Iterator[Difference]:
        """Yield the first hidden draw, and the first roll or other event, that differ.

        Without `whole` the turn was not played to its end: what did not come any more is no difference.
        """
        n, pairs = recorded.n, zip_longest if whole else zip
        of_the_rules = [event for event in recorded.events if event.kind not in NOT_OF_THE_RULES]
        for number, (was, drawn) in enumerate(pairs(recorded.draws, now.draws), 1):
            if not _same_draw(was, drawn):
                yield Difference(n, f"hidden draw {number}, {_draw(was, drawn)}")
                break
        for at, (told, here) in enumerate(pairs(of_the_rules, now.events)):
            if not _same_event(told, here):
                yield Difference(n, self._first(at, told, here, of_the_rules if told else now.events, recorded.rolls))
                return

    def _first(
        self, at: int, old: Event | None, new: Event | None, events: Sequence[Event], recorded: Sequence[Roll]
    ) -> str:
        """Say how the first event that differs does; `events` are those of which it is one, or would be."""
        number = sum(event.roll is not None for event in events[:at]) + 1
        then, now = (event.roll if event is not None else None for event in (old, new))
        missing = then is not None and then != now
        added = then is None and now is not None and all(now.name != roll.name for roll in recorded)
        if missing or added:
            aims = {id(event.roll): event.facts for event in (old, new) if event is not None}
            return f"roll {number}, {self._roll(then, now, aims)}"
        return self._event(at, old, new, events)

    def asked_otherwise(self, n: int, text: str) -> Difference:
        """Return what to say of a question that is not the recorded one."""
        return Difference(n, f"a question has changed: {text}")

    def waits(self, n: int, recorded: Sequence[Mapping[str, str]], now: Sequence[Mapping[str, str]]) -> Difference:
        """Return how the open questions differ."""
        return Difference(n, f"the game waits: recorded {self._questions(recorded)}, now {self._questions(now)}")

    def open_questions(self, n: int, recorded: Sequence[Record], now: Sequence[Decision]) -> Iterator[Difference]:
        """Yield the open questions that differ, by the words of what differs in them: their facts are not for all."""
        for old, decision in zip(recorded, now, strict=True):
            new = decision_record(decision)
            places = {".".join(path[:2]).removeprefix("facts.") for path, _, _ in different(old, new)}
            if places:
                whose = f"{decision.kind} of {decision.side}"
                yield Difference(n, f"an open question has changed: {whose}, in {listing(sorted(places))}")

    def result(self, n: int, recorded: Result | None, now: Result | None) -> Difference:
        """Return how the end of the game differs."""
        said = [self._say.result(each).rstrip(".") if each else "the game goes on" for each in (recorded, now)]
        return Difference(n, f"result: recorded {said[0]}, now {said[1]}")

    def position(self, n: int, recorded: object, now: object) -> Difference:
        """Return where two positions differ, as an observer may know them."""
        places = list(different(recorded, now))
        shown = [f"{self._place(path)} recorded {shortly(old)}, now {shortly(new)}" for path, old, new in places]
        more = f"; and {len(places) - MOST_SHOWN} more" if len(places) > MOST_SHOWN else ""
        return Difference(n, f"position: {'; '.join(shown[:MOST_SHOWN]) or 'the file is not the recorded one'}{more}")

    def checkpoint(self, n: int, recorded: object, now: object) -> Iterator[Difference]:
        """Yield where checkpoints differ in hidden parts only; the hidden values are not told."""
        places = [".".join(path[:1]) for path, _, _ in different(recorded, now)]
        if places:
            yield Difference(n, f"position: what is hidden differs, in {listing(sorted(set(places)))}")

    # ---- within

    def _roll(self, old: Roll | None, new: Roll | None, aims: Mapping[int, Record]) -> str:
        said = [self._say.what_for(roll, aims.get(id(roll), {})) if roll else "" for roll in (old, new)]
        if old is None or new is None:
            one = old or new
            assert one is not None
            is_there = "now rolled, not recorded" if old is None else "recorded, not rolled now"
            return f"{said[0] or said[1]}: {is_there}, {cited(one.rule)}"
        if old.name != new.name:
            return f"recorded {said[0]} ({cited(old.rule)}), now {said[1]} ({cited(new.rule)})"
        odd = []
        if (old.faces, old.sides) != (new.faces, new.sides):
            dice = ["" if roll.sides == 6 else f"d{roll.sides} " for roll in (old, new)]
            odd.append(f"recorded {dice[0]}{_faces_added(old)}, now {dice[1]}{_faces_added(new)}")
        if old.modifiers != new.modifiers:
            changes = [self._say.changes(roll).strip() or "nothing" for roll in (old, new)]
            odd.append(f"recorded with {changes[0]}, now with {changes[1]}")
        if old.total != new.total and not odd:
            odd.append(f"the sum recorded {old.total}, now {new.total}")
        if old.need != new.need:
            odd.append(f"recorded as needing {old.need or 'nothing'}, now {new.need or 'nothing'}")
        if old.success != new.success:
            odd.append(f"recorded a {_success(old)}, now a {_success(new)}")
        if old.rule != new.rule:
            odd.append(f"recorded under {cited(old.rule)}")
        return f"{said[0]}: {', '.join(odd)}, {cited(new.rule)}"

    def _event(self, at: int, old: Event | None, new: Event | None, events: Sequence[Event]) -> str:
        """Say how an event differs; where one follows a roll, the roll is named: its table may be what changed."""
        rolls = [event for event in events[:at] if event.roll is not None]
        where = f"roll {len(rolls)}, {self._after(rolls[-1])}: " if rolls else ""
        hidden = {side for event in (old, new) if event is not None and event.to is not None for side in event.to}
        one = new or old
        assert one is not None
        rule = f", {cited(one.rule)}" if one.rule else ""
        if hidden:
            kinds = sorted({event.kind for event in (old, new) if event is not None})
            whom = listing([self._say.name(side) for side in sorted(hidden)])
            return f"{where}event {at + 1}: what {whom} alone is told differs ({' and '.join(kinds)}){rule}"
        if old is not None and new is not None and (old.kind, old.roll) == (new.kind, new.roll):
            odd = [
                f"{self._place(path)} recorded {shortly(was)}, now {shortly(now)}"
                for path, was, now in different(as_plain(old.facts), as_plain(new.facts))
            ]
            odd += [f"recorded under {old.rule or 'no rule'}"] if old.rule != new.rule else []
            return f"{where}event {at + 1} ({_as_words(new.kind)}): {'; '.join(odd) or _otherwise(old, new)}{rule}"
        return f"{where}event {at + 1}: recorded {self._said(old)}, now {self._said(new)}{rule}"

    def _after(self, event: Event) -> str:
        assert event.roll is not None
        return self._say.what_for(event.roll, event.facts)

    def _said(self, event: Event | None) -> str:
        if event is None:
            return "nothing"
        lines = [said.text for said in self._say.tell([Told(0, event)])]
        return f'"{" ".join(lines)}"' if lines else _as_words(event.kind)

    def _questions(self, waiting: Sequence[Mapping[str, str]]) -> str:
        said = [
            f"for {self._say.name(each['side'])}: {self._titles.get(each['kind'], each['kind'])}" for each in waiting
        ]
        return " and ".join(said) or "for nobody"

    def _place(self, path: Sequence[str]) -> str:
        return ", ".join(self._say.name(word) for word in path) or "all of it"


def different(
    one: object, other: object, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], object, object]]:
    """Yield every place in which two plain values differ: the way to it, and both values (None: not there)."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from different(one.get(key), other.get(key), (*path, str(key)))
    elif one != other and not (_empty(one) and _empty(other)):
        yield path, one, other


def _empty(value: object) -> bool:
    return value is None or (isinstance(value, (Mapping, list)) and not value)


def _same_event(one: Event | None, other: Event | None) -> bool:
    if one is None or other is None:
        return False
    alike = (one.kind, one.rule, one.to, one.roll) == (other.kind, other.rule, other.to, other.roll)
    return alike and same_words(_as_written(one), _as_written(other))


def _as_written(event: Event) -> object:
    """Return what of an event has words in an order: in another they would make other dice."""
    return [as_plain(event.facts), None if event.roll is None else as_plain(event.roll.modifiers)]


def _otherwise(old: Event, new: Event) -> str:
    return "told to others" if old.to != new.to else "its words stand in another order"


def _same_draw(one: Draw | None, other: Draw | None) -> bool:
    return one is not None and other is not None and _draw_record(one) == _draw_record(other)


def _draw_record(draw: Draw) -> tuple[str, object, object]:
    return draw.name, as_plain(draw.items), as_plain(draw.order)


def _draw(old: Draw | None, new: Draw | None) -> str:
    """Say how a hidden draw differs, and nothing of what was drawn."""
    if old is None or new is None:
        one = old or new
        assert one is not None
        return f"{one.name}: {'now drawn, not recorded' if old is None else 'recorded, not drawn now'}"
    if old.name != new.name:
        return f"recorded {old.name}, now {new.name}"
    if len(old.items) != len(new.items):
        return f"{old.name}: recorded out of {len(old.items)}, now out of {len(new.items)}"
    if sorted(map(repr, as_plain(old.items))) != sorted(map(repr, as_plain(new.items))):
        return f"{old.name}: what is shuffled differs, though not how many"
    before = "the order before it" if as_plain(old.items) != as_plain(new.items) else "the order that came of it"
    return f"{old.name}: {before} differs"


def _faces_added(roll: Roll) -> str:
    return " + ".join(map(str, roll.faces))


def _success(roll: Roll) -> str:
    return "success" if roll.success else "failure"


def shortly(value: object) -> str:
    """Return a value as a text of bearable length."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        text = ", ".join(f"{key} {shortly(of)}" for key, of in value.items())
    elif isinstance(value, list) and len(value) > MOST_SHOWN and all(each == value[0] for each in value):
        text = f"{len(value)} times {shortly(value[0])}"  # cards that nobody may see, as a rule
    elif isinstance(value, list):
        text = ", ".join(map(shortly, value))
    else:
        text = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    text = text or "nothing"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _as_words(word: str) -> str:
    return word.replace("_", " ")


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
    differ = Differ(game)
    lost = not _taken_up(playback, after)
    for n in range(after + 1, end + 1):
        public = playback.public(n)
        turn = Replayed(n, rests=playback.rests(n), act=public.get("act", {}).get("kind"))
        turn.differences += _odd_links(playback, n, public)
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
    n = turn.n
    try:
        recorded = playback.turn(n)
    except NotDerived as lacking:
        turn.differences.append(Difference(n, str(lacking)))
        turn.played, turn.elsewhere = False, True
        return
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
        content = ledger.repo.read(POSITION, playback.commits.get(n))
        yield differ.position(n, yamlio.read(content or b"{}", name=POSITION).value, seen)
        return
    whole = None if outcome.checkpoint is None or session.result is not None else rules.encode(outcome.checkpoint)
    if reached_checkpoint(public) != (whole is not None):
        told = ("no checkpoint", "one") if whole is not None else ("a checkpoint", "none")
        yield Difference(n, f"recorded {told[0]}, now {told[1]}")
    elif whole is not None and n in playback.commits:
        yield from differ.checkpoint(n, playback.recorded(n).checkpoint, whole)


def _odd_links(playback: Playback, n: int, public: Record) -> Iterator[Difference]:
    """Yield the faults of a turn file among the others.

    A replay relies on these links between the turn files; `pbem verify` checks all of them.
    """
    previous = playback.ledger.charter.dice.tip
    if n > 1:
        before = playback.public(n - 1)
        if public["previous"] != playback.digest(n - 1):
            yield Difference(n - 1, f"the turn file was altered: it is not the one that adjudication {n} goes on from")
        previous = before.get("renewal", before["link"])
    if not check_link(public["link"], previous):
        yield Difference(n, "the link opened does not follow from the one before")

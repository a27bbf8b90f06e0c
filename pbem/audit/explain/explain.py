"""Explain: says how a roll or a turn came about: which order, which decision, which rule, which numbers.

The reader, a side or an observer, is told only what they may know: answers once they are published, events that are for
them, and which standing order answered only if it is their own.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from struct import unpack
from typing import Final

from pbem.audit.explain.playback import GivenAnswer, Playback
from pbem.audit.explain.replay import Differ
from pbem.audit.explain.what_if import answer_as_written
from pbem.crypto.dice import canonical
from pbem.engine.session import BY_BOT, BY_DEFAULT, BY_ONLY, Answer
from pbem.game.wording import listing
from pbem.protocol import Event, Roll, Side, cited
from pbem.referee.game.open_game import CannotPlay, OpenGame, Told
from pbem.render.text.form import order_lines
from pbem.render.text.messages import sentences
from pbem.render.text.text_lines import folded
from pbem.repo.files.records import result_in

WIDTH: Final = 60
_DRAWS: Final = 1 << 16
_MOST_BETWEEN: Final = 3
"""The most answers of a span that are shown between its first and the one that a roll follows from."""


@dataclass(frozen=True, slots=True)
class _Cause:
    """An answer of a span: its adjudication, and how many events came before it there; None: not known."""

    n: int
    after: int | None
    answer: Answer
    given: GivenAnswer | None


class Explained:
    """One turn of a game, played again to find the order of answers and events, for one reader."""

    def __init__(self, game: OpenGame, n: int, viewer: Side | None = None) -> None:
        """Raise CannotPlay if there is no such turn."""
        self._game, self._n, self._viewer = game, n, viewer
        self._say = sentences(game.box)
        self._playback = Playback(game)
        if not 1 <= n <= self._playback.last:
            raise CannotPlay(f"{game.name} has turns 1 to {self._playback.last}, not {n}")
        self._turn = self._playback.turn(n)
        self._rest = self._playback.rest_before(n)
        self._causes = [
            _Cause(k, None, answer, None) for k in range(self._rest + 1, n) for answer in self._playback.turn(k).answers
        ]
        self.traced = self._trace()
        """Whether the rules here play the turn as recorded, so that it is known what followed from what."""

    def turn(self) -> list[str]:
        """Return how the whole turn went: each answer, and what it led to."""
        lines = [f"{self._game.name}, turn {self._n}", ""]
        if self._turn.act is not None:
            act = self._turn.act
            lines += [*self._prose(f"A {act['kind']} of the game master: {act['reason'].rstrip('.')}."), ""]
        if any(self._n in self._playback.public(n).get("act", {}).get("undone", ()) for n in self._later()):
            lines += [*self._prose("It was undone later and no longer counts."), ""]
        if not self.traced:
            lines += self._untraced()
        events, at = self._turn.events, 0
        for causes in _runs_of_defaults(each for each in self._causes if each.n == self._n and self._may_know(each)):
            after = causes[0].after
            if after is not None and after > at:
                lines += [*self._told(events[at:after], at), ""]
                at = after
            lines += self._answer(causes)
        lines += self._told(events[at:], at)
        lines += ["", *self._prose(self._waits())]
        return _tidy(lines)

    def roll(self, number: int) -> list[str]:
        """Return how one roll of the turn came about. Raises CannotPlay if there is none of that number."""
        rolls = self._turn.rolls
        if not 1 <= number <= len(rolls):
            there_are = f"it has {len(rolls)}" if rolls else "it has none"
            raise CannotPlay(f"turn {self._n} has no roll {number}; {there_are}")
        at = [place for place, event in enumerate(self._turn.events) if event.roll is not None][number - 1]
        event, roll = self._turn.events[at], rolls[number - 1]
        lines = [f"{self._game.name}, die {self._n}.{number}", "", *self._rolled(event, roll), ""]
        lines += ["HOW IT CAME TO THIS", *self._led_here(at), ""]
        lines += ["THE NUMBERS", *self._numbers(roll, number), ""]
        lines += ["WHAT IT LED TO", *(self._followed(at) or ["Nothing that the turn reports."])]
        return _tidy(lines)

    def _later(self) -> range:
        return range(self._n + 1, self._playback.last + 1)

    # ---- the order of things

    def _trace(self) -> bool:
        """Play the turn again, note after which events each answer came, and tell whether it went as recorded."""
        recorded, given = self._turn, None
        try:
            self._playback.take_up(self._n - 1)
            outcome, given = self._playback.play(self._n)
        except Exception:  # changed rules may fail anywhere; what is on record can still be shown
            outcome = None
        if outcome is None or given is None or any(Differ(self._game).compare(recorded, outcome)):
            self._causes += [_Cause(self._n, None, answer, None) for answer in recorded.answers]
            return False
        # Events about sheets come before or after the events of the rules, never in between.
        before = next((at for at, event in enumerate(recorded.events) if event.kind == _first_kind(outcome.events)), 0)
        self._causes += [_Cause(self._n, before + each.after, each.answer, each) for each in given]
        return True

    # ---- what was rolled

    def _rolled(self, event: Event, roll: Roll) -> Iterator[str]:
        """Yield the purpose of a roll, its dice, its modifiers, what was needed, and the rule."""
        dice = f"{len(roll.faces)} {'die' if len(roll.faces) == 1 else 'dice'}"
        dice += "" if roll.sides == 6 else f" of {roll.sides} sides"
        aim = self._say.what_for(roll, event.facts)
        yield from self._prose(f"The roll: {aim}, with {dice}, by {self._rule(roll.rule)}.")
        yield f"  {'die' if len(roll.faces) == 1 else 'dice':<6}{' + '.join(map(str, roll.faces))}"
        for reason, value in roll.modifiers.items():
            change, _, why = self._say.changes(replace(roll, modifiers={reason: value})).strip().partition(" ")
            yield f"  {change:<6}{why}"
        if roll.modifiers or len(roll.faces) > 1:
            yield f"  sum   {roll.total}"
        if roll.need is not None:
            yield f"  need  {roll.need}: {'a success' if roll.success else 'a failure'}"

    def _rule(self, rule: str | None) -> str:
        """Return a paragraph with its title, if the box has one."""
        if rule is None:
            return "no rule of its own"
        title = _titles(self._game).get(rule)
        return cited(rule) + (f" ({title})" if title else "")

    # ---- how it came to this

    def _led_here(self, at: int) -> Iterator[str]:
        """Yield the answers from the beginning of the span to the one before a roll."""
        if not self.traced:
            yield from self._untraced()
        if not self._playback.publishes(self._n):
            yield from self._prose(
                "The answers of a play are published when it is over. Until then you see only your own."
            )
        before = [each for each in self._causes if each.n < self._n or each.after is None or each.after <= at]
        seen = list(_runs_of_defaults(each for each in before if self._may_know(each)))
        if not seen:
            yield from self._prose("No published answer led to it, only the flow of the game.")
            return
        middle = seen[1:-1]
        left_out = sum(map(len, middle[:-_MOST_BETWEEN]))
        for causes in [seen[0], *middle[-_MOST_BETWEEN:], *seen[1:][-1:]]:
            if left_out and causes is middle[-_MOST_BETWEEN]:
                yield f"... {left_out} more answers ..."
            yield from self._answer(causes)

    def _may_know(self, cause: _Cause) -> bool:
        """Tell whether an answer is the reader's own, or published and no secret."""
        if cause.answer.side == self._viewer:
            return True
        return not cause.answer.secret and self._playback.publishes(cause.n)

    def _answer(self, causes: Sequence[_Cause]) -> Iterator[str]:
        """Yield an answer: the decision, its side and rule, the source of the answer, and the answer quoted.

        Several that count because nobody answered are told in one.
        """
        cause, answer = causes[0], causes[0].answer
        asked = listing(self._say.name(each.answer.side) for each in causes)
        were = "were each" if len(causes) > 1 else "was"
        told = [f"{asked} {were} asked {self._title(answer)} by {self._rule(answer.rule)}."]
        if cause.n != self._n:
            told[0] = f"Turn {cause.n}: {told[0]}"
        if len(causes) > 1:
            told.append("None of them had given an answer, so the default counted:")
        else:
            if cause.given is not None and answer.side == self._viewer:
                told.append(self._say.question(cause.given.decision))
            told.append(self._source(answer))
        yield from self._prose(" ".join(filter(None, told)))
        yield from (f"  {line}" for line in order_lines(answer.kind, answer_as_written(answer), WIDTH - 2))

    def _title(self, answer: Answer) -> str:
        form = self._game.box.forms.get(answer.kind)
        return f'"{form.title}"' if form else answer.kind

    def _source(self, answer: Answer) -> str:
        """Return the source of an answer, as a sentence."""
        if answer.by == BY_ONLY:
            return "There was only one legal answer:"
        if answer.by == BY_DEFAULT:
            return "It had given no answer, so the default counted:"
        if answer.by == BY_BOT:
            return "The bot answered for it:"
        if answer.by.startswith("standing "):
            return (
                f"{answer.by.capitalize()} answered:" if answer.side == self._viewer else "A standing order answered:"
            )
        return f"Its {answer.by} said:" if answer.by.startswith("sheet ") else f"The {answer.by} answered:"

    # ---- the numbers

    def _numbers(self, roll: Roll, number: int) -> Iterator[str]:
        """Yield how the faces were derived, so that anybody can derive them again."""
        public = self._playback.public(self._n)
        key, charter = self._playback.key(self._n), self._game.charter
        yield from self._prose(
            f"The dice of turn {self._n} come from the link that it opened and from all its inputs. With HMAC "
            f'by SHA-256, the link gives the key of the turn out of ["{charter.dice.scheme}", "{charter.game}", '
            f'{self._n}, inputs]; the key gives the numbers out of ["faces", name, 0].'
        )
        for word, value in (("link", public["link"]), ("inputs", public["inputs"]), ("key", key.hex())):
            yield f"  {word:<7}{value[:32]}"
            yield f"  {'':<7}{value[32:]}"
        yield f"  name   {roll.name}"
        yield from (f"  {line}" for line in _draws_shown(key, roll))
        yield from self._prose(f"To check it without pbem: python verify_one.py REPO {self._n} {number}")

    # ---- what it led to

    def _followed(self, at: int) -> list[str]:
        """Return the events after a roll, up to the next roll or the next answer."""
        events = self._turn.events
        own = [each for each in self._causes if each.n == self._n and self._may_know(each)]
        next_asked = next((each for each in own if each.after is not None and each.after > at), None)
        end = len(events) if next_asked is None or next_asked.after is None else next_asked.after
        rolls = [place for place in range(at + 1, end) if events[place].roll is not None]
        lines = self._told(events[at + 1 : min([*rolls, end])], at + 1)
        if rolls:
            n = sum(event.roll is not None for event in events[: rolls[0] + 1])
            lines += self._prose(f"Then die {self._n}.{n} was rolled.")
        elif next_asked is not None:
            lines += self._prose(
                f"Then {self._say.name(next_asked.answer.side)} was asked {self._title(next_asked.answer)}."
            )
        else:
            lines += self._prose(self._waits())
        return lines

    def _waits(self) -> str:
        """Return how the turn ended."""
        public = self._playback.public(self._n)
        if (result := result_in(public)) is not None:
            return f"The game is over. {self._say.result(result)}"
        forms = self._game.box.forms
        asked = [f'{self._say.name(each["side"])}, "{forms[each["kind"]].title}"' for each in self._turn.open_decisions]
        return f"The turn ends with a question to {listing(asked)}" if asked else "The turn ends."

    # ---- telling

    def _told(self, events: Sequence[Event], start: int) -> list[str]:
        """Return events as the reader may see them."""
        rolls = sum(event.roll is not None for event in self._turn.events[:start])
        told = []
        for event in events:
            rolls += event.roll is not None
            if event.to is None or self._viewer in event.to:
                told.append(Told(self._n, event, rolls if event.roll is not None else None))
        lines = []
        for said in self._say.tell(told):
            indent = "  " * min(said.depth, 2)
            lines += self._prose(said.text + (f" {said.tag}" if said.tag else ""), indent)
        return lines

    def _untraced(self) -> list[str]:
        return self._prose(
            "The rules here do not play this turn as recorded (pbem replay says how they differ), so the answers are "
            "listed without what each of them led to."
        )

    def _prose(self, text: str, indent: str = "") -> list[str]:
        return folded(text, WIDTH, indent, indent + "  " if indent else "")


def _runs_of_defaults(causes: Iterable[_Cause]) -> Iterator[list[_Cause]]:
    """Yield answers in their order; those in a row that are the same default, with nothing between them, as one."""
    run: list[_Cause] = []
    for cause in causes:
        if run and (not _fold_into_one(run[-1], cause) or cause.answer.side in [each.answer.side for each in run]):
            yield run
            run = []
        run.append(cause)
    if run:
        yield run


def _fold_into_one(one: _Cause, other: _Cause) -> bool:
    """Tell whether two answers in a row are the same default of two sides that nothing was told between."""
    alike = all(getattr(one.answer, word) == getattr(other.answer, word) for word in ("kind", "rule", "order", "by"))
    together = (one.n, one.after) == (other.n, other.after) and one.after is not None
    return alike and together and one.answer.by == BY_DEFAULT and one.answer.about == other.answer.about == ""


def _first_kind(events: Sequence[Event]) -> str | None:
    return events[0].kind if events else None


def _draws_shown(key: bytes, roll: Roll) -> Iterator[str]:
    """Yield the numbers that were drawn for a roll, and the faces that they are."""
    fair, left, block = _DRAWS - _DRAWS % roll.sides, list(roll.faces), 0
    while left:
        for draw in unpack(">16H", hmac.digest(key, canonical(["faces", roll.name, block]), "sha256")):
            if not left:
                return
            if draw >= fair:
                yield f"{draw} is discarded: it would favor low faces"
            else:
                yield f"{draw} leaves {draw % roll.sides} when divided by {roll.sides}: face {draw % roll.sides + 1}"
                left.pop()
        block += 1


def _titles(game: OpenGame) -> dict[str, str]:
    """Return the titles of the paragraphs that a game's box lists."""
    try:
        sources = game.box.table("paragraphs")
    except Exception:  # a box need not have such a list
        return {}
    return {
        each["id"]: each["title"] for source in reversed(sources) for each in source["paragraphs"] if "title" in each
    }


def _tidy(lines: Sequence[str]) -> list[str]:
    """Return lines without blank ones at the end, or two blank ones in a row."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept

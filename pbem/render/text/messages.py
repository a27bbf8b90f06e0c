"""Messages: turns events and rolls into the sentences of a box, and of pbem where every game has them. Knows no game.

A sentence names facts of its event in braces. Two blanks in front of it make it a line below another.

    {general}                 by its name; of a list "a, b and c"; numbers as they are
    {general|nobody}          the word if the fact is empty, none, false or 0
    {rounds:round/rounds}     a number with the singular or the plural: 1 round, 3 rounds
    {cards:counted}           a list with equal words counted: 3 Probe and 1 Reserve
    {answered:answer}         of what standing orders gave the answers, without the conditions
    {order:kind_of}           of an order as a player wrote it only its kind
    {card:card}               as the entry `card` of `formats` writes it, or as the group of that name words it
    {path.last} {path.rest}   the last of a list, and all before it
    {?drawn} {!drawn}         shows nothing, and is empty if the fact is (`?`), or is not (`!`)
    [[ by {path.rest}]]       left out, the blank too, if anything in it is empty
    [[, he {sp|0}]]           left out if the fact is not there or none; not if it is 0

The key of a sentence is the kind of its event. `entered+` tells a run of them at once: the one fact in which they
differ is then a list. `marches entered+ stopped` tells three in a row; `{cu}` is the first of them that has it,
`{entered.space}` is that of one. `won++` also gathers those that stand apart in a row of events with such keys, if
their order says nothing. `leads|leads_as` is either, under the first of the names. `roll/pass` is a roll
whose name begins with `pass`, `roll/battle/cancel` one that begins with `battle` and ends with `cancel`; the dice of
a roll so told stand below the sentence. Of all keys that fit, the one of most events counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from typing import Any, Final, Protocol, TypeAlias

from pbem.game.boxes.box import Box
from pbem.game.wording import listing
from pbem.protocol import Decision, Event, PbemError, Result, Roll, cited

Facts: TypeAlias = Mapping[str, Any]
"""The facts of an event, a roll or a decision, by name."""

ROLL: Final = "roll"
"""The word by which the key of a sentence means a roll."""


class SeenEvent(Protocol):
    """One event of one adjudication, with the number of its roll in it if it is one."""

    @property
    def adjudication(self) -> int: ...
    @property
    def event(self) -> Event: ...
    @property
    def roll(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class FactSlot:
    """The place of a fact in a sentence."""

    sign: str
    path: tuple[str, ...]
    form: str
    otherwise: str | None


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """A part of a sentence that is left out if anything in it is empty."""

    inside: tuple[Node, ...]


Node: TypeAlias = str | FactSlot | OptionalPart


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence and the events that it tells: for each the kinds it may be of, and whether it may repeat."""

    pattern: tuple[tuple[tuple[str, ...], bool], ...]
    depth: int
    nodes: tuple[Node, ...]


# ---- Sentences for the events of every game: sheets, standing orders, the beacon, acts of the game master


UNUSED: Final = "order_unused"
"""The kind of the events that tell of an order that was not needed; a report tells several of them as one."""

EVERY_GAME: Final[Mapping[str, Mapping[str, str]]] = {
    "events": {
        "standing_fired": "Your standing orders gave {answered:answer}.",
        "standing_passed": "{by} ({order:kind_of}) stopped: {reasons}.",
        "beacon_round": "The dice come from round {round} of drand.",
        "beacon_missing": "Round {round} of drand is missing, so the dice are made without it. Reason: {reason}",
        "standing_expired": "Your order {order:as_written} ({by}) has expired; it was in force until {until}.",
        "order_expired": "Your order {order:as_written} ({by}) was dropped because it is no longer legal: {reasons}.",
        UNUSED: "Your order {order:as_written} ({by}) was not needed and has expired.",
        "orders_unused": "Of your orders, {orders:counted} were not needed and have expired.",
        "rolled_back": "ROLLBACK by {by}: the game is back at the end of adjudication {to}. What happened in "
        "{what} is undone. Reason: {reason}",
        "ruled_answer": "RULING: the game master answers for {side} ({asked}). Reason: {reason}",
        "ruled_default": "RULING: if the deadline of {side} passes, an answer that the game master has set "
        "counts ({order}). Reason: {reason}",
        "ruled_ready": "  [[Your answer is{!late}: {orders}.]][[Your answer would be{?late}: {orders}.]]",
        "ruled_patch": "RULING: the game master changes the position of adjudication {to}[[: {changes}]]"
        "[[, hidden parts too{?hidden}]]. The game goes on from there.[[ What happened in {what} is undone.]] "
        "Reason: {reason}",
        "ruled_apart": "  Only you are told: {changes}.",
        "migrated": "OTHER RULES: from now on the game is played with newer rules.[[ By these, its state would differ: "
        "{accepted}.]] Reason: {reason}",
        "new_player": "{side} has a new player.",
        "draw_agreed": "[[RULING: the game master ends the game in a draw. Reason: {ruled}]][[{agreed} agree to a "
        "draw.]][[All sides agree to a draw.{!ruled}{!agreed}]][[ {winners} win together.]]",
        "resigned": "[[RULING: the game master records that {?ruled}]]{side} resigns.[[ {left} play on.]]"
        "[[ Reason: {ruled}]]",
        "ruled_end": "RULING: the game master ends the game. Reason: {reason}",
    },
    "results": {
        "broken_off": "The game master ended it; no side wins.",
        "draw_agreed": "It is a draw[[: {winners} win together]].",
        "resigned": "{side} has resigned[[; {winner} wins]][[; {winners} win together]].",
    },
}


# ---- Messages: turns events and rolls into the sentences of a box, `messages/<language>.yaml`. Knows no game


_GROUPS: Final = ("events", "rolls", "modifiers", "questions", "results", "forecast", "formats")
SLOT: Final = re.compile(r"\{([?!]?)([a-z_]+(?:\.[a-z_]+)*)(?::([^{}|]+))?(?:\|([^{}]*))?\}")
PARTS: Final = re.compile(r"\[\[(.*?)\]\]")
_FORMAT: Final = re.compile(r"(\w+)/(\w+(?:\+\w+)*)/(\w+): (.*)")
_COUNTED: Final = "counted"
_AS_WRITTEN: Final = "as_written"
"""The form of what a player wrote: it is shown letter by letter."""
_ANSWER: Final = "answer"
"""The form of an answer that a standing order gave: its conditions are left out, for they are met."""
_CONDITIONS: Final = re.compile(r", (?:when|until): .*(?= \([^()]*\)$)")
_KIND: Final = "kind_of"
"""The form of an order that a player wrote: only its kind is shown."""
_ROLL_DEPTH: Final = 2


class BadSentence(PbemError, ValueError):
    """A sentence that cannot be read; the text says which and why."""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A line of a report: how deep below another it stands, its text, and a tag for the right margin."""

    depth: int
    text: str
    tag: str = ""


@lru_cache(maxsize=16)
def sentences(box: Box, language: str = "en") -> Sentences:
    """Return the sentences of a box in a language, ready for use."""
    messages = {group: dict(of) for group, of in EVERY_GAME.items()}
    for group, of in box.messages(language).items():
        messages.setdefault(group, {}).update(of)
    return Sentences(messages, box.names, box.table)


class Sentences:
    """The sentences of one box in one language."""

    def __init__(
        self, messages: Mapping[str, Mapping[str, str]], names: Mapping[str, str], table: Callable[[str], Any]
    ) -> None:
        """Read every sentence; raise BadSentence for one that cannot be read. `table` returns a file of the box."""
        self._names = names
        self._words = {group: of for group, of in messages.items() if group not in _GROUPS}
        self._modifiers = messages.get("modifiers", {})
        self._formats: dict[str, Mapping[Any, str]] = {
            name: self._table_of(name, spec, table) for name, spec in messages.get("formats", {}).items()
        }
        self._gathered = {key.removesuffix("++") for key in messages.get("events", {}) if key.endswith("++")}
        self._phrases: dict[str, list[Phrase]] = {}
        for key, text in messages.get("events", {}).items():
            phrase = self._phrase(key, text)
            for kind in phrase.pattern[0][0]:
                self._phrases.setdefault(kind, []).append(phrase)
        self._forecasts = {key: self._phrase(key, text) for key, text in messages.get("forecast", {}).items()}
        self._single = {
            group: {key: self._read(f"{group}: {key}", text) for key, text in messages.get(group, {}).items()}
            for group in ("rolls", "questions", "results")
        }

    # ---- telling

    def tell(self, told: Sequence[SeenEvent]) -> Iterator[ReportLine]:
        """Yield the lines of a report of what happened, dice below what they were rolled for."""
        told, at = list(gathered(told, self._gathered)), 0
        while at < len(told):
            phrase, runs = self._match(told, at)
            some = [each for run in runs for each in run]
            at += len(some)
            if phrase is None:
                text, depth = self._plainly(some[0].event), 1
            else:
                text, depth = self._sentence(phrase.nodes, phrase_facts(phrase, runs)), phrase.depth
            if text:
                yield ReportLine(depth, text)
            for each in some:
                if each.event.roll is not None:
                    tag = f"[die {each.adjudication}.{each.roll}]"
                    yield ReportLine(max(_ROLL_DEPTH, depth + 1), self.dice(each.event.roll, each.event.facts), tag)

    def dice(self, roll: Roll, facts: Facts) -> str:
        """Return a roll as a line: what it was for, faces, modifiers, sum, what was needed, the rule."""
        purpose, changes = self.what_for(roll, facts), self.changes(roll)
        dice = "" if roll.sides == 6 else f"d{roll.sides} "
        faces = " + ".join(map(str, roll.faces))
        total = f" = {roll.total}" if changes or len(roll.faces) > 1 else ""
        needs = f"needs {roll.need}, " if roll.need else ""
        return f"{purpose}: {dice}{faces}{changes}{total} ({needs}{cited(roll.rule)})"

    def purpose(self, roll: Roll, facts: Facts) -> str:
        """Return what would be rolled for, what is needed, and what changes the roll."""
        needs = f", needs {roll.need}" if roll.need else ""
        changes = self.changes(roll)
        return f"{self.what_for(roll, facts)} ({cited(roll.rule)}{needs}{';' if changes else ''}{changes})"

    def what_for(self, roll: Roll, facts: Facts) -> str:
        """Return what a roll is for; its name if the box says nothing of it."""
        nodes = self._single["rolls"].get(key_of_roll(roll, self._single["rolls"]))
        return self._sentence(nodes, facts) if nodes else roll.name

    def changes(self, roll: Roll) -> str:
        """Return what changes a roll, each with a blank before it; empty if nothing does."""
        changes = roll.modifiers.items()
        return "".join(f" {count:+d} {self._modifiers.get(why, _in_words(why))}" for why, count in changes)

    def question(self, decision: Decision) -> str:
        """Return what a question is about, as a sentence of its facts; empty if the box says nothing of it."""
        nodes = self._single["questions"].get(decision.kind)
        return self._sentence(nodes, decision.facts) if nodes else ""

    def forecast(self, event: Event) -> ReportLine | None:
        """Return what a forecast says of an event; None if that is not worth saying."""
        phrase = self._forecasts.get(event.kind)
        return None if phrase is None else ReportLine(phrase.depth, self._sentence(phrase.nodes, event.facts))

    def result(self, result: Result) -> str:
        """Return how a game ended. Sentences call one winner `winner`, and several that win together `winners`."""
        several = len(result.winners) > 1
        nodes = self._single["results"].get(result.reason)
        if nodes:
            winner = {"winners": list(result.winners)} if several else {"winner": next(iter(result.winners), None)}
            return self._sentence(nodes, {**result.facts, **winner, "reason": result.reason})
        if not result.winners:
            return f"No side wins: {_in_words(result.reason)}."
        won = listing([self.name(side) for side in result.winners])
        return f"{won} {'win' if several else 'wins'}: {_in_words(result.reason)}."

    def name(self, value: object) -> str:
        """Return a value by its name; an unknown word as it is, with blanks."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return self._names.get(value) or _in_words(value) if isinstance(value, str) else str(value)

    def answer(self, body: Facts) -> str:
        """Return the body of an order in words: its values by their names, each with the word that it stands under.

        What is true is said by its word alone; a value is shown by the format of that word, if there is one.
        """
        return ", ".join(self._answered(key, value) for key, value in body.items())

    def _answered(self, key: str, value: Any) -> str:
        word = _in_words(key)
        if isinstance(value, bool):
            return word if value else f"do not {word}"
        if isinstance(value, Mapping):
            return f"{word} {', '.join(f'{self.name(name)} {self._value(name, each)}' for name, each in value.items())}"
        return f"{word} {self._value(key, value)}"

    def _value(self, key: str, value: Any) -> str:
        if isinstance(value, Mapping):
            return " ".join(self._answered(name, each) for name, each in value.items() if each not in ([], {}, None))
        if isinstance(value, (list, tuple)):
            return listing([self._value(key, each) for each in value]) or "nothing"
        return self._one(value, key if key in self._formats or key in self._words else "")

    # ---- matching

    def _match(self, told: Sequence[SeenEvent], at: int) -> tuple[Phrase | None, list[Sequence[SeenEvent]]]:
        """Return the phrase that tells most events from a place on, and the events under each of its kinds."""
        able = [phrase for kind in sorted(kinds_of(told[at].event)) for phrase in self._phrases.get(kind, ())]
        fitting = [(phrase, runs) for phrase in able if (runs := runs_of(phrase, told, at)) is not None]
        if fitting:
            return max(fitting, key=lambda found: sum(map(len, found[1])))
        if told[at].event.roll is not None:
            return _SILENT, [told[at : at + 1]]
        return None, [told[at : at + 1]]

    def _plainly(self, event: Event) -> str:
        """Return an event for which there is no sentence."""
        facts = ", ".join(f"{_in_words(key)} {self._show(value, '')}" for key, value in event.facts.items())
        return f"{_in_words(event.kind).capitalize()}: {facts}." if facts else f"{_in_words(event.kind).capitalize()}."

    # ---- reading

    def _phrase(self, key: str, text: str) -> Phrase:
        pattern = tuple((tuple(word.rstrip("+").split("|")), word.endswith("+")) for word in key.split())
        if not pattern:
            raise BadSentence("events: a sentence stands under no kind of event")
        bare = text.lstrip(" ")
        return Phrase(pattern, (len(text) - len(bare)) // 2, self._read(f"events: {key}", bare))

    def _read(self, where: str, text: str) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for at, piece in enumerate(PARTS.split(text)):
            inside = self._slots(where, piece)
            nodes += [OptionalPart(inside)] if at % 2 else inside
        return tuple(nodes)

    def _slots(self, where: str, text: str) -> tuple[Node, ...]:
        nodes: list[Node] = []
        start = 0
        for found in SLOT.finditer(text):
            sign, path, form, otherwise = found.groups()
            known = (
                form is None
                or "/" in form
                or form in (_COUNTED, _AS_WRITTEN, _ANSWER, _KIND)
                or form in self._formats
                or form in self._words
            )
            if not known:
                raise BadSentence(f"{where}: there is neither a format nor a group of words called {form}")
            nodes += [text[start : found.start()], FactSlot(sign, tuple(path.split(".")), form or "", otherwise)]
            start = found.end()
        nodes.append(text[start:])
        for node in nodes:
            if isinstance(node, str) and re.search(r"[{}]|\[\[|\]\]", node):
                raise BadSentence(f"{where}: cannot read {node.strip()!r}")
        return tuple(node for node in nodes if node != "")

    def _table_of(self, name: str, spec: str, table: Callable[[str], Any]) -> Mapping[Any, str]:
        """Return how the records of a list in the box, or of several, are written, by the key that names them."""
        found = _FORMAT.fullmatch(spec)
        if found is None:
            raise BadSentence(f"formats: {name} must read `file/list/key: how it is written`, not {spec!r}")
        file, lists, key, shown = found.groups()
        nodes = self._read(f"formats: {name}", shown)
        records = [record for each in lists.split("+") for record in table(file)[each]]
        return {record[key]: self._sentence(nodes, record) for record in records}

    # ---- writing

    def _sentence(self, nodes: Sequence[Node], facts: Facts) -> str:
        text = "".join(self._written(node, facts) for node in nodes).strip()
        return text[:1].upper() + text[1:] if text[:1] != "" and nodes and not isinstance(nodes[0], str) else text

    def _written(self, node: Node, facts: Facts) -> str:
        if isinstance(node, str):
            return node
        if isinstance(node, OptionalPart):
            slots = [inside for inside in node.inside if isinstance(inside, FactSlot)]
            if not all(_has(facts, slot) for slot in slots):
                return ""
            return "".join(self._written(inside, facts) for inside in node.inside)
        if node.sign:
            return ""
        value = _find(facts, node.path)
        return node.otherwise if node.otherwise is not None and not value else self._show(value, node.form)

    def _show(self, value: Any, form: str) -> str:
        if form == _COUNTED:
            value, form = Counter(value), ""
        if isinstance(value, Mapping):
            return listing([f"{count} {self._one(word, form)}" for word, count in value.items()])
        if isinstance(value, (list, tuple)):
            return listing([self._one(each, form) for each in value])
        return self._one(value, form)

    def _one(self, value: object, form: str) -> str:
        if not form:
            return "nothing" if value is None else self.name(value)
        if form == _AS_WRITTEN:
            return str(value)
        if form == _ANSWER:
            return _without_conditions(str(value))
        if form == _KIND:
            return str(value).partition(":")[0]
        if "/" in form:
            one, _, many = form.partition("/")
            return f"{value} {one if value == 1 else many}"
        words: Mapping[Any, str] = self._formats.get(form) or self._words[form]
        return words[value] if value in words else self.name(value)


_SILENT: Final = Phrase((((ROLL,), False),), _ROLL_DEPTH - 1, ())


def _without_conditions(answer: str) -> str:
    """Return an answer of standing orders without conditions beside its body; within it they are left.

    >>> _without_conditions("bid: {card: 3}, when: {round: 1} (standing order 2)")
    'bid: {card: 3} (standing order 2)'
    """
    found = _CONDITIONS.search(answer)
    if found is None or answer[: found.start()].count("{") != answer[: found.start()].count("}"):
        return answer
    return answer[: found.start()] + answer[found.end() :]


def _in_words(word: str) -> str:
    return word.replace("_", " ")


def _has(facts: Facts, slot: FactSlot) -> bool:
    """Tell whether a part that names a fact is shown, as far as this fact has a say in it."""
    value = _find(facts, slot.path)
    return value is not None if slot.otherwise is not None else bool(value) != (slot.sign == "!")


def _find(facts: Facts, path: tuple[str, ...]) -> Any:
    value: object = facts
    for word in path:
        if isinstance(value, Mapping):
            value = value.get(word)
        else:
            several = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
            value = several[:-1] if word == "rest" else several[-1] if several else None
    return value


# ---- Which of the events in a row a phrase tells


def kinds_of(event: Event) -> set[str]:
    """Return the words by which the key of a phrase may mean an event."""
    if event.roll is None:
        return {event.kind}
    first, last = _ends_of_roll(event.roll)
    return {f"{ROLL}/{first}/{last}", f"{ROLL}/{first}"}


def _ends_of_roll(roll: Roll) -> tuple[str, str]:
    """Return the first and the last word of a roll's name, without a number that tells it from its like."""
    words = roll.name.split("/")
    return words[0], re.sub(r"[-.]\d+$", "", words[-1])


def key_of_roll(roll: Roll, known: Collection[str]) -> str:
    """Return the key of the sentence for what a roll is for: its first word and its last, or else the first alone."""
    first, last = _ends_of_roll(roll)
    return narrow if (narrow := f"{first}/{last}") in known else first


def runs_of(phrase: Phrase, told: Sequence[SeenEvent], at: int) -> list[Sequence[SeenEvent]] | None:
    """Return the events under each kind of a phrase, if what was told from a place on is what it tells."""
    runs: list[Sequence[SeenEvent]] = []
    for kinds, many in phrase.pattern:
        start = at
        differs: str | None = None
        while at < len(told) and not kinds_of(told[at].event).isdisjoint(kinds):
            if at > start:
                odd = _only_difference(told[at - 1].event, told[at].event)
                if odd is None or differs not in (None, odd):
                    break
                differs = odd
            at += 1
            if not many:
                break
        if at == start:
            return None
        runs.append(told[start:at])
    return runs


def _only_difference(one: Event, other: Event) -> str | None:
    """Return the only fact in which two events differ; None if they differ in none or in several."""
    odd = [key for key in one.facts.keys() | other.facts.keys() if one.facts.get(key) != other.facts.get(key)]
    return odd[0] if len(odd) == 1 else None


def gathered(told: Sequence[SeenEvent], kinds: Collection[str]) -> Iterator[SeenEvent]:
    """Yield what was told; of some kinds, those in a row that one phrase can tell stand together.

    They are of the same kind and adjudication, and differ in one fact.
    """
    for _, row in groupby(told, key=lambda each: (each.adjudication, each.event.kind in kinds)):
        runs: list[list[SeenEvent]] = []
        for each in row:
            run = next((run for run in runs if _continues(run, each.event)), None) if each.event.kind in kinds else None
            if run is None:
                runs.append([each])
            else:
                run.append(each)
        yield from chain.from_iterable(runs)


def _continues(run: Sequence[SeenEvent], event: Event) -> bool:
    """Tell whether an event can be told with a run of others."""
    odd = _only_difference(run[-1].event, event)
    known = _only_difference(run[0].event, run[1].event) if len(run) > 1 else odd
    return run[0].event.kind == event.kind and odd is not None and odd == known


def phrase_facts(phrase: Phrase, runs: Sequence[Sequence[SeenEvent]]) -> Facts:
    """Return the facts that a phrase may name: those of the first event that has them, and of each kind by its name."""
    facts: Facts = {}
    by_kind: dict[str, Facts] = {}
    for (kinds, _), run in zip(phrase.pattern, runs, strict=True):
        own = dict(run[0].event.facts)
        if len(run) > 1:
            odd = _only_difference(run[0].event, run[1].event)
            assert odd is not None
            own[odd] = [each.event.facts.get(odd) for each in run]
        facts = {**own, **facts}
        by_kind.setdefault(kinds[0], own)
    return {**facts, **by_kind}

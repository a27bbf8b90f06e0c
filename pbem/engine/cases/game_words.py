"""The words of a game: the ids of its box, what may stand where in its position, its sides, orders and events.

What a case names is looked up here before the case is played, so that a misspelt word is a fault of the case. What a
position can hold follows from the types of its fields; which words a text or a key can be, from `Rules.vocabulary`,
and for the keys of other mappings from the ids of the box. Knows no game.
"""

from __future__ import annotations

import re
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from pbem.game.boxes.box import CASES, Box
from pbem.game.boxes.box_file import SCHEMAS
from pbem.game.contract import Rules
from pbem.game.wording import did_you_mean, hint
from pbem.protocol import Path, Record, S

Word = str | int
Words = Collection[Word]
_UNNAMED: Final = (CASES, SCHEMAS, "messages", "layout", "coast", "paragraphs", "orders", "standing")
"""Files of a box whose ids name nothing that stands in a position."""
_ROLL: Final = frozenset({"name", "faces", "modifiers", "total", "need", "success", "rule"})
"""What a case may expect of a roll besides its facts."""
_PLACEHOLDER: Final = re.compile(r"\{\??(?:\w+\.)?(\w+)")
_NAMED: Final = re.compile(r"\b([a-z_]+)=(?!=)|\"([a-z_]+)\":")


class WordFault(NamedTuple):
    """A word that cannot be: where within the value that was checked, and why."""

    path: Path
    reason: str


@dataclass(frozen=True)
class PositionSlot:
    """A place in a position: its type, and the name that `Rules.vocabulary` has for it."""

    type: object
    name: str
    declared: Field[object] | None = None
    """The field of a dataclass that this is."""

    @property
    def default(self) -> object:
        """What stands there if nothing is written, as plain data."""
        return None if self.declared is None else whole(default_of(self.declared))

    @cached_property
    def inner(self) -> PositionSlot:
        """The same place without the choice of None."""
        if self.optional:
            return PositionSlot(next(each for each in get_args(self.type) if each is not type(None)), self.name)
        return self

    @cached_property
    def optional(self) -> bool:
        return get_origin(self.type) in (Union, types.UnionType)

    @cached_property
    def kind(self) -> object:
        """What stands there: `dict`, `list`, `Any`, a dataclass, or a plain type."""
        return get_origin(self.inner.type) or self.inner.type

    @cached_property
    def below(self) -> PositionSlot:
        """The place of the items of a list, or of the values of a mapping."""
        inner = self.inner
        item = get_args(inner.type)[-1] if get_args(inner.type) else Any
        return PositionSlot(item, inner.name if inner.kind is list else f"{inner.name}.*")

    def fields(self) -> dict[str, PositionSlot]:
        """Return the places of the fields of a dataclass."""
        return _slots(self.kind)

    @property
    def class_name(self) -> str:
        return self.kind.__name__ if isinstance(self.kind, type) else str(self.kind)

    def named(self) -> Iterator[PositionSlot]:
        """Yield this place and every one below it that holds text or a mapping: those that have words."""
        if is_dataclass(self.kind):
            for slot in self.fields().values():
                yield from slot.named()
        elif self.kind in (dict, str, int):
            yield self.inner
        if self.kind in (dict, list):
            yield from self.below.named()


@cache
def fields_of(cls: Any) -> dict[str, tuple[object, Field[object]]]:
    """Return the fields of a dataclass that are written to disk, each with its type."""
    hints = get_type_hints(cls)
    return {each.name: (hints[each.name], each) for each in fields(cls) if not each.metadata.get("static")}


@cache
def _slots(cls: Any) -> dict[str, PositionSlot]:
    return {name: PositionSlot(hint, f"{cls.__name__}.{name}", each) for name, (hint, each) in fields_of(cls).items()}


def default_of(declared: Field[object]) -> object:
    """Return the default of a field; None if it has none."""
    if declared.default is not MISSING:
        return declared.default
    return declared.default_factory() if declared.default_factory is not MISSING else None


def whole(value: object) -> object:
    """Return a part of a position as plain data with all its fields, those included that equal their defaults."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: whole(getattr(value, name)) for name in fields_of(type(value))}
    if isinstance(value, Mapping):
        return {key: whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, (list, tuple)) else value


def completed(slot: PositionSlot, value: object) -> object:
    """Return what a case writes for a part of a position, with the defaults of what it leaves out or writes as null."""
    kind = slot.kind
    if value is None:
        return slot.default
    if isinstance(value, dict) and is_dataclass(kind):
        if not value and slot.optional:
            return None
        places = slot.fields()
        return {name: completed(place, value.get(name)) for name, place in places.items()}
    if isinstance(value, dict) and kind is dict:
        return {key: completed(slot.below, item) for key, item in value.items()}
    if isinstance(value, list) and kind is list:
        return [completed(slot.below, item) for item in value]
    return value


class GameWords:
    """The words of one game under some options."""

    def __init__(self, rules: Rules[S], box: Box) -> None:
        self.sides = rules.sides
        self.forms = box.forms
        self.messages = box.messages()
        self.ids = ids_of(box) | set(rules.sides)
        self.vocabulary: Mapping[str, Words] = {name: frozenset(words) for name, words in rules.vocabulary().items()}
        options = {str(value) for option in box.table("game")["options"].values() for value in option["values"]}
        named = {word for group in self.messages.values() for word in group}
        declared = {word for words in self.vocabulary.values() for word in words}
        self.all: frozenset[Word] = frozenset(self.ids | options | named | declared | set(self.forms))
        """Every word that the game knows, wherever it stands."""
        self.facts, self.in_code = _facts_named(box), _words_in_code(box.package)
        self.events = {kind for key in self.messages.get("events", {}) for kind in _event_kinds(key)} | {"roll"}

    # ---- positions

    def slot(self, position: type[object] | None, dotted: str) -> PositionSlot | str:
        """Return the place at a dotted path of a position (None: its types say nothing), or why there is none."""
        slot = PositionSlot(Any, "") if position is None else PositionSlot(position, position.__name__)
        for step in dotted.split("."):
            reason = self.key_fault(slot, step)
            if reason is not None:
                return f"there is no {dotted}: {reason}"
            slot = slot.fields()[step] if is_dataclass(slot.kind) else slot.below
        return slot

    def key_fault(self, slot: PositionSlot, key: str) -> str | None:
        """Return why nothing can stand below a place under a key."""
        kind = slot.kind
        if kind is Any:
            return None
        if is_dataclass(kind):
            known = slot.fields()
            return None if key in known else f"{slot.class_name} has no {key}{did_you_mean(key, known)}"
        if kind is list:
            return None if key.isdecimal() else f"items of a list are counted from 0; {key} is no number"
        if kind is not dict:
            return f"nothing can stand below {_called(kind)}"
        words = self.vocabulary.get(slot.inner.name)
        return None if words is not None and not words else _unknown_word(key, self.ids if words is None else words)

    def faults(
        self, slot: PositionSlot, value: object, path: Path = (), *, removes: bool = False
    ) -> Iterator[WordFault]:
        """Yield what in a value cannot stand at a place. Null stands for what is left out; so with `removes` only."""
        kind = slot.kind
        if kind is Any:
            return
        if value is None:
            if not (removes or slot.optional):
                yield WordFault(path, f"null cannot stand for {_called(kind)}: leave it out")
        elif is_dataclass(kind) or kind in (dict, list):
            if isinstance(value, (list, dict)) and isinstance(value, list) == (kind is list):
                yield from self.faults_below(slot, value, path, removes)
            else:
                yield WordFault(path, f"{_called(kind)} stands here, not {value!r}")
        elif type(value) is not kind:
            yield WordFault(path, f"{_called(kind)} stands here, not {value!r}")
        elif kind is not bool and isinstance(value, (str, int)):
            words = self.vocabulary.get(slot.inner.name)
            if words and value != "" and (reason := _unknown_word(value, words)) is not None:
                yield WordFault(path, reason)

    def faults_below(
        self, slot: PositionSlot, value: list[object] | Record, path: Path, removes: bool
    ) -> Iterator[WordFault]:
        """Yield what cannot stand in a mapping or list."""
        if isinstance(value, list):
            for at, item in enumerate(value):
                yield from self.faults(slot.below, item, (*path, at), removes=removes)
            return
        places = slot.fields() if is_dataclass(slot.kind) else {}
        for key, item in value.items():
            reason = self.key_fault(slot, key)
            if reason is not None:
                yield WordFault((*path, key), reason)
            else:
                yield from self.faults(places.get(key) or slot.below, item, (*path, key), removes=removes)

    # ---- events

    def event_fault(self, kind: str) -> str | None:
        """Return why no event can be of a kind."""
        return None if kind in self.events else f"there is no event {kind}{did_you_mean(kind, self.events)}"

    def fact_faults(self, kind: str, facts: Record, told: Collection[str]) -> Iterator[WordFault]:
        """Yield facts that no event of a kind has, and words in them that the game does not know.

        `told` are the facts that events of the kind did have. If there were none, a fact is one that a sentence, an
        order form or the code of the game names.
        """
        known = set(told) or _ROLL | self.facts
        for fact, value in facts.items():
            if fact not in known:
                yield WordFault((fact,), f"{kind} has no fact {fact}{did_you_mean(fact, sorted(known))}")
            elif kind == "roll" and fact == "name":
                yield from (WordFault((fact,), reason) for reason in self.roll_faults(str(value)))
            elif isinstance(value, str) and fact not in _ROLL and value not in self.all | self.in_code:
                yield WordFault(
                    (fact,), f"the game knows no {value}{did_you_mean(value, [str(word) for word in self.all])}"
                )

    def roll_faults(self, name: str) -> Iterator[str]:
        """Yield the pieces of the name of a roll that the game does not know."""
        rolls = {piece for key in self.messages.get("rolls", {}) for piece in key.split("/")}
        known = {str(word) for word in self.all} | rolls
        for at, piece in enumerate(name.partition("#")[0].split("/")):
            words = {key.partition("/")[0] for key in self.messages.get("rolls", {})} if not at else known
            if piece not in words | self.in_code and not re.search(r"\d", piece):
                yield f"no roll is called {name}: the game knows no {piece}{did_you_mean(piece, words)}"


@lru_cache(maxsize=32)
def words_of(rules: Rules[S], box: Box) -> GameWords:
    """Return the words of a game, which many cases ask for."""
    return GameWords(rules, box)


@lru_cache(maxsize=8)
def ids_of(box: Box) -> frozenset[str]:
    """Return the ids and numbers of all that the tables of a box list, as text."""
    return frozenset(
        found for file in box.files if file.partition("/")[0] not in _UNNAMED for found in _ids(box.table(file))
    )


def _ids(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key in ("id", "number"):
            if isinstance(value.get(key), (str, int)):
                yield str(value[key])
    if isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _ids(item)


def _event_kinds(key: str) -> list[str]:
    """Return the kinds of events that a sentence of the box is for."""
    return [word.removesuffix("+") for word in re.split(r"[ |]", key)]


@lru_cache(maxsize=8)
def _facts_named(box: Box) -> frozenset[str]:
    """Return every name that may be that of a fact: placeholders, facts of order forms, and names in the code."""
    sentences = (text for group in box.messages().values() for text in group.values())
    placeholders = {fact for text in sentences for fact in _PLACEHOLDER.findall(text)}
    facts = {fact for form in box.forms.values() for fact in form.facts}
    return frozenset(placeholders | facts | _facts_in_code(box.package))


@lru_cache(maxsize=8)
def _facts_in_code(package: str) -> frozenset[str]:
    """Return every name in the code of a game that may be that of a fact."""
    return frozenset(name for pair in _NAMED.findall(_code(package)) for name in pair if name)


@lru_cache(maxsize=8)
def _code(package: str) -> str:
    """Return the code of a game."""
    found = find_spec(package)
    folders = (found.submodule_search_locations if found is not None else None) or ()
    return "\n".join(path.read_text("utf-8") for folder in folders for path in FilePath(folder).rglob("*.py"))


@lru_cache(maxsize=8)
def _words_in_code(package: str) -> frozenset[str]:
    """Return every word in the code of a game: it may stand in a fact, or in the name of a roll."""
    return frozenset(re.findall(r"[a-z][a-z_]*", _code(package)))


def _unknown_word(word: Word, known: Words) -> str | None:
    """Return why a word is none of those known."""
    if word in known:
        return None
    return f"{word} cannot stand here{hint(str(word), sorted(map(str, known)), 'it can be', 'or')}"


def _called(kind: object) -> str:
    names: dict[object, str] = {str: "text", int: "a number", bool: "true or false", list: "a list", dict: "a mapping"}
    return names.get(kind, "a mapping")

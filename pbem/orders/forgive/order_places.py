"""Places: what may stand where in the body of an order, and the shorthand that people use for lists and numbers.

What may stand in a place follows from the schema of its kind of order and from the words of the box. `A, B and C` is a
list, and `Rome 2` a number by name.

In `path: capua, nola` without brackets YAML reads `nola` as a key without a value. What follows a list behind a comma
goes on with it, if it is a word of that list and no key of the order, or if it is nothing that this place knows: the
fault then says so of the list.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from pbem.game.order_form import OrderForm
from pbem.game.words import Lexicon, Vocabulary
from pbem.game.yaml.limits import short
from pbem.orders.forgive.tree import Items, Node, Pairs, Word, is_alone
from pbem.protocol import FOR, Path, Record

_AND: Final = re.compile(r"\s*(?:,\s*(?:and\b)?|\band\b|[&+])\s*", re.IGNORECASE)
_COUNTED: Final = re.compile(
    r"(?P<name>[^\W\d].*?)[ ]*[ =x×][ ]*(?P<count>[0-9]{1,4})|(?P<few>[0-9]{1,4})[ ]*x?[ ]+(?P<of>.+)"
)
_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,18}")
TRUE: Final = "true"
FALSE: Final = "false"
_BELOW: Final = ("if", "then", "else")
_SEVERAL: Final = ("oneOf", "anyOf", "allOf")


def list_parts(text: str) -> list[str]:
    """Return the parts of a list that is written as one text.

    >>> list_parts("Hanno, Mago and Hamilcar")
    ['Hanno', 'Mago', 'Hamilcar']
    """
    return _AND.split(text.strip())


def name_and_number(text: str, place: OrderPlace) -> tuple[str, str] | None:
    """Return name and number of a text such as `Rome 2` or `2 Rome`, if the mapping here has numbers by name."""
    found = _COUNTED.fullmatch(text.strip())
    if found is None or place.keys.readings(text):
        return None
    name, count = found["name"] or found["of"], found["count"] or found["few"]
    keys = place.keys.readings(name)
    return (name, count) if keys and all(place.field(key).takes_number for key in keys) else None


def homes(text: str, place: OrderPlace, written: Container[str], *, first: bool) -> list[str]:
    """Return the keys to which a word without a key may belong, but for those that are written.

    Behind a list that is written, it may go on with that (`path: capua, nola`): then there are none.
    """
    if text[:1].isdecimal() or place.keys.readings(text):
        return []
    lists = [key for key in place.fields if place.field(key).items.vocabulary.readings(text)]
    single = [key for key in place.fields if place.field(key).vocabulary.readings(text, whole=True)]
    if not first and any(key in written for key in lists):
        return []
    return [key for key in place.fields if key in (*single, *lists) and key not in written]


def lone_word(node: Node, place: OrderPlace) -> Node:
    """Return the one word within braces, if it is no key: there are no other keys that it could stand beside."""
    if isinstance(node, Pairs) and len(node.pairs) == 1:
        ((word, below),) = node.pairs
        if is_alone(below) and not place.keys.readings(word.text) and name_and_number(word.text, place) is None:
            return word
    return node


class OrderPlace:
    """One place: everything that some alternative of its schema lets stand there."""

    def __init__(self, schemas: Iterable[object], form: OrderForm, lexicon: Lexicon) -> None:
        self._form = form
        self._lexicon = lexicon
        self._schemas = [piece for schema in schemas for piece in self._pieces(schema)]

    def _pieces(self, schema: object) -> Iterator[Record]:
        """Yield a schema and every schema that it refers to or chooses from. A definition brings its list of words."""
        if not isinstance(schema, dict):
            return
        yield schema
        if (name := schema.get("$ref", "").rpartition("/")[2]) in self._form.defs:
            yield {"words": [name]} if name in self._lexicon.lists else {}
            yield from self._pieces(self._form.defs[name])
        for key in _BELOW:
            yield from self._pieces(schema.get(key))
        for key in _SEVERAL:
            for each in schema.get(key, ()):
                yield from self._pieces(each)

    def _below(self, schemas: Iterable[object]) -> OrderPlace:
        return OrderPlace(schemas, self._form, self._lexicon)

    # ---- a word

    @cached_property
    def _types(self) -> frozenset[str]:
        found: set[str] = set()
        for schema in self._schemas:
            wanted = schema.get("type", ())
            found.update([wanted] if isinstance(wanted, str) else wanted)
        return frozenset(found)

    @cached_property
    def _constants(self) -> Sequence[object]:
        return [
            value
            for schema in self._schemas
            for value in [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
        ]

    @cached_property
    def takes_number(self) -> bool:
        """Whether a whole number may stand here."""
        return "integer" in self._types or any(type(value) is int for value in self._constants)

    @cached_property
    def takes_boolean(self) -> bool:
        """Whether true or false may stand here."""
        return "boolean" in self._types or any(isinstance(value, bool) for value in self._constants)

    @cached_property
    def takes_text(self) -> bool:
        """Whether a text may stand here that is no word of the game."""
        return "string" in self._types

    @cached_property
    def takes_list(self) -> bool:
        """Whether a list may stand here."""
        return any("items" in schema for schema in self._schemas)

    @cached_property
    def definitions(self) -> frozenset[str]:
        """The names of the definitions that its schema refers to."""
        return frozenset(name for schema in self._schemas if (name := schema.get("$ref", "").rpartition("/")[2]))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that may stand here."""
        return self._vocabulary([word for schema in self._schemas for word in schema.get("words", ())])

    def _vocabulary(self, named: Sequence[str]) -> Vocabulary:
        lists = dict.fromkeys(word for word in named if word in self._lexicon.lists)
        words = [word for word in named if word not in lists]
        words += [value for value in self._constants if isinstance(value, str)]
        return self._lexicon.of(lists, dict.fromkeys([*words, *((TRUE, FALSE) if self.takes_boolean else ())]))

    @cached_property
    def led_by(self) -> Mapping[str, Vocabulary] | None:
        """For a text of several parts: the words that may follow a word which leads a part. None: no such text."""
        found = {lead: words for schema in self._schemas for lead, words in schema.get("led_by", {}).items()}
        return {lead: self._lexicon.of(words) for lead, words in found.items()} or None

    # ---- a mapping, a list

    @cached_property
    def fields(self) -> Mapping[str, Sequence[object]]:
        """The schemas of the values that a mapping here may have, by key."""
        found: dict[str, list[object]] = {}
        for schema in self._schemas:
            for key, below in schema.get("properties", {}).items():
                found.setdefault(key, []).append(below)
        return found

    @cached_property
    def keys(self) -> Vocabulary:
        """The keys that a mapping here may have."""
        lists = [word for schema in self._schemas for word in schema.get("key_words", ())]
        named = self._below(schema["propertyNames"] for schema in self._schemas if "propertyNames" in schema)
        lists += [word for schema in named._schemas for word in schema.get("words", ())]
        return self._lexicon.of(dict.fromkeys(lists), self.fields)

    @cached_property
    def only_key(self) -> str | None:
        """The key of a mapping here, if it can have only this one: its value alone says the same.

        Beside it may stand `for`, which says of an order what it answers.
        """
        said = [key for key in self.fields if key != FOR]
        return said[0] if len(self.keys.words) == len(self.fields) and len(said) == 1 else None

    @cached_property
    def needed_key(self) -> str | None:
        """The one key that a mapping here must have, if there is one: a value alone can only be that of this key."""
        needed = [frozenset(schema.get("required", ())) for schema in self._schemas if "properties" in schema]
        return next(iter(needed[0])) if len(needed) == 1 and len(needed[0]) == 1 else None

    @cached_property
    def named(self) -> Vocabulary:
        """The words that name what stands here: those of a text, or of the key that a mapping must have."""
        return self.vocabulary if self.needed_key is None else self.field(self.needed_key).vocabulary

    def misspelt(self, value: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
        """Yield the words of a value that name nothing here, but are like a name: their paths, and a reason."""
        if isinstance(value, Mapping):
            for key, below in value.items():
                yield from () if key in self.fields else self._near(key, self.keys, (*path, key))
                yield from self.field(key).misspelt(below, (*path, key))
        elif isinstance(value, (list, tuple)):
            for at, each in enumerate(value):
                yield from self.items.misspelt(each, (*path, at))
        elif isinstance(value, str) and self.takes_text and self.led_by is None:
            yield from self._near(value, self.vocabulary, path)

    @staticmethod
    def _near(word: str, words: Vocabulary, path: Path) -> Iterator[tuple[Path, str]]:
        if word not in words.words and (near := words.near(word)) is not None:
            yield path, f"nothing is called {short(word)}; did you mean {near[1]}?"

    def only_home(self, text: str) -> str | None:
        """Return the key that a word in the place of a whole mapping gives the value of; None: none or several could.

        A key to which the schema wants others beside it is none of them: the word is all that there is.
        """
        whole = [schema for schema in self._schemas if "properties" in schema]
        wanted = [{*each.get("required", ())} for each in whole]
        beside = [each.get("dependentRequired", {}) for each in whole]
        found = [
            key
            for key in self.fields
            if key != FOR
            and all({*needed, *more.get(key, ())} <= {key} for needed, more in zip(wanted, beside, strict=True))
            and self.field(key).takes(text)
        ]
        return found[0] if len(found) == 1 else None

    def takes(self, text: str) -> bool:
        """Tell whether a text may stand here: as a word, as a number, or as a list of words without its brackets."""
        if self.takes_word(text) or (self.takes_number and _NUMBER.fullmatch(text) is not None):
            return True
        return self.takes_list and all(map(self.items.takes_word, list_parts(text)))

    def takes_word(self, text: str) -> bool:
        """Tell whether a text may stand here as it is: a word of the game, or the value of the key that is needed."""
        if self.vocabulary.readings(text):
            return True
        return self.needed_key is not None and self.field(self.needed_key).takes_word(text)

    def field(self, key: str) -> OrderPlace:
        """Return the place of the value of a key."""
        return self._known.setdefault(key, self._below(self.fields.get(key, self._others)))

    @cached_property
    def _known(self) -> dict[str, OrderPlace]:
        return {}

    @cached_property
    def _others(self) -> Sequence[object]:
        return [schema["additionalProperties"] for schema in self._schemas if "additionalProperties" in schema]

    @cached_property
    def items(self) -> OrderPlace:
        """The place of each item of a list."""
        return self._below(schema["items"] for schema in self._schemas if "items" in schema)


def with_lists_joined(pairs: Sequence[tuple[Word, Node]], place: OrderPlace) -> list[tuple[Word, Node]]:
    """Return the pairs of a mapping in which words without a value go on with the list before them."""
    found: list[tuple[Word, Node]] = []
    for word, below in pairs:
        if found and is_alone(below):
            key, before = found[-1]
            if _extends_list(word, key, before, place):
                items = before.items if isinstance(before, Items) else [before]
                found[-1] = key, Items([*items, word], before.mark)
                continue
        found.append((word, below))
    return found


def _extends_list(word: Word, key: Word, before: Node, place: OrderPlace) -> bool:
    """Tell whether a word goes on with the list that a key begins."""
    keys = place.keys.readings(key.text)
    if len(keys) != 1 or is_alone(before) or place.keys.readings(word.text):
        return False
    listed = place.field(keys[0])
    if not listed.takes_list or listed.items.vocabulary.readings(word.text):
        return listed.takes_list
    return not any(place.field(each).vocabulary.readings(word.text) for each in place.fields) and not _is_number_word(
        word
    )


def _is_number_word(word: Word) -> bool:
    return word.text.isdecimal()

"""The meaning of a sheet: each of its words becomes the one that it stands for in its place, or a fault names several.

Every leniency is all or nothing: the words that may stand in a place are known from the schema of the order and from
the box, and a word is taken if it can mean exactly one of them. What is legal in the position is never asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbem.game.wording import listing
from pbem.game.words import Vocabulary, fold
from pbem.game.yaml import Mark, Placed, plain_value
from pbem.game.yaml.limits import short
from pbem.orders.conditions import ANY, NOT
from pbem.orders.forgive.known import ADJUDICATION, GAME, SECTIONS, SIDE, Known
from pbem.orders.forgive.order_places import (
    FALSE,
    TRUE,
    OrderPlace,
    homes,
    list_parts,
    lone_word,
    name_and_number,
    with_lists_joined,
)
from pbem.orders.forgive.tree import Items, Node, Pairs, Word, is_alone
from pbem.orders.sheet import AHEAD, ASK, DEFAULT, LINK, ORDERS, STANDING_CANCEL, UNTIL, WHEN
from pbem.protocol import MALFORMED, Fault, Path

_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_COUNTED: Final = re.compile(r"([0-9]{1,9})[ ]?([^\W\d_]+)")
_NAME: Final = re.compile(r"[\w .'-]+")
_DEPTH_OF_BODY: Final = 3
"""The path of the body of an order: its section, its number there, its kind."""
_LONGEST_BARE: Final = 20
_MOST_NAMED: Final = 12
_NUMBERS: Final = re.compile(r"\[?\s*[0-9]{1,9}(?:[\s,]+[0-9]{1,9})*\s*,?\s*\]?")
_HEADING: Final = (GAME, SIDE, ADJUDICATION, LINK, AHEAD, *SECTIONS, STANDING_CANCEL)
"""The keys of a sheet in the order in which they are written."""


@dataclass(slots=True)
class Meant:
    """A sheet in the words of the game: its value, the places of all that is in it, faults, and words put right."""

    value: dict[str, object] = field(default_factory=dict)
    marks: dict[Path, tuple[Mark, Mark]] = field(default_factory=dict)
    """Path -> the places of its key and of its value, which for an item of a list are the same."""
    faults: list[Placed] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    """What was written -> what it was read as."""
    supplied: list[str] = field(default_factory=list)
    """The keys that stand for what the letter answers."""


def meaning_of(tree: Pairs, known: Known) -> Meant:
    """Return the meaning of a sheet."""
    reader = _MeaningReader(known)
    reader.meant.marks[()] = (tree.mark, tree.mark)
    found: dict[str, object] = {}
    for word, node in tree.pairs:
        key = reader.key_of_sheet(word)
        if key in found:
            reader.blame((key,), f"{short(key)} stands here twice", word.mark)
            continue
        reader.mark((key,), word.mark, node.mark)
        found[key] = reader.of_key(key, node)
    if (answering := known.answering) is not None:
        for key, value in ((GAME, answering.game), (SIDE, answering.side), (ADJUDICATION, answering.adjudication)):
            if key not in found:
                found[key] = value
                reader.meant.supplied.append(key)
    if found.get(LINK, "") is None:  # the form has the key, but only some fill it in
        del found[LINK]
    ordered = [key for key in _HEADING if key in found]
    reader.meant.value = {key: found[key] for key in [*ordered, *(key for key in found if key not in ordered)]}
    return reader.meant


class _MeaningReader:
    """Goes through the tree of a sheet and collects what it means."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.meant = Meant()

    # ---- the sheet

    def key_of_sheet(self, word: Word) -> str:
        return self._noted(word, self.known.key(word.text) or word.text)

    def of_key(self, key: str, node: Node) -> object:
        """Return the value of a key of the sheet."""
        if key in SECTIONS:
            return self._section(key, node)
        if key == STANDING_CANCEL:
            return self._numbers(key, node)
        if not isinstance(node, Word):
            return self._as_written(node, (key,))
        if not node.text and not node.quoted:
            return None
        if key == AHEAD and (word := self.known.truth.readings(node.text)):
            return self._typed(node, word[0] == TRUE)
        if key == SIDE:
            return self._one_of(node, self.known.sides, (key,)) or node.text
        if key == ADJUDICATION and _NUMBER.fullmatch(number := node.text.rstrip(".,; ")):
            return self._typed(node, int(number))
        return node.text if key == GAME else _scalar_value(node)

    def _numbers(self, key: str, node: Node) -> object:
        """Return a list of numbers, as far as they are numbers: a single one is a list, too."""
        if isinstance(node, Word) and _NUMBERS.fullmatch(node.text):
            return [int(number) for number in re.findall("[0-9]+", node.text)]
        if not isinstance(node, Items):
            return self._as_written(node, (key,))
        found: list[object] = []
        for at, each in enumerate(node.items):
            self.mark((key, at), each.mark, each.mark)
            if isinstance(each, Word) and _NUMBER.fullmatch(each.text):
                found.append(int(each.text))
            else:
                found.append(self._as_written(each, (key, at)))
        return found

    def _section(self, key: str, node: Node) -> object:
        if isinstance(node, Items):
            return [self._item((key, at), each, standing=key != ORDERS) for at, each in enumerate(node.items)]
        if isinstance(node, Word) and key != ORDERS and fold(node.text) == DEFAULT:
            return self._noted(node, DEFAULT)
        return self._as_written(node, (key,))

    def _item(self, path: Path, node: Node, *, standing: bool) -> object:
        self.mark(path, node.mark, node.mark)
        if isinstance(node, Word) and standing and fold(node.text) == DEFAULT:
            return self._noted(node, DEFAULT)
        if not isinstance(node, Pairs):
            return self._as_written(node, path)
        kinds: dict[str, tuple[Word, Node]] = {}
        conditions: list[tuple[str, Word, Node]] = []
        for word, below in node.pairs:
            beside = self.known.conditions.readings(word.text, whole=True) if standing else ()
            if beside:
                conditions.append((beside[0], word, below))
            else:
                kinds[self._one_of(word, self.known.kinds, (*path, word.text)) or word.text] = (word, below)
        kind = next(iter(kinds), "")
        found: dict[str, object] = {}
        for key, (word, below) in kinds.items():
            self.mark((*path, key), word.mark, below.mark)
            if key in self.known.box.forms:
                found[key] = self._body((*path, key), word, below, standing)
            else:
                found[key] = self._as_written(below, (*path, key))
        for key, word, below in conditions:
            if key in found:
                self.blame((*path, key), f"{key} stands here twice", word.mark)
            self._noted(word, key)
            self.mark((*path, key), word.mark, below.mark)
            found[key] = self._condition((*path, key), key, kind, below)
        return found

    def _body(self, path: Path, written: Word, node: Node, standing: bool) -> object:
        """Return the body of an order; only of one whose kind is `written` in full is a word alone enough."""
        if isinstance(node, Word) and standing and (word := fold(node.text)) in (DEFAULT, ASK):
            return self._noted(node, word)
        kind = str(path[-1])
        place = self.known.place(kind)
        node = lone_word(node, place)
        only = place.only_key
        if only is None and isinstance(node, Word) and self.known.kinds.readings(written.text, whole=True):
            only = place.only_home(node.text)
        if only is not None and self._may_stand(node, place, place.field(only)):
            self.mark((*path, only), node.mark, node.mark)
            return {only: self._value(node, place.field(only), (*path, only), kind if standing else "")}
        if isinstance(node, Word):
            value = _scalar_value(node)
            if isinstance(value, str) and only is not None and not standing:  # the fault then says what it can be
                self.mark((*path, only), node.mark, node.mark)
                return {only: value}
            return {} if value is None and not standing else value
        return self._value(node, place, path, kind if standing else "")

    def _may_stand(self, node: Node, around: OrderPlace, place: OrderPlace) -> bool:
        """Tell whether what stands in the place of a mapping with one key is the value of that key."""
        if isinstance(node, Pairs):
            words = [word.text for word, _ in node.pairs]
            known = [place.keys.readings(text) or name_and_number(text, place) for text in words]
            return bool(words) and all(known) and not any(map(around.keys.readings, words))
        if isinstance(node, Word):
            return place.takes(node.text)
        return place.takes_list

    # ---- within an order

    def _value(self, node: Node, place: OrderPlace, path: Path, standing: str) -> object:
        """Return what stands at a place; `standing` is the kind of a standing order, which may have alternatives."""
        if isinstance(node, Word):
            return self._word(node, place, path)
        if isinstance(node, Items):
            found = []
            for at, each in enumerate(node.items):
                self.mark((*path, at), each.mark, each.mark)
                found.append(self._value(each, place.items, (*path, at), standing))
            return found
        body = len(path) == _DEPTH_OF_BODY
        if standing and not body and [fold(key.text) for key, _ in node.pairs] == [ANY]:
            return self._alternatives(node, place, path, standing)
        value: dict[str, object] = {}
        pairs = with_lists_joined(node.pairs, place)
        written = {key for word, _ in pairs for key in place.keys.readings(word.text)}
        for word, below in pairs:
            if is_alone(below) and (count := name_and_number(word.text, place)) is not None:
                (key,) = place.keys.readings(count[0])[:1]
                self.meant.words[word.text] = f"{key}: {count[1]}"
                word, below = (Word(text, word.mark) for text in count)
            elif is_alone(below) and (keys := homes(word.text, place, {*written, *value}, first=not value)):
                if (home := self._home_of(word, keys, path)) is not None:
                    self.mark((*path, home), word.mark, word.mark)
                    value[home] = self._word(word, place.field(home), (*path, home))
                    self.meant.words[word.text] = f"{{{home}: {value[home]}}}"
                continue
            within = body and standing and self.known.conditions.readings(word.text, whole=True)
            key = within[0] if within else self._key_of(word, place, path)
            if key in value:
                self.blame((*path, key), f"{short(key)} stands here twice", word.mark)
                continue
            self.mark((*path, key), word.mark, below.mark)
            if within:
                value[key] = self._condition((*path, key), key, standing, below)
            else:
                value[key] = self._value(below, place.field(key), (*path, key), standing)
        return value

    def _key_of(self, word: Word, place: OrderPlace, path: Path) -> str:
        """Return the key that a word means, in the singular or the plural."""
        if not place.keys.readings(word.text):
            folded = fold(word.text)
            for other in (folded.removesuffix("s"), f"{folded}s"):
                if other in place.fields:
                    return self._noted(word, other)
        return self._one_of(word, place.keys, (*path, word.text)) or word.text

    def _home_of(self, word: Word, keys: Sequence[str], path: Path) -> str | None:
        """Return the key whose value a word without a key is, such as `ops`; of several, blame it."""
        if len(keys) == 1:
            return keys[0]
        reason = f"{short(word.text)} can be {listing(keys, 'or')}; write which, as in {keys[0]}: {word.text}"
        self.blame(path, reason, word.mark)
        return None

    def _alternatives(self, node: Pairs, place: OrderPlace, path: Path, kind: str) -> object:
        """Return alternatives in a standing order: values for the same place, or a fact."""
        ((word, below),) = node.pairs
        self.mark((*path, ANY), word.mark, below.mark)
        if isinstance(below, Word):
            fact = self._one_of(below, self.known.facts(kind), (*path, ANY))
            return {self._noted(word, ANY): fact or _scalar_value(below)}
        if isinstance(below, Pairs):
            return {self._noted(word, ANY): self._as_written(below, (*path, ANY))}
        found = []
        for at, each in enumerate(below.items):
            self.mark((*path, ANY, at), each.mark, each.mark)
            found.append(self._value(each, place, (*path, ANY, at), ""))
        return {self._noted(word, ANY): found}

    def _word(self, node: Word, place: OrderPlace, path: Path) -> object:
        strict = _scalar_value(node)
        if strict is None:
            return None
        text = node.text.strip()
        if place.takes_number and _NUMBER.fullmatch(text):
            return strict if place.takes_text else self._typed(node, int(text))
        if (number := self._with_unit(text, place, path)) is not None:
            return self._typed(node, number)
        if place.led_by is not None:
            return self._parts(node, place, place.led_by, path)
        if (key := place.needed_key) is not None and not place.vocabulary.readings(text) and place.takes_word(text):
            self.mark((*path, key), node.mark, node.mark)
            return {key: self._word(node, place.field(key), (*path, key))}
        if place.needed_key is not None and not (place.takes_text or place.takes_list or place.takes_number):
            self._unknown_in([text], place.named, node, path)
            return strict
        word = self._one_of(node, place.vocabulary, path, told=False)
        if word is None and place.takes_list and not place.vocabulary.readings(text):
            if not (listed := self._as_list(node, place.items, path)):
                self._unknown_in(list_parts(node.text), place.items.named, node, path)
            return listed or strict
        if word is None:
            if (
                place.takes_number
                and isinstance(strict, str)
                and not (place.takes_text or place.vocabulary.readings(text))
            ):
                self._unknown_name(node, place, path)
            return node.text if place.takes_text else strict
        if place.takes_boolean and word in (TRUE, FALSE):
            return self._typed(node, word == TRUE)
        if place.takes_number and word.isdecimal():
            return self._typed(node, int(word))
        return self._typed(node, word)

    def _with_unit(self, text: str, place: OrderPlace, path: Path) -> int | None:
        """Return the number of a text such as `7 CU`, if that is what is counted here; None: it is no such text."""
        found = _COUNTED.fullmatch(text)
        if found is None or not place.takes_number or place.takes_text:
            return None
        unit, key = fold(found[2]).removesuffix("s"), str(path[-1]) if path else ""
        return int(found[1]) if unit in {each.removesuffix("s") for each in (key, *place.definitions)} else None

    def _unknown_in(self, words: Sequence[str], named: Vocabulary, node: Word, path: Path) -> None:
        """Blame the first of some words that means nothing here, or several things."""
        for text in words:
            found = named.readings(text)
            if len(found) > 1:
                self._one_of(Word(text, node.mark), named, path)
                return
            near = named.near(text) if _NAME.fullmatch(text) else None
            if not found and named.words and (near is not None or text.isalnum()):
                better = "" if near is None else f"; did you mean {near[1]}?"
                self.blame(path, f"nothing here is called {short(text)}{better}", node.mark)
                return

    def _unknown_name(self, node: Word, place: OrderPlace, path: Path) -> None:
        """Blame a name where a number goes, as a card has one, and no name is meant by it."""
        if (near := place.vocabulary.near(node.text)) is not None and near[1].isdecimal():
            self.blame(
                path, f"nothing here is called {short(node.text)}; did you mean {near[1]}, {near[0]}?", node.mark
            )

    def _as_list(self, node: Word, place: OrderPlace, path: Path) -> list[object]:
        """Return a text such as `A, B and C` as the list that was meant; empty if any part is no word of the game."""
        written = [Word(part, node.mark) for part in list_parts(node.text)]
        if place.vocabulary.words:
            found = [place.vocabulary.readings(part.text) for part in written]
            if not all(len(each) == 1 for each in found):
                return []
            return [self._noted(part, word) for part, (word,) in zip(written, found, strict=True)]
        if not all(place.takes_word(part.text) for part in written):
            return []
        return [self._word(part, place, (*path, at)) for at, part in enumerate(written)]

    def _parts(self, node: Word, place: OrderPlace, led_by: Mapping[str, Vocabulary], path: Path) -> str:
        """Return a text of several parts with commas between them, each part by its own vocabulary."""
        parts = []
        for written in node.text.split(","):
            lead, _, rest = written.strip().partition(" ")
            follows = led_by.get(fold(lead)) if rest else None
            if follows is not None:
                word = self._one_of(Word(rest, node.mark), follows, path)
                parts.append(f"{fold(lead)} {word or rest.strip()}")
            else:
                part = Word(written.strip(), node.mark)
                parts.append(self._one_of(part, place.vocabulary, path) or part.text)
        return ", ".join(parts) if parts != [part.strip() for part in node.text.split(",")] else node.text

    # ---- conditions

    def _condition(self, path: Path, key: str, kind: str, node: Node) -> object:
        """Return the value of `when` or `until`."""
        if key == UNTIL and isinstance(node, Word):
            return self._one_of(node, self.known.until, path) or node.text
        if not isinstance(node, Pairs) or key != WHEN or kind not in self.known.box.forms:
            return self._as_written(node, path)
        found: dict[str, object] = {}
        for word, below in node.pairs:
            fact = self._one_of(word, self.known.facts(kind), (*path, word.text)) or word.text
            if fact in found:
                self.blame((*path, fact), f"{short(fact)} stands here twice", word.mark)
            self.mark((*path, fact), word.mark, below.mark)
            found[fact] = self._wanted(below, (*path, fact))
        return found

    def _wanted(self, node: Node, path: Path) -> object:
        """Return the value that a fact must have: of which sort it is nobody knows, so only whole names are read."""
        if isinstance(node, Items):
            found = []
            for at, each in enumerate(node.items):
                self.mark((*path, at), each.mark, each.mark)
                found.append(self._wanted(each, (*path, at)))
            return found
        if isinstance(node, Pairs):
            wanted = {}
            for word, below in node.pairs:
                key = self._noted(word, NOT) if fold(word.text) == NOT else word.text
                self.mark((*path, key), word.mark, below.mark)
                wanted[key] = self._wanted(below, (*path, key))
            return wanted
        strict = _scalar_value(node)
        names = self.known.box.lexicon.everything.readings(node.text, whole=True) if isinstance(strict, str) else ()
        return self._noted(node, names[0]) if len(names) == 1 and not names[0].isdecimal() else strict

    # ---- notes

    def _one_of(self, word: Word, vocabulary: Vocabulary, path: Path, *, told: bool = True) -> str | None:
        """Return the word of a vocabulary that a written one means; None: none, or several, which is a fault."""
        found = vocabulary.readings(word.text)
        if len(found) > 1:
            names = [*found[:_MOST_NAMED], *(["others"] if len(found) > _MOST_NAMED else [])]
            self.blame(path, f"'{short(word.text)}' can be {listing(names, 'or')}; write which", word.mark)
        if len(found) != 1:
            return None
        return self._noted(word, found[0]) if told else found[0]

    def _typed(self, word: Word, value: object) -> object:
        """Return a value, and note it if it is not what was written."""
        strict = _scalar_value(word)
        if type(strict) is not type(value) or strict != value:
            self._noted(word, str(value).lower() if isinstance(value, bool) else str(value))
        return value

    def _noted(self, word: Word, meant: str) -> str:
        if word.text != meant:
            self.meant.words.setdefault(" ".join(word.text.split()), meant)
        return meant

    def mark(self, path: Path, key: Mark, value: Mark) -> None:
        """Keep the place of what stands at a path."""
        self.meant.marks[path] = (key, value)

    def blame(self, path: Path, reason: str, mark: Mark) -> None:
        """Keep a fault."""
        self.meant.faults.append(Placed(Fault(MALFORMED, path, reason), mark))

    def _as_written(self, node: Node, path: Path) -> object:
        """Return a value that is not understood, as the strict reader would have it."""
        if isinstance(node, Word):
            return _scalar_value(node)
        if isinstance(node, Items):
            return self._all_as_written(node.items, path)
        found = {}
        for word, below in node.pairs:
            self.mark((*path, word.text), word.mark, below.mark)
            found[word.text] = self._as_written(below, (*path, word.text))
        return found

    def _all_as_written(self, nodes: Sequence[Node], path: Path) -> list[object]:
        found = []
        for at, each in enumerate(nodes):
            self.mark((*path, at), each.mark, each.mark)
            found.append(self._as_written(each, (*path, at)))
        return found


def _scalar_value(word: Word) -> object:
    """Return what the strict reader makes of a word."""
    return word.text if word.quoted or len(word.text) >= _LONGEST_BARE else plain_value(word.text)

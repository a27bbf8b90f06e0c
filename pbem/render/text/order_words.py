"""Orders in words: an order as a player would write it on one line, by the names and verbs of its box.

Where an order stands in the choices says how each of its words is said. What is meant anyhow is not said. The reader of
words (`pbem.orders.said`) reads such a line as the order again.

>>> from pbem.game import OneOf, Value
>>> from pbem.game.words import Lexicon
>>> lexicon = Lexicon({"card": {"24": ["Sophonisba"]}}, {}, {})
>>> uses = OneOf("as", [Value("operations"), Value("discard", says=("discard",), must=True)], inferred=True)
>>> OrderWords(lexicon).say(OneOf("card", [Value(24, uses)], of="card"), {"card": 24, "as": "discard"})
SaidWords(text='24 discard', meant={'card': 24, 'as': 'discard'})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pbem.game.choices.parts import (
    AllOf,
    Assign,
    Body,
    Fixed,
    Follow,
    Gathered,
    Nested,
    OneOf,
    Part,
    Plain,
    Share,
    Some,
    Value,
    Written,
    itself,
    same,
)
from pbem.game.choices.walks import Walk
from pbem.game.words import Lexicon

_JOINT: Final = " > "
_WITH: Final = "with"


class SaidWords(NamedTuple):
    """An order in words, and its body without what is meant anyhow."""

    text: str
    meant: Body


class _Spoken(NamedTuple):
    """How some parts are said, the keys of the body that they do not say, and what they mean."""

    words: list[str]
    left: frozenset[str]
    meant: Body


class OrderWords:
    """Says orders by the words of a box, as briefly as one who plays it every day."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def say(self, root: Part, body: Written) -> SaidWords | None:
        """Return an order in words; None: there are none for something in it."""
        every = self._ways(root, body, frozenset(body))
        spoken = next((each for each in every if not each.left), None)
        text = self.joined([word for word in spoken.words if word]) if spoken is not None else ""
        return SaidWords(text, spoken.meant) if spoken is not None and text else None

    def _ways(self, part: Part, body: Written, left: frozenset[str]) -> Iterator[_Spoken]:
        """Yield, for each way to read the keys of a body that are left, how they are said, and which keys remain."""
        part = itself(part)
        match part:
            case Fixed():
                if all(key in body and same(body[key], value) for key, value in part.body.items()):
                    yield _Spoken([], left - part.body.keys(), dict(part.body))
            case AllOf():
                yield from self._all(part.parts, body, left)
            case OneOf():
                yield from self._one(part, body, left)
            case Some():
                yield from self._some(part, body, left)
            case Share():
                yield from self._share(part, body, left)
            case Walk():
                yield from self._walk(part, body, left)
            case Nested():
                inner = body.get(part.key, {})
                if isinstance(inner, Mapping):
                    for words, rest, meant in self._ways(part.part, inner, frozenset(inner)):
                        if not rest:
                            yield _Spoken(words, left - {part.key}, {part.key: meant} if meant else {})
            case Gathered():
                yield from self._gathered(part, body, left)
            case Assign():
                given = body.get(part.key, {})
                if isinstance(given, Mapping):
                    pairs = [f"{self.name(part.of[0], a)} to {self.name(part.of[1], b)}" for a, b in given.items()]
                    yield _Spoken([", ".join(pairs)], left - {part.key}, {part.key: given} if given else {})
            case Follow():
                yield _Spoken([], left, {})
            case _:
                return

    def _all(self, parts: Sequence[Part], body: Written, left: frozenset[str]) -> Iterator[_Spoken]:
        if not parts:
            yield _Spoken([], left, {})
            return
        for words, rest, meant in self._ways(parts[0], body, left):
            for more, end, also in self._all(parts[1:], body, rest):
                yield _Spoken([*words, *more], end, meant | also)

    def _one(self, part: OneOf, body: Written, left: frozenset[str]) -> Iterator[_Spoken]:
        written = body.get(part.key) if part.key is not None else None
        exactly = [value for value in part.values if value.word == written and not value.why]
        for value in exactly if part.key is not None and exactly else part.values:
            if value.why:
                continue
            meant = part.default is not None and value is part.values[part.default]
            if part.key is not None and part.key not in body:
                if not (meant or (part.default is None and value.word is None)):
                    continue
            elif part.key is not None and not same(body[part.key], value.word, ordered=part.ordered):
                continue
            here = left - {part.key} if part.key is not None else left
            silent = meant or (part.key is not None and part.key not in body)
            own: Body = {} if silent or part.key is None else {part.key: value.word}
            said = [] if silent else self._value(part, value)
            if said is None:
                continue
            for words, rest, more in self._ways(value.then, body, here):
                yield _Spoken([*said, *words], rest, {**own, **more})

    def _value(self, part: OneOf, value: Value) -> list[str] | None:
        """Return how a value is said, nothing if it need not be; None: there are no words for it."""
        word = value.word
        if part.key is None or word is None or (not part.of and value.says):
            needed = value.must or (part.key is not None and not part.inferred)
            said = bool(value.says) and (needed or self.says_the_obvious())
            return [self.verb(self.one_of(value.says))] if said else []
        if isinstance(word, bool):
            return [self.verb(value.says[0]) if value.says else ("yes" if word else "no")]
        if isinstance(word, list | tuple):
            if not word:
                return [self.verb(value.says[0] if value.says else "none")]
            if any(isinstance(each, Mapping | list) for each in word):
                return None
            names = [self.called(part.of, each) for each in word]
            return [f"with {' and '.join(names)}" if part.key == _WITH else ", ".join(names)]
        if isinstance(word, Mapping):
            if not word or any(isinstance(each, Mapping | list) for each in word.values()):
                return None
            return [", ".join(f"{self.called('', key)} {self.called('', each)}" for key, each in word.items())]
        if part.of:
            number = isinstance(word, int)
            return [self.numbered(part.of, word) if number else self.name(part.of, word)]
        return [self.called("", word) if not isinstance(word, str) or self._is_named(word) else self.verb(word)]

    def _is_named(self, word: str) -> bool:
        return any(word in words for words in self.lexicon.lists.values())

    def _some(self, part: Some, body: Written, left: frozenset[str]) -> Iterator[_Spoken]:
        if part.key not in body:
            if part.optional or not part.listed or not part.least:
                yield _Spoken([], left, {})
            return
        some = body[part.key]
        names: list[str] = []
        if isinstance(some, Mapping):
            names = [f"{count} {self.name(part.of, word)}" for word, count in some.items()]
        elif isinstance(some, list):
            names = [self.name(part.of, word) for word in some]
        said = [self.verb(part.says[0])] if part.says else []
        yield _Spoken([*said, self.one_of((", ", " and ")).join(names)], left - {part.key}, {part.key: some})

    def _share(self, part: Share, body: Written, left: frozenset[str]) -> Iterator[_Spoken]:
        said = [f"{body[key]} {self.unit(key)}" for key in part.keys if key is not None and key in body]
        if body.get(part.keys[0], part.usual) in part.allowed:
            meant = {key: body[key] for key in part.keys if key is not None and key in body}
            yield _Spoken(["with " + " ".join(said)] if said else [], left - meant.keys(), meant)

    def _walk(self, part: Walk, body: Written, left: frozenset[str]) -> Iterator[_Spoken]:
        path = body.get(part.key)
        if not isinstance(path, list) or (not path and not part.stay):
            return
        names: list[str] = []
        verbs: list[str] = []
        for step in path:
            if isinstance(step, Mapping):
                how = next((how for how, form in part.graph.ways.forms.items() if how and _is_form(step, form)), "")
                says = part.graph.ways.says.get(how, ())
                if how and says:
                    verbs.append(self.verb(says[0]))
                elif how or step.keys() - {"to", *part.first}:
                    return
                names.append(self.name(part.of, step.get("to") or next(iter(step.values()))))
            else:
                names.append(self.name(part.of, step))
        way = self.way(part.of, part.graph.names(part.start)[0], names)
        yield _Spoken([*dict.fromkeys(verbs), way], left - {part.key}, {part.key: path})

    def _gathered(self, part: Gathered, body: Written, left: frozenset[str]) -> Iterator[_Spoken]:
        some = body.get(part.key)
        if not isinstance(some, list):
            return
        said: list[str] = []
        meant: list[Plain] = []
        for each in some:
            inner: Written = each if isinstance(each, Mapping) else {}
            every = (spoken for one in part.parts for spoken in self._ways(one, inner, frozenset(inner)))
            if (found := next((spoken for spoken in every if not spoken[1]), None)) is None:
                return
            said.append(" ".join(found[0]))
            meant.append(found[2])
        yield _Spoken([" and ".join(said)], left - {part.key}, {part.key: meant})

    def called(self, of: str, word: Plain) -> str:
        """Return how a thing is called; without a list, it is looked for in all."""
        lists = [of] if of else [each for each, words in self.lexicon.lists.items() if str(word) in words]
        return self.name(lists[0], word) if lists else str(word).replace("_", " ")

    # ---- habits: how one player says the same as another

    def joined(self, words: Sequence[str]) -> str:
        """Return the words of an order as one line."""
        return " ".join(words)

    def one_of(self, ways: Sequence[str]) -> str:
        """Return one of several ways to say the same."""
        return ways[0]

    def says_the_obvious(self) -> bool:
        """Tell whether a verb is said that the other words imply."""
        return False

    def verb(self, verb: str) -> str:
        """Return how a verb of the box is said."""
        return verb

    def name(self, of: str, word: Plain) -> str:
        """Return how a thing is called: by its name."""
        names = self.lexicon.lists.get(of, {}).get(str(word), ())
        return names[0] if names else str(word).replace("_", " ")

    def numbered(self, of: str, word: Plain) -> str:
        """Return how a thing is called that goes by its number."""
        return str(word)

    def unit(self, key: str) -> str:
        """Return how what is counted is called."""
        return key.upper() if len(key) < 3 else key

    def way(self, of: str, start: str, places: Sequence[str]) -> str:
        """Return how a way is said whose places are named; it starts from a place."""
        return f"> {_JOINT.join(places)}"


def _is_form(step: Written, form: Plain) -> bool:
    return (
        isinstance(form, Mapping)
        and step.keys() >= form.keys()
        and all(value == "$" or step[key] == value for key, value in form.items())
    )

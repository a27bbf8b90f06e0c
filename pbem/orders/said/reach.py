"""The reach of a player's words: all that can be said in answer to one question, taken from its choices.

Names are those of the lexicon of the box that stand in the choices, verbs those by which a value of them is said. A
word that means something within reach never means anything else; one that does not is looked up in all names, so that
the answer can say why it is out of reach.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import Final

from pbem.game.choices.parts import (
    AllOf,
    Assign,
    Follow,
    Gathered,
    Nested,
    OneOf,
    Part,
    Share,
    Some,
    Value,
    itself,
)
from pbem.game.choices.walks import Walk
from pbem.game.words import Lexicon, fold
from pbem.orders.said.english import COMMON_VERBS, NEGATIONS, stems

SAID_YES: Final = "yes"
SAID_NO: Final = "no"
ROAD: Final = "road"
"""The list of the lexicon that has the names of roads."""
NOBODY: Final = "none"
"""The verb by which an empty selection is said."""
_HEX: Final = 4
"""So many digits has the number of a place, which is its name; the number of a card stands behind its name."""
_LEAST: Final = 3
"""So many letters of a name are enough, if nothing else within reach begins with them."""


class Reach:
    """What can be said in answer to one question."""

    def __init__(self, kind: str, root: Part, lexicon: Lexicon, context: Collection[str] = ()) -> None:
        self.kind, self.root, self.lexicon = kind, root, lexicon
        self.words: dict[str, set[str]] = {}
        """List of the lexicon -> its words that the choices have."""
        self.phrases: dict[str, set[str]] = {}
        """What may be said -> the verbs that it may be, by their names in the box."""
        self.labels: dict[str, str] = {}
        """How a key of an order is called -> the key."""
        self.lists: dict[str, str] = {}
        """Key -> the list of the lexicon that has its names."""
        self.units: dict[str, str] = {}
        """How what is counted is called -> its key."""
        self.shares: list[str] = []
        """The keys of numbers of units."""
        self.most = 0
        """The largest number of units that can be said."""
        self.names: dict[str, str] = {}
        """Word -> its name, where the choices say it."""
        self.context = context
        """Names that the question itself speaks of: they may be said, and order nothing."""
        self._seen: set[int] = set()
        self._collect(root)
        for said in self._forms(kind):
            self.labels.setdefault(stems(said), kind)
            self._deny(said)

    @cached_property
    def own(self) -> frozenset[str]:
        """How the kind of the order itself is said, without what its forms vary."""
        return frozenset(map(stems, self._forms(self.kind)))

    # ---- what the choices have

    def _collect(self, part: Part) -> None:
        part = itself(part)
        if id(part) in self._seen:
            return
        self._seen.add(id(part))
        match part:
            case OneOf() | Some():
                self._label(part.key, part.of)
                self._say([*part.says, NOBODY] if isinstance(part, Some) and not part.least else ())
                for value in part.values:
                    self._value(part, value)
            case Share():
                self._units(part)
            case Walk():
                self._walk(part)
            case AllOf() | Gathered():
                for each in part.parts:
                    self._collect(each)
                self._label(part.key if isinstance(part, Gathered) else None)
            case Nested():
                self._label(part.key)
                self._collect(part.part)
            case Follow():
                self._label(part.kind)
                self._collect(part.part)
            case Assign():
                self._label(part.key)
                names, places = part.of
                self.words.setdefault(names, set()).update(name for name, _ in part.axes)
                every = {word for _, words in part.axes for word in words}
                self.words.setdefault(places, set()).update(every)
                self._say(sorted(every - self.lexicon.lists.get(places, {}).keys()))
            case _:
                pass

    def _value(self, part: OneOf | Some, value: Value) -> None:
        self._say(self.said_of(part, value))
        self._say(value.claims)
        for word in value_words(value):
            for of in [part.of] if part.of else self._lists_of(word):
                self.words.setdefault(of, set()).add(word)
            if value.label and not isinstance(value.word, list):
                self.names[word] = value.label
        if isinstance(value.word, dict):
            self._pairs(value.word)
        self._collect(value.then)

    def said_of(self, part: OneOf | Some, value: Value) -> list[str]:
        """Return the verbs by which a value is said; yes and no stand for the truth of the key."""
        says, word = list(value.says), value.word
        if word is True:
            says += [SAID_YES, *([part.key] if part.key else [])]
        elif word is False:
            says.append(SAID_NO)
        elif isinstance(word, list | tuple | dict) and not word and not says and _is_plain(part):
            says.append(NOBODY)
        elif isinstance(word, str) and part.key is not None and word not in self.lexicon.lists.get(part.of, ()):
            says += [word] if part.of or not says else []
        return says

    def _pairs(self, pairs: Mapping[str, object]) -> None:
        """Take the names of a mapping, each from whatever list has it."""
        for word in map(str, (*pairs, *(each for each in pairs.values() if not isinstance(each, dict | list)))):
            lists = self._lists_of(word)
            for of in lists:
                self.words.setdefault(of, set()).add(word)
            if not lists:
                self._say((word,))

    def _lists_of(self, word: str) -> list[str]:
        """Return the lists of the lexicon that have a word."""
        return [of for of, words in self.lexicon.lists.items() if word in words]

    def _units(self, share: Share) -> None:
        self.most = max(self.most, *share.allowed, 0)
        for key in share.keys:
            if key is not None:
                for said in self._forms(key):
                    self.units[stems(said)] = key
                if key not in self.shares:
                    self.shares.append(key)

    def _walk(self, walk: Walk) -> None:
        self._label(walk.key, walk.of)
        graph = walk.graph
        words = self.words.setdefault(walk.of, set())
        if graph.ways.lines:
            self.words.setdefault(ROAD, set()).update(graph.ways.lines)
        for state in graph.reached(walk.start, walk.points):
            words.update(graph.names(state))
        for says in graph.ways.says.values():
            self._say(says)

    def _deny(self, said: str) -> None:
        """Let it be said that what the question asks is not done, where that is an answer."""
        verbs = set().union(*self.phrases.values()) & {SAID_NO, NOBODY, "nobody"} if self.phrases else set()
        for verb in sorted(verbs)[:1]:
            for negation in NEGATIONS:
                self.phrases.setdefault(stems(f"{negation} {said}"), set()).add(verb)

    def _label(self, key: str | None, of: str = "") -> None:
        if key is None:
            return
        for said in self._forms(key):
            self.labels[stems(said)] = key
        if of:
            self.lists[key] = of

    def _say(self, says: Iterable[str]) -> None:
        for verb in says:
            for said in self._forms(verb):
                self.phrases.setdefault(stems(said), set()).add(verb)

    def _forms(self, verb: str) -> Iterator[str]:
        """Yield how a verb of the box is said: by its forms, and where it has several words, by those of each."""
        yield verb
        yield from COMMON_VERBS.get(verb, ())
        yield from self.lexicon.verbs.get(verb, ())
        yield from self.lexicon.aliases(verb)
        words = verb.split()
        if len(words) > 1:
            every = [(word, *self.lexicon.verbs.get(word, ()), *self.lexicon.aliases(word)) for word in words]
            yield from map(" ".join, product(*every))

    # ---- what a word may mean

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The words of lists that the lexicon has not, folded."""
        return frozenset(
            fold(word) for of, words in self.words.items() if of not in self.lexicon.lists for word in words
        )

    def readings(self, written: str, *, whole: bool = False) -> Mapping[str, tuple[str, ...]]:
        """Return what a written word may mean: list -> words within reach, none where it is known but out of reach.

        A whole name that is out of reach goes before the beginning of one within it.
        """
        found = {of: self._whole(of, written) for of in self.words}
        known = {of: every for of, every in found.items() if every}
        if not known and not whole and len(fold(written)) >= _LEAST and written[:1].isalpha():
            known = {of: every for of in self.words if (every := self._begun(of, written))}
        return {of: tuple(word for word in every if word in self.words[of]) for of, every in known.items()}

    def out_of_reach(self, written: str) -> Mapping[str, tuple[str, ...]]:
        """Return the words of the lists within reach that a written one names, none of which is within it."""
        found = {of: self._whole(of, written) for of in self.words}
        return {of: every for of, every in found.items() if every} or {
            of: every for of in self.words if (every := self._begun(of, written))
        }

    def _whole(self, of: str, written: str) -> tuple[str, ...]:
        if of not in self.lexicon.lists:
            return tuple(word for word in self.words[of] if fold(word) == fold(written))
        return self.lexicon.of((of,)).readings(written, whole=True)

    def _begun(self, of: str, written: str) -> tuple[str, ...]:
        if of not in self.lexicon.lists:
            return tuple(word for word in self.words[of] if fold(word).startswith(fold(written)))
        return self.lexicon.of((of,)).readings(written)

    @cached_property
    def elsewhere(self) -> Iterable[str]:
        """The lists of the lexicon of which nothing is within reach."""
        return [of for of in self.lexicon.lists if of not in self.words]

    def is_context(self, written: str) -> bool:
        """Tell whether a word names what the question itself speaks of."""
        return bool(self.context) and any(word in self.context for word in self.lexicon.everything.readings(written))

    def is_known(self, written: str) -> bool:
        """Tell whether a word is a name of anything in the game."""
        return any(self.lexicon.of((of,)).readings(written, whole=True) for of in self.elsewhere)

    def name(self, word: object) -> str:
        """Return the name of a word of an order, for a sentence."""
        text = str(word)
        named = next((names[0] for words in self.lexicon.lists.values() if (names := words.get(text))), None)
        name = self.names.get(text) or named or text.replace("_", " ")
        return f"{name} ({text})" if text.isdecimal() and name != text and len(text) < _HEX else name


def value_words(value: Value) -> list[str]:
    """Return the words of a value that can be named: one, or those of a list."""
    word = value.word
    if isinstance(word, list | tuple):
        return [str(each) for each in word]
    return [] if word is None or isinstance(word, bool | dict) else [str(word)]


def _is_plain(part: OneOf | Some) -> bool:
    """Tell whether a part was made of a plain list of answers, which says nothing of its verbs."""
    return isinstance(part, OneOf) and part.inferred

"""The words of orders: what players may write for the things of a game, and every reading of a word in its place.

A player writes `New Carthage`, `new-carthage` or `new c` where the sheet has `new_carthage`. A `Vocabulary` has the
words that can stand in one place. It says which of them a written word may mean, and never chooses between two.

The file `words.yaml` of a box names the lists of its things. A list has the name that the place has in `orders.yaml`:
that of a definition (`$defs`), or one that a schema has in `words`. `more` has words of a list that are in no file,
`aliases` other names of words::

    lists: {space: [map/spaces], unit: [counters/units]}
    more: {unit: [roman_foot_reduced]}
    aliases: {operations: [ops]}
    verbs: {march: [move, go]}

`verbs` has how what is done is said, by the names that the choices of the rules have for it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final

from pbem.game.wording import guess
from pbem.protocol import Record

WORDS: Final = "words"
_NAMES: Final = ("name", "short", "abbr")
_QUOTES: Final = frozenset("'\"`´‘’‚‛“”„‟«»‹›")
_GAPS: Final = re.compile(r"[\W_]+")
_COMMON: Final[Mapping[str, Sequence[str]]] = {"true": ("yes", "on"), "false": ("no", "off")}
"""Other names of words in every game."""
_ARTICLE: Final = "the_"
_FIRST_NAME: Final = re.compile(r"([^\W\d_])[^\W\d_]+_(?=.)")


def fold(word: str) -> str:
    """Return a word without what players vary: capitals, accents, quotes, full width; one `_` for all other signs.

    >>> fold("T. Longus"), fold("NEW-Carthage"), fold("Maharbal's Cavalry")
    ('t_longus', 'new_carthage', 'maharbals_cavalry')
    """
    plain = unicodedata.normalize("NFKD", word).casefold()
    kept = "".join(char for char in plain if char not in _QUOTES and not unicodedata.combining(char))
    return _GAPS.sub("_", kept).strip("_")


class Vocabulary:
    """The words that can stand in one place, each with its other names."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        self.words: tuple[str, ...] = tuple(names)
        self._exact = {fold(word): word for word in reversed(self.words)}
        self._whole: dict[str, dict[str, None]] = {}
        self._parts: dict[str, dict[str, None]] = {}
        for word, others in names.items():
            others = list(map(fold, others))
            if word.isdecimal():  # a letter writes both: Diplomacy (36)
                others += [f"{other}_{word}" for other in others]
            for whole in dict.fromkeys([fold(word), *others]):
                self._whole.setdefault(whole, {})[word] = None
                for part in _parts(whole):
                    self._parts.setdefault(part, {})[word] = None
        self._known: dict[tuple[str, bool], tuple[str, ...]] = {}

    def readings(self, written: str, *, whole: bool = False) -> tuple[str, ...]:
        """Return every word that a written one may mean; with `whole`, a part of a name means none.

        A word itself is never anything else. What is none may be a name, or a part of a name or word: how it begins,
        its last words, or an initial for its first word.
        """
        if (written, whole) not in self._known:
            self._known[written, whole] = tuple(self._readings(fold(written), whole))
        return self._known[written, whole]

    def _readings(self, folded: str, whole: bool) -> Iterable[str]:
        if folded in self._exact:
            return [self._exact[folded]]
        if whole or not folded[:1].isalpha():
            return self._whole.get(folded, ())
        begun = (words for name, words in self._whole.items() if name.startswith(folded))
        meant = set(chain(self._parts.get(folded, ()), *begun))
        if not meant and folded.startswith(_ARTICLE):  # an article before a name
            return self._readings(folded.removeprefix(_ARTICLE), True)
        return [word for word in self.words if word in meant]

    def near(self, written: str) -> tuple[str, str] | None:
        """Return the name that is nearest to a written one, and its word, if that is one; None: no name is near."""
        found = guess(fold(written), self._whole)
        words = () if found is None else tuple(self._whole[found])
        return (found, words[0]) if found is not None and len(words) == 1 else None


def _parts(name: str) -> Iterator[str]:
    """Yield the parts of a folded name that may stand for it: its last words, and an initial for its first word."""
    pieces = name.split("_")
    for first in range(1, len(pieces)):
        part = "_".join(pieces[first:])
        if part[0].isalpha():
            yield part
    if (found := _FIRST_NAME.match(name)) is not None:
        yield f"{found[1]}_{name[found.end() :]}"


class Lexicon:
    """All words of a game: the vocabularies of its lists, and of the words that a schema has."""

    def __init__(
        self,
        lists: Mapping[str, Mapping[str, Sequence[str]]],
        aliases: Mapping[str, Sequence[str]],
        verbs: Mapping[str, Sequence[str]],
    ) -> None:
        self.lists = lists
        """List -> word -> its names."""
        self.verbs = verbs
        """Verb -> how else it is said."""
        self._aliases = {**_COMMON, **aliases}
        self._made: dict[tuple[tuple[str, ...], tuple[str, ...]], Vocabulary] = {}

    @cached_property
    def everything(self) -> Vocabulary:
        """The words of all lists."""
        return self.of(tuple(self.lists))

    @cached_property
    def of_several_words(self) -> frozenset[str]:
        """The names that have several words, folded, and how they begin and end with at least two of them."""
        found: set[str] = set()
        for word, names in ((word, names) for words in self.lists.values() for word, names in words.items()):
            for name in (word, *names, *self.aliases(word)):
                pieces = fold(name).split("_")
                count = len(pieces)
                found.update("_".join(pieces[:end]) for end in range(2, count + 1))
                found.update("_".join(pieces[start:]) for start in range(1, count - 1))
                if count > 1:
                    found.update((f"{pieces[0][:1]}_{'_'.join(pieces[1:])}", f"{fold(name)}_{word}"))
        return frozenset(found)

    def begins_several_words(self, folded: str) -> bool:
        """Tell whether a name of several words begins with words, the last of which may be cut off."""
        at = bisect_left(self._in_order, folded)
        return at < len(self._in_order) and self._in_order[at].startswith(folded)

    @cached_property
    def _in_order(self) -> Sequence[str]:
        return sorted(self.of_several_words)

    def aliases(self, word: str) -> Sequence[str]:
        """Return other names of a word."""
        return self._aliases.get(word, ())

    def of(self, lists: Iterable[str], others: Iterable[str] = ()) -> Vocabulary:
        """Return the vocabulary of some lists, and of other words."""
        key = tuple(lists), tuple(others)
        if key not in self._made:
            names: dict[str, list[str]] = {}
            for word, found in chain.from_iterable(self.lists[each].items() for each in key[0]):
                names.setdefault(word, []).extend(found)
            for word in key[1]:
                names.setdefault(word, []).extend(self._names.get(word, ()))
            for word, found_names in names.items():
                found_names.extend(self._aliases.get(word, ()))
            self._made[key] = Vocabulary(names)
        return self._made[key]

    @cached_property
    def _names(self) -> Mapping[str, Sequence[str]]:
        """Word -> its names in all lists that have it."""
        found: dict[str, list[str]] = {}
        for words in self.lists.values():
            for word, names in words.items():
                found.setdefault(word, []).extend(names)
        return found


def read_lexicon(told: Record, table: Callable[[str], Any]) -> Lexicon:
    """Return the words that a file `words.yaml` tells of; `table` returns another file of its box."""
    lists: dict[str, dict[str, list[str]]] = {}
    for name, places in told["lists"].items():
        words = lists.setdefault(name, {})
        for place in places:
            file, _, key = place.partition("/")
            words.update(_named(table(file)[key]))
        words.update((word, []) for word in told.get("more", {}).get(name, ()))
    return Lexicon(lists, told.get("aliases", {}), told.get("verbs", {}))


def _named(records: Iterable[Record]) -> Iterator[tuple[str, list[str]]]:
    """Yield the word and the names of each record of a list: it goes by its id, or by its number if it has none."""
    for record in records:
        word = record.get("id", record.get("number"))
        if word is not None:
            yield str(word), [record[key] for key in _NAMES if isinstance(record.get(key), str)]

"""Choices: what a side may answer, as a structure of named parts.

A part makes a piece of the body of an order. Four things follow from one structure: the list of the legal orders, which
can be counted and picked from without being made; a draw of anything that the structure has; a tree of plain data, for
buttons and pages; and a test whether an order is in it. What the rules say of an order's parts, such as a ford that
costs a point, or why a card is shut now, stands with the part.

Values lead on (`Value.then`): how many units may go depends on who leads them, and how far on how many there are. A
part that is put together by `Lazy` is made only when it is looked at, so that a pick makes only what it picks.

A part lists the orders that differ in what they do. It may have more: a key that is written although it says what is
meant anyhow, a detour, a preference. `make` and a plain `draw` keep to the list; `draw` with `wide` has all.

>>> whom = OneOf("leader", [Value("paullus"), Value("varro", Some("drop", [Value("foot"), Value("horse")], 1, 2))])
>>> [whom.make(at) for at in range(len(whom))][:2]
[{'leader': 'paullus'}, {'leader': 'varro', 'drop': ['foot']}]
>>> whom.has({"leader": "varro", "drop": ["horse", "foot"]}), whom.has({"leader": "paullus", "drop": ["foot"]})
(True, False)
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import comb, perm, prod
from typing import ClassVar, Final, TypeAlias, TypeVar

Plain: TypeAlias = bool | int | float | str | Sequence["Plain"] | Mapping[str, "Plain"] | None
"""Plain data, as JSON has it."""
Body: TypeAlias = dict[str, Plain]
"""What parts make of the body of an order."""
Written: TypeAlias = Mapping[str, Plain]
"""The body of an order, or a piece of one, that is looked at."""
Used: TypeAlias = frozenset[str]
"""The keys of a body that the parts of one way through a structure account for."""
T = TypeVar("T")
Random: TypeAlias = Callable[[], float]
"""Yields numbers from 0 up to, not including, 1."""


class Part(ABC):
    """A part of the choices. What they list is counted by `len`, and the n-th made by `make`."""

    certain: ClassVar[bool] = True
    """False: the view that was asked does not show enough to tell the choices; none is then listed."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many bodies are listed."""

    @abstractmethod
    def make(self, index: int) -> Body:
        """Return the piece of a body at an index that is known to be in range."""

    @abstractmethod
    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        """Return a random piece of a body; None: there is none.

        A value is drawn first and then what follows it, so that a few marches do not drown among the many ways to
        place markers. With `wide` it may be one that is not listed.
        """

    @abstractmethod
    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        """Yield, for each way to read the part's keys in a body, these keys and those that are used already."""

    @abstractmethod
    def plain(self, tree: Tree) -> Body:
        """Return the part as plain data; the parts within it are put into the same tree."""

    def __bool__(self) -> bool:
        return True

    def has(self, body: Written) -> bool:
        """Tell whether a body is one of these: each of its keys is used on some way through the structure."""
        return any(used == body.keys() for used in self.fits(body, frozenset()))


class Terrain(ABC):
    """What walks go over: it stands once in a tree, as far as the walks over it come."""

    @abstractmethod
    def plain(self, starts: Mapping[str, int]) -> Body:
        """Return as plain data what is in reach of some starts, each with the most that a walk from it may cost."""


class Tree:
    """Choices as plain data: parts that are alike stand in it once."""

    def __init__(self) -> None:
        self._parts: list[Plain] = []
        self._known: dict[str, int] = {}
        self._seen: dict[int, tuple[int, Part]] = {}
        self._grounds: dict[int, tuple[Terrain, dict[str, int]]] = {}

    def put(self, part: Part) -> int:
        """Put a part into the tree, unless one like it is there; return its number."""
        part = itself(part)
        if id(part) not in self._seen:
            told = part.plain(self)
            text = json.dumps(told, sort_keys=True)
            if text not in self._known:
                self._known[text] = len(self._parts)
                self._parts.append(told)
            self._seen[id(part)] = self._known[text], part  # kept alive: no other part gets the same id
        return self._seen[id(part)][0]

    def show(self, ground: Terrain, start: str, most: int) -> int:
        """Note that a walk goes over some ground; return the number of the ground among those of the tree."""
        starts = self._grounds.setdefault(id(ground), (ground, {}))[1]
        starts[start] = max(most, starts.get(start, 0))
        return list(self._grounds).index(id(ground))

    def plain(self, kind: str, root: Part) -> Body:
        """Return the whole tree: the kind of the order, its parts, which of them is the root, and the grounds.

        Parts within others are given by their numbers.
        """
        top = self.put(root)
        grounds: list[Plain] = [ground.plain(starts) for ground, starts in self._grounds.values()]
        return {"kind": kind, "root": top, "parts": self._parts, "grounds": grounds}


@dataclass(eq=False, slots=True)
class Fixed(Part):
    """Words that always stand there."""

    body: Mapping[str, Plain] = field(default_factory=dict)

    def __len__(self) -> int:
        return 1

    def make(self, index: int) -> Body:
        return dict(self.body)

    def draw(self, random: Random, *, wide: bool = False) -> Body:
        return dict(self.body)

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        if all(key in body and same(body[key], value) for key, value in self.body.items()):
            yield used | self.body.keys()

    def plain(self, tree: Tree) -> Body:
        return {"fixed": dict(self.body)}


NOTHING: Final[Part] = Fixed()
"""The part that adds nothing."""


class _None(Part):
    """Nothing that could be answered."""

    def __len__(self) -> int:
        return 0

    def make(self, index: int) -> Body:
        raise IndexError(index)

    def draw(self, random: Random, *, wide: bool = False) -> None:
        return None

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        return iter(())

    def plain(self, tree: Tree) -> Body:
        return {"one": None, "values": []}


class _Untold(_None):
    """What the viewer cannot know."""

    certain = False


NONE: Final[Part] = _None()
"""The part without any value."""
UNTOLD: Final[Part] = _Untold()
"""The answer to a viewer who does not see enough to know the choices."""


@dataclass(eq=False, slots=True)
class Lazy(Part):
    """A part that is put together when it is first looked at; None: there is none."""

    put_together: Callable[[], Part | None]
    _made: Part | None = None

    @property
    def made(self) -> Part:
        """The part itself."""
        if self._made is None:
            self._made = self.put_together() or NONE
        return self._made

    def __len__(self) -> int:
        return len(self.made)

    def make(self, index: int) -> Body:
        return self.made.make(index)

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        return self.made.draw(random, wide=wide)

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        return self.made.fits(body, used)

    def plain(self, tree: Tree) -> Body:
        return self.made.plain(tree)


def itself(part: Part) -> Part:
    """Return a part itself, if it is one that is made later."""
    while isinstance(part, (Lazy, _Listed)):
        part = part.made
    return part


@dataclass(eq=False, slots=True)
class Value:
    """One value of a part: the word of the sheet, what follows from it, and what a reader or a page needs to know.

    Treat it as immutable. A word None stands for a key that is left out.
    """

    word: Plain
    then: Part = NOTHING
    label: str = ""
    """Its name, where the lexicon of the box has none."""
    says: Sequence[str] = ()
    """The verbs by which it is said, by their names in the box, and what else may be said of it (`3 ops`)."""
    claims: Sequence[str] = ()
    """What may be said of it besides, but does not choose it."""
    at: str = ""
    """Its place on the map."""
    cost: int | None = None
    note: str = ""
    """What a page says beside it: the strength of an army."""
    must: bool = False
    """Whether readers of words take it only if it is said: it gives something away, does nothing, or is odd."""
    why: str = ""
    """Why it cannot be taken now: a page shows it shut, and it is in no list."""
    weight: int = 1
    """How often it is drawn, against the others of its part."""
    unlisted: bool = False
    """Whether it does the same as another that is listed."""

    def plain(self, tree: Tree) -> Body:
        """Return the value as plain data, without what is not said."""
        told: Body = {"label": self.label, "at": self.at, "note": self.note, "must": self.must, "why": self.why}
        told |= {"says": list(self.says), "claims": list(self.claims)}
        short: Body = {} if self.word is None else {"word": self.word}
        short |= {key: value for key, value in told.items() if value}
        if self.cost is not None:
            short["cost"] = self.cost
        then = itself(self.then)
        return short if then is NOTHING else short | {"then": tree.put(then)}


@dataclass(eq=False)
class OneOf(Part):
    """One value of a key, or, without a key, one of some alternatives. Each may lead on to parts of its own."""

    key: str | None
    values: Sequence[Value]
    of: str = ""
    """The list of the lexicon that has the names of its words."""
    default: int | None = None
    """Which value is meant where the key is left out; None: it must be said. It is not written."""
    listed: bool = True
    """False: orders that differ in it alone do the same; what is listed leaves the key out, and has a default."""
    inferred: bool = False
    """Whether readers of words may fill it in if all that is said leaves one value."""
    title: str = ""
    """What is asked, if the key does not say it."""
    ordered: bool = False
    """Whether the order of a list that is a word matters."""

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @cached_property
    def _open(self) -> Sequence[Value]:
        if not self.listed and self.default is not None:
            return [self.values[self.default]]
        return [value for value in self.values if not value.why and not value.unlisted]

    @cached_property
    def _ends(self) -> Sequence[int]:
        return list(accumulate(len(value.then) for value in self._open))

    def make(self, index: int) -> Body:
        before = 0
        for value, end in zip(self._open, self._ends, strict=True):
            if index < end:
                return self.own(value) | value.then.make(index - before)
            before = end
        raise IndexError(index)

    def own(self, value: Value, *, full: bool = False) -> Body:
        """Return what a value itself is written as; `full` if it is written even if it is meant anyhow."""
        if self.key is None or value.word is None:
            return {}
        if not full and self.default is not None and value is self.values[self.default]:
            return {}
        return {self.key: value.word}

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        left = [value for value in self.values if not value.why] if wide else list(self._open)
        while left:
            value = left.pop(_weighted(left, random))
            rest = value.then.draw(random, wide=wide)
            if rest is not None:
                full = wide and self.default is not None and random() < 0.5
                return self.own(value, full=full) | rest
        return None

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        if self.key is not None and self.key not in body:
            for value in self.values if self.default is None else [self.values[self.default]]:
                if not value.why and (self.default is not None or value.word is None):
                    yield from value.then.fits(body, used)
            return
        for value in self.values:
            if value.why:
                continue
            if self.key is None:
                yield from value.then.fits(body, used)
            elif value.word is not None and same(body[self.key], value.word, ordered=self.ordered):
                yield from value.then.fits(body, used | {self.key})

    def plain(self, tree: Tree) -> Body:
        kept = [value for value in self.values if value.why or len(value.then)]
        told: Body = {"one": self.key, "values": [value.plain(tree) for value in kept]}
        if self.default is not None and self.values[self.default] in kept:
            told["default"] = kept.index(self.values[self.default])
        more: Body = {"of": self.of, "title": self.title, "inferred": self.inferred}
        return told | {key: value for key, value in more.items() if value}


def _weighted(values: Sequence[Value], random: Random) -> int:
    """Return the index of a random value, each as often as its weight says."""
    total = sum([value.weight for value in values])
    left = int(random() * total)
    if total == len(values):
        return left
    for at, value in enumerate(values):
        if left < value.weight:
            return at
        left -= value.weight
    return len(values) - 1


def same(written: Plain, word: Plain, *, ordered: bool = False) -> bool:
    """Tell whether what is written is a word; no number is yes or no, and the order of a list counts if `ordered`."""
    if isinstance(written, list) and isinstance(word, Sequence) and not isinstance(word, str) and not ordered:
        return sorted(map(repr, written)) == sorted(map(repr, word))
    return type(written) is type(word) and written == word


@dataclass(eq=False)
class Some(Part):
    """A selection of `least` to `most` values: as a list of words, or with `counts` as a mapping of word to number."""

    key: str
    values: Sequence[Value]
    least: int
    most: int
    of: str = ""
    room: Mapping[str, int] | None = None
    """How often each word may be named; None: once."""
    counts: bool = False
    optional: bool = False
    """Whether the key may be left out. An empty selection is then written so; without one, no list leaves it out."""
    listed: bool = True
    """False: what is listed leaves the key out."""
    ordered: bool = False
    """Whether the order of the words matters; there is no `room` then."""
    says: Sequence[str] = ()
    title: str = ""

    @cached_property
    def _items(self) -> Sequence[str]:
        return [str(value.word) for value in self.values if not value.why]

    @cached_property
    def _sizes(self) -> Sequence[int]:
        """Return how many selections there are of each size from `least` on."""
        if self.room is None:
            count = perm if self.ordered else comb
            return [count(len(self._items), size) for size in range(self.least, self.most + 1)]
        return self._ways[0][self.least : self.most + 1]

    @cached_property
    def _ways(self) -> Sequence[Sequence[int]]:
        """Return, for each item, in how many ways so many can be selected from it on."""
        assert self.room is not None
        ways = [[1] + [0] * self.most]
        for item in reversed(self._items):
            later = ways[-1]
            ways.append([sum(later[max(0, left - self.room[item]) : left + 1]) for left in range(self.most + 1)])
        return ways[::-1]

    def __len__(self) -> int:
        return sum(self._sizes) if self.listed else 1

    def make(self, index: int) -> Body:
        return self._nth(index) if self.listed else {}

    def _nth(self, index: int) -> Body:
        for size, count in enumerate(self._sizes, self.least):
            if index < count:
                return {} if self.optional and not size else {self.key: self._written(self._picked(size, index))}
            index -= count
        raise IndexError(index)

    def _picked(self, size: int, index: int) -> list[str]:
        if self.room is not None:
            return multiset(self._items, self.room, self._ways, size, index)
        return (permutation if self.ordered else combination)(self._items, size, index)

    def _written(self, some: list[str]) -> Plain:
        return {word: some.count(word) for word in dict.fromkeys(some)} if self.counts else some

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        if (not wide and not self.listed) or (wide and self.optional and random() < 0.5):
            return {}
        total = sum(self._sizes)
        return self._nth(int(random() * total)) if total else None

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        if self.key not in body:
            if self.optional or not self.listed:
                yield used
            return
        some, room = self._named(body[self.key]), self.room or dict.fromkeys(self._items, 1)
        if some is None or not self.least <= len(some) <= self.most:
            return
        words = dict.fromkeys(self._items)
        if all(word in words and some.count(word) <= room[word] for word in some):
            yield used | {self.key}

    def _named(self, written: Plain) -> Sequence[str] | None:
        """Return the words that are written, each as often as it is meant; None: they are written otherwise."""
        if isinstance(written, Mapping) and self.counts:
            return [word for word, count in written.items() for _ in range(count if isinstance(count, int) else 0)]
        return list(map(str, written)) if isinstance(written, list) and not self.counts else None

    def plain(self, tree: Tree) -> Body:
        room: Plain = None if self.room is None else [self.room.get(str(value.word), 0) for value in self.values]
        more: Body = {"of": self.of, "title": self.title, "room": room, "counts": self.counts, "says": list(self.says)}
        more |= {"optional": self.optional or not self.listed, "ordered": self.ordered}
        told: Body = {"some": self.key, "values": [value.plain(tree) for value in self.values]}
        return told | {"least": self.least, "most": self.most} | {key: each for key, each in more.items() if each}


def multiset(
    items: Sequence[T], room: Mapping[T, int], ways: Sequence[Sequence[int]], size: int, index: int
) -> list[T]:
    """Return the index-th selection of `size` items, those with more of the first items first."""
    picked: list[T] = []
    for at, item in enumerate(items):
        if not size:
            break
        for count in range(min(room[item], size), -1, -1):
            further = ways[at + 1][size - count]
            if index < further:
                picked += [item] * count
                size -= count
                break
            index -= further
    return picked


def combination(items: Sequence[T], size: int, index: int) -> list[T]:
    """Return the index-th selection of `size` items, in the order of `itertools.combinations`."""
    picked: list[T] = []
    start = 0
    while size > 1:
        for at in range(start, len(items)):
            rest = comb(len(items) - at - 1, size - 1)
            if index < rest:
                picked.append(items[at])
                start, size = at + 1, size - 1
                break
            index -= rest
        else:
            raise IndexError(index)
    return [*picked, items[start + index]] if size else picked


def permutation(items: Sequence[T], size: int, index: int) -> list[T]:
    """Return the index-th selection of `size` items in any order, in the order of `itertools.permutations`."""
    left, picked = list(items), list[T]()
    for lacking in range(size - 1, -1, -1):
        at, index = divmod(index, perm(len(left) - 1, lacking))
        picked.append(left.pop(at))
    return picked


@dataclass(eq=False)
class Share(Part):
    """Units out of a pool: how many by one key, and by another how many of them are of one kind, if the pool has it."""

    keys: tuple[str, str | None]
    pool: int
    kind: int
    """How many units of the pool are of that kind."""
    allowed: Sequence[int]
    """The numbers that may be taken, in the order in which they are listed."""
    usual: int | None = None
    """What is meant where the number is left out; None: it must be said."""
    filled: bool = True
    """Whether the number of the kind is filled in where it is left out; if not, there is none of it."""

    @cached_property
    def _pairs(self) -> Sequence[tuple[int, int]]:
        return [(total, kind) for total in self.allowed for kind in (self.kinds(total) if self.keys[1] else (0,))]

    def kinds(self, total: int) -> range:
        """Return how many units of the kind can be among so many."""
        return range(max(0, total - (self.pool - self.kind)), min(total, self.kind) + 1)

    def __len__(self) -> int:
        return len(self._pairs)

    def make(self, index: int) -> Body:
        return self._body(*self._pairs[index])

    def _body(self, total: int, kind: int) -> Body:
        number, of_kind = self.keys
        return {number: total, of_kind: kind} if of_kind is not None and self.kind else {number: total}

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        if not self._pairs:
            return None
        if wide and self.usual is not None and random() < 0.3:
            return {}
        body = self._body(*self._pairs[int(random() * len(self._pairs))])
        if wide and self.filled and self.keys[1] and random() < 0.3:
            body.pop(self.keys[1], None)
        return body

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        number, kind = self.keys
        total = body.get(number, self.usual)
        if not isinstance(total, int) or isinstance(total, bool) or total not in self.allowed:
            return
        if kind is not None and (kind in body or not self.filled) and body.get(kind, 0) not in self.kinds(total):
            return
        yield used | {key for key in self.keys if key is not None and key in body}

    def plain(self, tree: Tree) -> Body:
        told: Body = {"share": list(self.keys), "pool": [self.pool, self.kind], "allowed": _runs(self.allowed)}
        told["filled"] = self.filled
        return told if self.usual is None else told | {"usual": self.usual}


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Return numbers as runs: the first and the last of each."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] + 1 == number:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


class AllOf(Part):
    """Several parts together; in a list the last one turns fastest."""

    def __init__(self, *parts: Part) -> None:
        self.parts: Sequence[Part] = [part for part in parts if part is not NOTHING]

    def __len__(self) -> int:
        return prod(map(len, self.parts))

    def make(self, index: int) -> Body:
        made: list[Body] = []
        for part in reversed(self.parts):
            index, at = divmod(index, len(part))
            made.append(part.make(at))
        return {key: value for body in reversed(made) for key, value in body.items()}

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        body: Body = {}
        for part in self.parts:
            if (drawn := part.draw(random, wide=wide)) is None:
                return None
            body |= drawn
        return body

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        return self._fits(0, body, used)

    def _fits(self, at: int, body: Written, used: Used) -> Iterator[Used]:
        if at == len(self.parts):
            yield used
            return
        for each in self.parts[at].fits(body, used):
            yield from self._fits(at + 1, body, each)

    def plain(self, tree: Tree) -> Body:
        return {"all": [tree.put(part) for part in self.parts]}


class Among(AllOf):
    """Some of what several parts make together, those that `exact` has; pages and readers of words see the parts."""

    def __init__(self, exact: Part, *parts: Part) -> None:
        super().__init__(*parts)
        self.exact = exact

    def __len__(self) -> int:
        return len(self.exact)

    def make(self, index: int) -> Body:
        return self.exact.make(index)

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        return self.exact.draw(random, wide=wide)

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        return self.exact.fits(body, used)


@dataclass(eq=False, slots=True)
class Nested(Part):
    """A mapping under a key; without any word in it the key is left out."""

    key: str
    part: Part

    def __len__(self) -> int:
        return len(self.part)

    def make(self, index: int) -> Body:
        body = self.part.make(index)
        return {self.key: body} if body else {}

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        body = self.part.draw(random, wide=wide)
        return {self.key: body} if body else body

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        inner = body.get(self.key, {})
        if isinstance(inner, Mapping) and self.part.has(inner):
            yield used | {self.key} if self.key in body else used

    def plain(self, tree: Tree) -> Body:
        return {"nested": self.key, "part": tree.put(self.part)}


@dataclass(eq=False, slots=True)
class Gathered(Part):
    """A list of mappings under a key, at most one of each of some parts: `with: [{general: fabius, cu: 6}]`."""

    key: str
    parts: Sequence[Part]
    least: int = 0
    """How many mappings there are at least: none or one."""

    def __len__(self) -> int:
        return prod([len(part) + 1 for part in self.parts]) - self.least

    def make(self, index: int) -> Body:
        index, some = index + self.least, list[Plain]()
        for part in reversed(self.parts):
            index, at = divmod(index, len(part) + 1)
            if at:
                some.append(part.make(at - 1))
        return {self.key: some[::-1]}

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        takes = [random() < 0.5 for _ in self.parts]
        if self.least and not any(takes):
            takes = [True for _ in self.parts]
        drawn = [part.draw(random, wide=wide) for part, take in zip(self.parts, takes, strict=True) if take]
        some: list[Plain] = [body for body in drawn if body is not None]
        return {self.key: some} if len(some) >= self.least else None

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        some = body.get(self.key)
        if isinstance(some, list) and len(some) >= self.least and self._fit(some, self.parts):
            yield used | {self.key}

    def _fit(self, some: Sequence[Plain], parts: Sequence[Part]) -> bool:
        """Tell whether each of some mappings is of another part."""
        if not some:
            return True
        first = some[0]
        return isinstance(first, Mapping) and any(
            part.has(first) and self._fit(some[1:], [*parts[:at], *parts[at + 1 :]]) for at, part in enumerate(parts)
        )

    def plain(self, tree: Tree) -> Body:
        return {"gathered": self.key, "parts": [tree.put(part) for part in self.parts], "least": self.least}


@dataclass(eq=False, slots=True)
class Assign(Part):
    """A mapping that gives each of some names one of its words, or none: which leader goes where."""

    key: str
    axes: Sequence[tuple[str, Sequence[str]]]
    """Each name with its words."""
    of: tuple[str, str] = ("", "")
    """The lists of the lexicon that have the names, and the words."""
    least: int = 0
    """How many names must get a word: none or one. With none, the key is left out if nothing is given."""
    one: bool = False
    """Whether at most one name gets a word, because the rules bind several of them together."""
    always: bool = False
    """Whether the key stands there even if nothing is given."""

    def __len__(self) -> int:
        if self.one:
            return sum(len(words) for _, words in self.axes) + 1 - self.least
        return prod(len(words) + 1 for _, words in self.axes) - self.least

    def make(self, index: int) -> Body:
        given = self._single(index + self.least) if self.one else self._several(index + self.least)
        return {self.key: given} if given or self.always else {}

    def _single(self, index: int) -> Body:
        index -= 1
        for name, words in self.axes:
            if 0 <= index < len(words):
                return {name: words[index]}
            index -= len(words)
        return {}

    def _several(self, index: int) -> Body:
        placed: Body = {}
        for name, words in reversed(self.axes):
            index, at = divmod(index, len(words) + 1)
            if at:
                placed[name] = words[at - 1]
        return {name: placed[name] for name, _ in self.axes if name in placed}

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        length = len(self)
        return self.make(int(random() * length)) if length else None

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        given, able = body.get(self.key, {}), dict(self.axes)
        if not isinstance(given, Mapping) or len(given) < self.least or (self.one and len(given) > 1):
            return
        if self.always and self.key not in body:
            return
        if all(name in able and word in able[name] for name, word in given.items()):
            yield used | {self.key} if self.key in body else used

    def plain(self, tree: Tree) -> Body:
        axes: Plain = [[name, list(words)] for name, words in self.axes]
        told: Body = {"assign": self.key, "axes": axes, "of": list(self.of), "least": self.least}
        return told | {key: True for key, value in (("one", self.one), ("always", self.always)) if value}


@dataclass(eq=False, slots=True)
class Follow(Part):
    """Another order that may be said together with this one: the march of who is activated. It is not in the body."""

    kind: str
    part: Part

    def __len__(self) -> int:
        return 1

    def make(self, index: int) -> Body:
        return {}

    def draw(self, random: Random, *, wide: bool = False) -> Body:
        return {}

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        yield used

    def plain(self, tree: Tree) -> Body:
        return {"follow": self.kind, "part": tree.put(self.part)}


def option(key: str, *values: Value) -> OneOf:
    """Return a part that may be left out and is in no list: how something is done, not what."""
    return OneOf(key, [Value(None), *values], default=0, listed=False)


@dataclass(eq=False)
class _Listed(Part):
    """Bodies that are few enough to be listed, in their order; the structure is made of them when it is looked into."""

    bodies: Sequence[Written]
    of: Mapping[str, str] = field(default_factory=dict)
    """Key -> the list of the lexicon that has the names of its words."""
    says: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Word -> how it is said."""

    @cached_property
    def made(self) -> Part:
        """The structure: key by key, in the order of the first body that has each."""
        return self._tree(self.bodies)

    def _tree(self, bodies: Sequence[Written]) -> Part:
        key = next((key for body in bodies for key in body), None)
        if key is None:
            return NOTHING if bodies else NONE
        groups: dict[str, tuple[Plain, list[Written]]] = {}
        without: list[Written] = []
        for body in bodies:
            if key not in body:
                without.append(body)
                continue
            word = body[key]
            rest = {other: value for other, value in body.items() if other != key}
            groups.setdefault(json.dumps(word, sort_keys=True), (word, []))[1].append(rest)
        values = [
            Value(word, self._tree(rest), says=self.says.get(word, ()) if isinstance(word, str) else ())
            for word, rest in groups.values()
        ]
        part = OneOf(key, values, of=self.of.get(key, ""), inferred=True)
        return OneOf(None, [Value("", part), Value("", self._tree(without))], inferred=True) if without else part

    def __len__(self) -> int:
        return len(self.bodies)

    def make(self, index: int) -> Body:
        return dict(self.bodies[index])

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        length = len(self.bodies)
        return self.make(int(random() * length)) if length else None

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        return self.made.fits(body, used)

    def plain(self, tree: Tree) -> Body:
        return self.made.plain(tree)


def listed(
    bodies: Sequence[Written], of: Mapping[str, str] | None = None, says: Mapping[str, Sequence[str]] | None = None
) -> Part:
    """Return choices that are few enough to be listed, each as the body that an order of it has."""
    return _Listed(bodies, of or {}, says or {})

"""The fitting: every way to read the words of a player as an order that the choices have.

Each word must be used, and nothing that gives something away is filled in. What words do not say has the meaning of
the choices' defaults; where there is none, a value is filled in only if it is the only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, product
from typing import Final, NamedTuple

from pbem.game.choices.parts import (
    NOTHING,
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
    itself,
)
from pbem.game.choices.walks import Walk
from pbem.game.wording import listing
from pbem.orders.said.hearing import ALL_MARK, FROM_MARK, Heard
from pbem.orders.said.reach import NOBODY, ROAD, Reach, value_words
from pbem.orders.said.ways import NoWay, SeveralWays, WayThere, way_over

Left = frozenset[int]
"""The words that nothing has used yet, by their numbers."""
_MOST_PIECES: Final = 60
_FEW: Final = 12
_MOST_NUMBERS: Final = 6
"""So many numbers of one kind of unit a line has at most."""
_FOLLOWING: Final = 12
"""So many ways to go on are tried behind a word that the choices have not."""
_SHUT: Final = 20
"""How much nearer to an order words are that name what is shut now: its reason is the answer."""


class Fitted(NamedTuple):
    """A way to read some words: what they make of the body of an order, the words left, and what was not said."""

    body: Body
    left: Left
    unsaid: tuple[Trouble, ...] = ()
    """What would have to be filled in although there are several values for it."""
    follows: tuple[tuple[str, Body], ...] = ()
    """The orders that are said together with this one."""
    filled: int = 0
    """How many numbers were filled in because only one is left."""
    stray: tuple[str, int] | None = None
    """The key that has a word which the choices have not, and where it is said: the rules know why it is none."""

    def beside(self, other: Fitted) -> Fitted:
        """Return a piece with what another adds, which goes on with the words that are left."""
        return Fitted(
            self.body | other.body,
            other.left,
            (*self.unsaid, *other.unsaid),
            (*self.follows, *other.follows),
            self.filled + other.filled,
            self.stray or other.stray,
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """Objections words do not fit: a sentence, the word that it is about, how many words were left."""

    reason: str
    left: int = 0
    about: int | None = None


@dataclass(slots=True)
class Fitting:
    """The words of one line, and what came of the attempts to read them as an answer."""

    reach: Reach
    said: Sequence[Heard]
    strays: bool = False
    """Whether words are read that the choices have not."""
    troubles: list[Trouble] = field(default_factory=list)
    _known: dict[tuple[int, Left], Sequence[Fitted]] = field(default_factory=dict)
    _ordered: dict[int, bool] = field(default_factory=dict)

    def read(self, left: Left) -> list[Fitted]:
        """Return every way to use up some words."""
        return [piece for piece in self.attempts(left) if not piece.left]

    def attempts(self, left: Left) -> list[Fitted]:
        """Return every way to use some words, those first that leave the fewest."""
        found = [piece for piece in self._of(self.reach.root, left) if piece.stray is None]
        return sorted(found, key=lambda piece: (len(piece.left), piece.filled))

    def stray_readings(self, left: Left) -> list[Fitted]:
        """Return the readings with a word that the choices have not, those first that leave the fewest words."""
        found = [piece for piece in self._of(self.reach.root, left) if piece.stray is not None]
        return sorted(found, key=lambda piece: (len(piece.left), len(piece.unsaid)))[:_FEW]

    # ---- the parts

    def _of(self, part: Part, left: Left) -> Sequence[Fitted]:
        part = itself(part)
        key = (id(part), left)
        if key not in self._known:
            self._known[key] = []  # a part never stands within itself
            self._known[key] = _distinct_fits(self._pieces(part, left))
        return self._known[key]

    def _pieces(self, part: Part, left: Left) -> Iterator[Fitted]:
        match part:
            case Fixed():
                yield Fitted(dict(part.body), left)
            case AllOf():
                yield from self._all(part.parts, Fitted({}, left))
            case OneOf() if any(isinstance(value.word, dict) for value in part.values):
                yield from self._pairs(part, left)
            case OneOf():
                yield from self._one(part, left)
            case Some():
                yield from self._some(part, left)
            case Share():
                yield from self._share(part, left)
            case Walk():
                yield from self._walk(part, left)
            case Nested():
                for each in self._of(part.part, left):
                    yield each._replace(body={part.key: each.body} if each.body else {})
            case Gathered():
                yield from self._gathered(part, 0, Fitted({part.key: []}, left))
            case Assign():
                yield from self._assign(part, left)
            case Follow():
                yield Fitted({}, left)
                for each in self._of(part.part, left):
                    if each.left != left:
                        yield Fitted({}, each.left, each.unsaid, ((part.kind, each.body), *each.follows))
            case _:
                return

    def _all(self, parts: Sequence[Part], so_far: Fitted) -> Iterator[Fitted]:
        if not parts:
            yield so_far
            return
        for each in self._of(parts[0], so_far.left):
            yield from self._all(parts[1:], so_far.beside(each))

    # ---- one value

    def _one(self, part: OneOf, left: Left) -> Iterator[Fitted]:
        if part.key is not None and any(isinstance(value.word, list) for value in part.values):
            yield from self._set(part, left)
            return
        mine = self._named(part.key, part.of, left) if part.key is not None else []
        if not part.of:
            words = {word for value in part.values for word in value_words(value)}
            mine = [at for at in mine if words.intersection(self._names_in(at, ""))]
        said: list[Value] = []
        for value, taken in self._said_values(part, mine, left):
            said.append(value)
            if value.why:
                self._note(value.why, left - taken, min(taken, default=None), nearer=_SHUT)
                continue
            yield from self._with(part, value, left - taken)
        if part.default is not None:
            yield from self._with(part, part.values[part.default], left, meant=True)
        elif not said:
            yield from self._unsaid(part, left, mine)
        elif part.key is None:  # a verb of one alternative may belong to something within another
            for value in part.values:
                if not (value in said or value.must or value.why or value.unlisted):
                    yield from self._with(part, value, left)

    def _said_values(self, part: OneOf, mine: Sequence[int], left: Left) -> Iterator[tuple[Value, Left]]:
        """Yield the values that are named first or said by a verb, each with the words that say so."""
        able = {str(value.word) for value in part.values}
        ours = next((at for at in mine if able.intersection(self._names_in(at, part.of))), None)
        first = () if ours is None else self._names_in(ours, part.of)
        for value in part.values:
            says = set(self.reach.said_of(part, value))
            by_verb = {at for at in left if self.said[at].verbs & says}
            if not part.of and isinstance(value.word, int) and not isinstance(value.word, bool):
                by_verb |= {at for at in left if self.said[at].number == value.word and not self.said[at].unit}
            word = str(value.word)
            named = {at for at in mine if word in first and self._is(at, part.of, word, first)}
            if not (by_verb or named):
                continue
            claims = {at for at in left if self.said[at].verbs & set(value.claims)}
            yield value, frozenset({*by_verb, *named, *claims})
            if len({self.said[at].text for at in by_verb}) > 1:  # one of them may be meant for something else
                for at in by_verb:
                    yield value, frozenset({at, *named, *claims})

    def _is(self, at: int, of: str, word: str, first: Sequence[str]) -> bool:
        """Tell whether a word names a value: as the first of its list does, or plainly."""
        names = self._names_in(at, of)
        return names == tuple(first) or names == (word,)

    def _with(self, part: OneOf, value: Value, left: Left, *, meant: bool = False) -> Iterator[Fitted]:
        own: Body = {} if meant or part.key is None or value.word is None else {part.key: value.word}
        for each in self._of(value.then, left):
            yield each._replace(body=own | each.body)

    def _unsaid(self, part: OneOf, left: Left, mine: Sequence[int]) -> Iterator[Fitted]:
        """Yield what follows if a value is filled in: the only one, or, to be asked about, one of several."""
        if mine and part.key is not None and part.of and self.strays:
            yield from self._stray(part, left, mine[0])
        if mine and part.key is not None and not part.inferred:
            word = self.said[mine[0]]
            could = self._few([value.word for value in part.values if not value.why])
            self._note(f"{word.text} is none of those that it can be: {could}", left, mine[0])
        if part.key is None and any(value.unlisted and _is_nothing(value.then) for value in part.values):
            yield Fitted({}, left)  # the game itself knows what is meant
            for value in part.values:
                if not (value.must or value.why):
                    yield from (each for each in self._with(part, value, left) if each.left != left)
            return
        left_out = next((value for value in part.values if value.word is None and not (value.must or value.why)), None)
        if left_out is not None and part.key is not None:
            yield from self._with(part, left_out, left)
            return
        able = [value for value in part.values if not (value.must or value.why or value.unlisted)]
        surely = part.inferred or len(able) == 1
        every = [value.word for value in part.values if not (value.why or value.unlisted)]
        if part.inferred and part.key is not None and not left and len(every) > 1:
            self._note(f"Which {self._title(part)}? It can be {self._few(every)}", left)
        for value in able:
            for each in self._with(part, value, left):
                if surely:
                    yield each
                else:
                    words = [other.word for other in able]
                    ask = Trouble(f"Which {self._title(part)}? It can be {self._few(words)}", len(each.left))
                    yield each._replace(unsaid=(ask, *each.unsaid))

    def _stray(self, part: OneOf, left: Left, at: int) -> Iterator[Fitted]:
        """Yield a part with a word that is none of its values."""
        assert part.key is not None
        following = {id(itself(value.then)): value.then for value in part.values if not value.why}
        whole = any(isinstance(value.word, int) for value in part.values)
        for word in self._names_in(at, part.of)[:1]:
            own: Body = {part.key: int(word) if whole and word.isdecimal() else word}
            for then in [*following.values()][:_FOLLOWING] or [NOTHING]:
                for each in self._of(then, left - {at}):
                    yield each._replace(body=own | each.body, stray=(part.key, at))

    def _set(self, part: OneOf, left: Left) -> Iterator[Fitted]:
        """Yield the readings of a part whose values are lists of names: all that are named, and no others."""
        mine = self._named(part.key, part.of, left)
        in_order = self._told_by_order(part)
        for value in part.values:
            words = value_words(value)
            verbs = {at for at in left if self.said[at].verbs & set(self.reach.said_of(part, value))}
            used = [at for at in mine if set(words) & set(self._names_in(at, part.of))]
            spoken = [word for at in used for word in self._names_in(at, part.of) if word in words]
            named = bool(words) and (spoken == words if in_order else sorted(spoken) == sorted(words))
            if not (verbs or named):
                continue
            taken = frozenset({*verbs, *(used if named else ())})
            if value.why:
                self._note(value.why, left - taken, min(taken, default=None), nearer=_SHUT)
            else:
                yield from self._with(part, value, left - taken)
        if part.default is not None:
            yield from self._with(part, part.values[part.default], left, meant=True)
        elif not mine:
            yield from self._unsaid(part, left, mine)

    def _told_by_order(self, part: OneOf) -> bool:
        """Tell whether two values of a part have the same names in another order."""
        if id(part) not in self._ordered:
            every = [tuple(sorted(value_words(value))) for value in part.values if isinstance(value.word, list)]
            self._ordered[id(part)] = len(set(every)) < len(every)
        return self._ordered[id(part)]

    def _pairs(self, part: OneOf, left: Left) -> Iterator[Fitted]:
        """Yield the readings of a part whose values are mappings: each name with the word that is said behind it."""
        every = sorted(left)
        for value in part.values:
            if value.why or not isinstance(value.word, dict):
                continue
            says = set(self.reach.said_of(part, value))
            taken = {at for at in left if self.said[at].verbs & says} or self._paired(value.word, every)
            if taken:
                yield from self._with(part, value, left - taken)
        if part.default is not None:
            yield from self._with(part, part.values[part.default], left, meant=True)

    def _paired(self, pairs: Body, every: Sequence[int]) -> set[int]:
        """Return the words that say a mapping, each name with its word behind it or its number before it."""
        for behind in (True, False):
            found = [
                {at, to}
                for key, word in pairs.items()
                for at, to in pairwise(every)
                if self._names(at if behind else to, key) and self._names(to if behind else at, str(word))
            ]
            taken = {at for pair in found for at in pair}
            if found and len(found) == len(pairs) and len(taken) == 2 * len(found):
                return taken
        return set()

    def _names(self, at: int, word: str) -> bool:
        heard = self.said[at]
        return (
            any(names == (word,) for names in heard.names.values()) or str(heard.number) == word or word in heard.verbs
        )

    # ---- several values, and numbers of units

    def _some(self, part: Some, left: Left) -> Iterator[Fitted]:
        able = {str(value.word): value for value in part.values if not value.why}
        mine = [at for at in self._named(part.key, part.of, left) if set(self._names_in(at, part.of)) & able.keys()]
        verbs = {at for at in left if self.said[at].verbs & {*part.says, *([NOBODY] if not part.least else [])}}
        for value in part.values:
            if value.why and (shut := self._naming(part, value, left)):
                self._note(value.why, left - shut, min(shut), nearer=_SHUT)
        if not mine:
            if part.optional or not part.listed:
                yield Fitted({}, left)
            elif part.least:
                count = str(part.least) if part.least == part.most else f"{part.least} to {part.most}"
                self._note(f"Say which {self._title(part)}, {count} of: {self._few(list(able))}", left)
            elif verbs or part.says:
                yield Fitted({part.key: {} if part.counts else []}, left - verbs)
            else:
                self._note(f"Say which {self._title(part)}, or none: {self._few(list(able))}", left)
            return
        taken, some = set(mine) | verbs, list[str]()
        for at in mine:
            words = [word for word in self._names_in(at, part.of) if word in able]
            if len(words) > 1:
                self._note(f"{self.said[at].text} can be {self._few(words)}", left, at)
                return
            number = self._count_beside(at, left) if part.room is not None or part.counts else None
            if number is not None:
                taken.add(number)
            some += words * (1 if number is None else self.said[number].number or 0)
        room = part.room or {}
        for word in some:
            if some.count(word) > room.get(word, 1):
                self._note(f"{self.reach.name(word)} is named too often", left - taken, mine[0])
                return
        if not part.least <= len(some) <= part.most:
            count = str(part.most) if part.least == part.most else f"{part.least} to {part.most}"
            self._note(f"{count} can be named for {self._title(part)}; you name {len(some)}", left - taken, mine[-1])
            return
        written: Plain = {word: some.count(word) for word in some} if part.counts else _values_of(part, some)
        yield Fitted({part.key: written}, left - taken)

    def _count_beside(self, at: int, left: Left) -> int | None:
        """Return the word before a name that says how many of it, or the one behind it; None: none does."""
        for step in (-1, 1):
            near = at + step
            while 0 <= near < len(self.said) and not self.said[near].counts:
                near += step
            if near in left and self.said[near].number is not None and not self.said[near].names:
                return near
        return None

    def _naming(self, part: Some, value: Value, left: Left) -> Left:
        """Return the words that name one value and nothing else."""
        word = (str(value.word),)
        return frozenset(at for at in left if self.said[at].names.get(part.of) == word)

    def _share(self, part: Share, left: Left) -> Iterator[Fitted]:
        every: dict[str, list[int]] = {}
        for at in sorted(left):
            if self.said[at].unit in part.keys:
                every.setdefault(self.said[at].unit, []).append(at)
        if any(len(some) > _MOST_NUMBERS for some in every.values()):
            self._note("there are too many numbers in it for one order", left)
            return
        for some in product(*every.values()):
            yield from self._shared(part, left, dict(zip(every, some, strict=True)))

    def _shared(self, part: Share, left: Left, units: Mapping[str, int]) -> Iterator[Fitted]:
        """Yield the units that some numbers say."""
        number, of_kind = part.keys
        whole = {at for at in left if self.said[at].mark == ALL_MARK}
        taken, body, total = set[int](), Body(), part.usual
        if number in units:
            at = units[number]
            total = self.said[at].number
            body[number] = total
            taken.add(at)
            if whole and total == max(part.allowed, default=None):
                taken |= whole
        elif whole and part.allowed:
            total = max(part.allowed)
            taken |= whole
            if total != part.usual:
                body[number] = total
            if total < part.pool:
                self._note(f"not all {part.pool} can go: {_runs_of(part.allowed)} can", left - taken, min(whole))
                return
        filled = int(total is None and len(part.allowed) == 1)
        if filled:
            total = body[number] = part.allowed[0]
        if not isinstance(total, int):
            self._note(f"Say how many {number}: {_runs_of(part.allowed)}", left)
            return
        if total not in part.allowed:
            about = units.get(number)
            self._note(f"{number} {total} cannot be; it can be {_runs_of(part.allowed)}", left - taken, about)
            return
        if of_kind is not None and of_kind in units:
            at = units[of_kind]
            count = self.said[at].number
            if count not in part.kinds(total):
                self._note(f"{of_kind} {count} cannot be among {total} {number}", left - taken, at)
                return
            body[of_kind] = count
            taken.add(at)
        yield Fitted(body, left - taken, filled=filled)

    def _gathered(self, part: Gathered, at: int, so_far: Fitted) -> Iterator[Fitted]:
        some = so_far.body[part.key]
        assert isinstance(some, list)
        if at == len(part.parts):
            if len(some) >= part.least:
                yield so_far
            return
        others: list[Plain] = [*some]
        yield from self._gathered(part, at + 1, so_far)
        for each in self._of(part.parts[at], so_far.left):
            if each.left != so_far.left or (len(part.parts) == 1 and part.least):
                more = Fitted({part.key: [*others, each.body]}, each.left, (*so_far.unsaid, *each.unsaid))
                yield from self._gathered(part, at + 1, more)

    def _assign(self, part: Assign, left: Left) -> Iterator[Fitted]:
        able, placed, taken = dict(part.axes), dict[str, Plain](), set[int]()
        every = sorted(left)
        for at, to in pairwise(every):
            names = [name for name in self.said[at].names.get(part.of[0], ()) if name in able and name not in placed]
            if len(names) != 1 or at in taken:
                continue
            said = (*self.said[to].names.get(part.of[1], ()), *self.said[to].verbs)
            words = [word for word in said if word in able[names[0]]]
            if len(words) == 1:
                placed[names[0]] = words[0]
                taken |= {at, to}
        if len(placed) >= part.least and not (part.one and len(placed) > 1):
            yield Fitted({part.key: placed} if placed else {}, left - taken)
        if placed and not part.least:
            yield Fitted({}, left)

    # ---- ways over the map

    def _walk(self, part: Walk, left: Left) -> Iterator[Fitted]:
        hows = {
            how: some
            for how, says in part.graph.ways.says.items()
            if (some := {at for at in left if self.said[at].verbs & set(says)})
        }
        mine = self._named(part.key, part.of, left)
        roads = [at for at in sorted(left) if part.fills and part.graph.ways.lines and self._names_in(at, ROAD)]
        if roads:
            yield from self._along(part, sorted({*roads, *mine}), left)
            return
        taken = {*mine, *(at for some in hows.values() for at in some)}
        here = set(part.graph.names(part.start))
        goals = [(set(self._names_in(at, part.of)), at) for at in mine]
        if goals and (goals[0][0] & here) and self.said[mine[0]].after != "through" and len(goals) > 1:
            goals = goals[1:]
        for goal, at in goals:
            if self.said[at].after == FROM_MARK:
                if not here & goal:
                    stands = self.reach.name(min(here))
                    self._note(f"{self.said[at].text} is not where it starts: that is {stands}", left - taken, at)
                    return
                goals.remove((goal, at))
                break
        if not goals and part.stay and not mine:
            yield Fitted({part.key: []}, left)
        if not goals:
            self._note("Say where to", left - taken)
            return
        for use in _uses(hows, part):
            found = way_over(part, [goal for goal, _ in _through_first(goals, self.said)], use)
            if isinstance(found, WayThere):
                yield Fitted({part.key: found.words}, left - taken)
            else:
                self._note(self._no_way(found), left - taken, goals[min(found.at, len(goals) - 1)][1])

    def _along(self, part: Walk, steps: Sequence[int], left: Left) -> Iterator[Fitted]:
        """Yield a way along roads, each to the place behind it; the game itself fills it in."""
        words: list[Plain] = []
        for at in steps:
            road, place = self._names_in(at, ROAD), self._names_in(at, part.of)
            if road:
                words.append(f"along {road[0]}")
            elif place and words and str(words[-1]).startswith("along "):
                words.append(f"to {place[0]}")
            elif place and (words or place[0] not in part.graph.names(part.start)):
                words.append(place[0])
        if not str(words[-1]).startswith("along "):
            yield Fitted({part.key: words}, left - set(steps))

    def _no_way(self, found: NoWay | SeveralWays) -> str:
        if isinstance(found, SeveralWays):
            ways = ["-".join(self._place(each) for each in way) for way in found.ways]
            return f"Two ways are equally short: {listing(ways, 'or')}. Name a place on the way"
        return (
            f"{self.reach.name(min(found.goal))} cannot be reached: {found.points} points, or no open way leads there"
        )

    def _place(self, word: Plain) -> str:
        return self.reach.name(word.get("to", word) if isinstance(word, dict) else word)

    # ---- words

    def _named(self, key: str | None, of: str, left: Left) -> list[int]:
        """Return the words that name something of a list, but for those that a label gives to another key."""
        return [at for at in sorted(left) if self._names_in(at, of) and self.said[at].label in ("", key)]

    def _names_in(self, at: int, of: str) -> tuple[str, ...]:
        """Return the names of a list that a word may be; of any list, if a part does not say which."""
        heard = self.said[at]
        names = heard.names or (heard.others if self.strays else {})
        return names.get(of, ()) if of else tuple(dict.fromkeys(chain.from_iterable(names.values())))

    def _title(self, part: OneOf | Some) -> str:
        return part.title or (part.key or "one").replace("_", " ")

    def _few(self, words: Iterable[object]) -> str:
        names = list(dict.fromkeys(self._shown(word) for word in words))
        return listing(names[:_FEW], "or") + (" ..." if len(names) > _FEW else "") if names else "none"

    def _shown(self, word: object) -> str:
        if isinstance(word, list | tuple):
            return listing([self.reach.name(each) for each in word]) if word else "nobody"
        if isinstance(word, bool):
            return "yes" if word else "no"
        return self.reach.name(word)

    def _note(self, reason: str, left: Left, about: int | None = None, nearer: int = 0) -> None:
        self.troubles.append(Trouble(reason, len(left) - nearer, about))


def _is_nothing(part: Part) -> bool:
    part = itself(part)
    return isinstance(part, Fixed) and not part.body


def _distinct_fits(pieces: Iterator[Fitted]) -> Sequence[Fitted]:
    """Return pieces, each once, and no more than can be meant by one line."""
    found: dict[str, Fitted] = {}
    for piece in pieces:
        key = f"{sorted(piece.body.items(), key=str)} {sorted(piece.left)} {piece.follows}"
        if key not in found or len(piece.unsaid) < len(found[key].unsaid):
            found[key] = piece
        if len(found) > _MOST_PIECES * 10:
            break
    return list(found.values())


def _uses(hows: dict[str, set[int]], part: Walk) -> Iterator[frozenset[str]]:
    """Yield the named ways that are said to be used: of several that one verb may mean, one."""
    yield frozenset(hows)
    if len(hows) > 1:
        for how in hows:
            yield frozenset((how,))


def _through_first(goals: Sequence[tuple[set[str], int]], said: Sequence[Heard]) -> Sequence[tuple[set[str], int]]:
    """Return goals in the order of the way: "to Narbo via Emporiae" names the end first."""
    through = next((number for number, (_, at) in enumerate(goals) if said[at].after == "through"), 0)
    return [*goals[: through - 1], *goals[through:], goals[through - 1]] if through else goals


def _values_of(part: Some, some: Sequence[str]) -> Plain:
    words = {str(value.word): value.word for value in part.values}
    return [words[word] for word in some]


def _runs_of(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] + 1 == number:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return listing([str(low) if low == high else f"{low} to {high}" for low, high in runs], "or")

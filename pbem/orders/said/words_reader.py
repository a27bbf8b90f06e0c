"""The reader of words: takes a player's own lines for orders, or says which word it did not understand.

One reader serves all games. A paragraph is tried if it speaks of what can be ordered now; then each of its words
counts. It is read whole as one order, or line by line as several. One that is mere talk orders nothing. What may turn
the meaning round, such as *not*, *if*, *or* or a question mark, is asked about, and so is all that has two readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pbem.engine.faults import every_fault
from pbem.game.choices.parts import Body, Part
from pbem.game.wording import listing
from pbem.game.words import Lexicon, fold
from pbem.orders.said.english import SMALL, TALK, introduces, refusing_word, stems, without_courtesies
from pbem.orders.said.fitting import Fitted, Fitting, Trouble
from pbem.orders.said.hearing import REFUSED_MARK, Heard, hear
from pbem.orders.said.reach import Reach
from pbem.protocol import Decision, Fault, Order, S

if TYPE_CHECKING:
    from pbem.game.boxes.box import Box
    from pbem.game.contract import Rules

_NOTE: Final = re.compile(r"\s*#(?![A-Za-z]?\d)")
"""How a note begins: `#24` and `#g1` are cards."""
_MOST_LINES: Final = 60
"""So many lines of a letter are read for orders in words; more is no letter about a turn."""
_MOST_WORDS: Final = 30
"""So many words that count one order has at most; where several orders stand on lines, they are read line by line."""
_MOST_LEFT: Final = 8
"""So many words may stand beside one of which the rules say why it is none."""
_FEW: Final = 4
"""So many names alone, all of them out of reach, are taken for an order."""
_REFUSED: Final = 50
"""How much farther from an order a line is that may be turned round than one that lacks a word."""
_SHORT: Final = 3
"""So few words with one within reach are an answer, if none of them shows talk."""
_LONGEST: Final = 400
"""So many characters a paragraph with an order has at most."""
_TALKING: Final = 2
"""How many unknown words one stands for that shows talk."""


class OpenQuestion(NamedTuple):
    """A decision that a side may answer, with its choices, and the names that the question speaks of."""

    decision: Decision
    choices: Part
    context: frozenset[str] = frozenset()


Following: TypeAlias = Callable[[Decision, Order], Sequence[OpenQuestion]]
"""Returns the questions that follow from a legal order, as far as they can be foreseen."""


Objections: TypeAlias = Callable[[Decision, Order], Iterable[Fault]]
"""Returns what the rules have against an order."""


def _none_follow(decision: Decision, order: Order) -> Sequence[OpenQuestion]:
    return ()


def _unknown_why(decision: Decision, order: Order) -> Iterable[Fault]:
    return ()


class SaidOrder(NamedTuple):
    """An order that lines of a player say; the lines are counted from 0, the last one included."""

    order: Order
    first: int
    last: int


class Doubt(NamedTuple):
    """What in a player's lines is not understood: the reason, and the place that it is about."""

    reason: str
    line: int
    start: int
    end: int


def reader_of(rules: Rules[S], box: Box, view: S, decisions: Sequence[Decision]) -> WordsReader:
    """Return the reader of the words of a side: `view` is what it knows, `decisions` those that it may answer."""
    follows: dict[int, S] = {}

    def question(view: S, decision: Decision) -> OpenQuestion:
        follows[id(decision)] = view
        about = frozenset(_texts_in(decision.facts)).union(rules.places(view, decision))
        return OpenQuestion(decision, rules.choices(view, decision), about)

    def has_form(order: Order) -> bool:
        return not any(box.forms[order.kind].misfits(order.written))

    def after(decision: Decision, order: Order) -> Sequence[OpenQuestion]:
        view = follows[id(decision)]
        if not has_form(order) or every_fault(rules, view, decision, order):
            return ()  # nothing follows from what the rules refuse
        return [question(*each) for each in rules.successors(view, decision, order)[:1]]

    def why(decision: Decision, order: Order) -> Iterable[Fault]:
        return every_fault(rules, follows[id(decision)], decision, order) if has_form(order) else ()

    return WordsReader(box.lexicon, [question(view, decision) for decision in decisions], after, why)


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts in a value of plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts_in(each)


@dataclass(slots=True)
class Said:
    """What the lines of a player say: orders, and what must be asked. All other lines are talk."""

    orders: list[SaidOrder] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


class _Passage(NamedTuple):
    """Some lines of a letter as one text."""

    text: str
    first: int
    last: int
    starts: Sequence[int]
    """Where each line begins in the text."""

    def doubt(self, reason: str, start: int = 0, end: int | None = None) -> Doubt:
        """Return a doubt about a place of the text."""
        number = max(at for at, begin in enumerate(self.starts) if begin <= start)
        stop = len(self.text) if end is None else end
        upto = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(self.text)
        begin = self.starts[number]
        return Doubt(reason, self.first + number, start - begin, min(stop, upto) - begin)


class _Read(NamedTuple):
    """What one text was read as, as an answer to one question: orders, or a doubt, and how near it came to one."""

    orders: tuple[Order, ...] = ()
    doubt: Doubt | None = None
    nearness: int = 0
    tried: bool = True
    question: OpenQuestion | None = None


class WordsReader:
    """Reads the lines of one letter of a side."""

    def __init__(
        self,
        lexicon: Lexicon,
        questions: Sequence[OpenQuestion],
        after: Following = _none_follow,
        why: Objections = _unknown_why,
    ) -> None:
        self._lexicon, self._open, self._after, self._why = lexicon, list(questions), after, why
        self._reaches: dict[int, Reach] = {}
        self._answered: list[tuple[OpenQuestion, Order]] = []

    def read(self, lines: Sequence[str], given: Sequence[Order] = ()) -> Said:
        """Return what lines say beside orders that are `given` already."""
        for order in given:
            self._answer(next((each for each in self._open if each.decision.kind == order.kind), None), order)
        said = Said()
        kept = without_courtesies(_first_of(lines))
        above = ""
        for text in _passages(kept):
            self._paragraph(text, above, said)
            above = text.text
        return said

    def speaks_of_orders(self, lines: Sequence[str]) -> bool:
        """Tell whether any paragraph would be tried."""
        kept = without_courtesies(_first_of(lines))
        return any(each.tried for text in _passages(kept) for each in self._readings(text))

    # ---- paragraphs

    def _paragraph(self, text: _Passage, above: str, said: Said) -> None:
        """Read a paragraph whole as one order, unless several of its lines are orders by themselves."""
        lines = list(_single_lines(text))
        several = len(lines) > 1 and sum(bool(self._best(line).orders) for line in lines) > 1
        whole = _Read() if several else self._best(text)
        if whole.orders:
            self._take(text, whole, above, said)
        elif len(lines) > 1 and (read := self._by_lines(lines, above)) is not None:
            said.orders += read.orders
            said.doubts += read.doubts
        elif whole.tried and whole.doubt is not None:
            said.doubts.append(whole.doubt)

    def _by_lines(self, lines: Sequence[_Passage], above: str) -> Said | None:
        """Return what the lines of a paragraph say one by one, in their order; None: none of them is an order."""
        found = Said()
        for line in lines:
            read = self._best(line)
            if read.orders:
                self._take(line, read, above, found)
            elif read.doubt is not None:
                found.doubts.append(read.doubt)
            elif _has_letters(line.text) and (refusing_word(line.text) or not introduces(line.text)):
                found.doubts.append(line.doubt(f"what does “{line.text.strip()}” mean beside an order?"))
        return found if found.orders else None

    def _take(self, text: _Passage, read: _Read, above: str, said: Said) -> None:
        """Take a text for the orders that it was read as, unless the words above it turn them round."""
        if (word := _turned_by(above)) is not None:
            said.doubts.append(text.doubt(f"“{word}” above it may turn it round: say only what is to be done"))
            return
        self._answer(read.question, *read.orders)
        said.orders += [SaidOrder(order, text.first, text.last) for order in read.orders]

    def _answer(self, question: OpenQuestion | None, *orders: Order) -> None:
        """Go on behind orders: their question is answered, and what follows from them is open."""
        if question is None:
            return
        self._open = [each for each in self._open if each is not question]
        if orders:
            self._answered.append((question, orders[0]))
            self._open += self._after(question.decision, orders[0])

    # ---- one text

    def _best(self, text: _Passage) -> _Read:
        """Return the one reading of a text, or the doubt that comes nearest to one."""
        every = list(self._readings(text))
        whole = {_reading_key(each): each for each in every if each.orders}
        if len(whole) == 1:
            return next(iter(whole.values()))
        if whole:
            kinds = [_order_named(each.orders[0]) for each in whole.values()]
            return _Read(doubt=text.doubt(f"it can answer {listing(kinds, 'or')}: say which"))
        again = [self._again(text, *answered) for answered in self._answered]
        tried = [each for each in (*again, *every) if each.tried]
        return min(tried, key=lambda each: each.nearness) if tried else _Read(tried=False)

    def _again(self, text: _Passage, question: OpenQuestion, order: Order) -> _Read:
        """Read a text against a question that is answered: the same order again is no second answer."""
        read = self._against(question, text)
        if not read.orders:
            return read
        if read.orders[0] == order:
            return _Read(tried=False)
        return _Read(doubt=text.doubt(f"this is a second answer to {_order_named(order)}: which of the two counts?"))

    def _readings(self, text: _Passage) -> Iterator[_Read]:
        if len(text.text) <= _LONGEST:
            for question in self._open:
                yield self._against(question, text)

    def _against(self, question: OpenQuestion, text: _Passage) -> _Read:
        """Read a text as an answer to one question."""
        reach = self._reach_of(question)
        heard = hear(text.text, reach)
        if not _is_tried(heard, reach) or (introduces(text.text) and not _names_anything(heard)):
            return _Read(tried=False)
        if sum(each.counts for each in heard) > _MOST_WORDS:
            return _Read(doubt=text.doubt("this is too long for one order: write each on a line of its own"))
        if (unclear := _unclear(text, heard, reach)) is not None:
            return unclear
        line = _Attempt.of(question, text, Fitting(reach, heard))
        sure = line.readings()
        if len(sure) == 1:
            piece, decision = sure[0], question.decision
            orders = [Order(decision.kind, piece.body, decision.about), *(Order(*each) for each in piece.follows)]
            return _Read(tuple(orders), question=question)
        if sure:
            return line.doubt(_which_reading(sure))
        return self._followed(line) or self._doubt_about(line)

    def _reach_of(self, question: OpenQuestion) -> Reach:
        key = id(question.choices)
        if key not in self._reaches:
            made = Reach(question.decision.kind, question.choices, self._lexicon, question.context)
            self._reaches[key] = made
        return self._reaches[key]

    def _doubt_about(self, line: _Attempt) -> _Read:
        """Return what keeps a line from being an order: a strange word, a rule, or what is lacking."""
        strange = [each for each in line.unknown if not each.known]
        if strange:
            return _Read(doubt=_strange_words(line.text, strange), nearness=len(line.unknown))
        if (told := self._told_by_rules(line)) is not None:
            return line.doubt(told)
        if line.unknown:
            return _Read(doubt=_strange_words(line.text, line.unknown), nearness=len(line.unknown))
        unsaid = [piece for piece in line.pieces() if piece.unsaid]
        return line.doubt(_unsaid(unsaid) if unsaid else _nearest(line.fitting, line.counting))

    def _followed(self, line: _Attempt) -> _Read | None:
        """Return the reading of a line that says an order and the one that always follows it; None: it does not."""
        decision = line.question.decision
        counting = frozenset(at for at in line.counting if line.fitting.said[at] not in line.unknown)
        found: dict[str, tuple[Order, ...]] = {}
        begun = [each for each in line.fitting.attempts(counting) if not each.unsaid and each.left != counting]
        for piece in begun[:_FEW]:
            order = Order(decision.kind, piece.body, decision.about)
            rest = line.without(counting - piece.left)
            for further in self._after(decision, order):
                read = self._against(further, rest)
                if read.orders:
                    orders = (order, *read.orders)
                    found[_reading_key(_Read(orders))] = orders
        return _Read(next(iter(found.values())), question=line.question) if len(found) == 1 else None

    def _told_by_rules(self, line: _Attempt) -> Trouble | None:
        """Return what the rules have against a word that the choices have not; None: nothing, or there is none."""
        decision = line.question.decision
        strays = Fitting(line.fitting.reach, line.fitting.said, strays=True)
        for piece in strays.stray_readings(line.counting - line.own):
            if piece.stray is None or len(piece.left) > _MOST_LEFT:
                continue
            key, at = piece.stray
            faults = self._why(decision, Order(decision.kind, piece.body, decision.about))
            told = next((fault.reason for fault in faults if fault.path[:1] == (key,)), "")
            if told:
                return Trouble(told, len(piece.left), at)
        return None


class _Attempt(NamedTuple):
    """The attempt to read a text as an answer to one question."""

    question: OpenQuestion
    text: _Passage
    fitting: Fitting
    counting: frozenset[int]
    """The words that an order must account for."""
    own: frozenset[int]
    """Those of them that only name the kind of the order, or add nothing beside another verb."""
    unknown: Sequence[Heard]
    """Those that mean nothing within reach."""

    @classmethod
    def of(cls, question: OpenQuestion, text: _Passage, fitting: Fitting) -> _Attempt:
        """Sort the words of a text."""
        heard, reach = fitting.said, fitting.reach
        counting = frozenset(at for at, each in enumerate(heard) if each.counts)
        own = frozenset(at for at in counting if _is_own(heard[at], reach) or _is_light(heard[at]))
        return cls(question, text, fitting, counting, own, _meaning_nothing(heard))

    def pieces(self) -> Sequence[Fitted]:
        """Return every way to read all words."""
        if self.unknown:
            return []
        return self.fitting.read(self.counting) or (self.fitting.read(self.counting - self.own) if self.own else [])

    def readings(self) -> list[Fitted]:
        """Return the ways to read all words that leave nothing unsaid and fill in as little as can be, each once."""
        said = [piece for piece in self.pieces() if not piece.unsaid]
        least = min((piece.filled for piece in said), default=0)
        return list({_body_key(piece): piece for piece in said if piece.filled == least}.values())

    def doubt(self, trouble: Trouble) -> _Read:
        """Return a doubt about the word that a trouble is about, or about the whole text."""
        about = None if trouble.about is None else self.fitting.said[trouble.about]
        start, end = (0, None) if about is None else (about.start, about.end)
        return _Read(doubt=self.text.doubt(trouble.reason, start, end), nearness=max(0, trouble.left))

    def without(self, used: frozenset[int]) -> _Passage:
        """Return the text with blanks for some of its words."""
        text = self.text.text
        for at in used:
            each = self.fitting.said[at]
            text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
        return self.text._replace(text=text)


# ---- paragraphs of a letter


def _first_of(lines: Sequence[str]) -> list[str]:
    """Return lines with those made blank that are too many to be read."""
    full = [at for at, line in enumerate(lines) if line.strip()]
    last = full[_MOST_LINES - 1] if len(full) >= _MOST_LINES else len(lines)
    return [line if at <= last else "" for at, line in enumerate(lines)]


def _passages(lines: Sequence[str]) -> Iterator[_Passage]:
    """Yield the paragraphs of a letter: its lines between blank ones; a line that begins with `#` is a note."""
    some: list[int] = []
    for at, line in enumerate([*lines, ""]):
        if line.strip() and not _NOTE.match(line):
            some.append(at)
        elif some:
            yield _passage_of(lines, some)
            some = []


def _single_lines(text: _Passage) -> Iterator[_Passage]:
    for number, line in enumerate(text.text.split("\n")):
        yield _Passage(line, text.first + number, text.first + number, [0])


def _passage_of(lines: Sequence[str], some: Sequence[int]) -> _Passage:
    text = "\n".join(lines[at] for at in some)
    starts = [0]
    for at in some[:-1]:
        starts.append(starts[-1] + len(lines[at]) + 1)
    return _Passage(text, some[0], some[-1], starts)


def _turned_by(above: str) -> str | None:
    """Return the word of the paragraph above an order that may turn it round; None: none does."""
    if not above or above.rstrip()[-1:] in ".!)":
        return None
    return refusing_word(above) or None


def _meaning_nothing(heard: Sequence[Heard]) -> list[Heard]:
    """Return the words that an order would have to account for and that mean nothing within reach."""
    return [each for each in heard if each.mark == "" and not each.is_within_reach and each.number is None]


def _unclear(text: _Passage, heard: Sequence[Heard], reach: Reach) -> _Read | None:
    """Return the doubt about a word that is unclear whatever the others say; None: there is none."""
    refused = [each for each in heard if each.mark == REFUSED_MARK]
    if refused:
        words = listing(list(dict.fromkeys(f"“{each.text}”" for each in refused)), "and")
        reason = f"{words} may turn it round: say only what is to be done"
        nearness = _REFUSED + len(_meaning_nothing(heard))
        return _Read(doubt=text.doubt(reason, refused[0].start, refused[0].end), nearness=nearness)
    for at, each in enumerate(heard):
        if _is_card_or_number(heard, at, reach):
            either = f"write card {each.text}, or {each.text} {reach.shares[0]}"
            return _Read(doubt=text.doubt(f"“{each.text}” can be a card or a number: {either}", each.start, each.end))
        if each.counts and _is_several(each, heard):
            names = dict.fromkeys(reach.name(word) for words in each.names.values() for word in words)
            return _Read(doubt=text.doubt(f"“{each.text}” can be {listing([*names], 'or')}", each.start, each.end))
    return None


def _is_card_or_number(heard: Sequence[Heard], at: int, reach: Reach) -> bool:
    """Tell whether a bare number behind a name could say as well how many go along."""
    each = heard[at]
    if each.number is None or not each.names or each.label or each.unit or not reach.shares or not at:
        return False
    before = heard[at - 1]
    return bool(before.names) and not before.names.keys() & each.names.keys() and each.number <= reach.most


def _names_anything(heard: Sequence[Heard]) -> bool:
    return any(each.names or each.number is not None for each in heard)


def _is_several(each: Heard, heard: Sequence[Heard]) -> bool:
    """Tell whether a word could be several things, and no other word says which of them is meant."""
    if not each.names or each.verbs or any(len(names) == 1 for names in each.names.values()):
        return False
    plain = {names[0] for other in heard for names in other.names.values() if len(names) == 1}
    return not any(plain.intersection(names) for names in each.names.values())


def _is_light(each: Heard) -> bool:
    """Tell whether a word says a verb that adds nothing beside another."""
    return bool(each.verbs) and not each.names and fold(each.text) in SMALL


def _has_letters(text: str) -> bool:
    return any(map(str.isalnum, text))


# ---- what words come near to


def _is_tried(heard: Sequence[Heard], reach: Reach) -> bool:
    """Tell whether words speak of an order: they say something within reach, and are not mostly of something else."""
    within = [each for each in heard if (each.counts and each.is_within_reach) or _is_own(each, reach)]
    if not any(each.counts for each in within):
        others = [each for each in heard if each.counts]
        return 1 < len(others) <= _FEW and all(each.others for each in others)
    others = [each for each in heard if each.mark in ("", REFUSED_MARK) and not each.is_within_reach]
    unknown = [each for each in others if each.mark == "" and each.number is None and not each.known]
    talk = sum(fold(each.text) in TALK for each in heard)
    first = next(each for each in heard if each.counts or each.mark == REFUSED_MARK)
    begins = first.is_within_reach or _is_own(first, reach)
    weight = len(unknown) + (talk if begins else _TALKING * talk)
    if not talk and len(within) + len(others) <= _SHORT:
        return True
    if begins and any(each.mark == REFUSED_MARK for each in heard):
        return weight <= len(within) + _FEW
    if len(within) == 1 and not begins and not any(_is_own(each, reach) for each in within):
        return weight == 0
    return weight <= len(within) + (1 if begins else 0)


def _is_own(each: Heard, reach: Reach) -> bool:
    return not each.names and stems(each.text) in reach.own


def _strange_words(text: _Passage, unknown: Sequence[Heard]) -> Doubt:
    """Return the doubt about words that mean nothing within reach: all known ones, or all strange ones."""
    first = unknown[0]
    words = listing(list(dict.fromkeys(f"“{each.text}”" for each in unknown)), "and")
    reason = f"nothing called {words} can be meant here" if first.known else f"what does {words} mean here?"
    return text.doubt(reason, first.start, first.end)


def _which_reading(every: Sequence[Fitted]) -> Trouble:
    """Return the question which of several readings is meant: by the first key in which they differ."""
    for key in dict.fromkeys(key for piece in every for key in piece.body):
        values = list(dict.fromkeys(_value_told(piece.body.get(key)) for piece in every))
        if len(values) > 1:
            return Trouble(f"it can be read in {len(every)} ways, with {key} {listing(values[:6], 'or')}: say which")
    return Trouble(f"it can be read in {len(every)} ways: say more")


def _value_told(value: object) -> str:
    if value is None:
        return "not said"
    if isinstance(value, list | tuple):
        return "-".join(map(_value_told, value)) or "nobody"
    if isinstance(value, dict):
        return " ".join(map(_value_told, value.values()))
    return "yes" if value is True else "no" if value is False else str(value)


def _unsaid(pieces: Sequence[Fitted]) -> Trouble:
    return min(pieces, key=lambda piece: len(piece.unsaid)).unsaid[0]


def _nearest(fitting: Fitting, counting: frozenset[int]) -> Trouble:
    """Return the trouble that was met nearest to an order."""
    if fitting.troubles:
        return min(fitting.troubles, key=lambda each: each.left)
    words = listing([f"“{fitting.said[at].text}”" for at in sorted(counting)][:6], "and")
    return Trouble(f"{words} together make no order", len(counting))


def _reading_key(read: _Read) -> str:
    return repr([(order.kind, _by_key(dict(order.body)), order.about) for order in read.orders])


def _body_key(piece: Fitted) -> str:
    return repr((_by_key(piece.body), [(kind, _by_key(body)) for kind, body in piece.follows]))


def _by_key(body: Body) -> list[tuple[str, object]]:
    return sorted(body.items(), key=lambda each: each[0])


def _order_named(order: Order) -> str:
    return f"{order.kind} (for {order.about})" if order.about else order.kind

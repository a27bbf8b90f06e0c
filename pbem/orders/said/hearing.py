"""The hearing: the words of a text that belong together, each with all that it may mean within reach."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pbem.game.words import fold
from pbem.orders.said.english import FROM, NUMBERS, REFUSING, SMALL, SMALL_PHRASES, THROUGH, WHOLE, stems
from pbem.orders.said.reach import Reach

_WORD: Final = re.compile(r"\[\s*\]|\{\s*\}|\d+(?=st\b|nd\b|rd\b|th\b)|[^\W_]+(?:['’][^\W_]+)*|->|→|[^\w\s]|\n")
_SPLIT: Final = re.compile(r"(\d+)([^\W\d_]+)")
_BEFORE_NUMBER: Final = re.compile(r"(?i)\b(?:no|nr|nos)\.?\s*(?=#?\d)|[#№](?=\s*\d)")
_BULLET: Final = re.compile(r"\s*(?:\(?\d{1,2}[.)]\s+|[-*•>]+\s+)")
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_WITHIN: Final = frozenset("-.'’&/")
"""Signs that may stand within a name."""
_MOST: Final = 7
"""So many words and signs a name or phrase has at most."""
SMALL_MARK: Final = "small"
ALL_MARK: Final = "all"
FROM_MARK: Final = "from"
THROUGH_MARK: Final = "through"
LABEL_MARK: Final = "label"
UNIT_MARK: Final = "unit"
"""The mark of a word for what a number counts."""
GAP_MARK: Final = "gap"
REFUSED_MARK: Final = "refused"
"""The mark of a word that may turn a sentence round."""
_NEAR: Final = 3
"""So many words and signs away from a key is what is said of it."""
_WITH: Final = "with"
_OF: Final = "of"


@dataclass(frozen=True, slots=True)
class Heard:
    """Words of a text that belong together, and all that they may mean."""

    text: str
    start: int
    """Where they begin in the text."""
    end: int
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """List of the lexicon -> its words within reach."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """List of the lexicon -> its words that are out of reach, where there are none within it."""
    known: bool = False
    """Whether they name something in the game, be it out of reach."""
    verbs: frozenset[str] = frozenset()
    """The verbs that they may be."""
    label: str = ""
    """The key of an order that they are, or that a key before them gives them to."""
    number: int | None = None
    unit: str = ""
    """The key of what a number counts."""
    after: str = ""
    """The mark of a word before a place, `from` or `through`."""
    mark: str = ""

    @property
    def counts(self) -> bool:
        """Whether an order must account for them."""
        return self.mark in ("", ALL_MARK)

    @property
    def is_within_reach(self) -> bool:
        """Whether they mean something that could be ordered."""
        return bool(any(self.names.values()) or self.verbs or self.unit or self.mark == ALL_MARK)


def hear(text: str, reach: Reach) -> list[Heard]:
    """Return the words of a text with their meanings."""
    bullet = _BULLET.match(text)
    blank = _BEFORE_NUMBER.sub(lambda found: " " * len(found[0]), _ORDINAL.sub("  ", text))
    signs = list(_words_and_signs(blank, bullet.end() if bullet and not _is_named(bullet[0], reach) else 0, reach))
    found: list[Heard] = []
    at = 0
    while at < len(signs):
        heard, size = _longest(signs, at, text, reach)
        found.append(heard)
        at += size
    related = _related(found, reach)
    either = {of.start for one, of, other in _threes(related) if _is_either(one, of, other)}
    return [replace(each, mark=REFUSED_MARK) if each.start in either else each for each in related]


def _is_named(bullet: str, reach: Reach) -> bool:
    """Tell whether what could number a line is a card of the hand: then it is no bullet."""
    digits = "".join(filter(str.isdigit, bullet))
    return bool(digits) and ")" not in bullet and any(reach.readings(digits, whole=True).values())


def _words_and_signs(text: str, start: int, reach: Reach) -> Iterator[tuple[str, int, int]]:
    """Yield the words and signs of a text with their places; a number that is stuck to a word is one by itself."""
    for found in _WORD.finditer(text.replace("_", " "), start):
        split = _SPLIT.fullmatch(found[0])
        if split is None or any(reach.readings(found[0], whole=True).values()):
            yield found[0], found.start(), found.end()
        else:
            yield split[1], found.start(), found.start() + split.end(1)
            yield split[2], found.start() + split.end(1), found.end()


def _longest(signs: Sequence[tuple[str, int, int]], at: int, text: str, reach: Reach) -> tuple[Heard, int]:
    """Return the longest words from a place on that mean something, and how many words and signs they are."""
    word, start, end = signs[at]
    if not word[0].isalnum():
        return Heard(word, start, end, mark=REFUSED_MARK if word[0] in "?[{" and word not in "[{" else GAP_MARK), 1
    for size in range(min(_MOST, len(signs) - at), 1, -1):
        span = signs[at : at + size]
        written = _written(span, reach)
        if written and (heard := _heard(written, text[start : span[-1][2]], start, reach, alone=False)) is not None:
            return heard, size
    heard = _heard(word, text[start:end], start, reach, alone=True)
    return heard or Heard(text[start:end], start, end), 1


def _written(span: Sequence[tuple[str, int, int]], reach: Reach) -> str:
    """Return the words of a span as one; empty: its signs part it."""
    last = span[-1][0]
    words = [word for word, _, _ in span if word[0].isalnum()]
    signs = {word for word, _, _ in span if not word[0].isalnum()}
    if last == ")" and "(" in signs:  # a name with brackets, or with its number in them
        return " ".join(words) if signs <= {"(", ")", *_WITHIN} else ""
    return " ".join(words) if last[0].isalnum() and signs <= _WITHIN else ""


def _heard(written: str, text: str, start: int, reach: Reach, *, alone: bool) -> Heard | None:
    """Return what words mean; None: several of them mean nothing together, or one is unknown."""
    folded, stemmed, end = fold(written), stems(written), start + len(text)
    small = all(each in SMALL or each in THROUGH or each in FROM for each in folded.split("_"))
    verbs = frozenset(reach.phrases.get(stemmed, ()))
    plain = small or bool(verbs) or stemmed in reach.labels or stemmed in reach.units or folded in REFUSING | WHOLE
    may_name = alone or reach.lexicon.begins_several_words(folded) or folded in reach.own_names
    if not alone and folded in SMALL_PHRASES:
        return Heard(text, start, end, mark=SMALL_MARK)
    names = reach.readings(written, whole=plain) if may_name else {}
    label = reach.units.get(stemmed, "") or reach.labels.get(stemmed, "")
    if any(names.values()) or (verbs and (folded in map(fold, verbs) or not label or folded != fold(label))):
        number = int(folded) if folded.isdecimal() and len(folded) < 10 else None
        within = {of: some for of, some in names.items() if some}
        return Heard(text, start, end, within, known=True, verbs=verbs, number=number)
    if label and not names:
        return Heard(text, start, end, label=label, mark=UNIT_MARK if stemmed in reach.units else LABEL_MARK)
    if not small and may_name and (not names or not any(names.values())) and reach.is_context(written):
        return Heard(text, start, end, mark=SMALL_MARK)
    others = reach.out_of_reach(written) if names and not small else {}
    if not alone:
        return Heard(text, start, end, others=others, known=True) if others else None
    return _single(Heard(text, start, end, others=others, known=bool(names)), reach)


def _single(heard: Heard, reach: Reach) -> Heard:
    """Return a single word, with what it means, that is no name within reach, no verb and no key."""
    folded = fold(heard.text)
    if folded.isdecimal() and len(folded) < 10:
        return replace(heard, number=int(folded))
    if folded in NUMBERS:
        return replace(heard, number=NUMBERS[folded])
    if stems(heard.text) in reach.own:
        return replace(heard, mark=SMALL_MARK)
    for mark, some in ((THROUGH_MARK, THROUGH), (FROM_MARK, FROM), (ALL_MARK, WHOLE), (SMALL_MARK, SMALL)):
        if folded in some:
            return replace(heard, mark=mark)
    if folded in REFUSING or folded.replace("_", "") in REFUSING:
        return replace(heard, mark=REFUSED_MARK)
    return heard if heard.known else replace(heard, known=reach.is_known(heard.text))


def _related(found: Sequence[Heard], reach: Reach) -> list[Heard]:
    """Return the words with what the words beside them add: the unit of a number, the key that a name is given to."""
    out: list[Heard] = []
    key = mark = ""
    for at, each in enumerate(found):
        if each.number is not None and (unit := _unit(found, at, reach)):
            each = replace(each, names={}, others={}, verbs=frozenset(), unit=unit)
        if each.mark == LABEL_MARK and not _is_soft(found, at):
            key = each.label if each.label != reach.kind else ""
        elif each.mark in (FROM_MARK, THROUGH_MARK):
            mark = each.mark
        elif each.mark == GAP_MARK:
            key = "" if each.text in ";)}]\n." else key
            mark = mark if each.text in "-.," else ""
        elif each.verbs and not each.names:
            key = mark = ""
        elif each.names:
            each = replace(each, label=key if reach.lists.get(key) in each.names else "", after=mark)
            mark = "" if mark == FROM_MARK else mark
        out.append(each)
    return [_counted(out, at, reach) for at in range(len(out))]


def _counted(found: Sequence[Heard], at: int, reach: Reach) -> Heard:
    """Return a word; one for a key or a unit of which nothing is said must be accounted for, as any other."""
    each = found[at]
    if each.mark not in (LABEL_MARK, UNIT_MARK) or each.label == reach.kind or fold(each.text) in SMALL:
        return each
    near = found[max(0, at - _NEAR) : at + _NEAR + 1]
    said = any(other.unit == each.label or (other.names and other.label == each.label) for other in near)
    return each if said else replace(each, mark="", label="", known=False)


def _is_soft(found: Sequence[Heard], at: int) -> bool:
    """Tell whether a word such as `at` or `to`, which is a key as well, stands there as the small word that it is."""
    return fold(found[at].text) in SMALL and not (at + 1 < len(found) and found[at + 1].text in ":=")


def _unit(found: Sequence[Heard], at: int, reach: Reach) -> str:
    """Return the key of what a number counts, by the words beside it; empty: it counts nothing."""
    after = found[at + 1] if at + 1 < len(found) else None
    if after is not None and after.mark == UNIT_MARK:
        return after.label
    if after is not None and after.text == "/" and at + 2 < len(found) and found[at + 2].number is not None:
        return reach.shares[0] if reach.shares else ""
    before = [each for each in found[max(0, at - 2) : at] if each.text not in "=:("]
    if before and before[-1].mark == UNIT_MARK:
        return before[-1].label
    bare = not found[at].names and bool(before)
    with_it = bare and (fold(before[-1].text) in (_WITH, "w") or bool(before[-1].names) or before[-1].text in "+/")
    unnamed = after is None or after.mark == GAP_MARK or fold(after.text) in ("to", "from", "and")
    return reach.shares[0] if with_it and unnamed and reach.shares else ""


def _threes(found: Sequence[Heard]) -> Iterator[tuple[Heard, Heard, Heard]]:
    words = [each for each in found if each.mark != GAP_MARK]
    yield from zip(words, words[1:], words[2:], strict=False)


def _is_either(one: Heard, of: Heard, other: Heard) -> bool:
    """Tell whether `of` stands between two names of one list: it is Dutch for "or"."""
    return fold(of.text) == _OF and bool(one.names.keys() & other.names.keys()) and not (one.verbs or other.verbs)

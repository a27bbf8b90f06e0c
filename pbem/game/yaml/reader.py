"""The YAML reader: builds plain values from parser events, with the place of each. The only importer of ruamel.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any, Final, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from pbem.game.yaml.limits import (
    CONTROL,
    OWN,
    Limits,
    Mark,
    Placed,
    Unreadable,
    cleared,
    malformed,
    mark_at,
    short,
    tidied,
    too_deep,
    unfit,
)
from pbem.protocol import Path, PbemError, Plain

try:
    from _ruamel_yaml import CParser
except ImportError:  # no wheel for this machine: the pure parser reads the same, 20 times slower
    CParser = None
HAS_LIBYAML: Final = CParser is not None


class Document:
    """A text that was read: its value, and the place of every value and key in it."""

    __slots__ = ("_lines", "_root", "name", "text", "value")

    def __init__(self, name: str, text: str, value: Any, root: Any) -> None:
        self.name = name
        self.text = text
        self.value = value
        self._root = root
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        """The lines of the text, as marks count them."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    def mark(self, path: Path, *, key: bool = False) -> Mark:
        """Return where the value at `path` stands, or its key (an item of a list has none: the item itself).

        A value that was left out has no place of its own: its key's is given. Raise KeyError for a path not there.
        """
        word, spot = self._find(path)
        left_out = spot.__class__ is ScalarEvent and not spot.value and not spot.style
        return self._measure(word if word is not None and (key or left_out) else spot)

    def nearest(self, path: Path) -> Mark:
        """Return where the value at `path` stands; if there is none, the key of the nearest thing around it."""
        try:
            return self.mark(path)
        except KeyError:
            for length in range(len(path) - 1, -1, -1):
                try:
                    return self.mark(path[:length], key=True)
                except KeyError:
                    continue
            raise

    def is_quoted(self, path: Path, *, key: bool = False) -> bool:
        """Tell whether the text at `path`, or its key, stands in quotes or in a block of its own."""
        word, spot = self._find(path)
        event = word if key else spot
        return event.__class__ is ScalarEvent and bool(event.style)

    def _find(self, path: Path) -> tuple[Any, Any]:
        word, spot = None, self._root
        for step in path:
            below = spot.below if spot.__class__ is _Spot else None
            if isinstance(below, dict) and step in below:
                word, spot = below[step]
            elif isinstance(below, list) and isinstance(step, int) and 0 <= step < len(below):
                word, spot = None, below[step]
            else:
                raise KeyError(path)
        return word, spot

    def _measure(self, spot: Any) -> Mark:
        if spot is None:
            return Mark(1, 1, 1)
        if spot.__class__ is _Spot and not spot.flow:  # a block has no end of its own: its first word stands for it
            if isinstance(spot.below, dict):
                return self._measure(next(iter(spot.below.values()))[0])
            return Mark(spot.start_mark.line + 1, spot.start_mark.column + 1, 1)
        start, end = spot.start_mark, spot.end_mark
        stop = end.column if end.line == start.line else len(self.lines[start.line].rstrip())
        return Mark(start.line + 1, start.column + 1, max(1, stop - start.column))


class _Spot:
    """A collection while and after it is read: its value, its place, and those of what is in it.

    `below` holds for a list the spots of its items, for a mapping (key event, spot) by key. The spot of a scalar is
    its event. `key` is the event of the key whose value comes next.
    """

    __slots__ = ("below", "end_mark", "flow", "key", "start_mark", "value")

    def __init__(self, event: CollectionStartEvent, value: Any, below: Any) -> None:
        self.start_mark = event.start_mark
        self.end_mark = event.end_mark
        self.flow: bool = event.flow_style
        self.value = value
        self.below = below
        self.key: Any = None


def read(text: bytes | str, *, name: str, limits: Limits = OWN, typed: bool = True) -> Document:
    """Return the document that `text` holds; raise Unreadable with every fault that could be found.

    Unless it is `typed`, every word is text, as it was written (`plain_value` says what it would be).
    """
    clear, faults = cleared(text, name, limits)
    builder = _Builder(tidied(clear), limits, typed)
    builder.build()
    if builder.broken and not faults:  # behind a tab the rest can hardly be right
        faults.append(builder.broken)
    faults += builder.faults
    if faults:
        raise Unreadable(name, clear, faults)
    return Document(name, clear, builder.value, builder.root)


def _fast_events(text: str) -> Iterable[Any]:
    return iter(CParser(text).get_event, None)


def _pure_events(text: str) -> Iterable[Event]:
    yield from YAML(typ="safe", pure=True).parse(text)


_events = _pure_events if CParser is None else _fast_events


_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CROWDED: Final = re.compile("[|>][-+0-9]*#")
_COLON_OR_QUESTION: Final = re.compile("[:?]")
_DECORATION: Final = re.compile(r" *([&!][^\s,\[\]{}]*)")
_WORD: Final = re.compile(r"[^\s:,\[\]{}]+")


class _Stop(PbemError):
    """Nothing sensible can be read behind this place."""


class _Builder:
    """Builds the value of one text from its events, and collects faults until reading on makes no sense."""

    def __init__(self, text: str, limits: Limits, typed: bool) -> None:
        self.text = text
        self.limits = limits
        self.longest = 20 if typed else 0
        self.faults: list[Placed] = []
        self.broken: Placed | None = None
        self.value: Any = None
        self.root: Any = None
        self.open: list[_Spot] = []

    def build(self) -> None:
        try:
            self._run(_events(self.text))
        except _Stop:
            pass
        except MarkedYAMLError as error:
            self._syntax(error)
        except (YAMLError, ValueError) as error:  # the pure parser lets some escapes fail in chr()
            self.broken = malformed(f"not YAML: {error}", Mark(1, 1, 1))

    def _run(self, events: Iterable[Any]) -> None:
        """Take the events one by one. The scalar comes first and in line: it is nine events in ten."""
        here: _Spot | None = None
        room = self.limits.nodes
        for event in events:
            kind = event.__class__
            if kind is ScalarEvent:
                room -= 1
                value = self._scalar(event, here)
                if here is None:
                    self.value, self.root = value, event
                elif here.value.__class__ is list:
                    here.value.append(value)
                    here.below.append(event)
                elif here.key is None:
                    here.key = self._key(event, value, here)
                else:
                    word = here.key.value
                    here.value[word] = value
                    here.below[word] = (here.key, event)
                    here.key = None
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                room -= 1
                here = self._begin(event, here)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                here = self._end(event)
            elif kind is AliasEvent:
                room -= 1
                self._alias(event, here)
            elif kind is DocumentStartEvent:
                if self.root is not None:
                    self._stop(_SECOND, event)
            elif kind is StreamEndEvent:
                return
            if room < 0:
                self._stop(f"more than {self.limits.nodes:,} values", event)

    def _scalar(self, event: ScalarEvent, here: _Spot | None) -> Plain:
        value: str = event.value
        if event.anchor is not None or event.ctag is not None:
            self._decorated(event)
        if event.style:
            if not value.isprintable():
                self._controls(event)
            if event.style in "|>":
                self._block(event, here)
            return value
        if here is not None and here.flow and (":" in value or "?" in value):
            self._unsure(event)
        return plain_value(value) if len(value) < self.longest else value

    def _key(self, event: ScalarEvent, value: Plain, here: _Spot) -> ScalarEvent:
        """Return the event of a key, after saying what is wrong with it."""
        word = event.value
        if not word and not event.style:
            self._blame("a key is missing before ':'", event)
        elif value.__class__ is not str:
            self._blame(f'the key {word} must be text; write "{word}"', event)
        elif word == "<<" and not event.style:
            self._blame("merging with '<<' is not used here; write the keys out", event)
        elif word in here.value:
            first = here.below[word][0].start_mark.line + 1
            self._blame(f"'{short(word)}' stands here twice; the first is in line {first}", event)
        return event

    def _begin(self, event: CollectionStartEvent, here: _Spot | None) -> _Spot:
        if event.anchor is not None or event.ctag is not None:
            self._decorated(event)
        if here is not None and here.value.__class__ is dict and here.key is None:
            self._stop("a list or mapping cannot be a key; a key is a word", event)
        spot = _Spot(event, {}, {}) if event.__class__ is MappingStartEvent else _Spot(event, [], [])
        self.open.append(spot)
        if len(self.open) > self.limits.depth:
            self._stop(too_deep(self.limits), event)
        return spot

    def _end(self, event: Event) -> _Spot | None:
        spot = self.open.pop()
        spot.end_mark = event.end_mark
        if not self.open:
            self.value, self.root = spot.value, spot
            return None
        here = self.open[-1]
        if here.value.__class__ is list:
            here.value.append(spot.value)
            here.below.append(spot)
        else:
            word = here.key.value
            here.value[word] = spot.value
            here.below[word] = (here.key, spot)
            here.key = None
        return here

    def _alias(self, event: AliasEvent, here: _Spot | None) -> None:
        self._blame(f"the alias *{short(event.anchor)} is not used here; write the value again", event)
        if here is not None and here.value.__class__ is dict:
            # As a key it cannot be looked up, so nothing behind it can be told from a duplicate.
            if here.key is None:
                raise _Stop
            here.key = None

    def _decorated(self, event: Event) -> None:
        """Blame the anchor and the tag that stand before a value."""
        at = event.start_mark
        column = at.column
        while found := _DECORATION.match(self.lines[at.line], column):
            what = "anchor" if found[1][0] == "&" else "tag"
            mark = Mark(at.line + 1, found.start(1) + 1, len(found[1]))
            self.faults.append(malformed(f"the {what} {short(found[1])} is not used here; take it out", mark))
            column = found.end()

    def _controls(self, event: ScalarEvent) -> None:
        found = (_SURROGATE if self.limits.controls else CONTROL).search(event.value)
        if found:
            self._blame(unfit(found[0]), event)

    def _block(self, event: Event, here: _Spot | None) -> None:
        """Refuse the two block texts that one parser takes and the other does not."""
        if here is None:
            self._stop("a file holds a mapping or a list", event)
        if _CROWDED.match(self.text, event.start_mark.index):
            self._stop(_BLOCK, event)

    def _unsure(self, event: Event) -> NoReturn:
        """Stop at a ':' or '?' within a bare word in brackets: old and new YAML read it differently."""
        found = _COLON_OR_QUESTION.search(self.text, event.start_mark.index)
        assert found
        reason = _NO_BLANK if found[0] == ":" else _QUESTION
        self.faults.append(malformed(reason, mark_at(self.text, found.start())))
        raise _Stop

    def _syntax(self, error: MarkedYAMLError) -> None:
        """Say in plain words what the parser could not read; where something was never closed, point at its start."""
        problem = str(error.problem)
        at, opened = error.problem_mark, error.context_mark
        known = (reason for piece, reason in _SYNTAX.items() if piece in problem)
        reason = next(known, f"not YAML: {problem}")
        if self.text[at.index : at.index + 1] == "?":
            reason = _QUESTION
        elif "opens here" in reason and opened is not None:
            at = opened
        mark = self._word_at(at)
        line = self.lines[at.line] if at.line < len(self.lines) else ""
        self.broken = malformed(reason.replace("{char}", line[at.column : at.column + 1]), mark)

    def _word_at(self, at: Any) -> Mark:
        """Return the mark of the word at a place of the parser's."""
        line = self.lines[at.line] if at.line < len(self.lines) else ""
        word = _WORD.match(line, at.column)
        return Mark(at.line + 1, at.column + 1, len(word[0]) if word else 1)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def _blame(self, reason: str, event: Event) -> None:
        mark, end = self._word_at(event.start_mark), event.end_mark
        if event.__class__ is ScalarEvent and end.line == event.start_mark.line and end.column >= mark.column:
            mark = Mark(mark.line, mark.column, end.column + 1 - mark.column)
        self.faults.append(malformed(reason, mark))

    def _stop(self, reason: str, event: Event) -> NoReturn:
        self._blame(reason, event)
        raise _Stop


_SECOND: Final = "a second document begins here; a file holds one"
_NO_BLANK: Final = "a blank is missing after ':'; or the text needs quotes"
_QUESTION: Final = "a '?' between brackets needs quotes around its text"
_MISFIT: Final = "this does not fit what stands before it: look for a missing ':' or quote, or another indentation"
_BLOCK: Final = "behind '|' or '>' nothing may stand on the line; the text begins on the next"
_ESCAPE: Final = "unknown escape in a quoted text; a backslash itself is written '\\\\'"
# Pieces of the two parsers' sentences, the more special first; "opens here": what is wrong began there.
_SYNTAX: Final = {
    "cannot start any token": "a word cannot begin with '{char}'; put it in quotes",
    "mapping values are not allowed": "a ':' cannot stand here: 'key: value' begins on a line of its own, in line with "
    "the other keys; a text with ': ' in it needs quotes",
    "sequence entries are not allowed": "a list item '- ' cannot stand here; begin it on a line of its own",
    "',' or ']'": "the list that opens here with '[' is not closed, or a ',' is missing in it",
    "',' or '}'": "the mapping that opens here with '{' is not closed, or a ',' is missing in it",
    "unexpected end of stream": "the quote that opens here is never closed",
    "unexpected document": "the quote that opens here is never closed",
    "unexpected ':'": _NO_BLANK,
    "expected ':'": "a ':' is missing behind the key that opens here",
    "expected key": _MISFIT,
    "block end": _MISFIT,
    "'-' indicator": _MISFIT,
    "node content": "a value is missing here, or the brackets do not match",
    "document start": _SECOND,
    "alphabetic or numeric": "a word cannot begin with '&' or '*'; put it in quotes",
    "'!'": "a word cannot begin with '!'; put it in quotes",
    "tag": "a word cannot begin with '!'; put it in quotes",
    "indentation indicator": _BLOCK,
    "comment or line break": _BLOCK,
    "escape": _ESCAPE,
    "hexdecimal": _ESCAPE,
}

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")


@lru_cache(maxsize=4096)
def plain_value(word: str) -> Plain:
    """Return what a short word without quotes means."""
    if word in _WORDS:
        return _WORDS[word]
    return int(word) if _INTEGER.fullmatch(word) else word

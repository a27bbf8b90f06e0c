"""The page of a game: its board after each adjudication, its log, its turn files, and a check of every die.

It shows the public record of the game: what `pbem publish` gives, read without any key. All of it is what an observer
may know. A game whose rules are not here, or are others now, keeps its turns and its dice; then it has no map.

The log is plain HTML and is read without script. Board positions and turn files travel in the page, packed, so that it
needs no server: it works from a folder as well.
"""

from __future__ import annotations

import json
import logging
import re
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from pbem.game import yaml as yamlio
from pbem.game.board.board_map import BaseMap
from pbem.game.board.scene import Scene
from pbem.game.board.summary import Summary
from pbem.game.boxes import shelf
from pbem.game.boxes.printed import foot
from pbem.game.boxes.shelf import Loaded
from pbem.game.wording import listing
from pbem.pages.svg import Symbols, board, frame, owners
from pbem.pages.templates import markup, page
from pbem.protocol import Event, Record, Result
from pbem.render.map.pictures import changed_places
from pbem.render.text.alt_text import alt_text
from pbem.render.text.messages import ReportLine, Sentences, sentences
from pbem.repo.files.adjudication import commits_of_adjudications
from pbem.repo.files.charter import Charter
from pbem.repo.files.layout import CHARTER, POSITION, turn_path
from pbem.repo.files.records import read_events, read_roll, result_in
from pbem.repo.git import GameRepo, StoreError
from pbem.repo.public import charter_in, corrections_in

_LOG: Final = logging.getLogger(__name__)
LARGEST: Final = 400_000
"""So many bytes a page has at most, as far as splitting the game makes it smaller."""
MOST: Final = 250
"""So many adjudications stand on one page at most."""
INDEX: Final = "index.html"
_BROWSER: Final = Path(__file__).parent / "browser"
_MODULES: Final = ("sha256", "turn_file", "dice", "replay")
_IMPORTS: Final = re.compile(r"^import .*\n|^export ", re.MULTILINE)
_DIE: Final = re.compile(r"\[die (\d+\.\d+)\]")
_SHORTEST: Final = 4
"""Names of places that are shorter than this are words of the language, too."""


@dataclass(frozen=True, slots=True)
class PublicEvent:
    """An event that everybody may read, with the number of its roll if it is one."""

    adjudication: int
    event: Event
    roll: int | None


@dataclass(frozen=True)
class RecordedTurn:
    """One adjudication: its turn file, and the position after it as an observer may know it."""

    n: int
    text: str
    """The turn file."""
    turn: Record
    view: object | None = None
    """None: the rules here cannot read the position."""

    @cached_property
    def events(self) -> Sequence[PublicEvent]:
        """What happened, as far as everybody may know it."""
        rolls = [read_roll(record) for record in self.turn.get("rolls", ())]
        records = self.turn["events"]
        events = read_events(records, rolls, {})
        pairs = zip(events, records, strict=True)
        return [PublicEvent(self.n, event, record.get("roll")) for event, record in pairs]

    @property
    def result(self) -> Result | None:
        """How the game ended; None: it goes on."""
        return result_in(self.turn)


@dataclass(frozen=True)
class GameRecord:
    """The public record of one game."""

    charter: Charter
    charter_text: str
    loaded: Loaded
    played: Sequence[RecordedTurn]

    @property
    def game(self) -> str:
        return self.charter.game

    def scene(self, each: RecordedTurn) -> Scene | None:
        """Return what there is to draw after an adjudication; None: nothing can be drawn."""
        if each.view is None:
            return None
        try:
            return self.loaded.rules.scene(each.view, [told.event for told in each.events])
        except Exception as wrong:  # a slip in a drawing must not hold a page back
            _LOG.error("%s: the map after adjudication %d cannot be drawn", self.game, each.n)
            _LOG.debug("why it cannot be drawn", exc_info=wrong)
            return None


def read_record(path: Path, folders: Sequence[str | Path] = ()) -> GameRecord:
    """Return the public record of the game at a path. Raises StoreError, NotInTheBox, BrokenBox."""
    with GameRepo.open(path) as repo:
        charter = charter_in(repo)
        kept = corrections_in(repo)
        loaded = shelf.load(charter.rules, edition=charter.edition, options=charter.options, folders=folders, kept=kept)
        return GameRecord(
            charter, (repo.read(CHARTER) or b"").decode("utf-8"), loaded, list(_turn_played(repo, loaded))
        )


def _turn_played(repo: GameRepo, loaded: Loaded) -> Iterator[RecordedTurn]:
    commits = commits_of_adjudications(repo.history())
    n = 1
    while (raw := repo.read(turn_path(n))) is not None:
        try:
            turn = yamlio.read(raw, name=turn_path(n)).value
        except yamlio.Unreadable as wrong:
            raise StoreError(f"{repo.path}: {wrong}") from None
        yield RecordedTurn(n, raw.decode("utf-8"), turn, _view(repo, loaded, commits.get(n, "")))
        n += 1


def _view(repo: GameRepo, loaded: Loaded, commit: str) -> object | None:
    """Return the position after an adjudication as an observer may know it; None: it cannot be read."""
    raw = repo.read(POSITION, commit) if commit else None
    if raw is None:
        return None
    try:
        rules = loaded.rules
        view: object = rules.view(rules.decode(yamlio.read(raw, name=POSITION).value), None)
        return view
    except (yamlio.Unreadable, ValueError, TypeError, LookupError):
        return None


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log: its depth, its text by parts (those that name a place have its id), and its die."""

    depth: int
    parts: Sequence[tuple[str, str]]
    die: str = ""


@dataclass(frozen=True, slots=True)
class Article:
    """What the log says of one adjudication."""

    n: int
    day: str
    headline: str
    lines: Sequence[LogLine]
    asked: str
    file: str


@cache
def script() -> str:
    """Return our browser code as one script: the modules one behind the other, without what joins them."""
    return "".join(_IMPORTS.sub("", (_BROWSER / f"{name}.mjs").read_text("utf-8")) for name in _MODULES)


@cache
def style() -> str:
    """Return what all pages look like."""
    return (_BROWSER / "site.css").read_text("utf-8")


@cache
def policy() -> str:
    """Return what pages may do: run our script and take our style, and load nothing."""
    code, look = (b64encode(sha256(text.encode()).digest()).decode() for text in (script(), style()))
    allowed = f"script-src 'sha256-{code}'; style-src 'sha256-{look}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def game_pages(record: GameRecord) -> Iterator[tuple[str, str]]:
    """Yield the pages of a game, each with its file name: one, or several if the game is long, the last as `INDEX`."""
    whole = _Replay(record)
    spans = list(_page_spans(whole))
    names = [f"turns-{first}.html" for first, _ in spans[:-1]] + [INDEX]
    parts = [(name, first, last) for name, (first, last) in zip(names, spans, strict=True)]
    for part in parts:
        yield part[0], whole.page(part, parts)


def _page_spans(replay: _Replay) -> Iterator[tuple[int, int]]:
    """Yield the first and the last adjudication of each part: as many turns of the game as fit on a page."""
    last = len(replay.record.played)
    first = 1
    while first <= last:
        ends = [n for n in replay.turn_ends if first <= n < last]
        fits = [n for n in [*ends, last] if n - first < MOST]
        end = max(fits, default=min(first + MOST - 1, last))
        while end > first and len(replay.page((INDEX, first, end), [(INDEX, first, end)]).encode()) > LARGEST:
            end = max(
                (n for n in ends if n < end and n >= first + (end - first) // 2), default=first + (end - first) // 2
            )
        yield first, end
        first = end + 1
    if not last:
        yield 1, 0


class _Replay:
    """The pages of one game in the making."""

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        self.say: Sentences = sentences(record.loaded.box)
        self._scenes: list[Scene | None] = [record.scene(each) for each in record.played]
        self._base = next((scene.base for scene in self._scenes if scene is not None), None)
        strange = {self.say.name(side) for side in record.loaded.rules.sides}
        self._names = {} if self._base is None else _places_by_name(self._base, strange)
        self._pattern = _pattern(self._names)
        self._frames: dict[tuple[int, int], tuple[Symbols, list[Any]]] = {}
        self.articles = [self._article(each) for each in record.played]
        self.turn_ends = list(self._turn_ends())

    def _turn_ends(self) -> Iterator[int]:
        """Yield the adjudications after which a turn of the game is over."""
        rules = self.record.loaded.rules
        periods = [
            None if each.view is None else rules.periods(each.view).get(rules.turn) for each in self.record.played
        ]
        for n, (now, then) in enumerate(pairwise(periods), 1):
            if now != then:
                yield n

    def page(self, part: tuple[str, int, int], parts: Sequence[tuple[str, int, int]]) -> str:
        """Return one part of the game as a page."""
        record = self.record
        name, first, last = part
        symbols, frames = self._laid(first, last)
        scene = next((each for each in reversed(self._scenes[first - 1 : last]) if each is not None), None)
        about = {
            "game": record.game,
            "tip": record.charter.dice.tip,
            "first": first,
            "last": last,
            "part": name,
            "parts": parts,
            "owners": [] if scene is None else owners(scene),
        }
        files = {str(n): record.played[n - 1].text for n in range(max(1, first - 1), last + 1)}
        packed = {"files": {"0": record.charter_text, **files}, "frames": frames, "symbols": symbols.markup}
        lies = next((each for each in reversed(frames) if each is not None), None)
        return page(
            "game.html",
            title=record.game,
            style=markup(style()),
            policy=policy(),
            up="../",
            name=record.game,
            box_title=record.loaded.box.title,
            players=players(record),
            foot=foot(record.loaded.rules, record.loaded.box),
            first=first,
            last=last,
            part=name,
            parts=parts,
            articles=self.articles[first - 1 : last],
            board="" if scene is None or lies is None else markup(board(scene, lies, symbols)),
            width=scene.base.width if scene else 0,
            height=scene.base.height if scene else 0,
            alt=alt_text(scene) if scene else "",
            about=_safe_json(about),
            packed=markup(b64encode(zlib.compress(_compact(packed).encode(), 9)).decode()),
            script=markup(script()),
            tip=record.charter.dice.tip,
        )

    def _laid(self, first: int, last: int) -> tuple[Symbols, list[Any]]:
        """Return what lies on the board after each adjudication of a part."""
        if (first, last) in self._frames:
            return self._frames[first, last]
        symbols, frames = Symbols(), list[Any]()
        for n in range(first, last + 1):
            scene, before = self._scenes[n - 1], self._scenes[n - 2] if n > 1 else None
            if scene is None:
                frames.append(None)
                continue
            changed = changed_places(before, scene) if before is not None else ()
            frames.append(frame(scene, symbols, changed))
        self._frames[first, last] = symbols, frames
        return symbols, frames

    def _article(self, each: RecordedTurn) -> Article:
        record = self.record
        stands = None if each.view is None else record.loaded.rules.summary(each.view)
        named: set[str] = set()
        lines = [self._line(said, named) for said in self.say.tell(each.events)]
        return Article(
            each.n,
            str(each.turn.get("day", "")),
            (stands or Summary("")).headline or record.loaded.box.title,
            lines or [LogLine(0, [("Nothing that everybody may know.", "")])],
            self._asked(each),
            turn_path(each.n),
        )

    def _asked(self, each: RecordedTurn) -> str:
        """Return whom the game waits for after an adjudication, or how it ended."""
        if each.result is not None:
            return f"The game is over. {self.say.result(each.result)}"
        forms = self.record.loaded.box.forms
        asked: dict[str, list[str]] = {}
        for one in each.turn.get("open_decisions", ()):
            if one["kind"] in forms:
                asked.setdefault(forms[one["kind"]].title, []).append(self.say.name(one["side"]))
        sides = ((title, list(dict.fromkeys(names))) for title, names in asked.items())
        return " ".join(
            f"{listing(names)} {'is' if len(names) == 1 else 'are'} asked: {title}" for title, names in sides
        )

    def _line(self, said: ReportLine, named: set[str]) -> LogLine:
        die = _DIE.fullmatch(said.tag)
        parts = [(text, "") for text in [said.text]] if self._pattern is None else list(self._named(said.text, named))
        return LogLine(min(said.depth, 3), parts, die[1] if die else "")

    def _named(self, text: str, before: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the parts of a text, those that name a place for the first time with its id."""
        assert self._pattern is not None
        at = 0
        for found in self._pattern.finditer(text):
            if found[0] in before:
                continue
            before.add(found[0])
            yield text[at : found.start()], ""
            yield found[0], self._names[found[0]]
            at = found.end()
        yield text[at:], ""


def _places_by_name(base: BaseMap, twice: set[str]) -> Mapping[str, str]:
    """Return the places of a map by name; a name that several have, or one of `twice`, means none of them."""
    names: dict[str, str] = {}
    for id, place in base.places.items():
        name = place.name or place.label.replace("\n", " ")
        (twice.add(name) if name in names else names.update({name: id}))
    return {name: id for name, id in names.items() if name not in twice and len(name) >= _SHORTEST}


def _pattern(names: Mapping[str, str]) -> re.Pattern[str] | None:
    if not names:
        return None
    words = sorted(map(re.escape, names), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(words)})\b")


def players(record: GameRecord) -> str:
    """Return who plays which side."""
    names = record.loaded.box.names
    return "; ".join(f"{names.get(side, side)}: {name}" for side, name in record.charter.players.items())


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _safe_json(value: Any) -> object:
    """Return a value as JSON that ends no script element."""
    return markup(_compact(value).replace("<", "\\u003c"))

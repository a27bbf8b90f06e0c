"""Cases as they stand in their files, with shared positions and variants worked in, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Final

from pbem.game.boxes.box import CASES, GAME
from pbem.game.boxes.box_file import BrokenBox, Flaw, read_all_loose
from pbem.game.wording import did_you_mean
from pbem.game.yaml import Document
from pbem.protocol import Order, Path, Record, Side

SHARED: Final = "position"
"""The key of a shared position: its name."""
_ADDED: Final = ("with", "options", "dice", "shuffles", "expect")
"""Mappings to which a case adds what it says itself; of anything else its own word replaces the other."""


@dataclass(frozen=True, slots=True)
class Given:
    """An order of a case, and its place in the list of orders (from 1)."""

    number: int
    side: Side
    order: Order

    def __str__(self) -> str:
        return f"order {self.number} ({self.side}: {self.order.kind})"


@dataclass(frozen=True, slots=True)
class Case:
    """One case: what it says together with its shared position, where in the file it says it, and what is malformed."""

    document: Document
    at: Path
    told: Record
    places: Mapping[Path, Path] = field(default_factory=dict)
    """Where in the document the parts of `told` stand that stand elsewhere than below `at`."""
    flaws: tuple[Flaw, ...] = ()

    @property
    def rule(self) -> str:
        return str(self.told.get("rule", "?"))

    @property
    def name(self) -> str:
        return str(self.told.get("name", "a case without a name"))

    @property
    def line(self) -> int:
        return self.document.nearest(self.at).line

    def __str__(self) -> str:
        return f"{self.rule} {self.name}"

    def where(self, *path: str | int) -> str:
        """Return `file:line:` of something in the case."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.places:
                place = (*self.places[path[:length]], *path[length:])
                break
        else:
            place = (*self.at, *path)
        return f"{self.document.name}:{self.document.nearest(place).line}:"

    def orders(self) -> list[Given]:
        """Return the orders to be given, in sequence."""
        return [
            Given(number, side, Order.read(kind, body))
            for number, written in enumerate(self.told.get("play", ()), 1)
            for side, one in written.items()
            for kind, body in one.items()
        ]


@dataclass(slots=True)
class CaseVerdict:
    """The verdict on a case: the differences, each with its place in the file, and what happened, line by line."""

    case: Case
    differences: list[str] = field(default_factory=list)
    report: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.differences


@dataclass(frozen=True, slots=True)
class _CasePart:
    """What a list item says, with the places of its words."""

    told: dict[str, Any]
    places: dict[Path, Path]

    def with_more(self, more: _CasePart) -> _CasePart:
        """Return this part with what another adds to it or says instead."""
        told, places = dict(self.told), dict(self.places)
        for word, value in more.told.items():
            both_map = isinstance(value, dict) and isinstance(told.get(word), dict)
            told[word] = {**told[word], **value} if word in _ADDED and both_map else value
        places |= more.places
        return _CasePart(told, places)


class _File:
    """A file of cases: the list as it was read, with the flaws of each item."""

    def __init__(self, document: Document, flaws: Mapping[int, list[Flaw]]) -> None:
        self.document, self.flaws = document, flaws
        self.shared: dict[str, int] = {}
        for at, item in enumerate(document.value):
            if isinstance(item, dict) and isinstance(item.get(SHARED), str):
                self.shared.setdefault(item[SHARED], at)

    def cases(self) -> Iterator[Case]:
        """Yield the cases in their order; a variant is a case of its own."""
        for at, item in enumerate(self.document.value):
            flaws = list(self.flaws.get(at, ()))
            if not isinstance(item, dict) or flaws:
                yield Case(self.document, (at,), item if isinstance(item, dict) else {}, flaws=tuple(flaws))
            elif SHARED in item:
                if self.shared[item[SHARED]] != at:
                    flaws = [self.flaw((at, SHARED), f"there is another position called {item[SHARED]}")]
                    yield Case(self.document, (at,), {"name": f"position {item[SHARED]}"}, flaws=tuple(flaws))
            elif "variants" in item:
                for number in range(len(item["variants"])):
                    yield self.variant(at, number)
            else:
                yield self.case((at,), self.part((at,), item, flaws), flaws)

    def variant(self, at: int, number: int) -> Case:
        """Return a variant: the case that it belongs to, with what it adds or says instead."""
        item: Record = self.document.value[at]
        own: Record = item["variants"][number]
        flaws: list[Flaw] = []
        common = {word: value for word, value in item.items() if word != "variants"}
        if "from" in own:
            common.pop("from", None)
        place: Path = (at, "variants", number)
        whole = self.part((at,), common, flaws).with_more(self.part(place, own, flaws))
        whole.told["name"] = f"{item['name']}: {own['name']}"
        if "expect" not in whole.told:
            flaws.append(self.flaw(place, "neither the case nor this variant of it has expect"))
        return self.case(place, whole, flaws)

    def case(self, at: Path, part: _CasePart, flaws: list[Flaw]) -> Case:
        return Case(self.document, at, part.told, part.places, tuple(flaws))

    def part(self, at: Path, item: Record, flaws: list[Flaw], above: tuple[str, ...] = ()) -> _CasePart:
        """Return what an item says, applied to the shared position that it begins from."""
        places: dict[Path, Path] = {}
        for word, value in item.items():
            places[(word,)] = (*at, word)
            if word in _ADDED and isinstance(value, dict):
                places |= {(word, key): (*at, word, key) for key in value}
        part = _CasePart({word: value for word, value in item.items() if word not in ("from", SHARED)}, places)
        name = item.get("from")
        if name is None:
            return part
        if name not in self.shared:
            flaws.append(self.flaw((*at, "from"), f"there is no position {name}{did_you_mean(name, self.shared)}"))
            return part
        if name in above:
            flaws.append(self.flaw((*at, "from"), f"the position {name} begins from itself"))
            return part
        base = self.shared[name]
        if self.flaws.get(base):
            flaws.append(self.flaw((*at, "from"), f"the position {name} is malformed"))
            return part
        return self.part((base,), self.document.value[base], flaws, (*above, name)).with_more(part)

    def flaw(self, at: Path, reason: str) -> Flaw:
        mark = self.document.nearest(at)
        return Flaw(self.document.name, mark.line, mark.column, reason)


def read_cases(path: FilePath) -> list[Case]:
    """Return the cases in a file; one that is malformed carries its flaws, and the others can be run.

    Raises BrokenBox, listing every flaw, if the file cannot be read or is no list.
    """
    document, flaws = read_all_loose(path, CASES)
    if not isinstance(document.value, list):
        raise BrokenBox(flaw for _, flaw in flaws)
    by_item: dict[int, list[Flaw]] = {}
    for place, flaw in flaws:
        by_item.setdefault(int(place[0]), []).append(flaw)
    return list(_File(document, by_item).cases())


def sound_cases(path: FilePath) -> list[Case]:
    """Return the cases in a file. Raises BrokenBox, listing every flaw, if one of them is malformed."""
    cases = read_cases(path)
    flaws = {flaw for case in cases for flaw in case.flaws}
    if flaws:
        raise BrokenBox(flaws)
    return cases


def game_of_case(path: FilePath) -> tuple[str, FilePath] | None:
    """Return the id of the game in whose box a file of cases lies, and the folder of the box; None: in none."""
    box = path.resolve().parent.parent
    return (box.name, box.parent) if (box / f"{GAME}.yaml").exists() else None

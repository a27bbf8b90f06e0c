"""The panels beside the map: the year, points, leaders and their units, elections, counters left (4.2, 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pbem.game import Cell, Panel, Row, Track
from pbem.protocol import Record
from pbem.rules.hannibal_italy.position.board import ELEPHANTS, FOOT, HORSE
from pbem.rules.hannibal_italy.position.forces import sp, to_raise
from pbem.rules.hannibal_italy.position.state import CANDIDATES, CARTHAGE, RANKS, ROME, SENATE, UNPLACED, UNSEEN, Game

_PHASES: Final[Mapping[str, str]] = {
    "first_initiative": "Carthage names the first player",
    "election": "elections",
    "arrivals": "reinforcements",
    "initiative": "the first player of the year",
    "first_recruiting": "the first player recruits",
    "first_move": "the first player marches",
    "second_recruiting": "the second player recruits",
    "second_move": "the second player marches",
    "control": "control of provinces",
    "field": "field battles",
    "siege": "sieges",
    "works": "siege works",
    "dictator": "a dictator",
    "winter": "winter losses",
    "attrition": "elephants in winter",
    "score": "points",
}
UNIT_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    FOOT: ("foot", "foot"),
    HORSE: ("horse", "horse"),
    ELEPHANTS: ("elephant", "elephants"),
    "allied": ("ally", "allies"),
    "gaul": ("Gaul", "Gauls"),
}
"""What a unit is called by its kind or the pool that it is drawn from: one, several."""
_WIDE: Final = 46
"""How many letters of a list fit into a line of a panel."""


def phase(view: Game) -> str:
    """Return what is going on, in a few words."""
    if view.result is not None:
        return "the war is over"
    if view.battle is not None:
        return f"battle at {place(view, view.battle.hex)}"
    if view.march is not None:
        return f"{name(view, view.march.leader)} is on the march"
    return _PHASES[view.phase]


def panels(view: Game, sides: Sequence[Record]) -> Iterator[Panel]:
    """Yield the panels of a picture, as far as the viewer knows what they tell."""
    names = {str(side["id"]): str(side["name"]) for side in sides}
    start, end = view.plan["start"]["year"], view.plan["end"]["year"]
    years = tuple(str(year) for year in range(start, end - 1, -1))
    yield Panel("title", "", (Track(years, min(start - view.year, len(years) - 1)), *_score(view, names)))
    yield Panel("title", names[CARTHAGE], (*_carthaginians(view), *_left_to_carthage(view)))
    yield Panel("rome", names[ROME], (*_romans(view), *_elections(view), *_left_to_rome(view)))


def name(view: Game, leader: str) -> str:
    """Return the name of a leader without an article."""
    words = view.card(leader).name.removeprefix("the ")
    return words[:1].upper() + words[1:]


def place(view: Game, hex: str) -> str:
    """Return the city of a hex, or its number."""
    city = view.city_at(hex)
    return hex if city is None else city.name


def _score(view: Game, names: Mapping[str, str]) -> Iterator[Row]:
    goal = view.plan["victory"]
    yield Row("First player", (Cell(names[view.first], view.first),))
    yield Row("Victory points", (Cell(str(view.vp), CARTHAGE),))
    yield Row("Carthage wins from", (Cell(str(goal["carthage"])),))
    if "draw" in goal:
        yield Row("A draw from", (Cell(str(goal["draw"])),))


def _carthaginians(view: Game) -> Iterator[Row]:
    """Yield each leader of Carthage with his strength, and below him his units where the viewer may know them (7.5)."""
    for id in view.on_map(CARTHAGE):
        leader = view.leaders[id]
        hidden = UNSEEN in leader.units
        strength = "?" if hidden else str(sp(view.board, leader.units))
        yield Row(f"{name(view, id)}, {place(view, leader.at)}", (Cell(strength, CARTHAGE),))
        if not hidden and leader.units:
            yield from _listed("", _kinds(view, leader.units))


def _romans(view: Game) -> Iterator[Row]:
    """Yield each leader of Rome by his rank, with his office, his place and his strength."""
    ranked = {office: number for number, office in enumerate(RANKS)}
    for id in sorted(view.on_map(ROME), key=lambda id: (ranked.get(view.leaders[id].office, len(ranked)), id)):
        leader = view.leaders[id]
        words = filter(None, (name(view, id), leader.office.replace("_", " "), place(view, leader.at)))
        yield Row(", ".join(words), (Cell(str(sp(view.board, leader.units)), ROME),))


def _elections(view: Game) -> Iterator[Row]:
    """Yield who stands for election and who is elected but not on the map yet (5.2, 5.23)."""
    for box, words in ((CANDIDATES, "Candidates"), (UNPLACED, "To be placed")):
        there = [name(view, id) for id, leader in sorted(view.leaders.items()) if leader.at == box]
        if there:
            yield from _listed(f"{words}: ", there)


def _left_to_rome(view: Game) -> Iterator[Row]:
    waiting = sum(leader.at == SENATE for leader in view.leaders.values())
    yield Row("Leaders in the Senate", (Cell(str(waiting)),))
    for city in view.garrisons:
        record = view.board.cities[city]
        yield Row(f"Garrison of {record.name}", (Cell(str(record.garrison), view.cities[city]),))
    yield Row("Legions left to raise", (Cell(str(to_raise(view))),))
    yield Row("SP of legions lost", (Cell(str(view.legions_lost)),))


def _left_to_carthage(view: Game) -> Iterator[Row]:
    for pool, words in (("allied", "Allies in the pool"), ("gaul", "Gauls in the pool")):
        if pool in view.pools:
            yield Row(words, (Cell(str(sum(view.pools[pool].values()))),))
    if view.due:
        years = (str(view.plan["reinforcements"][number]["year"]) for number in view.due)
        yield Row("Reinforcements due", tuple(map(Cell, years)))


def _kinds(view: Game, units: Mapping[str, int]) -> Iterator[str]:
    """Yield what units there are, whole and reduced ones together, in few words."""
    count: dict[str, int] = {}
    for unit, number in units.items():
        kind = view.board.units[unit]
        word = kind.pool or kind.kind
        count[word] = count.get(word, 0) + number
    for word, number in count.items():
        one, many = UNIT_WORDS[word]
        yield f"{number} {one if number == 1 else many}"


def _listed(start: str, words: Iterable[str]) -> Iterator[Row]:
    """Yield a list in as many lines as it needs."""
    line = start
    for number, word in enumerate(words):
        more = word if number == 0 else f", {word}"
        if len(line) + len(more) > _WIDE:
            yield Row(f"{line},")
            line, more = "    ", word
        line += more
    yield Row(line if start else f"    {line}")

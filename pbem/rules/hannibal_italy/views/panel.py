"""What stands beside the map: the year, points, leaders with what they lead, elections, what is left (4.2, 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.game import Cell, Panel, Row, Track
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
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    FOOT: ("foot", "foot"),
    HORSE: ("horse", "horse"),
    ELEPHANTS: ("elephant", "elephants"),
    "allied": ("ally", "allies"),
    "gaul": ("Gaul", "Gauls"),
}
_WIDE: Final = 46
"""How many letters of a list fit into a line of a panel."""


def phase(known: Game) -> str:
    """Return what is going on, in a few words."""
    if known.result is not None:
        return "the war is over"
    if known.battle is not None:
        return f"battle at {place(known, known.battle.hex)}"
    if known.march is not None:
        return f"{name(known, known.march.leader)} is on the march"
    return _PHASES[known.phase]


def panels(known: Game, sides: Sequence[Mapping[str, Any]]) -> Iterator[Panel]:
    """Yield the panels of a picture, as far as the viewer knows what they tell."""
    names = {str(side["id"]): str(side["name"]) for side in sides}
    start, end = known.plan["start"]["year"], known.plan["end"]["year"]
    years = tuple(str(year) for year in range(start, end - 1, -1))
    yield Panel("title", "", (Track(years, min(start - known.year, len(years) - 1)), *_score(known, names)))
    yield Panel("title", names[CARTHAGE], (*_carthaginians(known), *_left_to_carthage(known)))
    yield Panel("rome", names[ROME], (*_romans(known), *_elections(known), *_left_to_rome(known)))


def name(known: Game, leader: str) -> str:
    """Return the name of a leader without an article."""
    words = known.card(leader).name.removeprefix("the ")
    return words[:1].upper() + words[1:]


def place(known: Game, hex: str) -> str:
    """Return the city of a hex, or its number."""
    city = known.city_at(hex)
    return hex if city is None else city.name


def _score(known: Game, names: Mapping[str, str]) -> Iterator[Row]:
    goal = known.plan["victory"]
    yield Row("First player", (Cell(names[known.first], known.first),))
    yield Row("Victory points", (Cell(str(known.vp), CARTHAGE),))
    yield Row("Carthage wins from", (Cell(str(goal["carthage"])),))
    if "draw" in goal:
        yield Row("A draw from", (Cell(str(goal["draw"])),))


def _carthaginians(known: Game) -> Iterator[Row]:
    """Yield each leader of Carthage with his strength, and below him his units where the viewer may know them (7.5)."""
    for id in known.on_map(CARTHAGE):
        leader = known.leaders[id]
        hidden = UNSEEN in leader.units
        strength = "?" if hidden else str(sp(known.board, leader.units))
        yield Row(f"{name(known, id)}, {place(known, leader.at)}", (Cell(strength, CARTHAGE),))
        if not hidden and leader.units:
            yield from _listed("", _kinds(known, leader.units))


def _romans(known: Game) -> Iterator[Row]:
    """Yield each leader of Rome by his rank, with his office, his place and his strength."""
    ranked = {office: number for number, office in enumerate(RANKS)}
    for id in sorted(known.on_map(ROME), key=lambda id: (ranked.get(known.leaders[id].office, len(ranked)), id)):
        leader = known.leaders[id]
        words = filter(None, (name(known, id), leader.office.replace("_", " "), place(known, leader.at)))
        yield Row(", ".join(words), (Cell(str(sp(known.board, leader.units)), ROME),))


def _elections(known: Game) -> Iterator[Row]:
    """Yield who stands for election and who is elected but not on the map yet (5.2, 5.23)."""
    for box, words in ((CANDIDATES, "Candidates"), (UNPLACED, "To be placed")):
        there = [name(known, id) for id, leader in sorted(known.leaders.items()) if leader.at == box]
        if there:
            yield from _listed(f"{words}: ", there)


def _left_to_rome(known: Game) -> Iterator[Row]:
    waiting = sum(leader.at == SENATE for leader in known.leaders.values())
    yield Row("Leaders in the Senate", (Cell(str(waiting)),))
    for city in known.garrisons:
        record = known.board.cities[city]
        yield Row(f"Garrison of {record.name}", (Cell(str(record.garrison), known.cities[city]),))
    yield Row("Legions left to raise", (Cell(str(to_raise(known))),))
    yield Row("SP of legions lost", (Cell(str(known.legions_lost)),))


def _left_to_carthage(known: Game) -> Iterator[Row]:
    for pool, words in (("allied", "Allies in the pool"), ("gaul", "Gauls in the pool")):
        if pool in known.pools:
            yield Row(words, (Cell(str(sum(known.pools[pool].values()))),))
    if known.due:
        years = (str(known.plan["reinforcements"][number]["year"]) for number in known.due)
        yield Row("Reinforcements due", tuple(map(Cell, years)))


def _kinds(known: Game, units: Mapping[str, int]) -> Iterator[str]:
    """Yield what units there are, whole and reduced ones together, in few words."""
    count: dict[str, int] = {}
    for unit, number in units.items():
        kind = known.board.units[unit]
        word = kind.pool or kind.kind
        count[word] = count.get(word, 0) + number
    for word, number in count.items():
        one, many = _WORDS[word]
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

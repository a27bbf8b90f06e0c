"""The summary of a position for a report: points, armies, sieges, provinces, offices (3, 5, 6, 9, 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import Line, Section, Summary
from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.board import CLASS_1
from pbem.rules.hannibal_italy.position.forces import added, garrison, sp, to_raise
from pbem.rules.hannibal_italy.position.state import (
    CANDIDATES,
    CARTHAGE,
    CONSUL,
    DEAD,
    GONE,
    RANKS,
    SIDES,
    UNPLACED,
    UNSEEN,
    Game,
)
from pbem.rules.hannibal_italy.position.under_way import Battle
from pbem.rules.hannibal_italy.turn.victory import scored
from pbem.rules.hannibal_italy.views.panel import name, phase, place
from pbem.rules.hannibal_italy.views.wording import strength, units_in_words

_SCORES: Final[Mapping[str, str]] = {
    "provinces": "provinces",
    "cities": "cities",
    "foot": "Roman foot lost",
    "capua": "Capua",
    "tarentum": "Tarentum Roman",
}


def summary(view: Game, names: Mapping[str, str]) -> Summary:
    """Return where things stand in a position as its viewer knows it; `names` are those of sides."""
    sections = [
        Section("Under way", tuple(_under_way(view, names)), passing=True),
        Section("Victory points of Carthage", tuple(_points(view))),
        *(Section(f"Armies of {names[side]}", tuple(_armies(view, side))) for side in SIDES),
        Section("Sieges", tuple(_sieges(view, names))),
        Section("Provinces (with their points)", tuple(_provinces(view, names))),
        Section("Cities of Carthage (with their points)", tuple(_cities(view))),
        Section("Offices", tuple(_offices(view))),
        Section("Legions and reinforcements", tuple(_to_come(view, names))),
    ]
    return Summary(_summary(view), tuple(section for section in sections if section.lines), tuple(pools(view)))


def _summary(view: Game) -> str:
    return f"{view.segment.title()} of {view.year} BC: {phase(view)}"


def _under_way(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield who has the first turn, and the battle that is not over yet."""
    if view.phase != "first_initiative":
        yield Line(f"First player: {names[view.first]} (first to march in summer, last in winter).")
    if view.battle is not None:
        yield from _battle(view, view.battle, names)


def _battle(view: Game, battle: Battle, names: Mapping[str, str]) -> Iterator[Line]:
    yield Line(f"Battle at {place(view, battle.hex)}:")
    if battle.round:
        yield Line(f"Round {battle.round}.", (), 1)
    for side in SIDES:
        party = battle.parties[side]
        forces = [view.leaders[leader].units for leader in party.leaders]
        if party.loose:
            forces.append(view.loose[side].get(battle.hex, {}))
        hidden = any(UNSEEN in units for units in forces)
        total = "?" if hidden else f"{sum(sp(view.board, units) for units in forces)} SP"
        role = "" if not battle.attacker else "attacks" if battle.attacker == side else "defends"
        chief = view.card(party.commander).name if party.commander else ""
        yield Line(names[side], (total, role, chief), 1)
        for words, apart in (("foraging", party.foragers), ("in ambush", battle.ambush if side == CARTHAGE else {})):
            units = added(*apart.values())
            if units and UNSEEN not in units and (words == "foraging" or view.pools):
                yield Line(f"{words}: {units_in_words(view.board, units)}", (), 2)


def _points(view: Game) -> Iterator[Line]:
    """Yield the points, what this winter would add as things stand, and what decides the game (12)."""
    goal, end = view.plan["victory"], view.plan["end"]["year"]
    yield Line("so far", (str(view.vp),))
    for reason, points, _ in scored(view):
        yield Line("a scoring now", (f"{points:+d}", _SCORES[reason]), passing=True)
    yield Line(f"Carthage scores at the end of each winter, the last time in {end} BC.")
    yield Line(f"Carthage wins with {goal['carthage']}, a draw is {goal['draw']} to {goal['carthage'] - 1}.")


def _armies(view: Game, side: Side) -> Iterator[Line]:
    """Yield what a side has on the map, province by province: leaders with their units, units without, garrisons."""
    board = view.board
    for province in board.provinces.values():
        lines = [line for hex in sorted(province.hexes) for line in in_hex(view, side, hex)]
        if lines:
            yield Line(province.name)
            yield from lines


def in_hex(view: Game, side: Side, hex: str) -> Iterator[Line]:
    """Yield what a side has in a hex, the highest office first, those without units together."""
    ranks = {office: number for number, office in enumerate(RANKS)}
    alone: dict[str, list[str]] = {}
    for id in sorted(view.leaders_at(side, hex), key=lambda id: (ranks.get(view.leaders[id].office, len(ranks)), id)):
        leader = view.leaders[id]
        office = leader.office.replace("_", " ")
        who = name(view, id) + (f" ({office})" if office else "")
        where = place(view, hex) + (" (inside)" if leader.inside else "")
        if leader.units:
            yield Line(f"{where}: {who}, {_force(view, leader.units)}", (), 1)
        else:
            alone.setdefault(where, []).append(who)
    for where, whos in alone.items():
        yield Line(f"{where}: {', '.join(whos)}, without units", (), 1)
    units = view.loose[side].get(hex)
    if units:
        where = place(view, hex) + (" (inside)" if view.friendly_city(side, hex) else "")
        yield Line(f"{where}: no leader, {_force(view, units)}", (), 1)
    city = view.city_at(hex)
    if city is not None and city.id in view.garrisons and view.cities[city.id] == side:
        yield Line(f"{place(view, hex)}: garrison, {garrison(view, city.id)} SP", (), 1)


def _force(view: Game, units: Mapping[str, int]) -> str:
    """Return the strength of units and what they are, as far as the viewer may know (7.5)."""
    if UNSEEN in units:
        return "strength not known"
    return f"{strength(view.board, units)}: {units_in_words(view.board, units)}"


def _sieges(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for city, siege in view.sieges.items():
        record = view.board.cities[city]
        fortress = record.kind == CLASS_1
        words = f"{siege.works} siege works" if fortress else f"surrenders on {siege.number} or more"
        yield Line(record.name, (f"by {names[siege.side]}", words))


def _provinces(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield who controls what; of Rome's, when it has all the rest, only how many (8)."""
    board = view.board
    for side in (*SIDES, None):
        held = [
            f"{province.name} ({province.vp})"
            for id, province in board.provinces.items()
            if view.provinces.get(id) == side
        ]
        if len(held) == len(board.provinces):
            yield Line(f"{names[side] if side else 'Nobody'}: all {len(held)}.")
        elif held:
            yield Line(f"{names[side] if side else 'Nobody'}: {', '.join(held)}.")


def _cities(view: Game) -> Iterator[Line]:
    """Yield the cities that Carthage has won, by province; all others are Roman (7.4, 9.7, 12.2)."""
    board = view.board
    for province in board.provinces.values():
        won = [
            board.cities[city].name + (f" ({board.cities[city].loyalty})" if board.cities[city].loyalty else "")
            for city in province.cities
            if view.cities[city] == CARTHAGE
        ]
        if won:
            yield Line(f"{province.name}: {', '.join(won)}.")


def _offices(view: Game) -> Iterator[Line]:
    """Yield who is elected, who stands for election, and who will not come back (5, 10.5)."""
    boxes = (
        ("Elected, not on the map yet", UNPLACED),
        ("Candidates", CANDIDATES),
        ("Dead", DEAD),
    )
    for words, box in boxes:
        there = [
            name(view, id) + (f" ({leader.office})" if leader.office and box == UNPLACED else "")
            for id, leader in view.leaders.items()
            if leader.at == box
        ]
        if there:
            yield Line(f"{words}: {', '.join(there)}.")
    consuls = [id for id in view.last_consuls if view.leaders[id].office != CONSUL]
    if consuls:
        yield Line(f"Last elected consuls: {', '.join(name(view, id) for id in view.last_consuls)}.")
    if view.dictators:
        yield Line(f"Have been dictator: {', '.join(name(view, id) for id in view.dictators)}.")


def _to_come(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield how many legions can still be raised, what Rome has lost, and which reinforcements are due (6, 12.31)."""
    left, lost = to_raise(view), view.legions_lost
    legions = "1 more legion" if left == 1 else f"{left or 'no'} more legions"
    yield Line(f"Counters for {legions}; {lost} SP of legions lost in combat.")
    if view.slaves == GONE:
        yield Line("The slave legion is out of the game.")
    elif view.slaves:
        yield Line(f"The slave legion follows {name(view, view.slaves)}.")
    for number in view.due:
        army = view.plan["reinforcements"][number]
        where = _edge(view, army["edge"]) if "edge" in army else f"if it controls {_province(view, army)}"
        who = ", ".join(name(view, id) for id in army.get("leaders", ()))
        with_whom = f" with {who}" if who else ""
        yield Line(f"Reinforcements of {names[CARTHAGE]}{with_whom} in {army['year']} BC, {where}.")


def _edge(view: Game, edge: str) -> str:
    """Return an edge of the map in words: `west_of_cisalpine_gaul` is west of Cisalpine Gaul."""
    for id, province in view.board.provinces.items():
        edge = edge.replace(id, province.name)
    return edge.replace("_", " ")


def _province(view: Game, army: Mapping[str, str]) -> str:
    return view.board.provinces[army["controls"]].name


def pools(view: Game) -> Iterator[Section]:
    """Yield what lies in the pools, for the side that may know it (6.3, 6.31)."""
    if view.pools:
        lines = tuple(
            Line(f"{words}: {units_in_words(view.board, view.pools[pool]) or 'none'}.")
            for pool, words in (("allied", "Allies"), ("gaul", "Gauls"))
            if pool in view.pools
        )
        yield Section("To be drawn, unseen", lines)

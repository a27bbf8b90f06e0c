"""The summary of a position, and the facts and the part of the board that a report shows.

A strength that its side may not see is no fact: a condition on it never fits, and the side is asked (7.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import Line, Section, Summary
from pbem.protocol import Decision, Side
from pbem.rules.hannibal_italy.battle.battle import over_a_river
from pbem.rules.hannibal_italy.position.board import CLASS_1, Board
from pbem.rules.hannibal_italy.position.forces import added, garrison, here, sp, to_raise
from pbem.rules.hannibal_italy.position.state import (
    BOXES,
    CANDIDATES,
    CARTHAGE,
    CONSUL,
    DEAD,
    ENEMY,
    GONE,
    RANKS,
    SIDES,
    UNPLACED,
    UNSEEN,
    Battle,
    Game,
)
from pbem.rules.hannibal_italy.turn.control import scored
from pbem.rules.hannibal_italy.views.panel import UNIT_WORDS, name, phase, place

# ---- Words for units, places and leaders, for reports and forms


UNKNOWN: Final = "?"


def strength(board: Board, units: Mapping[str, int]) -> str:
    """Return the SP of units in words; that they are not known, if the viewer may not see them (7.5)."""
    return UNKNOWN if UNSEEN in units else f"{sp(board, units)} SP"


def units_in_words(board: Board, units: Mapping[str, int]) -> str:
    """Return units with the SP of each in brackets, like ones together; what the viewer may not see is not known."""
    if UNSEEN in units:
        return "not known"
    alike: dict[tuple[tuple[str, str], int], int] = {}
    for unit, count in units.items():
        kind = board.units[unit]
        words = ("slave", "slaves") if kind.whole == "slaves" else UNIT_WORDS[kind.pool or kind.kind]
        alike[words, kind.sp] = alike.get((words, kind.sp), 0) + count
    return ", ".join(f"{count} {one if count == 1 else many} ({sp})" for ((one, many), sp), count in alike.items())


def units_as_written(board: Board, units: Mapping[str, int]) -> str:
    """Return units by the words that an order names them by, with the SP of each in brackets."""
    if UNSEEN in units:
        return "not known"
    return ", ".join(f"{count} {unit} ({board.units[unit].sp} SP)" for unit, count in units.items())


def place_as_written(view: Game, hex: str) -> str:
    """Return a hex as an order may name it: by its city, if it has one, else by its number in quotes."""
    return view.board.hexes[hex].city or f'"{hex}"'


# ---- The summary of a position for a report: points, armies, sieges, provinces, offices (3, 5, 6, 9, 12)


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
    boxes = (("Elected, not on the map yet", UNPLACED), ("Candidates", CANDIDATES), ("Dead", DEAD))
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


# ---- Facts that the conditions of a standing order may use, besides those that its decision states


NO_ENEMY: Final = 1000
"""The odds where the enemy has nothing."""


def periods(game: Game) -> dict[str, object]:
    """Return the segment and the year that a game is in, for standing orders that end with one (4.2)."""
    return {"segment": f"{game.year}/{game.segment}", "year": game.year}


def facts(view: Game, decision: Decision) -> dict[str, object]:
    """Return the facts of any decision, and of one that is about a hex, what stands there."""
    found: dict[str, object] = {"year": view.year, "segment": view.segment, "first": view.first == decision.side}
    hex = hex_of(view, decision)
    if hex is not None:
        found |= _of_hex(view, decision, hex)
    battle = view.battle
    if battle is not None and decision.side in battle.parties:
        found |= _of_battle(view, decision.side)
    return found


def hex_of(view: Game, decision: Decision) -> str | None:
    """Return the hex that a decision is about: it is named, or it is that of the city named."""
    named = decision.facts.get("hex")
    if named is None and decision.facts.get("city") in view.board.cities:
        named = view.board.cities[decision.facts["city"]].hex
    return named if named in view.board.hexes else None


def _of_hex(view: Game, decision: Decision, hex: str) -> dict[str, object]:
    side, board, stated = decision.side, view.board, decision.facts
    record = board.hexes[hex]
    own = stated.get("own_sp", _strength(view, side, hex))
    enemy = stated.get("enemy_sp", stated.get("needed", _strength(view, ENEMY[side], hex)))
    found: dict[str, object] = {
        "at": record.city or hex,
        "terrain": "city" if record.city is not None else record.terrain,
        "province": record.province,
        "controls": view.provinces.get(record.province) == side,
        "enemy_leaders": view.leaders_at(ENEMY[side], hex),
    }
    if own is not None:
        found["own_sp"] = own
    if enemy is not None:
        found["enemy_sp"] = enemy
    if own is not None and enemy is not None:
        found["odds"] = 100 * own // enemy if enemy else NO_ENEMY
    return found


def _strength(view: Game, side: Side, hex: str) -> int | None:
    """Return the SP of a side in a hex; None if the viewer may not see them (7.5)."""
    units = here(view, side, hex)
    return None if UNSEEN in units else sp(view.board, units)


def _of_battle(view: Game, side: Side) -> dict[str, object]:
    """Return who commands, whether strengths are open, whether the river is in the way of an attack, what is left."""
    battle = view.the_battle
    party, other = battle.parties[side], battle.parties[ENEMY[side]]
    found: dict[str, object] = {
        "seen": battle.revealed,
        "river": over_a_river(view, side),
        "commander": party.commander or None,
        "enemy_commander": other.commander or None,
    }
    units = [view.leaders[leader].units for leader in party.leaders]
    if not any(UNSEEN in each for each in units):
        left = sum(sp(view.board, each) for each in units)
        whole = left + party.lost
        found["left"] = 100 * left // whole if whole else 0
    return found


# ---- The part of a position that a question is about: its hexes, who stands there and next to them, the pools (3, 6)


def armies_and_enemies(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield the armies in the hexes that a question is about, and the enemies next to them."""
    hexes = places(view, decision)
    here = [line for each in hexes for side in SIDES for line in in_hex(view, side, each)]
    if here:
        named = hex_of(view, decision) is not None
        yield Section("the armies there" if named else "the armies", _level(here))
    yield from enemies_near(view, decision)


def pools_and_armies(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield what can still be drawn, too."""
    yield from pools(view)
    yield from armies_and_enemies(view, decision)


def enemies_near(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield the enemies next to the hexes that a question is about."""
    hexes = places(view, decision)
    near = {each: None for one in hexes for each, _ in view.board.steps[one] if each not in hexes}
    enemy = [line for each in near for line in in_hex(view, ENEMY[decision.side], each)]
    if enemy:
        yield Section("Enemies next to it" if len(hexes) == 1 else "Enemies next to them", _level(enemy))


def places(view: Game, decision: Decision) -> list[str]:
    """Return the hexes that a question is about."""
    hex = hex_of(view, decision)
    return list(dict.fromkeys([hex] if hex is not None else _named(view, decision)))


def _named(view: Game, decision: Decision) -> list[str]:
    """Return the hexes that a decision names, and those of the leaders that it names."""
    facts = decision.facts
    found = [each for each in facts.get("hexes", ()) if each in view.board.hexes]
    for id in facts.get("leaders", ()):
        leader = view.leaders.get(id)
        if leader is not None and leader.at not in BOXES:
            found.append(leader.at)
    return found


def _level(lines: list[Line]) -> tuple[Line, ...]:
    return tuple(Line(line.label, line.cells) for line in lines)

"""Reinforcements: new units of both sides, generals who come back, Scipio Africanus, the proconsul (6)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias

from pbem.game import NOTHING, AllOf, Among, Kind, Nested, OneOf, Part, Refusal, Some, Table, Value, once
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.orders import NONE, Body, ReinforceOrder, illegal
from pbem.rules.rome_carthage.position.board import HISPANIA, ITALY
from pbem.rules.rome_carthage.position.generals import arrive, drive_off_generals, may_be_in
from pbem.rules.rome_carthage.position.naming import (
    general_named,
    generals_named,
    no_such_general,
    no_such_space,
    space_named,
    spaces_named,
)
from pbem.rules.rome_carthage.position.state import CAPITAL, CARTHAGE, PROCONSUL, ROME, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.walls import whole, whole_cu
from pbem.rules.rome_carthage.turn.consuls import (
    MANY,
    capacity,
    change_commands,
    check_proconsul,
    keep_in_office,
    place,
    proconsul_candidates,
    strong_stacks,
)

Units: TypeAlias = tuple[str, ...]
"""Where units go, one space for each CU, sorted."""
ANYWHERE: Final = "anywhere"


# ---- new units: how many come, and every way to spread them over the spaces that are open to them (6.1 to 6.3)


def lots(game: Game) -> list[tuple[str, ...]]:
    """List for each Carthaginian unit the spaces that it may go to; one with none is lost (6.1)."""
    control, spaces = game.control, game.board.spaces
    generals = {space for _, space, _, _ in game.generals_in_play(CARTHAGE)}
    found: list[set[str]] = []
    for lot in game.board.tables["reinforcements"][CARTHAGE]:
        region, cities = lot["generals_in"], lot["spaces"]
        allowed = True
        if "if_space" in lot:
            allowed = control.get(lot["if_space"]) == CARTHAGE
        elif "if_province" in lot:
            allowed = game.controller(lot["if_province"]) == CARTHAGE
            if game.options["baetica_cu"] == "friendly_space":
                cities = [id for id, record in spaces.items() if record.region == region]
        elif region == ANYWHERE and game.options["carthage_free_cu"] == "general":
            cities = []
        places = {space for space in cities if control.get(space) == CARTHAGE}
        places |= {space for space in generals if region in (ANYWHERE, spaces[space].region)}
        found.append(places if allowed else set())
    closed = {space for space in set().union(*found) if not capacity(game, CARTHAGE, space)}
    return [tuple(sorted(places - closed)) for places in found]


def distributions(game: Game, side: Side) -> list[Units]:
    """List every way to place the new units of a side, as many of them as can be placed (6.1 to 6.3)."""
    return _of_rome(game) if side == ROME else _of_carthage(game, lots(game))


def _of_carthage(game: Game, every: list[tuple[str, ...]]) -> list[Units]:
    open_lots = [lot for lot in every if lot]
    hold = {space: capacity(game, CARTHAGE, space) for lot in open_lots for space in lot}
    for count in range(len(open_lots), 0, -1):
        if fitting := _fitting(_one_to_each(tuple(open_lots), count), hold):
            return fitting
    return [()]


@lru_cache(maxsize=64)
def _one_to_each(open_lots: tuple[tuple[str, ...], ...], count: int) -> list[Units]:
    """List the ways to place a unit in a space of each of some lots. Do not change the list: it is cached."""
    return sorted(
        {tuple(way) for some in combinations(open_lots, count) for way in map(sorted, itertools.product(*some))}
    )


def _of_rome(game: Game) -> list[Units]:
    """List the ways for Rome: at least three units in Italy, and a stack of five if there is none (6.2, 6.3)."""
    lot = game.board.tables["reinforcements"][ROME][0]
    hold = {space: capacity(game, ROME, space) for space in roman_spaces(game)}
    home = tuple(space for space in hold if game.board.spaces[space].region == ITALY)
    abroad = tuple(space for space in hold if space not in home)
    for cu in range(lot["cu"], 0, -1):
        if fitting := _fitting(_mostly_at_home(home, abroad, cu, lot["cu"] - lot["at_least"][ITALY]), hold):
            return fitting if strong_stacks(game) else _strongest(game, fitting)
    return [()]


@lru_cache(maxsize=64)
def _mostly_at_home(home: tuple[str, ...], abroad: tuple[str, ...], cu: int, most_abroad: int) -> list[Units]:
    """List the ways to place units, only some of them outside Italy (6.3). Do not change the list: it is cached."""
    return sorted(
        tuple(sorted(there + here))
        for away in range(min(cu, most_abroad) + 1)
        for there in combinations_with_replacement(abroad, away)
        for here in combinations_with_replacement(home, cu - away)
    )


def _fitting(ways: list[Units], hold: Mapping[str, int]) -> list[Units]:
    """Keep the ways that put nowhere more units than there is room for (6.3, 16.2)."""
    narrow = {space: room for space, room in hold.items() if room < MANY}
    if not narrow:
        return ways
    return [way for way in ways if all(way.count(space) <= room for space, room in narrow.items())]


def _strongest(game: Game, ways: list[Units]) -> list[Units]:
    """Keep the ways that make a stack of five CU, if there are such (6.3)."""
    armies = army_sizes(game, ROME, ways)
    strong = [way for way in ways if any(armies[space] + way.count(space) >= game.board.consular_army for space in way)]
    return strong or ways


def army_sizes(game: Game, side: Side, ways: list[Units]) -> dict[str, int]:
    """Return the CU that a side has in each space where new units may come."""
    return {space: whole_cu(game, side, space) for space in set().union(*ways)}


def roman_spaces(game: Game) -> list[str]:
    """List where Roman units may come to the map: Rome, and with any general, but not inside a siege (6.2, 6.3)."""
    places = {space for _, space, _, _ in game.generals_in_play(ROME)}
    places |= {
        space for space in game.board.tables["reinforcements"][ROME][0]["spaces"] if game.control.get(space) == ROME
    }
    return sorted(space for space in places if capacity(game, ROME, space))


# ---- reinforcements


def reinforce(game: Game, table: Table) -> Flow[None]:
    """Carry out the reinforcements of a turn: Carthage, Rome, and then the new consuls (5.1, 6)."""
    table.tell("year_begins", turn=game.turn, years=game.board.years[game.turn], rule="5.1")
    yield from reinforce_carthage(game, table)
    if game.result is None:
        proconsul = yield from reinforce_rome(game, table)
        if game.result is None:
            yield from change_commands(game, table, proconsul)
    game.phase = "deal"


def reinforce_carthage(game: Game, table: Table) -> Flow[None]:
    """Let Carthage place its new units and bring its displaced generals back (6.1, 8.9)."""
    units, generals = distributions(game, CARTHAGE), returning(game)
    if not any(units) and not generals:
        table.tell("no_reinforcements", side=CARTHAGE, rule="6.1")
        return
    order = yield from table.ask(
        CARTHAGE,
        "reinforce",
        rule="6.1",
        default=_default_of_carthage(game, units),
        turn=game.turn,
        cu=len(units[0]),
        generals=generals,
    )
    said = ReinforceOrder.read(order)
    yield from place_units(game, table, CARTHAGE, said.units)
    for general, space in sorted(said.generals.items()):
        if space != NONE and game.result is None:
            game.displaced[CARTHAGE].remove(general)
            table.tell("general_returns", side=CARTHAGE, general=general, space=space, rule="8.9")
            yield from place(game, table, CARTHAGE, space, Stack(generals=[general]))
    if not game.displaced.get(CARTHAGE, True):
        del game.displaced[CARTHAGE]


def reinforce_rome(game: Game, table: Table) -> Flow[str]:
    """Let Rome place its new units, Scipio Africanus in his turn, and name the proconsul; return him or none (6.2)."""
    units, landings, candidates = distributions(game, ROME), arrivals(game), proconsul_candidates(game)
    for general in [general for general, spaces in landings.items() if not spaces]:
        del game.arrivals[general]
        game.out.append(general)
        table.tell("never_arrives", side=ROME, general=general, rule="6.4.4")
    if not any(units):
        table.tell("no_reinforcements", side=ROME, rule="6.3")
    arriving = sorted(general for general, spaces in landings.items() if spaces)
    if not any(units) and not arriving and not candidates:
        return NONE
    order = yield from table.ask(
        ROME,
        "reinforce",
        rule="6.2",
        default=_default_of_rome(game, units),
        turn=game.turn,
        cu=len(units[0]),
        generals=arriving,
        proconsul=next((who for who in candidates if game.offices.get(who) == PROCONSUL), None),
    )
    said = ReinforceOrder.read(order)
    yield from place_units(game, table, ROME, said.units)
    for general, space in sorted(said.generals.items()):
        if game.result is None:
            del game.arrivals[general]
            game.offices[general] = PROCONSUL
            cu = escort(game, general)
            table.tell("general_lands", side=ROME, general=general, space=space, cu=cu, rule="6.4.4")
            # He lands before the walls: no enemy units are there (6.4.4).
            arrive(game, game.put(ROME, space, Stack(cu, generals=[general])), [general])
            yield from drive_off_generals(game, table, ROME, space)
    return said.proconsul or NONE


def place_units(game: Game, table: Table, side: Side, units: Mapping[str, int]) -> Flow[None]:
    """Place new units; enemy generals without CU give way to them (6, 8.9)."""
    for space, cu in sorted(units.items()):
        if game.result is None:
            table.tell("reinforced", side=side, space=space, cu=cu, rule="6.1" if side == CARTHAGE else "6.2")
            yield from place(game, table, side, space, Stack(cu))


def homecomings(game: Game, general: str, units: Sequence[str]) -> list[str]:
    """List where a displaced general may come back: to own units that are not besieged, new ones included (8.9)."""
    side = game.board.generals[general].side
    places = {space for space, stack in game.stacks[side].items() if stack.cu}
    places |= {space for space in game.garrisons if game.garrison(side, space).cu and not game.besieged(space)}
    return sorted(space for space in places | set(units) if may_be_in(game, general, space))


def arrivals(game: Game) -> dict[str, list[str]]:
    """Return the generals whose turn has come, each with the spaces where he may land (6.4.4).

    A friendly port in Italy or Hispania without enemy CU; by the rules of 2007 any such space of Italy.
    """
    found: dict[str, list[str]] = {}
    inland = (ITALY,) if game.options["africanus_arrival"] == "italy_or_port" else ()
    for general, turn in game.arrivals.items():
        if turn == game.turn:
            found[general] = [
                space
                for space, record in sorted(game.board.spaces.items())
                if game.control.get(space) == ROME
                and (record.region in inland or (record.port and record.region in (ITALY, HISPANIA)))
                and not game.cu(CARTHAGE, space)
            ]
    return found


def escort(game: Game, general: str) -> int:
    """Return how many units a general brings with him (6.4.4)."""
    lots_of_rome = game.board.tables["reinforcements"][ROME]
    return sum(lot["cu"] for lot in lots_of_rome if lot.get("with") == general)


# ---- the decision


def _body(units: Units, generals: Mapping[str, str], **more: str) -> dict[str, object]:
    body: dict[str, object] = {"units": _counted(units)} if units else {}
    if generals:
        body["generals"] = dict(generals)
    return {**body, **more}


def _counted(units: Units) -> dict[str, int]:
    return {space: units.count(space) for space in sorted(set(units))}


def _default_of_carthage(game: Game, ways: list[Units]) -> Body:
    """Return the default: units to the largest armies, generals to the largest army without one."""
    units = _to_the_largest(game, CARTHAGE, ways)
    generals = {}
    for general in game.displaced.get(CARTHAGE, ()):
        if places := homecomings(game, general, units):
            generals[general] = max(places, key=partial(_unled, game, CARTHAGE))
    return _body(units, generals)


def _default_of_rome(game: Game, ways: list[Units]) -> Body:
    """Return the default: units to the largest army, Africanus to Rome if he may, the same proconsul."""
    units = _to_the_largest(game, ROME, ways)
    landings, city = {general: spaces for general, spaces in arrivals(game).items() if spaces}, CAPITAL[ROME]
    generals = {general: city if city in spaces else spaces[0] for general, spaces in landings.items()}
    return _body(units, generals, **keep_in_office(game))


def _to_the_largest(game: Game, side: Side, ways: list[Units]) -> Units:
    """Return the way that puts the units to the largest armies."""
    armies = army_sizes(game, side, ways)
    return max(ways, key=lambda units: sum(map(armies.__getitem__, units)))


def _unled(game: Game, side: Side, space: str) -> tuple[bool, int]:
    army = whole(game, side, space)
    return not army.generals, army.cu


def reinforce_choices(view: Game, decision: Decision) -> Part:
    """Return every choice of spaces for units and generals, and of a proconsul (6)."""
    side, ways = decision.side, distributions(view, decision.side)
    landings = {general: spaces for general, spaces in arrivals(view).items() if spaces}
    coming = landings if side == ROME else returning(view)
    offices = _offices(view) if side == ROME else NOTHING
    follows: dict[tuple[tuple[str, ...], ...], Part] = {}

    def after(units: Sequence[str]) -> Part:
        """Return what is said besides, once it is said where the units go."""
        places = tuple(
            tuple(landings[general]) if side == ROME else (*homecomings(view, general, units), NONE)
            for general in coming
        )
        if places not in follows:
            who = [_comes(view, general, some) for general, some in zip(coming, places, strict=True)]
            follows[places] = AllOf(offices, Nested("generals", AllOf(*who)) if who else NOTHING)
        return follows[places]

    exact = OneOf("units", [Value(_counted(units) or None, after(units)) for units in ways])
    most = {space: max(way.count(space) for way in ways) for space in sorted(set().union(*ways))}
    some = [Value(space, at=space) for space in most]
    units = Some("units", some, len(ways[0]), len(ways[0]), of="space", room=most, counts=True) if most else NOTHING
    return Among(exact, units, after(list(most)))


def _comes(view: Game, general: str, places: Sequence[str]) -> Part:
    """Return where a general comes to the map (6.4.4, 8.9)."""
    values = [Value(space, at=space) if space != NONE else Value(NONE, says=(NONE,), must=True) for space in places]
    return OneOf(general, values, of="space", title=view.board.generals[general].name)


def returning(game: Game) -> list[str]:
    """List the displaced Carthaginians for whom there may be a place to return to (8.9)."""
    displaced = game.displaced.get(CARTHAGE, [])
    places = sorted({space for lot in lots(game) for space in lot}) if displaced else []
    return [general for general in displaced if homecomings(game, general, places)]


def _offices(game: Game) -> Part:
    """Return who may be named proconsul (6.4.1)."""
    candidates = proconsul_candidates(game)
    if not candidates:
        return NOTHING
    names = candidates if game.options["proconsul_mandatory"] else [*candidates, NONE]
    return OneOf("proconsul", [Value(name) for name in names], of="general")


def check_reinforce(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with reinforcements: the places of the units, of the generals, the proconsul (6)."""
    side, said = decision.side, ReinforceOrder.read(order)
    yield from _check_units(view, side, said.units)
    yield from _check_generals(view, side, said)
    if side == ROME:
        yield from check_proconsul(view, said.proconsul)
    elif said.proconsul is not None:
        yield illegal(("proconsul",), "only Rome has a proconsul; leave the word out", rule="6.4.1")


def _check_units(view: Game, side: Side, units: Mapping[str, int]) -> Iterator[Fault]:
    """Yield what is wrong with the spaces of the new units (6.1 to 6.3, 16.2)."""
    rule = "6.1" if side == CARTHAGE else "6.2"
    places = roman_spaces(view) if side == ROME else sorted(set().union(*lots(view)))
    wrong = False
    for space, cu in units.items():
        if space not in view.board.spaces:
            yield illegal(("units", space), no_such_space(view, space), rule=rule)
        elif space not in places:
            reason = f"{_why_no_units(view, side, space)}; open are: {spaces_named(view, places)}"
            yield illegal(("units", space), reason, rule="6.3" if view.besieged(space) else rule)
        elif cu > (most := capacity(view, side, space)):
            reason = f"only {most} more fit into {view.board.spaces[space].name}, which the enemy stands before"
            yield illegal(("units", space), reason, rule="16.2")
        else:
            continue
        wrong = True
    if wrong:
        return
    ways = distributions(view, side)
    if (total := sum(units.values())) != len(ways[0]):
        yield illegal(("units",), f"{len(ways[0])} new units are to be placed; you place {total}", rule=rule)
    elif tuple(sorted(space for space, cu in units.items() for _ in range(cu))) not in ways:
        yield _why_not_so(view, side, units).at(("units",))


def _why_no_units(view: Game, side: Side, space: str) -> str:
    """Say why new units cannot come to a space (6.1 to 6.3)."""
    name = view.board.spaces[space].name
    if view.besieged(space) and view.control.get(space) == side:
        return f"{name} is besieged"
    if side == CARTHAGE:
        return f"{name} takes no new units: they come where the table of reinforcements says"
    if space in view.board.tables["reinforcements"][ROME][0]["spaces"]:
        return f"{name} takes no new units: Rome does not control it, or it is full"
    return f"{name} takes no new units: they come to Rome, or to where a Roman general is"


def _why_not_so(view: Game, side: Side, units: Mapping[str, int]) -> Refusal:
    """Say why the right number of units cannot be placed like this, though each space is open (6.1, 6.3)."""
    if side == CARTHAGE:
        each = "; ".join("one in " + spaces_named(view, lot, "or") for lot in lots(view) if lot)
        return Refusal(f"the units do not go together there: {each}", "6.1")
    lot = view.board.tables["reinforcements"][ROME][0]
    abroad = sum(cu for space, cu in units.items() if view.board.spaces[space].region != ITALY)
    if abroad > lot["cu"] - lot["at_least"][ITALY]:
        reason = f"at least {lot['at_least'][ITALY]} of the units go to Italy; you send {abroad} elsewhere"
        return Refusal(reason, "6.3")
    return Refusal(f"Rome has no stack of {view.board.consular_army} CU and must make one now, for the consuls", "6.3")


def _check_generals(view: Game, side: Side, said: ReinforceOrder) -> Iterator[Fault]:
    """Yield what is wrong with the generals who come to the map, and where (6.4.4, 8.9)."""
    generals = said.generals
    units = [space for space in said.units if space in view.board.spaces]
    landings = {general: spaces for general, spaces in arrivals(view).items() if spaces}
    coming = list(landings) if side == ROME else returning(view)
    rule = "6.4.4" if side == ROME else "8.9"
    for general, space in generals.items():
        path = ("generals", general)
        if general not in view.board.generals:
            yield illegal(path, no_such_general(view, general), rule=rule)
        elif general not in coming:
            reason = f"{_why_not_coming(view, side, general)}; who comes to the map now: {generals_named(view, coming)}"
            yield illegal(path, reason, rule=rule)
        elif space == NONE and side == CARTHAGE:
            continue
        elif space not in view.board.spaces and space != NONE:
            yield illegal(path, no_such_space(view, space), rule=rule)
        elif space not in (open_to := landings[general] if side == ROME else homecomings(view, general, units)):
            yield illegal(path, f"{_why_no_landing(view, side, general, space, open_to)}", rule=rule)
    for general in coming:
        if general not in generals and (side == ROME or homecomings(view, general, units)):
            orelse = "" if side == ROME else ", or none to keep him off the map"
            name = general_named(view, general)
            yield illegal(("generals",), f"say where {name} comes to the map{orelse}", rule=rule)


def _why_not_coming(view: Game, side: Side, general: str) -> str:
    """Say why a general does not come to the map with the reinforcements (6.4.4, 8.9)."""
    name = general_named(view, general)
    if view.board.generals[general].side != side:
        return f"{name} is not your general"
    if view.where(general) is not None:
        return f"{name} is on the map already"
    if general in view.arrivals:
        return f"{name} comes in turn {view.arrivals[general]}"
    if general in view.displaced.get(side, ()):
        return f"{name} has no units of his side to come back to"
    return f"{name} is out of the game, or does not come by reinforcement"


def _why_no_landing(view: Game, side: Side, general: str, space: str, open_to: Sequence[str]) -> str:
    """Say why a general cannot come to a space (6.4.4, 8.9)."""
    name, there = general_named(view, general), space_named(view, space)
    if space == NONE:
        why = f"{name} comes to the map; he cannot be kept off it"
    elif side == CARTHAGE and not may_be_in(view, general, space):
        why = f"{name} may not be in {there}"
    elif side == CARTHAGE:
        why = f"{name} comes back only to units of Carthage that are not besieged, and there are none in {there}"
    elif view.control.get(space) != ROME:
        why = f"{name} lands in a friendly space, and {there} is not"
    elif view.cu(CARTHAGE, space):
        why = f"{name} cannot land in {there}, where enemy CU stand"
    else:
        why = f"{name} lands in a port in Italy or Hispania, and {there} is none"
    return f"{why}; open are: {spaces_named(view, open_to)}"


REINFORCEMENT_KINDS: Final = (
    Kind(
        "reinforce",
        reinforce_choices,
        check_reinforce,
        hints="views.hints:reinforce",
        close_up="views.summary:nothing",
        places="views.summary:nowhere",
        is_last=once,
    ),
)

"""The Roman offices of the year: who stays as proconsul, who lays down his command, the new consuls (6.4, 8.6)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from pbem.game import NOTHING, Kind, Lazy, OneOf, Part, Table, Value, once
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.orders import NONE, ConsulsOrder, illegal
from pbem.rules.rome_carthage.position.generals import arrange, arrive, drive_off_generals, may_be_in, may_command
from pbem.rules.rome_carthage.position.naming import (
    general_named,
    generals_named,
    no_such_general,
    no_such_space,
    space_named,
    spaces_named,
)
from pbem.rules.rome_carthage.position.state import CAPITAL, CONSUL, ENEMY, PROCONSUL, ROME, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.walls import enter_city, room, whole, whole_cu

MANY: Final = 40
"""More units than are ever placed at once: unlimited room."""
CONSULS: Final = 2


# ---- arrivals of units and generals: where there is room, inside the walls or out (6.3, 8.9, 16.2)


def place(game: Game, table: Table, side: Side, space: str, force: Stack) -> Flow[None]:
    """Put units or generals that come to the map into a space, behind the walls where the open is no place (16.2).

    Generals alone go to where the units are. A lone enemy general outside is displaced by units, which come out.
    """
    inside = game.garrison(side, space)
    alone = space in game.stacks[ENEMY[side]]
    fits = not inside.empty and force.cu <= (room(game, side, space) or 0) and not (force.cu and alone)
    if only_inside(game, side, space) or (fits and not game.stack(side, space).cu):
        enter_city(game, space, force)
    else:
        arrive(game, game.put(side, space, force), force.generals)
        yield from drive_off_generals(game, table, side, space)


def only_inside(game: Game, side: Side, space: str) -> bool:
    """Tell whether a side can only be inside its city in a space: it is besieged, or the enemy stands there (16.2)."""
    own_city = game.control.get(space) == side and game.besieged(space)
    return own_city or game.cu(ENEMY[side], space) > 0


def capacity(game: Game, side: Side, space: str) -> int:
    """Return how many units can be added in a space: none in a besieged city, else what its walls hold (6.3, 16.2)."""
    return (room(game, side, space) or 0) if only_inside(game, side, space) else MANY


# ---- offices


def change_commands(game: Game, table: Table, proconsul: str) -> Flow[None]:
    """Name the proconsul, take the other generals off the map, and draw and place two consuls (6.4.1).

    The consuls are drawn only now: until this moment nobody can know them.
    """
    _lay_down(game, table, proconsul)
    cup = _cup(game)
    game.consuls = table.shuffle(f"consuls/turn-{game.turn}", cup)[:CONSULS]
    for general in game.consuls:
        game.offices[general] = CONSUL
    table.tell("consuls_drawn", side=ROME, generals=list(game.consuls), rule="6.4.1")
    order = yield from table.ask(
        ROME, "consuls", rule="6.4.2", default={"at": default_places(game)}, turn=game.turn, generals=list(game.consuls)
    )
    said, records = ConsulsOrder.read(order), game.board.generals
    for general in sorted(game.consuls, key=lambda name: -records[name].battle):
        space = said.at[general]
        game.reserve.remove(general)
        table.tell("consul_placed", side=ROME, general=general, space=space, rule="6.4.2")
        yield from place(game, table, ROME, space, Stack(generals=[general]))
    for general in said.commands:
        _give_command(game, table, general)


def proconsul_candidates(game: Game) -> list[str]:
    """List the generals on the map who may be proconsul: anybody but Scipio Africanus, who is one for good (6.4.1)."""
    return [general for general, _, _, _ in game.generals_in_play(ROME) if game.board.generals[general].token]


def keep_in_office(game: Game) -> dict[str, str]:
    """Return the default proconsul: the present one, else the best general on the map (6.4.1)."""
    candidates = proconsul_candidates(game)
    if not candidates:
        return {}
    records = game.board.generals
    return {
        "proconsul": max(
            candidates,
            key=lambda name: (game.offices.get(name) == PROCONSUL, records[name].battle, -records[name].strategy),
        )
    }


def check_proconsul(view: Game, name: str | None) -> Iterator[Fault]:
    """Yield what is wrong with the choice of a proconsul (6.4.1)."""
    candidates = proconsul_candidates(view)
    at = ("proconsul",)
    able = generals_named(view, candidates, "or") if candidates else NONE
    if name is None:
        if candidates:
            yield illegal(at, f"say who is proconsul: {able}, or none", rule="6.4.1")
    elif name == NONE:
        if candidates and view.options["proconsul_mandatory"]:
            yield illegal(at, f"Rome must name a proconsul: {able} (option proconsul_mandatory)", rule="6.4.1")
    elif name not in view.board.generals:
        yield illegal(at, no_such_general(view, name), rule="6.4.1")
    elif name not in candidates:
        record, who = view.board.generals[name], general_named(view, name)
        why = f"{who} is not your general" if record.side != ROME else f"{who} has no command on the map"
        yield illegal(at, f"{why}, and cannot be named proconsul; generals who can: {able}", rule="6.4.1")


def strong_stacks(game: Game) -> list[str]:
    """List the spaces with five Roman CU or more that are not besieged: where consuls go (6.4.2)."""
    spaces, army = sorted({*game.stacks[ROME], *game.garrisons}), game.board.consular_army
    return [space for space in spaces if whole_cu(game, ROME, space) >= army and not _besieged(game, space)]


def places_for(game: Game, general: str) -> list[str]:
    """List where a new consul may take up his command (6.4.2, board).

    With five Roman CU or more; if there are none, in Rome, even besieged. Fabius, who never leaves Italy, goes to
    any Roman units there before he goes to Rome.
    """
    strong = [space for space in strong_stacks(game) if may_be_in(game, general, space)]
    if not strong and game.board.generals[general].stays_in is not None:
        spaces = sorted({*game.stacks[ROME], *game.garrisons})
        strong = [
            space
            for space in spaces
            if whole_cu(game, ROME, space) and not _besieged(game, space) and may_be_in(game, general, space)
        ]
    return strong or [CAPITAL[ROME]]


def _besieged(game: Game, space: str) -> bool:
    return game.besieged(space) and game.control.get(space) == ROME


def _cup(game: Game) -> list[str]:
    """List those of whom the consuls are drawn: all but the proconsul, and by some rules last year's (6.4.1)."""
    last = () if game.options["consul_redraw"] else game.consuls
    return sorted(name for name in game.reserve if game.board.generals[name].token and name not in last)


def _lay_down(game: Game, table: Table, proconsul: str) -> None:
    """Take all generals off the map but the proconsul and Scipio Africanus (6.4.1)."""
    stay = [name for name, record in game.board.generals.items() if not record.token or name == proconsul]
    leave = [general for general, _, _, _ in game.generals_in_play(ROME) if general not in stay]
    for space, stack in list(game.stacks[ROME].items()):
        stack.generals = [general for general in stack.generals if general in stay]
        if stack.empty:
            del game.stacks[ROME][space]
    for space, inside in list(game.garrisons.items()):
        if game.control.get(space) == ROME:
            inside.generals = [general for general in inside.generals if general in stay]
            if inside.empty:
                del game.garrisons[space]
    game.reserve += sorted(leave)
    game.offices = {name: PROCONSUL for name in stay if name == proconsul or name in game.offices}
    if proconsul == NONE:
        table.tell("no_proconsul", side=ROME, rule="6.4.1")
    else:
        table.tell("proconsul_named", side=ROME, general=proconsul, rule="6.4.3")
    for general in sorted(leave):
        table.tell("command_ends", side=ROME, general=general, rule="6.4.1")


def _give_command(game: Game, table: Table, general: str) -> None:
    """Put a general first in his stack: his owner's choice among equals (8.6, 14.1)."""
    space, inside = game.whereabouts(general)
    stack = game.garrisons[space] if inside else game.stacks[ROME][space]
    if stack.generals[0] != general:
        stack.generals.remove(general)
        stack.generals.insert(0, general)
        arrange(game, stack)
        table.tell("takes_command", side=ROME, general=general, space=space, rule="8.6")


def default_places(game: Game, region: str | None = None) -> dict[str, str]:
    """Return default places for the new consuls: the largest armies, those without a general first (6.4.2).

    With a region, armies there come before all others.
    """
    places: dict[str, str] = {}
    for general in game.consuls:

        def army(space: str) -> tuple[bool, bool, int]:
            stack, near = whole(game, ROME, space), game.board.spaces[space].region == region
            return near, not stack.generals and space not in places.values(), stack.cu

        places[general] = max(places_for(game, general), key=army)
    return places


def rivals(game: Game, at: Mapping[str, str]) -> list[list[str]]:
    """List, for each space with a choice, the generals who may command there once the consuls are placed (8.6)."""
    together: dict[str, list[str]] = {}
    standing = [(space, general) for general, space, _, _ in game.generals_in_play(ROME)]
    for space, general in [*standing, *((space, general) for general, space in at.items())]:
        together.setdefault(space, []).append(general)
    equals = [
        [general for general in generals if may_command(game, general, generals)]
        for _, generals in sorted(together.items())
    ]
    return [names for names in equals if len(names) > 1]


def consuls_choices(view: Game, decision: Decision) -> Part:
    """Return every way to place the consuls, and who commands where generals are equal (6.4.2, 8.6)."""
    generals: Sequence[str] = decision.facts["generals"]
    ways = itertools.product(*(places_for(view, general) for general in generals))
    places = [dict(zip(generals, spaces, strict=True)) for spaces in ways]
    return OneOf("at", [Value(at, Lazy(partial(_commands, view, at))) for at in places])


def _commands(view: Game, at: Mapping[str, str]) -> Part:
    """Return who may command where the consuls, once placed, meet others of their rank (8.6)."""
    picked = [list(names) for names in itertools.product(*rivals(view, at))]
    if picked == [[]]:
        return NOTHING
    # Unsaid, the better in battle commands.
    return OneOf("commands", [*[Value(names) for names in picked], Value(None, unlisted=True)], of="general")


def check_consuls(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of the consuls, or with who commands (6.4.2, 8.6)."""
    generals: Sequence[str] = decision.facts["generals"]
    said = ConsulsOrder.read(order)
    wrong = list(_check_places(view, generals, said.at))
    yield from wrong
    if wrong:
        for i, general in enumerate(said.commands):
            if general not in view.board.generals:
                yield illegal(("commands", i), no_such_general(view, general), rule="8.6")
        return
    choices, named = rivals(view, said.at), set[int]()
    for i, general in enumerate(said.commands):
        group = next((at for at, names in enumerate(choices) if general in names), None)
        if general not in view.board.generals:
            yield illegal(("commands", i), no_such_general(view, general), rule="8.6")
        elif group is None:
            able = "; ".join(generals_named(view, names, "or") for names in choices) or "nowhere"
            name = general_named(view, general)
            reason = f"{name} is not one of several who may command a space; the choice is: {able}"
            yield illegal(("commands", i), reason, rule="8.6")
        elif group in named:
            yield illegal(
                ("commands", i), f"two would command where {general_named(view, general)} stands; name one", rule="8.6"
            )
        else:
            named.add(group)


def _check_places(view: Game, generals: Sequence[str], at: Mapping[str, str]) -> Iterator[Fault]:
    """Yield what is wrong with the spaces of the new consuls (6.4.2)."""
    for general, space in at.items():
        path = ("at", general)
        if general not in generals:
            who, name = generals_named(view, generals), general_named(view, general)
            yield illegal(path, f"{name} is not one of the new consuls, who are {who}", rule="6.4.2")
        elif space not in view.board.spaces:
            yield illegal(path, no_such_space(view, space), rule="6.4.2")
        elif space not in (places := places_for(view, general)):
            reason = f"{_why_not_there(view, general, space)}; open to him are: {spaces_named(view, places)}"
            yield illegal(path, reason, rule="6.4.2")
    for general in generals:
        if general not in at:
            yield illegal(("at",), f"say where {general_named(view, general)} takes up his command", rule="6.4.2")


def _why_not_there(view: Game, general: str, space: str) -> str:
    """Say why a new consul cannot take up his command in a space (6.4.2, board)."""
    name, there, army = general_named(view, general), space_named(view, space), view.board.consular_army
    if not may_be_in(view, general, space):
        return f"{name} never leaves his part of the map, and {there} lies outside"
    if _besieged(view, space):
        return f"{there} is besieged, and {name} cannot come into it"
    cu = whole_cu(view, ROME, space)
    if cu < army and strong_stacks(view):
        return f"{name} goes to {army} CU or more, and there are {cu} in {there}"
    return f"no army of {army} CU is left, so {name} goes to Rome, not to {there}"


CONSUL_KINDS: Final = (
    Kind(
        "consuls",
        consuls_choices,
        check_consuls,
        hints="views.hints:consuls",
        bot="policy.answers:consuls",
        close_up="views.summary:nothing",
        places="views.summary:nowhere",
        is_last=once,
    ),
)

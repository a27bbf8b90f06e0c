"""Attrition, surrender and isolation: three phases in which units, spaces and markers are lost (5.5 to 5.7).

* The Attrition Phase rolls for each enemy space with CU of a power.
* The Surrender Phase puts PC markers where a power stands, and rolls for each siege.
* The Isolation Phase makes independent what is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import AllOf, Kind, Part, Some, Table
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.position.board import BOX, DIFFICULT, NORMAL, TRIBE, WALLED
from pbem.rules.sword_of_rome.position.changes import change_marker, lose, set_control, settle_spaces
from pbem.rules.sword_of_rome.position.naming import spaces
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.siege.siege import SiegeRoll, roll_siege, why_not_roll
from pbem.rules.sword_of_rome.turn.order_of_play import by_vp, decider, ranked, without_players

# ---- attrition (5.5)


def attrition(game: Game, table: Table) -> Flow[None]:
    """Roll for every force in an enemy space, independent ones included: powers without a player first (5.5).

    CU inside a friendly city are in a friendly space (option `besieged_attrition`), and so are all in an ally's (15.2).
    Only responses are left to choose, so those tied roll in the order of ties.
    """
    sides = [power for side in by_vp(game) for power in game.board.powers_of[side]]
    for power in [*without_players(game), *sides]:
        for space in sorted(game.forces[power]):
            if game.board.spaces[space].kind != BOX and not game.friendly(power, space):
                yield from _roll(game, table, power, space)
        for space in sorted(game.inside) if game.options["besieged_attrition"] else ():
            if game.control.get(space) == power:
                yield from _roll(game, table, power, space, inside=True)
    settle_spaces(game, table)
    game.phase = "surrender"


def _roll(game: Game, table: Table, power: str, space: str, *, inside: bool = False) -> Flow[None]:
    """Roll for what a power has in a space, or inside its city; who responds may have left nothing to roll for."""
    if not _there(game, power, space, inside).cu:
        return
    yield from responses.window(game, table, "attrition", about={"space": space, "power": power})
    cu = _there(game, power, space, inside).cu
    if not cu:
        return
    name = f"attrition/turn-{game.turn}/{power}/{space}" + ("/inside" if inside else "")
    roll = table.roll(name, rule="5.5", power=power, space=space, cu=cu)
    lost = lose(game, power, space, game.board.attrition(roll.faces[0], cu), inside=inside)
    table.tell("attrition", power=power, space=space, cu=lost, rule="5.5")


def _there(game: Game, power: str, space: str, inside: bool) -> Force:
    return game.garrison(power, space) if inside else game.force(power, space)


# ---- surrender (5.6, 13.1.3)


def surrender(game: Game, table: Table) -> Flow[None]:
    """Let all powers place markers and roll for their sieges, those without a player first (5.6)."""
    for power in without_players(game):
        if takeable(game, power) or rollable(game, power):
            side = yield from decider(game, table, power)
            yield from _surrender_to(game, table, side, power)
    for side in (yield from ranked(game, table)):
        for power in game.board.powers_of[side]:
            if takeable(game, power) or rollable(game, power):
                yield from _surrender_to(game, table, side, power)
    settle_spaces(game, table)
    game.phase = "isolation"


def _surrender_to(game: Game, table: Table, side: Side, power: str) -> Flow[None]:
    spaces, sieges = takeable(game, power), rollable(game, power)
    order = yield from table.ask(
        side,
        "surrender",
        rule="5.6",
        default={"place": spaces, "roll": sieges},
        power=power,
        places=spaces,
        sieges=sieges,
    )
    placed = [space for space in order["place"] if change_marker(game, table, power, space)]
    if placed:
        table.tell("surrendered", power=power, spaces=placed, rule="5.6")
    for space in order["roll"]:
        name = f"siege/turn-{game.turn}/surrender/{power}/{space}"
        yield from roll_siege(game, table, SiegeRoll(power, space, name, "13.1.3"))


def takeable(game: Game, power: str) -> list[str]:
    """Return the enemy normal spaces that a power occupies and whose marker it can change (5.6)."""
    return [
        space
        for space, force in sorted(game.forces[power].items())
        if force.cu and game.kind(space) == NORMAL and game.takes_marker(power, space)
        if not game.enemies_in(power, space)
    ]


def rollable(game: Game, power: str) -> list[str]:
    """Return the cities and tribes for which a power may roll in this phase (13.1.3)."""
    return [space for space in sorted(game.forces[power]) if why_not_roll(game, power, space) is None]


def surrender_choices(view: Game, decision: Decision) -> Part:
    """Return every choice of markers and rolls (5.6)."""
    markers, sieges = spaces(decision.facts["places"]), spaces(decision.facts["sieges"])
    return AllOf(
        Some("place", markers, 0, len(markers), of="space", says=("place", "take")),
        Some("roll", sieges, 0, len(sieges), of="space", says=("roll",)),
    )


def check_surrender(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield the spaces where no marker can be placed or no siege rolled for (5.6)."""
    for key, word, rule in (("place", "places", "5.6"), ("roll", "sieges", "13.1.3")):
        for i, space in enumerate(order[key]):
            if space not in decision.facts[word]:
                yield order.fault((key, i), f"{space} does not surrender to {decision.facts['power']}", rule=rule)


SURRENDER_KINDS: Final = (Kind("surrender", surrender_choices, check_surrender),)


# ---- isolation (5.7)


def remove_isolated(game: Game, table: Table) -> None:
    """Make the isolated markers independent: of powers without a player first, then by descending VP (5.7.2)."""
    players = [power for side in by_vp(game) for power in game.board.powers_of[side]]
    alone = [power.id for power in game.board.powers.values() if power.side is None]  # with CU or without
    for power in [*alone, *players]:
        lost = list(isolated(game, power))
        for space in lost:
            set_control(game, space, None)
        if lost:
            table.tell("isolated", power=power, spaces=lost, rule="5.7.1")
    game.phase = "scoring"


def isolated(game: Game, power: str) -> Iterator[str]:
    """Yield the markers of a power from which no path of friendly spaces leads to a source (5.7.1)."""
    for space in game.board.in_order(space for space, holder in game.control.items() if holder == power):
        if game.kind(space) == NORMAL and not supplied(game, power, space):
            yield space


def supplied(game: Game, power: str, space: str) -> bool:
    """Tell whether a path leads from a space to a friendly city, port, tribe, reinforcement space or CU (5.7.1).

    It goes over friendly spaces, and over enemy ones with friendly CU, but over no rough path and no strait.
    """
    seen: set[str] = set()
    found = [space]
    while found:
        at = found.pop()
        if at in seen:
            continue
        seen.add(at)
        if is_source(game, power, at):
            return True
        found.extend(
            to
            for to in game.board.neighbours[at]
            if game.board.path(power, at, to) not in DIFFICULT
            and (game.friendly(power, to) or game.friendly_cu(power, to))
        )
    return False


def is_source(game: Game, power: str, space: str) -> bool:
    """Tell whether a path may end in a space: friendly CU, or a friendly city, port, tribe or reinforcement space."""
    if game.friendly_cu(power, space):
        return True
    record = game.board.spaces[space]
    worth = game.kind(space) in (WALLED, TRIBE, BOX) or record.port or record.reinforcement
    return bool(worth) and game.friendly(power, space)

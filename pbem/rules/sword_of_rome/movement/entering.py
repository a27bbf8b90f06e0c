"""Entering a space: the reactions to an army that comes, in the printed order (9.3).

1. The owner of a city says who goes inside (9.3.1).
2. Interceptions and avoidance are declared, secret and at once, then rolled for (9.3.2, 10, 11).
3. Who was intercepted may go back (10.5.1).
4. The Etruscans may pay a bribe, before any card is played (7.2.2).
5. Caudine Forks and other responses (9.3.3).

The battle that follows is that of `march`. A leader without CU meets none of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from pbem.game import Table
from pbem.protocol import Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.movement import avoidance, cities, interception
from pbem.rules.sword_of_rome.movement.bribes import bribe
from pbem.rules.sword_of_rome.movement.orders import NONE
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.siege import place_marker

Avoidance: TypeAlias = tuple[Order, Force]
"""The order to avoid battle, and the part of the army that it has declared for it."""


class Met(NamedTuple):
    """What an army has met in a space: who has intercepted it, who tried to avoid it, and whether somebody has."""

    intercepted_by: str | None = None
    failed_avoidance: tuple[str, ...] = ()
    avoided: bool = False


def enter(game: Game, table: Table, name: str) -> Flow[Met]:
    """Let all react to the army under way in the space that it has entered (9.3); `name` goes into names of rolls."""
    march = game.the_march
    if not march.force.army:
        return Met()
    yield from cities.take_positions(game, table)
    declared, avoiding = yield from _declarations(game, table)
    by = yield from interception.intercept(game, table, declared, name)
    failed: list[str] = []
    avoided = False
    for power, (order, part) in avoiding.items():
        if (yield from avoidance.avoid(game, table, power, order, part, name)):
            avoided = True
        else:
            failed.append(power)
    settle_spaces(game, table)
    met = Met(by, tuple(failed), avoided)
    if by is not None and march.flanking is not None:
        march.caught_by, march.over = by, True
        return met
    return (yield from react(game, table, met, name))


def react(game: Game, table: Table, met: Met, name: str) -> Flow[Met]:
    """Do what follows interceptions and avoidance: refusal, bribe, responses (10.5.1, 7.2.2, 9.3.3)."""
    march = game.the_march
    by, space = met.intercepted_by, march.at
    away = by is not None and (yield from interception.refuse(game, table, by, name))
    away = away or ((yield from bribe(game, table)) and march.over)
    if away:
        if by is not None:
            place_marker(game, table, by, space)  # its army stands before an enemy city now, if there is one (13.1)
        return met
    enemies = [power for power in game.enemies_in(march.power, march.at) if march.at not in march.bribed]
    about = {"space": march.at, "power": march.power, "other": enemies[0] if enemies else None}
    yield from responses.window(game, table, "army_enters", about=about)
    return met


def _declarations(game: Game, table: Table) -> Flow[tuple[Mapping[str, Sequence[Any]], Mapping[str, Avoidance]]]:
    """Ask all at once who intercepts and who avoids battle, and return both by power (9.3.2)."""
    asked = yield from interception.questions(game, table)
    asked += yield from avoidance.questions(game, table)
    if not asked:
        return {}, {}
    orders = yield from table.ask_all(asked)
    declared: dict[str, Sequence[Any]] = {}
    avoiding: dict[str, Avoidance] = {}
    for decision, order in zip(asked, orders, strict=True):
        power = decision.facts["power"]
        if decision.kind == "intercept":
            declared[power] = order["with"]
        elif order["to"] != NONE:
            avoiding[power] = order, avoidance.declared(game, power, order)
    return declared, avoiding

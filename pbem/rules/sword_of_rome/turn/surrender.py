"""The Surrender Phase: PC markers where one stands, and a roll for each siege (5.6, 13.1.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from pbem.game import Kind, LegalOrders, Table, lazy, product
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.position.board import NORMAL
from pbem.rules.sword_of_rome.position.changes import change_marker, settle_spaces
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.siege import roll_siege, why_not_roll
from pbem.rules.sword_of_rome.turn.deciders import decider, without_players
from pbem.rules.sword_of_rome.turn.order_of_play import ranked


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
        yield from roll_siege(
            game, table, power, space, f"siege/turn-{game.turn}/surrender/{power}/{space}", rule="13.1.3"
        )


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


def surrender_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every choice of markers and rolls (5.6)."""

    def some(words: Sequence[str]) -> list[list[str]]:
        return [list(chosen) for size in range(len(words) + 1) for chosen in combinations(words, size)]

    def make(place: list[str], roll: list[str]) -> Order:
        return Order("surrender", {"place": place, "roll": roll})

    return lazy(lambda: product(make, some(decision.facts["places"]), some(decision.facts["sieges"])))


def check_surrender(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield the spaces where no marker can be placed or no siege rolled for (5.6)."""
    for key, word, rule in (("place", "places", "5.6"), ("roll", "sieges", "13.1.3")):
        for i, space in enumerate(order[key]):
            if space not in decision.facts[word]:
                yield order.fault((key, i), f"{space} does not surrender to {decision.facts['power']}", rule=rule)


SURRENDER_KINDS: Final = (Kind("surrender", surrender_orders, check_surrender),)

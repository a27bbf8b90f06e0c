"""Voyages: who sails with how many CU (9.6)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game


def capacity(game: Game, power: str, card: str, origin: str, to: str) -> int:
    """Return the CU that a power can carry between two ports with a card (9.6.3)."""
    found = [
        voyage.cu
        for voyage in game.board.voyages
        if voyage.power == power and voyage.value == value_of(game, card)
        if not voyage.ports or {origin, to} & {*voyage.ports}
        if voyage.holds is None or game.control.get(voyage.holds) == power
        if voyage.marker is None or game.mark(voyage.marker) is not None
    ]
    return max(found, default=0)


def sail(game: Game, table: Table, power: str, origin: str, to: str, force: Force, name: str) -> Flow[bool]:
    """Sail between two ports, and tell whether the force arrives (9.6.4)."""
    table.tell("sails", power=power, origin=origin, to=to, cu=force.cu, rule="9.6")
    return True
    yield

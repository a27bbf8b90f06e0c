"""The first player: Carthage names one each summer, and once for the winter in which the game begins (4.2)."""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table, once, one_of
from pbem.protocol import Flow
from pbem.rules.hannibal_italy.position.state import CARTHAGE, SIDES, Game


def name_first(game: Game, table: Table) -> Flow[bool]:
    """Let Carthage name the first player of the year (4.2 C)."""
    order = yield from table.ask(
        CARTHAGE, "first_player", rule="4.2", default={"side": CARTHAGE}, year=game.year, segment=game.segment
    )
    game.first = order["side"]
    table.tell("first_player", side=game.first, rule="4.2")
    return True


def first_of_all(game: Game, table: Table) -> Flow[bool]:
    """Settle who is first player in the winter of 218, which no phase of initiative comes before (4.2)."""
    if game.options["first_player_218"] == "named":
        return (yield from name_first(game, table))
    game.first = CARTHAGE
    return True


FIRST_PLAYER_KINDS: Final = (
    Kind("first_player", *one_of("side", SIDES), hints="views.hints:first_player", is_last=once),
)

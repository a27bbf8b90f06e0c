"""Who decides for a power: its side, or for a power without a player one of the sides (16.1)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.sword_of_rome.position.options import PERSON
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.order_of_play import fewest_vp


def is_friend(game: Game, side: Side, power: str) -> bool:
    """Tell whether a side leads a power or is allied with it by any of its own.

    With two players the other side of its person may count as well (option `player_decides`).
    """
    sides = game.board.seats_of(side) if game.options["player_decides"] == PERSON else (side,)
    return any(game.allied(own, power) for each in sides for own in game.board.powers_of[each])


def decider(game: Game, table: Table, power: str) -> Flow[Side]:
    """Return who decides for a power now (16.1).

    For a power without a player that is the side that has activated it. Out of its activation it is the side with the
    fewest VP that is not allied with the active player, nor the active player themselves (option
    `active_player_decides`). At the end of a turn it is the side with the fewest VP that is neither the power's natural
    victim nor allied with it (option `victim_decides`: nor in the Action Phase). A side that is bound to a power by a
    treaty decides everything for it (18).
    """
    side = game.board.powers[power].side
    if side is not None:
        return side
    if game.card is not None and game.card.power == power:
        return game.card.side
    guardian = game.guardian(power)
    if guardian is not None:
        return guardian
    victim, free = game.board.powers[power].victim, game.in_play
    if victim is not None and (game.activation is None or not game.options["victim_decides"]):
        free = [each for each in free if not is_friend(game, each, victim)]
    if game.activation is not None:
        active = game.activation.side
        own = game.board.powers_of[active]
        strangers = [each for each in free if not any(is_friend(game, each, one) for one in own)]
        free = [*strangers, active] if active in free and game.options["active_player_decides"] else strangers
    return (yield from fewest_vp(game, table, free or game.in_play, power))


def without_players(game: Game) -> list[str]:
    """Return the powers without a player that have CU, in the order of the board (16)."""
    return [
        power.id
        for power in game.board.powers.values()
        if power.side is None and any(force.cu for _, force in game.everywhere(power.id))
    ]

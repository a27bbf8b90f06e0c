"""Gallic events: with three players nobody leads the Gauls, and in their seat a table is rolled on in each round (5.4).

The event says who suffers; where is not chosen by anybody. A card with the sign cancels it, as a response that any side
may play, clockwise (7.1, 7.1.1).
"""

from __future__ import annotations

from typing import Final

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.support import remove, room_to_remove, settle_support
from pbem.rules.sword_of_rome.position.board import LEADER, WALLED, GallicEvent
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.order_of_play import by_vp

MOMENT: Final = "gallic_event"
LOYALTY: Final = "loyalty"
DICE: Final = 2


def is_due(game: Game) -> bool:
    """Tell whether the turn of the Gauls has come up in this round: all seated before them have been active (5.4)."""
    after = game.board.seats.events_after
    if not game.event_due or after is None or game.first is None:
        return False
    seats = game.board.sides
    at = seats.index(game.first)
    before = (*seats[at:], *seats[:at])
    return not {*before[: before.index(after) + 1]} & {*game.to_act}


def play(game: Game, table: Table) -> Flow[None]:
    """Roll for the Gallic event of the round, let all respond, and let it take place (5.4, 7.1.1)."""
    game.event_due = False
    roll = table.roll(f"gallic/turn-{game.turn}/round-{game.round}", DICE, rule="5.4")
    event = game.board.gallic_events[roll.total]
    power, space = victim(game, event)
    table.tell("gallic_event", name=event.name, power=power, space=space, rule="5.4")
    if power is None or space is None:
        return
    moment = yield from responses.window(game, table, MOMENT, about={"space": space, "other": power})
    if moment.cancelled:
        return
    remove(game, space)
    table.tell("gallic_event_lost", power=power, space=space, rule="7.3.3")
    yield from settle_support(game, table, [space])


def victim(game: Game, event: GallicEvent) -> tuple[str | None, str | None]:
    """Return the power and the space that an event strikes, the first on the map; None twice: it strikes nobody."""
    if event.of is None:
        return None, None
    powers = game.board.powers_of[by_vp(game)[0]] if event.of == LEADER else [event.of]
    for space in game.board.spaces:
        holder = game.control.get(space)
        if holder in powers and _strikes(game, event, space):
            return holder, space
    return None, None


def _strikes(game: Game, event: GallicEvent, space: str) -> bool:
    """Tell whether an event can take a marker, or a point of loyalty but not the last, in a space (7.3.3)."""
    if (game.kind(space) == WALLED) != (event.takes == LOYALTY) or not room_to_remove(game, space):
        return False
    return event.takes != LOYALTY or game.loyalty[space] > 1

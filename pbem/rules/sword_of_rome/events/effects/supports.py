"""Effects on support: points added and points removed (7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import LegalOrders, Refusal, Table, flat_map, lazy, multisets
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.events.conditions import in_words, is_meant
from pbem.rules.sword_of_rome.events.effects import Effect, Played, Told, Wrong, way
from pbem.rules.sword_of_rome.events.support import (
    add_all,
    remove,
    room_for,
    room_to_remove,
    rooms,
    settle_support,
    why_not_remove,
    wrong_additions,
)
from pbem.rules.sword_of_rome.position.naming import no_such_space, space_named
from pbem.rules.sword_of_rome.position.state import Game


def support_ways(view: Game, played: Played) -> LegalOrders:
    """List every way to add points of own support, one at least (7.3.1)."""
    return lazy(lambda: _spread("support", rooms(view, played.side), played.told))


def _spread(word: str, room: dict[str, int], most: int) -> LegalOrders:
    """List every way to name spaces for some points, fewest first."""
    return flat_map(lambda points: multisets(lambda spaces: way({word: spaces}), room, [points]), range(1, most + 1))


def check_additions(view: Game, played: Played, body: Told) -> Iterator[Wrong]:
    """Yield what is wrong with points of own support (7.3.1)."""
    spaces = body.get("support", ())
    if not spaces:
        if any(room_for(view, played.side, space) for space in view.board.spaces):
            yield ("support",), Refusal("say where support is added, a space for each point", "7.3.1")
        else:
            yield (), Refusal("you can add support nowhere", "7.3.1")
    if len(spaces) > played.told:
        yield ("support",), Refusal(f"the event has {played.told} points, not {len(spaces)}", "7.3.1")
    for at, refusal in wrong_additions(view, played.side, spaces):
        yield ("support", at), refusal


def add_by_event(game: Game, table: Table, played: Played, body: Told) -> Flow[None]:
    """Add points of own support (7.3.1)."""
    add_all(game, table, played.side, body["support"])
    return
    yield


def exposed(view: Game, played: Played) -> dict[str, int]:
    """Return the points that can be removed, by space: not those of full allies, nor one's own (7.3.3, 15.2.2)."""
    return {
        space: room
        for space in view.board.in_order(view.control)
        if _why_not_whose(view, played, space) is None and (room := room_to_remove(view, space))
    }


def _why_not_whose(view: Game, played: Played, space: str) -> Refusal | None:
    holder = view.control.get(space)
    if holder is None:
        return Refusal(f"nobody has support in {space_named(view, space)}", "7.3")
    if not is_meant(view, played.side, played.told["of"], holder):
        whom = in_words(view, played.told["of"])
        return Refusal(f"{space_named(view, space)} is not held by {whom}", "7.3.3")
    if view.full_ally(played.side, holder):
        return Refusal(f"{space_named(view, space)} is an ally's", "15.2.2")
    return None


def revolt_ways(view: Game, played: Played) -> LegalOrders:
    """List every way to remove a power's support, one point at least (7.3.3)."""

    return lazy(lambda: _spread("revolt", exposed(view, played), played.told["points"]))


def check_revolt(view: Game, played: Played, body: Told) -> Iterator[Wrong]:
    """Yield what is wrong with points of a power's support that are removed (7.3.3)."""
    spaces, points = body.get("revolt", ()), played.told["points"]
    if not spaces:
        if exposed(view, played):
            yield ("revolt",), Refusal("say where support is removed, a space for each point", "7.3.3")
        else:
            yield (), Refusal(f"no support of {in_words(view, played.told['of'])} can be removed", "7.3.3")
    if len(spaces) > points:
        yield ("revolt",), Refusal(f"the event has {points} points, not {len(spaces)}", "7.3.3")
    for at, space in enumerate(spaces):
        refusal = no_such_space(view, space) or _why_not_whose(view, played, space)
        refusal = refusal or why_not_remove(view, space, spaces[: at + 1].count(space))
        if refusal is not None:
            yield ("revolt", at), refusal


def rise_against(game: Game, table: Table, played: Played, body: Told) -> Flow[None]:
    """Remove points of a power's support; a city without loyalty falls to its besieger (7.3.3, 13.5)."""
    spaces = list(body["revolt"])
    for space in spaces:
        remove(game, space)
    table.tell("support_removed", side=played.side, spaces=spaces, rule="7.3.3")
    yield from settle_support(game, table, spaces)


EFFECTS_ON_SUPPORT: Final[Mapping[str, Effect]] = {
    "support": Effect(support_ways, check_additions, add_by_event),
    "revolt": Effect(revolt_ways, check_revolt, rise_against),
}

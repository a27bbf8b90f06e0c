"""Where new units may be placed (5.10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pbem.game import LegalOrders, Refusal, of, subsets
from pbem.protocol import Order
from pbem.rules.sword_of_rome.position.board import BOX, CARTHAGE, DIFFICULT, GARRISON_BOX, ROMANS, WALLED
from pbem.rules.sword_of_rome.position.naming import no_such_space, space_named
from pbem.rules.sword_of_rome.position.state import Game

T = TypeVar("T")


def eligible(game: Game, power: str) -> list[str]:
    """Return the spaces where a power may place new units, in the order of the board (5.10).

    They are friendly and without enemy CU, and connected by such spaces, over no rough path and no strait, with an
    own unbesieged home reinforcement space; for Rome with any city. Carthage and its allies connect by sea too.
    Carthage may place in the Garrison box (S 19.1).
    """
    seen: set[str] = set()
    found = [space for space in _sources(game, power) if _free(game, power, space)]
    by_sea = game.allied(power, CARTHAGE) and game.board.powers[CARTHAGE].side is not None
    while found:
        at = found.pop()
        if at in seen:
            continue
        seen.add(at)
        ways = [to for to in game.board.neighbours[at] if game.board.path(power, at, to) not in DIFFICULT]
        if by_sea and at in game.board.ports:
            ways += game.board.ports
        found.extend(to for to in ways if to not in seen and _free(game, power, to))
    if power == CARTHAGE:
        seen.add(GARRISON_BOX)
    return [space for space in game.board.spaces if space in seen and not _others_stand(game, power, space)]


def _others_stand(game: Game, power: str, space: str) -> bool:
    """Tell whether another power has CU in a space: powers do not stack (15.3, 16.2)."""
    return any(other != power and game.cu(other, space) for other in game.board.powers)


def sources(game: Game, power: str) -> list[str]:
    """Return the reinforcement spaces that bring a power CU: its own home ones, controlled and unbesieged (5.10.1).

    For Rome they are all its walled cities.
    """
    if power == ROMANS:
        return [space for space in game.board.spaces if space in game.cities(ROMANS) and not game.besieged(space)]
    return [
        space
        for space in game.board.homes[power]
        if game.board.spaces[space].reinforcement and game.control.get(space) == power and not game.besieged(space)
    ]


def _sources(game: Game, power: str) -> list[str]:
    boxes = [space for space in game.board.homes[power] if game.board.spaces[space].kind == BOX and power != CARTHAGE]
    return [*sources(game, power), *boxes]


def _free(game: Game, power: str, space: str) -> bool:
    """Tell whether a space is friendly, not besieged, and without enemy CU (5.10, 13.3)."""
    besieged = game.kind(space) == WALLED and game.besieged(space)
    return game.friendly(power, space) and not besieged and not game.enemies_in(power, space)


def why_not_place(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot place new units in a space; None: it can (5.10)."""
    unknown = no_such_space(game, space)
    if unknown is not None or space in eligible(game, power):
        return unknown
    if not game.friendly(power, space):
        return Refusal(f"{space_named(game, space)} is not friendly to {game.board.powers[power].name}", "5.10")
    where, who = space_named(game, space), game.board.powers[power].name
    return Refusal(
        f"no friendly spaces lead from a reinforcement space of {who} to {where}, or enemies are there", "5.10"
    )


def handfuls(make: Callable[[Mapping[T, int]], Order], places: Sequence[T], cu: int) -> LegalOrders:
    """Return `make(place)` for every way to put some CU into places; each is made only when it is looked at."""
    if not places:
        return of([])

    def place(picked: list[int]) -> Order:
        return make(Counter(places[at - i] for i, at in enumerate(picked)))

    return subsets(place, range(len(places) + cu - 1), [cu])

"""Where new units may be placed (5.10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from pbem.game import LegalOrders, Refusal, of, subsets
from pbem.protocol import Order
from pbem.rules.sword_of_rome.position.board import BOX, CARTHAGE, GARRISON_BOX, ROMANS, WALLED
from pbem.rules.sword_of_rome.position.naming import no_such_space, space_named
from pbem.rules.sword_of_rome.position.state import Game

T = TypeVar("T")


def eligible(game: Game, power: str) -> list[str]:
    """Return the spaces where a power may place new units, in the order of the board (5.10).

    They are friendly and without enemy CU, and connected by such spaces, over no rough path and no strait, with an
    own unbesieged home reinforcement space; for Rome with any city. Carthage and its allies connect by sea too.
    Carthage may place in the Garrison box (S 19.1), and without a player never in Italy (16.3). The rebels have no
    home: new ones join those who are there (S 5.10.1).
    """
    board = game.board
    if not board.homes[power]:
        return board.in_order(game.stands(power))
    friends = {other for other in board.powers if game.allied(power, other)}
    free = {space for space, holder in game.control.items() if holder in friends}
    free.difference_update(space for space in game.sieges if game.kind(space) == WALLED)
    taken = {space for space, force in game.inside.items() if force.cu and game.control.get(space) != power}
    for other in board.powers:
        if other != power:
            there = game.stands(other)
            taken |= there
            if other not in friends:
                free -= there
    sails = CARTHAGE in friends and CARTHAGE not in game.fallen
    found = [space for space in _sources(game, power) if space in free]
    seen = set(found)
    free -= seen
    while found:
        at = found.pop()
        new = free.intersection(board.by_land[power][at])
        if sails and board.spaces[at].port:
            new |= free.intersection(game.harbours(power))
            sails = False  # the first port reaches all the others
        seen |= new
        free -= new
        found += new
    if power == CARTHAGE and GARRISON_BOX in board.spaces:
        seen.add(GARRISON_BOX)
    seen -= board.powers[power].barred
    return board.in_order(seen - taken)  # powers do not stack (15.3, 16.2)


def sources(game: Game, power: str) -> list[str]:
    """Return the reinforcement spaces that bring a power CU: its own home ones, controlled and unbesieged (5.10.1).

    For Rome they are all its walled cities.
    """
    if power == ROMANS:
        cities = {*game.cities(ROMANS)}
        return [space for space in game.board.spaces if space in cities and not game.besieged(space)]
    return [
        space
        for space in game.board.homes[power]
        if game.board.spaces[space].reinforcement and game.control.get(space) == power and not game.besieged(space)
    ]


def _sources(game: Game, power: str) -> list[str]:
    boxes = [space for space in game.board.homes[power] if game.board.spaces[space].kind == BOX and power != CARTHAGE]
    return [*sources(game, power), *boxes]


def wrong_places(game: Game, power: str, spaces: Iterable[str]) -> Iterator[tuple[str, Refusal]]:
    """Yield the spaces of a list in which a power cannot place new units, and why (5.10)."""
    open_to = eligible(game, power)
    who = game.board.powers[power].name
    for space in spaces:
        unknown, where = no_such_space(game, space), space_named(game, space)
        if unknown is not None:
            yield space, unknown
        elif space not in open_to and not game.friendly(power, space):
            yield space, Refusal(f"{where} is not friendly to {who}", "5.10")
        elif space not in open_to:
            reason = f"no friendly spaces lead from a reinforcement space of {who} to {where}, or enemies are there"
            yield space, Refusal(reason, "5.10")


def why_not_place(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot place new units in a space; None: it can (5.10)."""
    return next((refusal for _, refusal in wrong_places(game, power, [space])), None)


def handfuls(make: Callable[[Mapping[T, int]], Order], places: Sequence[T], cu: int) -> LegalOrders:
    """Return `make(place)` for every way to put some CU into places; each is made only when it is looked at."""
    if not places:
        return of([])

    def place(picked: list[int]) -> Order:
        return make(Counter(places[at - i] for i, at in enumerate(picked)))

    return subsets(place, range(len(places) + cu - 1), [cu])

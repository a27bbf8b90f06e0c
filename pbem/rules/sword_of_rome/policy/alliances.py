"""The bot's alliances: one at a time, with a side that does not lead (15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.events.alliances import why_not_propose
from pbem.rules.sword_of_rome.policy.worth import PAIR, chief, worth
from pbem.rules.sword_of_rome.position.board import NORMAL
from pbem.rules.sword_of_rome.position.state import Game

MOST_ALLIES: Final = 1
"""Allies whom the bot wants at a time: with more there is nobody left to take anything from."""
DEAREST: Final = 5.0
"""The prey for which an alliance is refused."""
RAIDED: Final = 0.5
"""A space that can be raided, as prey."""
LAST: Final = 4
"""Turns before the end from which nobody is bound any more."""


def partners(view: Game, side: Side) -> set[Side]:
    """Return the other sides that are allied with one, by any power; the other one of its person is not counted."""
    own, seats = view.board.powers_of[side], view.board.seats_of(side)
    found = set()
    for pair in view.alliances:
        one, other = pair.split("+")
        for ours, theirs in ((one, other), (other, one)):
            record = view.board.powers[theirs]
            if ours in own and record.side is not None and record.side not in seats:
                found.add(record.side)
    return found


def at_war(view: Game, side: Side, other: Side) -> bool:
    """Tell whether a side besieges a city or tribe of another."""
    return any(
        siege.by in view.board.powers_of[side] and view.control.get(space) in view.board.powers_of[other]
        for space, siege in view.sieges.items()
    )


def prey(view: Game, side: Side, other: Side) -> float:
    """Return what a side could still take from another: the worth of victory spaces near by, and what it can raid."""
    raided = sum(
        RAIDED
        for power in view.board.powers_of[side]
        if view.board.powers[power].raids
        for space in view.control
        if view.kind(space) == NORMAL and view.control[space] in view.board.powers_of[other]
        if any(view.board.spaces[to].home == power for to in view.board.neighbours[space])
    )
    return raided + sum(
        worth(view, power, space.id)
        for power in view.board.powers_of[side]
        for space in view.board.spaces.values()
        if space.victory and view.control.get(space.id) in view.board.powers_of[other]
        if any(to in view.control and view.control[to] == power for to in view.board.neighbours[space.id])
    )


def proposals(view: Game, side: Side) -> Iterator[Order]:
    """Yield a proposal in the first round of a turn to whom it costs least not to attack, if he does not lead.

    The other side of one's own person comes before all.
    """
    yield from _within(view, side)
    if (
        len(view.board.seats.persons) == PAIR
        or view.round != 1
        or view.turn >= view.last_turn - LAST
        or len(partners(view, side)) >= MOST_ALLIES
    ):
        return
    if view.the_activation.proposed or view.the_activation.played:
        return
    first = chief(view, side)
    free = [
        other
        for other in view.in_play
        if other not in (*view.board.seats_of(side), first) and len(partners(view, other)) < MOST_ALLIES
        if not at_war(view, side, other) and not at_war(view, other, side)
    ]
    for other in sorted(free, key=lambda each: (prey(view, side, each), each)):
        for power in view.board.powers_of[side]:
            for to in view.board.powers_of[other]:
                if why_not_propose(view, power, to) is None:
                    yield Order("act", {"do": "propose", "power": power, "to": to})
                    return


def _within(view: Game, side: Side) -> Iterator[Order]:
    """Yield the alliances that can be proposed to the other side of one's own person."""
    for other in view.board.seats_of(side):
        for power in view.board.powers_of[side]:
            for to in view.board.powers_of[other]:
                if other != side and why_not_propose(view, power, to) is None:
                    yield Order("act", {"do": "propose", "power": power, "to": to})


def best_answer(view: Game, decision: Decision) -> Iterator[Order]:
    """Accept an alliance of who does not lead, if no other binds the side (15.1)."""
    side = decision.side
    other = view.board.powers[decision.facts["power"]].side
    assert other is not None
    bound = (
        len(view.board.seats.persons) == PAIR
        or len(partners(view, side)) >= MOST_ALLIES
        or prey(view, side, other) > DEAREST
    )
    own = other in view.board.seats_of(side)
    willing = own or (other != chief(view, side) and not bound and not at_war(view, side, other))
    yield Order("alliance", {"accept": willing})


def best_renewal(view: Game, decision: Decision) -> Iterator[Order]:
    """Renew an alliance with who does not lead, until the game is nearly over (5.9, 15.4)."""
    other = view.board.powers[decision.facts["ally"]].side
    own = other in view.board.seats_of(decision.side)
    duel = len(view.board.seats.persons) == PAIR
    willing = own or (not duel and other != chief(view, decision.side) and view.turn < view.last_turn - LAST)
    yield Order("renew", {"renew": willing})

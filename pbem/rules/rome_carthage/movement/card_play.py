"""The card on the table: how far it lets generals and units move, and who has finished moving (8.2, 8.4.1).

A campaign card moves two or three generals one after another, and units that one of them has brought some way may be
carried on by the next. So the points left to each CU that it has moved are kept, by space: CU not counted there are
rested. Which CU they are makes no difference; elephants and others are not told apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pbem.protocol import Side
from pbem.rules.rome_carthage.orders import CardUse
from pbem.rules.rome_carthage.position.state import Game
from pbem.rules.rome_carthage.position.under_way import Besiegers, CardPlay, March, Stack
from pbem.rules.rome_carthage.siege.walls import pool, whole_cu

OPERATIONS: Final = "operations"
EVENT: Final = "event"
CAMPAIGN: Final = "campaign"
FORCE_MARCH: Final = "force_march"


def march_type(game: Game, play: CardUse | None = None) -> str:
    """Return the type of a march: operations, campaign or force_march (7.3, 8.1, 8.2).

    An order that names a card marches on it, any other on the card on the table.
    """
    if play is not None:
        card, use = play.card, play.use
    elif game.card is not None:
        card, use = game.card.card, game.card.use
    else:
        return OPERATIONS
    return game.board.cards[card].type if use == EVENT else OPERATIONS


def allowance(game: Game, general: str, kind: str) -> int:
    """Return the movement points of a general: six by a Force March, and for Nero by a campaign card (8.2, 8.4.1).

    Those for which a campaign card has carried him along already are spent.
    """
    movement = game.board.movement
    if kind == FORCE_MARCH:
        return movement.force_march
    if kind == CAMPAIGN:
        most = game.board.generals[general].campaign_movement or movement.points
        return max(0, most - ridden(game, general))
    return movement.points


def played_with(game: Game, event: str) -> bool:
    """Tell whether the card on the table is played for operations that its own event goes with (7.2)."""
    card = game.card
    if card is None or card.use != OPERATIONS:
        return False
    record = game.board.cards[card.card]
    return record.event == event and record.event_of(card.side)


def opened_by_traitor(game: Game, space: str) -> bool:
    """Tell whether the card on the table opens the gates of a city to an army that besieges it (card 18)."""
    if not played_with(game, "traitor"):
        return False
    card = game.the_card
    about = game.board.cards[card.card].about
    return about["space"] == space and game.stack(card.side, space).cu >= about["cu"]


def siege_modifier(game: Game, general: str) -> int:
    """Return what a general who conducts a siege adds to the roll: Marcellus, moved by a campaign card (board)."""
    moved = march_type(game) == CAMPAIGN and general in game.the_march.brought
    return game.board.generals[general].siege_in_campaign if moved else 0


def siege_dice(game: Game, general: str) -> int:
    """Return the dice of a siege: two for treachery within the city, or for Africanus on a Force March (card 54)."""
    if played_with(game, "treachery"):
        return game.board.cards[game.the_card.card].about["dice"]
    moved = march_type(game) == FORCE_MARCH and general in game.the_march.brought
    return game.board.generals[general].siege_dice_in_force_march if moved else 1


# ---- who can go no further (8.4.1)


def _card_of(game: Game, side: Side) -> CardPlay | None:
    """Return the card on the table if it is a side's own."""
    return game.card if game.card is not None and game.card.side == side else None


def resting(game: Game, side: Side) -> Sequence[str]:
    """Return the generals of a side whom the card on the table moves no more (8.1)."""
    card = _card_of(game, side)
    return card.moved if card is not None else ()


def walked(game: Game, side: Side, space: str) -> Sequence[int]:
    """Return the points left to each CU in a space that the card on the table has moved, the least first (8.4.1)."""
    card = _card_of(game, side)
    return sorted(card.walked.get(space, ())) if card is not None and card.walked else ()


def exhausted(game: Game, side: Side, space: str) -> int:
    """Return how many CU in a space the card on the table moves no more (8.4.1)."""
    return sum(left < 1 for left in walked(game, side, space))


def picked(legs: Sequence[int], total: int, cu: int) -> list[int]:
    """Return the points left to CU that have already moved, if some CU leave a stack: rested ones go first (8.4.1).

    >>> picked([1, 2, 3], 5, 3)
    [3]
    """
    count = max(0, cu - max(0, total - len(legs)))
    return sorted(legs)[len(legs) - count :] if count else []


def legs_at_start(game: Game, side: Side, space: str, cu: int) -> list[int]:
    """Return the points left to CU of a force that can go less far than its general (8.4.1)."""
    if game.march is not None:
        return list(game.march.legs)
    legs = walked(game, side, space)
    return picked(legs, pool(game, side, space).cu, cu) if legs else []


def taken(game: Game, side: Side, space: str, total: int, cu: int) -> list[int]:
    """Return the points left to each CU that a campaign card picks up in a space (8.4.1).

    Units picked up are limited to the usual points, whoever leads them.
    """
    legs = picked(walked(game, side, space), total, cu)
    return [game.board.movement.points] * (cu - len(legs)) + legs


def ridden(game: Game, general: str) -> int:
    """Return the points for which the card on the table has carried a general along with others (8.4.1)."""
    card = game.card
    return card.ridden.get(general, 0) if card is not None and card.ridden else 0


def points_to_ride(game: Game, general: str) -> int:
    """Return how far a general can go whom another carries along: as far as units, in one campaign (8.4.1)."""
    return max(0, game.board.movement.points - ridden(game, general))


def picked_up(game: Game, generals: Sequence[str]) -> dict[str, int]:
    """Return the points left to each general whom a campaign card picks up on the way (8.4.1)."""
    if game.options["carried_generals"] == "free":
        return {}
    return {general: points_to_ride(game, general) for general in generals}


def riders_at_start(game: Game, companions: Sequence[str]) -> dict[str, int]:
    """Return the points left to those companions of a force who can go less far than its general (8.4.1)."""
    if game.march is not None:
        return dict(game.march.riders)
    return {general: points_to_ride(game, general) for general in companions if ridden(game, general)}


def points_left(march: March) -> int:
    """Return the points left to a force: those of its general, or of who can go least far with him (8.4.1)."""
    return min([march.points, *march.legs, *march.riders.values()])


def note_arrival(game: Game, side: Side, space: str, legs: Sequence[int]) -> None:
    """Note the points left to CU that a campaign card has brought to a space (8.4.1)."""
    card = _card_of(game, side)
    if card is not None and legs:
        card.walked[space] = sorted([*card.walked.get(space, ()), *legs])


def note_departure(game: Game, side: Side, space: str, legs: Sequence[int]) -> None:
    """Forget CU that have moved on from a space (8.4.1)."""
    card = _card_of(game, side)
    if card is not None and legs:
        stay = list(card.walked[space])
        for left in legs:
            stay.remove(left)
        if stay:
            card.walked[space] = stay
        else:
            del card.walked[space]


def riders_left(game: Game, march: March) -> int:
    """Return the points left to those who have come all the way with a general, once they part from him (8.4.1)."""
    return max(0, game.board.movement.points - _spent(game, march))


def _note_riders(game: Game, march: March, generals: Sequence[str]) -> None:
    """Note how far a campaign card has carried generals who part from the one who leads them, or stop (8.4.1)."""
    if game.options["carried_generals"] == "free":
        return
    for general in generals:
        left = march.riders.pop(general, None)
        if general != march.general:
            spent = _spent(game, march) if left is None else game.board.movement.points - left
            if spent:
                game.the_card.ridden[general] = spent


def _spent(game: Game, march: March) -> int:
    """Return the points that a general has spent on his march; what Bad Weather took off he has not (8.4.1)."""
    return allowance(game, march.general, march_type(game)) - march.cut - march.points


def legs_of(game: Game, march: March) -> list[int]:
    """Return the points left to each CU of a force once it parts from its general (8.4.1)."""
    if march.halted:
        return [0] * march.force.cu
    legs = sorted(march.legs)[: march.force.cu]
    return legs + [riders_left(game, march)] * (march.force.cu - len(legs))


def note_exchange(game: Game, march: March, stack: Stack, part: Stack, drops: bool) -> None:
    """Note the points left to CU and generals that a march on a campaign card drops or picks up (8.4.1).

    Those who can go least far are dropped first, and the rested ones taken up first.
    """
    if march_type(game) != CAMPAIGN:
        return
    side, space, cu = march.side, march.at, part.cu
    if drops:
        _note_riders(game, march, part.generals)
        legs = sorted(march.legs)[: march.force.cu]
        note_arrival(game, side, space, legs[:cu] + [riders_left(game, march)] * (cu - len(legs)))
        march.legs = legs[cu:]
    else:
        march.riders |= picked_up(game, part.generals)
        march.legs += taken(game, side, space, stack.cu, cu)
        note_departure(game, side, space, picked(walked(game, side, space), stack.cu, cu))


def note_stop(game: Game, march: March, stack: Stack) -> None:
    """Note who has come to a stop, or to a battle, and how far a campaign card still moves the units (8.4.1).

    `stack` is all that stands where they joined it, the force among it.
    """
    march.brought = list(march.force.generals)
    if march_type(game) != CAMPAIGN:
        return
    if march.fought:
        others = whole_cu(game, march.side, march.at) - march.force.cu
        march.idle = taken(game, march.side, march.at, others, game.garrison(march.side, march.at).cu)
    note_arrival(game, march.side, march.at, legs_of(game, march))
    _note_riders(game, march, march.force.generals)
    if march.halted:
        _stand_down(game, march.force.generals)
    if march.fought:
        _stand_down(game, stack.generals)
        march.stood = dict(_own_cu(game, march.side))


def note_sortie(game: Game, march: March, force: Stack) -> None:
    """Note that part of a garrison has come out to join the battle of a march: those who can go least far (8.4.1).

    Who stays inside has not fought, and may still be moved (V 10.11, 20.7).
    """
    if march_type(game) == CAMPAIGN:
        _stand_down(game, force.generals)
        march.idle = sorted(march.idle)[force.cu :]


def note_outcome(game: Game, march: March, besiegers: Besiegers | None) -> None:
    """End the move of everybody who was in a battle or a siege roll on a campaign card (8.4.1).

    Who stayed inside a city was in no battle before it (V 20.7). A subordinate who besieges ends his own move and that
    of his units only: those with the fewest points left (V 20.3).
    """
    if march_type(game) != CAMPAIGN:
        return
    standing = _own_cu(game, march.side)
    walked = game.the_card.walked
    if march.fought:
        for space, cu in standing.items():
            note_arrival(game, march.side, space, [0] * (cu - march.stood.get(space, 0)))
    there = standing.get(march.at, 0)
    if besiegers is not None and besiegers.cu is not None:
        _stand_down(game, [besiegers.general])
        walked[march.at] = [0] * besiegers.cu + sorted(walked.get(march.at, ()))[besiegers.cu :]
    elif besiegers is not None:
        _stand_down(game, game.stack(march.side, march.at).generals)
    if march.fought or (besiegers is not None and besiegers.cu is None):
        walked[march.at] = [0] * (there - len(march.idle))
        walked[march.at] += [left for left in march.idle if left < game.board.movement.points]
    for space in list(walked):
        walked[space] = sorted(walked[space])[: standing.get(space, 0)]
        if not walked[space]:
            del walked[space]


def _stand_down(game: Game, generals: Sequence[str]) -> None:
    moved = game.the_card.moved
    moved += [general for general in generals if general not in moved]


def _own_cu(game: Game, side: Side) -> Mapping[str, int]:
    """Return how many CU a side has in each space, in the open and in its cities (2)."""
    found = {space: stack.cu for space, stack in game.stacks[side].items()}
    for space, inside in game.garrisons.items():
        if game.control.get(space) == side:
            found[space] = found.get(space, 0) + inside.cu
    return found

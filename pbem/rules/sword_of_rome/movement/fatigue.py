"""Points that units have used in a Campaign: with both commanders none goes farther than with one (9.5.2)."""

from __future__ import annotations

from typing import Final

from pbem.game import Refusal, counted, plain
from pbem.rules.sword_of_rome.position.board import DESPERATE_VALUE
from pbem.rules.sword_of_rome.position.state import Force, Game, March

CAMPAIGN: Final = "campaign"
DONE: Final = 99
"""The points of units that have fought, besieged, refused battle or failed to pursue: they go nowhere else."""


def points_of(game: Game, power: str) -> int:
    """Return the movement points of a leader of a power: by the value of the card, without a player as by a 3 (9.2)."""
    record = game.board.powers[power]
    value = game.card.value if game.card is not None and record.side is not None else DESPERATE_VALUE
    return record.points[value - 1]


def points_left(game: Game, march: March) -> int:
    """Return the points of the force under way, fewer if it has units who moved before in a Campaign (9.5.2).

    With units that are done they are fewer than none.
    """
    if game.card is None or game.card.use != CAMPAIGN:
        return march.points
    used = [*march.legs, *(game.card.riders.get(leader, 0) for leader in march.force.leaders)]
    return min(march.points, points_of(game, march.power) + march.further - max(used, default=0))


def why_too_far(game: Game, march: March, way: str, cost: int, rule: str) -> Refusal | None:
    """Say why the force under way has not the points for a way; None: it has them (9.2, 9.5.2)."""
    left = points_left(game, march)
    if cost <= left:
        return None
    takes = f"{way} takes {counted(cost, 'movement point')}"
    if left < march.points:
        return Refusal(f"{takes}; {max(left, 0)} are left to units that this Campaign has moved before", "9.5.2")
    return Refusal(f"{takes}; {left} are left", rule)


def rested(game: Game, power: str, space: str) -> int:
    """Return the CU of a power in a space that are not done in this Campaign (9.5.2)."""
    cu = game.force(power, space).cu
    if game.card is None or game.card.use != CAMPAIGN:
        return cu
    return max(0, cu - sum(used >= DONE for used in game.card.legs.get(space, [])))


def exhausted(game: Game) -> list[str]:
    """Return the leaders who are done in this Campaign (9.5.2)."""
    return [leader for leader, used in game.card.riders.items() if used >= DONE] if game.card is not None else []


def legs_with(game: Game, march: March, space: str, there: int, cu: int) -> list[int]:
    """Return the points used by each CU under way, if CU joined it of those that stand in a space: the freshest."""
    if game.card is None or game.card.use != CAMPAIGN:
        return []
    return [*march.legs, *_by_fatigue(game.card.legs.get(space, []), there)[:cu]]


def setting_out(game: Game, march: March, force: Force) -> March:
    """Return the march of the active leader as it would be with a force that sets out from where he is."""
    trial = march.as_if(force)
    trial.legs = legs_with(game, march, march.at, game.force(march.power, march.at).cu, force.cu)
    trial.points = points_left(game, trial)
    return trial


def legs_without(march: March, cu: int) -> list[int]:
    """Return the points used by each CU under way, if CU left it: those who have used the most."""
    return sorted(march.legs)[: max(0, len(march.legs) - cu)]


def _by_fatigue(used: list[int], there: int) -> list[int]:
    """Return the points used by each CU in a space, the freshest first, with those who have used none."""
    return sorted([*used, *[0] * (there - len(used))])


def set_off(game: Game, march: March, space: str, there: int, cu: int) -> None:
    """Note that CU join the force under way, of those that stood in a space: the freshest."""
    if game.card is None or game.card.use != CAMPAIGN:
        return
    march.legs = legs_with(game, march, space, there, cu)
    game.card.legs[space] = [used for used in _by_fatigue(game.card.legs.get(space, []), there)[cu:] if used]


def stay(game: Game, march: March, part: Force) -> None:
    """Note that a part of the force under way stays where it is: the CU who have used the most points.

    A part of a force that has done all that it can is done too.
    """
    if game.card is None or game.card.use != CAMPAIGN:
        return
    kept = legs_without(march, part.cu)
    used = [DONE] * part.cu if march.fought else sorted(march.legs)[len(kept) :]
    game.card.legs[march.at] = [*game.card.legs.get(march.at, []), *(each for each in used if each)]
    if march.fought:
        game.card.riders |= dict.fromkeys(part.leaders, DONE)
    march.legs = kept


def spend(game: Game, march: March, points: int) -> None:
    """Take points off the force under way, and note them for each of its units in a Campaign."""
    march.points -= points
    if game.card is None or game.card.use != CAMPAIGN:
        return
    march.legs = [used + points for used in march.legs]
    for leader in march.force.leaders:
        game.card.riders[leader] = game.card.riders.get(leader, 0) + points


def exhaust(game: Game, march: March, space: str, force: Force) -> None:
    """Note that a force that stands in a space has done all that it can in this Campaign (9.5.2).

    Where it has joined others after a battle, as many CU are done as have fought.
    """
    if game.card is not None and game.card.use == CAMPAIGN:
        there = game.force(march.power, space).cu
        done = min(there, force.cu)
        others = _by_fatigue(game.card.legs.get(space, []), there)[: there - done]
        game.card.legs[space] = [*others, *[DONE] * done]
        game.card.riders |= dict.fromkeys([march.leader, *force.leaders], DONE)
        march.legs = []


def on_trial(view: Game) -> Game:
    """Return a position in which a march can be tried: what its units use in a Campaign is noted on a copy (9.5.2)."""
    card = view.card
    if card is None or card.use != CAMPAIGN:
        return view
    trial = plain.twin(view)
    trial.card = plain.twin(card)
    trial.card.legs, trial.card.riders = dict(card.legs), dict(card.riders)
    return trial

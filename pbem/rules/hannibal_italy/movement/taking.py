"""What leaders take along on a march: their own units, those without a leader, those of leaders who stay (7.2, 7.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbem.protocol import Fault, Order, Path, Side
from pbem.rules.hannibal_italy.movement.paths import meant
from pbem.rules.hannibal_italy.position.forces import SLAVES, Units, added, covers, loose_inside, sp, taken
from pbem.rules.hannibal_italy.position.leadership import has_legion
from pbem.rules.hannibal_italy.position.stacking import may_lead, too_many
from pbem.rules.hannibal_italy.position.state import UNSEEN, Game

ALL: Final = "all"
ALONE: Final = "alone"
"""How a leader without units moves."""


@dataclass(frozen=True, slots=True)
class Taker:
    """A leader of an order with the units that he wants, and where the order says so."""

    leader: str
    units: Mapping[str, int] | str | None
    """None: what is with him; `all`: whatever he may lead of what is at hand."""
    at: Path
    units_at: Path


@dataclass(slots=True)
class Shares:
    """Who would have which units when a march begins."""

    units: dict[str, Units] = field(default_factory=dict)
    """Leader -> his units, also of those who stay."""
    free: Units = field(default_factory=dict)
    """Units without a leader that could go along and do not."""
    faults: list[Fault] = field(default_factory=list)


def takers(order: Order) -> list[Taker]:
    """Return the leaders of an order, the one who leads first, each with what he is to take."""
    found = [Taker(order["leader"], order.get("units"), ("leader",), ("units",))]
    for at, other in enumerate(order.get("with", [])):
        if isinstance(other, Mapping):
            path = ("with", at)
            found.append(Taker(other["leader"], other.get("units"), (*path, "leader"), (*path, "units")))
        else:
            found.append(Taker(other, None, ("with", at), ("with", at)))
    return found


def may_set_out(game: Game, leader: str) -> tuple[str, str] | None:
    """Say why a leader may not move, and by which rule; None: he may (7.1, 7.6, 9.71, 10.2)."""
    record = game.leaders[leader]
    if leader in game.moved:
        return "has moved", "7.1"
    if leader in game.held:
        return "did not get away", "7.6"
    if record.inside and game.besieged(record.at) is not None:
        return "is besieged", "9.71"
    if not has_legion(game, leader, record.units) and UNSEEN not in record.units and not _can_take(game, leader):
        return "has no legion with him", "10.2"
    return None


def ready_to_march(game: Game, side: Side) -> list[str]:
    """Return the leaders of a side who may still move in this phase (7.1)."""
    return [leader for leader in game.on_map(side) if may_set_out(game, leader) is None]


def _can_take(game: Game, leader: str) -> bool:
    """Tell whether there are units in a leader's hex with which he could move (10.2)."""
    side, hex = game.card(leader).side, game.leaders[leader].at
    others = [each for each in game.leaders_at(side, hex) if each != leader and game.leaders[each].units]
    if not others and not game.loose[side].get(hex):
        return False
    pool = at_hand(game, leader)
    return has_legion(game, leader, {unit: count for unit, count in pool.items() if may_lead(game, leader, unit)})


def without_leader(game: Game, leader: str) -> Units:
    """Return units in a leader's hex that have none: not those left there on the way, nor the besieged (7.2, 9.71)."""
    record, side = game.leaders[leader], game.card(leader).side
    besieged = game.besieged(record.at) is not None and loose_inside(game, side, record.at) != record.inside
    if besieged:
        return {}
    return taken(game.loose[side].get(record.at, {}), game.dropped.get(record.at, {}))


def who_stays(game: Game, together: Sequence[str]) -> list[str]:
    """Return the leaders who are with those who march, have not marched themselves, and could give units (7.2)."""
    first = game.leaders[together[0]]
    side = game.card(together[0]).side
    walled = game.besieged(first.at) is not None
    return [
        leader
        for leader in game.leaders_at(side, first.at, inside=first.inside if walled else None)
        if leader not in together and leader not in game.moved and leader not in game.held
    ]


def share_out(game: Game, order: Order, going: Sequence[Taker]) -> Shares:
    """Return what each leader of an order would have, and what is wrong with it (7.2, 7.8, 10.2, 10.6).

    Where nobody names units all have what they had, and nobody else is looked at.
    """
    shares, staying = Shares({taker.leader: game.leaders[taker.leader].units for taker in going}), list[str]()
    if take_some(going):
        staying = who_stays(game, [taker.leader for taker in going])
        shares.units |= {each: game.leaders[each].units for each in staying}
        shares.free = without_leader(game, going[0].leader)
    for taker in going:
        _take(game, order, taker, staying, shares)
    if shares.free and not shares.faults and may_not_stay(game, going[0].leader):
        shares.faults.append(
            order.fault(going[0].units_at, "nobody goes into a besieged city; take all along", rule="9.71")
        )
    return shares


def may_not_stay(game: Game, leader: str) -> bool:
    """Tell whether units that a leader left where he is would be in a besieged city, which he relieves (7.6, 9.71)."""
    record = game.leaders[leader]
    besieged = game.besieged(record.at) is not None and not record.inside
    return besieged and loose_inside(game, game.card(leader).side, record.at)


def take_some(going: Sequence[Taker]) -> bool:
    """Tell whether anybody names units: if nobody does, all march with what they have."""
    return any(taker.units is not None for taker in going)


def _take(game: Game, order: Order, taker: Taker, staying: Sequence[str], shares: Shares) -> None:
    """Give one leader what he is to take: from his own, then from those without a leader, then from who stays."""
    leader = taker.leader
    if taker.units is None:
        shares.faults += _wrong_strength(game, order, taker, shares.units[leader])
        return
    pool, faults = added(shares.units[leader], shares.free, *(shares.units[each] for each in staying)), list[Fault]()
    if taker.units == ALL:
        wanted = {unit: count for unit, count in pool.items() if may_lead(game, leader, unit)}
    else:
        assert isinstance(taker.units, Mapping)
        faults = list(_wrong_units(game, order, taker, pool))
        wanted = {unit: count for unit, count in taker.units.items() if covers(pool, {unit: count})}
    left = added(shares.units[leader], shares.free)
    for each in staying:
        lacking = {unit: count - left.get(unit, 0) for unit, count in wanted.items()}
        given = {
            unit: min(count, shares.units[each].get(unit, 0))
            for unit, count in lacking.items()
            if count > 0 and shares.units[each].get(unit)
        }
        shares.units[each] = taken(shares.units[each], given)
        left = added(left, given)
    shares.units[leader], shares.free = added(wanted), taken(left, wanted)
    shares.faults += faults or _wrong_strength(game, order, taker, shares.units[leader])


def _wrong_units(game: Game, order: Order, taker: Taker, pool: Units) -> Iterator[Fault]:
    """Yield what is wrong with units that an order names: not there, not for him, too few; slaves stay with theirs."""
    assert isinstance(taker.units, Mapping)
    for unit, count in taker.units.items():
        path = (*taker.units_at, unit)
        if unit not in game.board.units or not pool.get(unit):
            there = ", ".join(f"{number} {each}" for each, number in pool.items()) or "none"
            near = meant(unit, pool)
            reason = (
                f"there are no {unit} at hand{near}{'' if near else ';'} {'There' if near else 'there'} are {there}"
            )
            yield order.fault(path, reason, rule="7.2")
        elif not may_lead(game, taker.leader, unit):
            yield order.fault(path, f"{unit} do not go with {taker.leader}", rule=_why_not_lead(game, unit))
        elif pool[unit] < count:
            yield order.fault(path, f"only {pool[unit]} {unit} are at hand", rule="7.2")
    own = game.leaders[taker.leader].units
    for unit in own:
        if game.board.units[unit].whole == SLAVES and not taker.units.get(unit):
            yield order.fault(
                taker.units_at, f"the slave legion stays with {taker.leader}; take {unit}, too", rule="6.22"
            )


def _why_not_lead(game: Game, unit: str) -> str:
    return "6.22" if game.board.units[unit].whole == SLAVES else "10.6"


def _wrong_strength(game: Game, order: Order, taker: Taker, units: Units) -> list[Fault]:
    """Return what is wrong with the strength of what a leader would have: too much, or no legion (7.8, 10.2)."""
    wrong = why_not_march(game, taker.leader, units)
    if wrong is None:
        return []
    reason, rule = wrong
    return [order.fault(taker.at if taker.units is None or rule != "7.8" else taker.units_at, reason, rule=rule)]


def why_not_march(game: Game, leader: str, units: Mapping[str, int]) -> tuple[str, str] | None:
    """Say why a leader may not march with some units, and by which rule: too many, or no legion (7.8, 10.2)."""
    if (most := too_many(game, leader, units)) is not None:
        return f"{leader} may lead {most} SP; this is {sp(game.board, units)}", "7.8"
    if not has_legion(game, leader, units):
        needed = game.options["legion_to_move"]
        return f"{leader} must have {needed} SP with him to move; this is {sp(game.board, units)}", "10.2"
    return None


def apply(game: Game, order: Order, going: Sequence[Taker]) -> Units:
    """Give the leaders of an order what they take, and return what they leave behind of their own (7.2)."""
    if not take_some(going):
        return {}
    shares, leader = share_out(game, order, going), order["leader"]
    side, hex = game.card(leader).side, game.leaders[leader].at
    before = without_leader(game, leader)
    for each, units in shares.units.items():
        game.leaders[each].units = units
    stays = added(taken(game.loose[side].get(hex, {}), before), shares.free)
    if stays:
        game.loose[side][hex] = stays
    else:
        game.loose[side].pop(hex, None)
    return {unit: count - before.get(unit, 0) for unit, count in shares.free.items() if count > before.get(unit, 0)}


def at_hand(game: Game, leader: str) -> Units:
    """Return all units that a leader could take along, if he is the one who may lead them (7.2)."""
    others = [game.leaders[each].units for each in who_stays(game, [leader])]
    return added(game.leaders[leader].units, without_leader(game, leader), *others)


def allowance(game: Game, forces: Iterable[Mapping[str, int]]) -> int:
    """Return the half movement points of leaders with some units: those of the slowest (7.3)."""
    units, rates = game.board.units, game.board.rates
    kinds = {units[unit].kind for force in forces for unit in force}
    return min([rates[kind] for kind in kinds], default=rates[ALONE])

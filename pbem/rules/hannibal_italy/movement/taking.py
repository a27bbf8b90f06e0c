"""The division of units when a march begins: what goes, what stays, what is taken over (7.2, 7.8, 10.2, 10.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbem.game import Refusal
from pbem.protocol import Fault, Side
from pbem.rules.hannibal_italy.movement.orders import ALL, Marcher, illegal
from pbem.rules.hannibal_italy.position.forces import SLAVES, Units, added, covers, loose_inside, sp, taken
from pbem.rules.hannibal_italy.position.leadership import has_legion, may_lead, too_many
from pbem.rules.hannibal_italy.position.naming import leader_named, name_meant, unit_named, units_named
from pbem.rules.hannibal_italy.position.state import UNSEEN, Game

ALONE: Final = "alone"
"""How a leader without units moves."""

MOVED: Final = Refusal("has moved in this phase already", "7.1")
HELD: Final = Refusal("is held where he is: he was trapped, and did not get away", "7.6")
BESIEGED: Final = Refusal("is shut up in a besieged city, and stays there", "9.71")
NO_LEGION: Final = Refusal("has no legion with him, and there is none here for him to take", "10.2")
NOT_INTO_A_SIEGE: Final = Refusal("nobody goes into a besieged city", "9.71")
TAKE_ALL_ALONG: Final = Refusal("nobody goes into a besieged city; take all along", "9.71")


def why_not_set_out(game: Game, leader: str) -> Refusal | None:
    """Say why a leader may not move; the reason goes on from their name (7.1, 7.6, 9.71, 10.2)."""
    record = game.leaders[leader]
    if leader in game.moved:
        return MOVED
    if leader in game.held:
        return HELD
    if record.inside and game.besieged(record.at) is not None:
        return BESIEGED
    if not has_legion(game, leader, record.units) and UNSEEN not in record.units and not _can_take(game, leader):
        return NO_LEGION
    return None


def ready_to_march(game: Game, side: Side) -> list[str]:
    """Return the leaders of a side who may still move in this phase (7.1)."""
    return [leader for leader in game.on_map(side) if why_not_set_out(game, leader) is None]


def _can_take(game: Game, leader: str) -> bool:
    """Tell whether there are units at hand with which a leader could move (10.2)."""
    at_hand = units_at_hand(game, [leader])
    if at_hand.empty:
        return False
    most = _share(game, Marcher(leader, ALL), at_hand)
    return has_legion(game, leader, most.units)


@dataclass(frozen=True, slots=True)
class AtHand:
    """Units that leaders who march together could take over (7.2)."""

    loose: Units
    """Units without a leader."""
    staying: dict[str, Units]
    """The units of the leaders who stay."""

    @property
    def empty(self) -> bool:
        """Whether there are no units to take over."""
        return not self.loose and not any(self.staying.values())


def units_at_hand(game: Game, together: Sequence[str]) -> AtHand:
    """Return the units in the hex of some leaders that they could take over (7.2, 9.71).

    They are those of the leaders who stay and may still move, and those without a leader, except any left there on
    the way. In a besieged city nobody inside takes over units outside, or the other way round.
    """
    first, side = game.leaders[together[0]], game.card(together[0]).side
    besieged = game.besieged(first.at) is not None
    there = game.leaders_at(side, first.at, inside=first.inside if besieged else None)
    stay = [each for each in there if each not in together and each not in game.moved and each not in game.held]
    staying = {leader: game.leaders[leader].units for leader in stay}
    if besieged and loose_inside(game, side, first.at) != first.inside:
        return AtHand({}, staying)
    return AtHand(taken(game.loose[side].get(first.at, {}), game.dropped.get(first.at, {})), staying)


@dataclass(frozen=True, slots=True)
class Share:
    """The units of one leader who marches."""

    marcher: Marcher
    pool: Units
    """The units that the leader could choose from, their own among them."""
    units: Units
    """The units that go with the leader."""


@dataclass(frozen=True, slots=True)
class Division:
    """Who has which units when a march begins. Nothing has moved yet."""

    shares: list[Share]
    """One for each leader who goes, in the order of the order."""
    forces: list[Units]
    """The units that go, leader by leader."""
    as_they_are: bool = True
    """The order names no units: all keep what they have."""
    staying: Mapping[str, Units] = field(default_factory=dict)
    """What is left to the leaders who stay."""
    found: Units = field(default_factory=dict)
    """Units without a leader that could have gone along."""
    left: Units = field(default_factory=dict)
    """Units that have no leader once the march begins, and could have gone along."""
    left_behind: Units = field(default_factory=dict)
    """Those of them that lose their leader."""

    def carry_out(self, game: Game) -> None:
        """Give all who go, and all who stay, their units (7.2)."""
        if self.as_they_are:
            return
        leader = self.shares[0].marcher.leader
        side, hex = game.card(leader).side, game.leaders[leader].at
        for share in self.shares:
            game.leaders[share.marcher.leader].units = share.units
        for each, units in self.staying.items():
            game.leaders[each].units = units
        stays = added(taken(game.loose[side].get(hex, {}), self.found), self.left)
        if stays:
            game.loose[side][hex] = stays
        else:
            game.loose[side].pop(hex, None)


def divide(game: Game, going: Sequence[Marcher]) -> Division:
    """Divide the units in a hex among the leaders who march and those who stay (7.2).

    Where the order names no units all keep what they have, and nobody else is looked at.
    """
    if not [marcher for marcher in going if marcher.units is not None]:
        forces = [game.leaders[marcher.leader].units for marcher in going]
        return Division([Share(marcher, own, own) for marcher, own in zip(going, forces, strict=True)], forces)
    found = at_hand = units_at_hand(game, [marcher.leader for marcher in going])
    shares = list[Share]()
    for marcher in going:
        share = _share(game, marcher, at_hand)
        if marcher.units is not None:
            at_hand = _rest(game, share, at_hand)
        shares.append(share)
    left, before = at_hand.loose, found.loose
    behind = {unit: count - before.get(unit, 0) for unit, count in left.items() if count > before.get(unit, 0)}
    return Division(shares, [share.units for share in shares], False, at_hand.staying, before, left, behind)


def _share(game: Game, marcher: Marcher, at_hand: AtHand) -> Share:
    """Return what one leader takes: their own, or what the order names of all that is at hand."""
    leader, wanted = marcher.leader, marcher.units
    own = game.leaders[leader].units
    if wanted is None:
        return Share(marcher, own, own)
    pool = added(own, at_hand.loose, *at_hand.staying.values())
    if isinstance(wanted, Mapping):
        units = {unit: count for unit, count in wanted.items() if covers(pool, {unit: count})}
    else:
        units = {unit: count for unit, count in pool.items() if may_lead(game, leader, unit)}
    return Share(marcher, pool, added(units))


def _rest(game: Game, share: Share, at_hand: AtHand) -> AtHand:
    """Return what a share leaves at hand for the leaders who come after.

    A leader takes their own units first, then those without a leader, then those of the leaders who stay.
    """
    left, staying = added(game.leaders[share.marcher.leader].units, at_hand.loose), dict[str, Units]()
    for each, theirs in at_hand.staying.items():
        lacking = {unit: count - left.get(unit, 0) for unit, count in share.units.items()}
        given = {unit: min(count, theirs[unit]) for unit, count in lacking.items() if count > 0 and theirs.get(unit)}
        staying[each] = taken(theirs, given)
        left = added(left, given)
    return AtHand(taken(left, share.units), staying)


def dropped(forces: Sequence[Mapping[str, int]], units: Mapping[str, int]) -> list[Units]:
    """Return forces without units that they leave, the first force's before the next one's (7.2)."""
    left, need = [], dict(units)
    for force in forces:
        some = {unit: min(count, force.get(unit, 0)) for unit, count in need.items() if force.get(unit)}
        left.append(taken(force, some))
        need = taken(need, some)
    return left


def may_not_stay(game: Game, leader: str) -> bool:
    """Tell whether units that a leader left would be in a besieged city that the leader relieves (7.6, 9.71)."""
    record = game.leaders[leader]
    besieged = game.besieged(record.at) is not None and not record.inside
    return besieged and loose_inside(game, game.card(leader).side, record.at)


def allowance(game: Game, forces: Iterable[Mapping[str, int]]) -> int:
    """Return the half movement points of leaders with some units: those of the slowest (7.3)."""
    units, rates = game.board.units, game.board.rates
    kinds = {units[unit].kind for force in forces for unit in force}
    return min([rates[kind] for kind in kinds], default=rates[ALONE])


# ---- what may be ordered


def wrong_shares(game: Game, division: Division) -> list[Fault]:
    """Return what is wrong with a division: units not at hand, too many or too few for a leader (7.2, 7.8, 10.2)."""
    faults = list[Fault]()
    for share in division.shares:
        faults += _wrong_units(game, share) or _wrong_strength(game, share)
    first = division.shares[0].marcher
    if division.left and not faults and may_not_stay(game, first.leader):
        faults.append(illegal(first.units_at, TAKE_ALL_ALONG))
    return faults


def _wrong_units(game: Game, share: Share) -> list[Fault]:
    """Return what is wrong with the units that an order names for a leader (7.2, 10.6, 6.22)."""
    wanted, leader = share.marcher.units, share.marcher.leader
    if wanted is None or isinstance(wanted, str):
        return []
    faults = list[Fault]()
    for unit, count in wanted.items():
        if (refusal := _why_not_take(game, leader, share.pool, unit, count)) is not None:
            faults.append(illegal((*share.marcher.units_at, unit), refusal))
    for unit in game.leaders[leader].units:
        if game.board.units[unit].whole == SLAVES and not wanted.get(unit):
            reason = f"the slave legion stays with {leader_named(game.board, leader)}; take"
            refusal = Refusal(f"{reason} {unit_named(game.board, unit)}, too", "6.22")
            faults.append(illegal(share.marcher.units_at, refusal))
    return faults


def _why_not_take(game: Game, leader: str, pool: Units, unit: str, count: int) -> Refusal | None:
    """Say why a leader may not take so many units of a kind: not there, not for this leader, too few."""
    if unit not in game.board.units or not pool.get(unit):
        there = units_named(game.board, pool)
        near = name_meant(unit, {each: unit_named(game.board, each) for each in pool})
        listed = f"{near} There are {there}" if near else f"; there are {there}"
        return Refusal(f"there are no {unit_named(game.board, unit)} at hand{listed}", "7.2")
    if not may_lead(game, leader, unit):
        name = leader_named(game.board, leader)
        if game.board.units[unit].whole == SLAVES:
            return Refusal(f"the slave legion follows the leader who raised it, not {name}", "6.22")
        if game.card(leader).gaulish:
            return Refusal(f"{name} leads Gauls alone, no {unit_named(game.board, unit)}", "10.6")
        return Refusal(f"Gauls go with the Gaulish leader alone, not with {name}", "10.6")
    few = f"only {pool[unit]} {unit_named(game.board, unit)} are at hand"
    return Refusal(few, "7.2") if pool[unit] < count else None


def _wrong_strength(game: Game, share: Share) -> list[Fault]:
    """Return what is wrong with the strength of a share: more than the leader may lead, or no legion (7.8, 10.2)."""
    marcher, units = share.marcher, share.units
    if (most := too_many(game, marcher.leader, units)) is not None:
        refusal = Refusal(
            f"{leader_named(game.board, marcher.leader)} may lead {most} SP; this is {sp(game.board, units)}", "7.8"
        )
        return [illegal(marcher.at if marcher.units is None else marcher.units_at, refusal)]
    if not has_legion(game, marcher.leader, units):
        needed, there = game.options["legion_to_move"], sp(game.board, units)
        refusal = Refusal(
            f"{leader_named(game.board, marcher.leader)} must have {needed} SP with him to move; this is {there}",
            "10.2",
        )
        return [illegal(marcher.at, refusal)]
    return []

"""What events are worth to the bot, and what it tells their effects: CU, support, leaders, tracks (7.1).

These are effects that change the board, whenever they are played. What responses make of a moment is in `responses`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pbem.protocol import Record, Side
from pbem.rules.sword_of_rome.battle.odds import Army, Ground
from pbem.rules.sword_of_rome.events.conditions import meant
from pbem.rules.sword_of_rome.events.effects import Played
from pbem.rules.sword_of_rome.events.effects.lasting import arrivals, exposed, landings, settlements
from pbem.rules.sword_of_rome.events.support import room_for
from pbem.rules.sword_of_rome.policy.placing import spread
from pbem.rules.sword_of_rome.policy.plans import GALLIC_ROLL, MARKER, POINT_BY_ROLL, UNREST_POINT, Plans
from pbem.rules.sword_of_rome.policy.worth import ARMY, CU, RIVAL, Field, army, chance, times, worth
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DESPERATE_VALUE, GAULS, GREEKS, NORMAL, ROMANS, WALLED
from pbem.rules.sword_of_rome.position.state import Game

Told = tuple[float, dict[str, object]]
"""What an effect is worth, and what it is told."""
LOYALTY_AT_PEACE: Final = 0.05
"""A point of loyalty of a city that nobody threatens."""
NEEDED: Final = 0.3
"""The part of the worth of a city that its second point of loyalty saves where an enemy can come, by land or sea."""
FAR_LOYALTY: Final = 0.08
"""The same where none can come now."""
TACTICS: Final = 0.25
"""A point of tactics of a leader who comes, besides his CU."""
READY: Final = 0.25
"""Each value of a card that activates him below 3."""
MERCENARY: Final = 0.75
"""A mercenary, by the worth of a CU: half of them go home (S 5.10)."""
FREED: Final = 0.45
"""The most of it, in the first round: the CU can go on."""
MARKERS: Final[Mapping[str, float]] = {
    "appian_way": 0.3,
    "duoviri_navales": 0.25,
    "elephants": 0.25,
    "punic_envoys": 0.3,
    "wild_beasts": 0.2,
}
LEVY_THERE: Final = 2.5
"""The worth of a CU that comes where it is wanted, by that of one elsewhere."""
CU_OF_A_SIDE: Final = 14
"""CU from which a side has less and less use for more."""
REMOVED: Final = 0.15
"""The least that a point of a rival is worth that goes."""
NEUTRAL: Final = 0.25
"""What a loss of Carthage without a player is worth, as a part of what it loses: its spaces are easier to take then."""
REVOLT: Final = 0.6
TREATY: Final = 0.8
"""The treaty with Carthage: its armies, and its fleet (18)."""
CARD: Final = 0.12
"""A card that is drawn."""


class Hand(NamedTuple):
    """What an action is chosen from: the view, the side, and by power its plans and what spaces are worth to it."""

    view: Game
    side: Side
    plans: Mapping[str, Plans]
    fields: Mapping[str, Field]

    def rivalry(self, holder: str | None) -> float:
        """Return what a loss of a power is worth to the side, as a part of what is lost."""
        return next(iter(self.fields.values())).rivalry(holder)


def look_at(view: Game, side: Side) -> Hand:
    """Return what the actions of a side are chosen from."""
    plans = {power: Plans(view, side, power) for power in view.board.powers_of[side]}
    return Hand(view, side, plans, {power: each.field for power, each in plans.items()})


def event(hand: Hand, card: str) -> Told | None:
    """Return what the event of a card is worth, and what its effects are told; None: one of them cannot be rated."""
    worth, effect = 0.0, dict[str, object]()
    for word, told in [item for effect in hand.view.board.cards[card].effects for item in effect.items()]:
        rate = RATED.get(word)
        found = rate(hand, Played(hand.side, card, told)) if rate is not None else None
        if found is None:
            return None
        worth += found[0]
        effect.update(found[1])
    return worth, effect


# ---- CU and leaders


def worth_of_levy(view: Game, side: Side) -> float:
    """Return what a new CU is worth to a side: less, the more it has."""
    there = sum(force.cu for power in view.board.powers_of[side] for _, force in view.everywhere(power))
    return LEVY_THERE * CU * min(1.0, CU_OF_A_SIDE / max(there, 1))


def _levy(hand: Hand, played: Played) -> Told | None:
    places = {power: spread(field, played.told) for power, field in hand.fields.items()}
    power = next((power for power, found in places.items() if found), None)
    if power is None:
        return None
    named = {"power": power} if len(hand.fields) > 1 else {}
    return played.told * worth_of_levy(hand.view, hand.side), {**named, "levy": places[power]}


def _mercenaries(hand: Hand, played: Played) -> Told | None:
    places = spread(hand.fields[CARTHAGE], played.told) if CARTHAGE in hand.fields else {}
    if not places:
        return None
    return MERCENARY * played.told * worth_of_levy(hand.view, hand.side), {"mercenaries": places}


def _colony(hand: Hand, played: Played) -> Told | None:
    """Found a colony, best where no enemy is near: it brings a CU each turn for the one that it costs (5.10.1)."""
    view = hand.view
    threats = {space: hand.fields[ROMANS].threat(space) for space in settlements(view, played)}
    if not threats:
        return None
    best = min(threats, key=lambda at: (threats[at], -view.cu(ROMANS, at)))
    return CU * (view.last_turn - view.turn - 1) / (2 if threats[best] else 1), {"colony": best}


def _leader(hand: Hand, played: Played) -> Told | None:
    """Bring the best leader to the largest army (8.2)."""
    view = hand.view
    found = arrivals(view, played)
    if not found:
        return None

    def rate(each: Mapping[str, str]) -> tuple[int, int, str]:
        record = view.board.leaders[each["name"]]
        return record.tactics, view.force(record.power, each["at"]).cu, each["at"]

    best = max(found, key=rate)
    leader = view.board.leaders[best["name"]]
    lasts = 0.5 if played.told.get("until") else 1.0
    skill = TACTICS * leader.tactics + READY * (DESPERATE_VALUE - leader.initiative)
    worth = skill * lasts - LOYALTY_AT_PEACE * leader.penalty
    return worth + played.told.get("cu", 0) * worth_of_levy(view, hand.side), {"leader": best}


def _attrition(hand: Hand, played: Played) -> Told | None:
    """Wear the army down whose loss is worth most: large ones of rivals lose most (5.5)."""
    view = hand.view
    armies = [
        (hand.rivalry(power) * CU * force.cu / 5, space)
        for power in meant(view, hand.side, played.told["of"])
        if not view.full_ally(hand.side, power)
        for space, force in sorted(view.forces[power].items())
        if force.army
    ]
    best = max(armies, default=None)
    return (best[0], {"attrition": best[1]}) if best is not None and best[0] > 0 else None


def _siege(hand: Hand, played: Played) -> Told | None:
    """Roll for the siege whose prize is worth most (13.1.1)."""
    sieges = hand.view.sieges
    own = [space for space, siege in sieges.items() if siege.by in hand.fields]
    best = max(own, key=lambda space: hand.fields[sieges[space].by].taken(space), default=None)
    if best is None:
        return None
    field = hand.fields[sieges[best].by]
    return (GALLIC_ROLL if field.power == GAULS else POINT_BY_ROLL) * field.taken(best), {"siege": best}


def _insurrection(hand: Hand, played: Played) -> Told | None:
    garrisons = {space: hand.view.cu(CARTHAGE, space) for space in ("kerkouane", "carthago")}
    weakest = min(garrisons, key=lambda at: garrisons[at])
    return REVOLT * hand.rivalry(CARTHAGE) / RIVAL / 2, {"insurrection": weakest}


# ---- support (7.3)


def best_points(hand: Hand, most: int) -> tuple[float, list[str]] | None:
    """Return the points of support that are worth most: markers of others first, then loyalty (7.3.1)."""
    view, side = hand.view, hand.side
    points: list[tuple[float, str]] = []
    for power, field in hand.fields.items():
        for space, force in view.everywhere(power):
            if force.cu and view.kind(space) == NORMAL and room_for(view, side, space):
                # What stands there is taken in the Surrender Phase anyway, if it is still there.
                points.append((_freed(view) * field.taken(space) + LOYALTY_AT_PEACE, space))
        for space in view.cities(power):
            points += [(walls(field, space, more), space) for more in range(room_for(view, side, space))]
    points.sort(key=lambda each: (-each[0], each[1]))
    best = points[:most]
    return (sum(worth for worth, _ in best), [space for _, space in best]) if best else None


def _freed(view: Game) -> float:
    """Return the part of its worth that a marker is worth at once where CU would place it as the turn ends (5.6)."""
    rounds = int(view.board.tables["rounds"])
    return FREED * (1 - (view.round or rounds) / rounds)


def walls(field: Field, city: str, more: int) -> float:
    """Return what a point of loyalty is worth after some others: a siege roll more before the city falls."""
    game = field.game
    before = game.loyalty[city] + more
    danger = NEEDED if field.threat(city) >= ARMY or game.board.spaces[city].port else FAR_LOYALTY
    return danger * worth(game, field.power, city) / before**2 + LOYALTY_AT_PEACE


def _support(hand: Hand, played: Played) -> Told | None:
    best = best_points(hand, played.told)
    return (best[0], {"support": best[1]}) if best is not None else None


def _revolt(hand: Hand, played: Played) -> Told | None:
    """Remove the points whose loss is worth most to the side: markers, and cities that lose their last (7.3.3)."""
    view, most = hand.view, played.told["points"]
    found: list[tuple[float, str, int]] = []
    for space, room in exposed(view, played).items():
        holder = view.control[space]
        share = hand.rivalry(holder) or (NEUTRAL if view.board.powers[holder].overseas is not None else 0.0)
        points = min(room, most)
        gone = view.kind(space) != WALLED or points == view.loyalty[space]
        loss = worth(view, holder, space) if gone else LOYALTY_AT_PEACE * points
        found.append((max(share * loss / points, REMOVED if share >= RIVAL else 0.0), space, points))
    chosen: list[str] = []
    gain = 0.0
    for each, space, points in sorted(found, key=lambda one: (-one[0], one[1])):
        taken = min(points, most - len(chosen))
        gain += each * taken
        chosen += [space] * taken
    return (gain, {"revolt": chosen}) if chosen else None


# ---- tracks, cards, and what lies overseas


def _vp(hand: Hand, played: Played) -> Told | None:
    own = GAULS in hand.fields
    return (float(played.told) if own else -played.told * hand.rivalry(GAULS)), {}


def _unrest(hand: Hand, played: Played) -> Told | None:
    own = CARTHAGE in hand.fields
    change = UNREST_POINT * times(hand.view) * max(played.told, -hand.view.unrest)
    return (-change if own else change * hand.rivalry(CARTHAGE)), {}


def _plunder(hand: Hand, played: Played) -> Told | None:
    change = played.told.get("gain", 0) - played.told.get("lose", 0)
    worth = MARKER * change * (1 if played.told["by"] == GAULS else -1)
    return (worth if GAULS in hand.fields else -worth * hand.rivalry(GAULS)), {}


def _land(hand: Hand, played: Played) -> Told | None:
    """Land with the army that is most likely to beat the one in the capital, which is all that counts there (17.2)."""
    view = hand.view
    home = next((power for power in view.board.powers.values() if power.overseas is not None), None)
    if home is None or home.overseas is None:
        return None
    capital = home.overseas.capital
    defenders = army(view, home.id, capital, view.force(home.id, capital))

    def likely(told: Record) -> float:
        leader = view.board.leaders[told["leader"]]
        return chance(view.board, Army(told["cu"], leader.tactics), defenders, Ground())

    best = max(landings(view, played), key=lambda told: (likely(told), told["cu"], told["leader"]), default=None)
    if best is None:
        return None
    prize = sum(worth(view, GREEKS, space) for space, holder in view.control.items() if holder == home.id)
    return likely(best) * prize - CU * best["cu"], {"land": best}


RATED: Final[Mapping[str, Callable[[Hand, Played], Told | None]]] = {
    "levy": _levy,
    "mercenaries": _mercenaries,
    "colony": _colony,
    "leader": _leader,
    "attrition": _attrition,
    "siege": _siege,
    "insurrection": _insurrection,
    "support": _support,
    "revolt": _revolt,
    "marker": lambda hand, played: (MARKERS.get(played.told["name"], 0.1), {}),
    "vp": _vp,
    "unrest": _unrest,
    "plunder": _plunder,
    "draw": lambda hand, played: (CARD * played.told, {}),
    "treaty": lambda hand, played: (TREATY, {}),
    "land": _land,
}
"""Word of `do` -> what rates the effect."""

"""Activating a leader with a card: one army, a Campaign's two, or a colony (7.1, 7.2.1, 8.1, 9.1, 9.5).

Each use lays its card down, and puts it away once nothing is under way. `activate` is one activation whatever the card,
also for a power without a player and for the free activation of an event: a siege roll, or a march.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from pbem.game import NONE as NO_WAY
from pbem.game import NOTHING, Follow, Lazy, OneOf, Part, Refusal, Table, Value, plain
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events.card_play import Use, card_faults, lay_down, playable, put_away, value_of
from pbem.rules.sword_of_rome.movement.fatigue import CAMPAIGN, points_left, points_of
from pbem.rules.sword_of_rome.movement.flanks import ask_next, consents, respond_to, why_no_colony, why_not_next
from pbem.rules.sword_of_rome.movement.march import march, obey, raid_until_done, sally, set_out, stack_there, tire
from pbem.rules.sword_of_rome.movement.march_orders import is_inside, orders_of
from pbem.rules.sword_of_rome.movement.parts import ASK, ATTACK_UNREST, MarchOrder, part_of
from pbem.rules.sword_of_rome.movement.paths import Roads
from pbem.rules.sword_of_rome.position.board import DESPERATE_TIMES, ROMANS, WALLED
from pbem.rules.sword_of_rome.position.changes import lose
from pbem.rules.sword_of_rome.position.naming import cards, no_such_leader, other_seat, refused
from pbem.rules.sword_of_rome.position.state import NONE, CardPlay, Force, Game, March
from pbem.rules.sword_of_rome.siege.siege import SiegeRoll, place_marker, roll_siege
from pbem.rules.sword_of_rome.turn.order_of_play import decider

COLONY: Final = "colony"
WhyNot: TypeAlias = Callable[[str], Refusal | None]
COMMANDERS: Final = 2
"""How many commanders a Campaign activates (9.5.1)."""


# ---- one activation (9.1)


def activate(game: Game, table: Table, power: str, leader: str, side: Side | None = None) -> Flow[None]:
    """Activate a leader, unless a response cancels that (21.4).

    He rolls for a siege, attacks out of a city, or marches (9.1, 13.1.1, 13.4.1). `side` moves him if it is not who
    decides for his power: a Campaign that has an ally's army.
    """
    moment = yield from respond_to(game, table, leader)
    space = game.where(leader)
    if moment.cancelled or space is None:
        return
    moves = side or (yield from decider(game, table, power))
    game.march = going = setting_forth(game, moves, leader, space, moment.points)
    table.tell("activated", power=power, leader=leader, space=space, rule="9.1")
    order = yield from table.ask(moves, "march", rule="9.1", **going.asked)
    yield from carry_out(game, table, MarchOrder.read(order.body))
    game.march = None


def setting_forth(game: Game, side: Side, leader: str, space: str, further: int = 0) -> March:
    """Return the march of a leader who is activated where he stands, before it is said who goes (9.1, 9.2)."""
    power = game.board.leaders[leader].power
    points = points_of(game, power) + further
    march = March(side, power, leader, Force(), space, space, points, trail=[space], further=further)
    march.points = max(0, points_left(game, march.as_if(Force(leaders=[leader]))))
    return march


def carry_out(game: Game, table: Table, said: MarchOrder) -> Flow[None]:
    """Carry out the order to a leader who has been activated: a siege roll, a sortie, a march, or to stand (9.1)."""
    under_way = game.the_march
    power, space = under_way.power, under_way.at
    if said.roll:
        yield from _roll(game, table, under_way)
    elif said.sortie:
        yield from sally(game, table, said.force)
        tire(game, under_way, stack_there(game, under_way))
    elif said.path or said.raid or said.then in (ASK, ATTACK_UNREST):
        part = part_of(game.force(power, space), said.force, under_way.leader, game.board.tables["movement"]["cu"])
        set_out(game, table, part)
        obey(under_way, said)
        yield from raid_until_done(game, table, said.raid)
        yield from march(game, table)
    elif not is_inside(game, under_way):
        place_marker(game, table, power, space)


def _roll(game: Game, table: Table, under_way: March) -> Flow[None]:
    """Roll for a siege or a subjugation instead of moving (13.1.1, 9.5.3)."""
    space, name = under_way.at, f"siege/{under_way.leader}/{under_way.at}"
    if game.card is not None:
        game.card.rolled_at.append(space)
    tire(game, under_way, stack_there(game, under_way))
    yield from roll_siege(game, table, SiegeRoll(under_way.power, space, name, "13.1.1"))


# ---- with a card (7.1, 8.1)


def why_not_activate(view: Game, side: Side, leader: str, value: int) -> Refusal | None:
    """Say why a side cannot activate a leader with a card of a value; None: it can (8.1)."""
    unknown = no_such_leader(view, leader)
    if unknown is not None:
        return unknown
    record = view.board.leaders[leader]
    if record.power not in view.board.powers_of[side]:
        return Refusal(
            f"{record.name} is not yours{other_seat(view, side, view.board.powers[record.power].side)}", "8.1"
        )
    if view.where(leader) is None:
        return Refusal(f"{record.name} is not on the map", "8.1")
    if record.initiative > value:
        return Refusal(f"{record.name} takes a card of value {record.initiative}; this one has {value}", "8.1")
    return None


def activatable(view: Game, side: Side, value: int) -> list[str]:
    """List the leaders whom a side can activate with a card of a value (8.1)."""
    leaders = view.board.leaders
    there = {
        leader
        for power in view.board.powers_of[side]
        for _, force in view.everywhere(power)
        for leader in force.leaders
    }
    return [leader for leader in leaders if leader in there and leaders[leader].initiative <= value]


def activate_choices(view: Game, decision: Decision) -> Part:
    """Return every leader with every card that activates him; his march may be said at once (8.1)."""
    return _activations(view, decision.side, playable(view, decision.side), "activate")


def _activations(
    view: Game,
    side: Side,
    able: Sequence[str],
    use: str,
    why_not: WhyNot = lambda leader: None,
) -> Part:
    """Return whom some cards activate for a use, by their value, or for a Campaign by any (8.1, 9.5.1)."""
    leaders, marches = dict[int, Part](), _Marches(view, side)

    def by(card: str) -> Part:
        value = COMMANDERS + 1 if use == CAMPAIGN else value_of(view, card)
        if value not in leaders:
            some = [leader for leader in activatable(view, side, value) if why_not(leader) is None]
            then = [marches.of(leader, card, use) if use != COLONY else NOTHING for leader in some]
            at = [view.where(leader) or "" for leader in some]
            values = [Value(leader, part, at=place) for leader, part, place in zip(some, then, at, strict=True)]
            leaders[value] = OneOf("leader", values, of="leader")
        return leaders[value]

    return cards(view, able, by)


class _Marches:
    """The marches of those whom a card of the hand may activate, as far as they can be foreseen (8.1, 9.1)."""

    def __init__(self, view: Game, side: Side) -> None:
        self.view, self.side = view, side
        self._roads: dict[tuple[str, int], Roads] = {}

    def of(self, leader: str, card: str, use: str) -> Part:
        """Return the march of a leader who is activated by a card, if nothing comes between."""
        return Follow("march", Lazy(partial(self._march, leader, card, use)))

    def _march(self, leader: str, card: str, use: str) -> Part:
        view, side = self.view, self.side
        trial, space, power = plain.twin(view), view.where(leader), view.board.leaders[leader].power
        assert space is not None
        trial.hands = {**view.hands, side: [each for each in view.hands[side] if each != card]}
        trial.card = play = CardPlay(side, card, value_of(view, card), use, power, moved=[leader])
        trial.march = setting_forth(trial, side, leader, space)
        if (power, play.value) not in self._roads:
            self._roads[power, play.value] = Roads(trial, trial.march)
        return orders_of(trial, self._roads[power, play.value])


def check_activate(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an activation: the card, the leader, his initiative (8.1)."""
    yield from card_faults(view, decision, order)
    card = order.get("card")
    value = value_of(view, card) if card in playable(view, decision.side) else COMMANDERS + 1
    yield from _leader_faults(view, decision, order, value)


def _leader_faults(view: Game, decision: Decision, order: Order, value: int) -> Iterator[Fault]:
    leader = order.get("leader")
    if leader is None:
        yield order.fault(("leader",), "say which leader is activated", rule="8.1")
        return
    yield from refused(("leader",), why_not_activate(view, decision.side, leader, value))


def carry_activation(game: Game, table: Table, order: Order) -> Flow[None]:
    """Lay the card down and activate the leader (8.1)."""
    leader, power = order["leader"], game.board.leaders[order["leader"]].power
    lay_down(game, table, order["card"], "activate", power)
    yield from activate(game, table, power, leader)
    put_away(game, table)


# ---- Campaign (9.5)


def is_campaign(view: Game, card: str) -> bool:
    """Tell whether the event of a card is a Campaign (9.5)."""
    return card != DESPERATE_TIMES and any(CAMPAIGN in effect for effect in view.board.cards[card].effects)


def campaign_choices(view: Game, decision: Decision) -> Part:
    """Return every first commander with every Campaign in the hand (9.5.1)."""
    able = [card for card in playable(view, decision.side) if is_campaign(view, card)]
    return _activations(view, decision.side, able, CAMPAIGN) if able else NO_WAY


def check_campaign(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a Campaign: the card, the first commander (9.5.1)."""
    yield from card_faults(view, decision, order)
    card = order.get("card")
    if card in playable(view, decision.side) and not is_campaign(view, card):
        yield order.fault(("card",), f"{card} is no Campaign", rule="9.5.1")
    yield from _leader_faults(view, decision, order, COMMANDERS + 1)


def carry_campaign(game: Game, table: Table, order: Order) -> Flow[None]:
    """Activate two commanders, one after the other, or the second on the flank of the first one's battle (9.5).

    A response may cancel the activation of one of them, and the other goes on (21.4).
    """
    first = order["leader"]
    power = game.board.leaders[first].power
    card = lay_down(game, table, order["card"], CAMPAIGN, power)
    card.commanders_left = COMMANDERS - 1
    card.moved.append(first)
    yield from activate(game, table, power, first)
    while card.commanders_left and any(why_not_next(game, leader) is None for leader in game.board.leaders):
        yield from _second(game, table, (yield from ask_next(game, table, "")))
    put_away(game, table)


def _second(game: Game, table: Table, order: Order) -> Flow[None]:
    """Activate the second commander of a Campaign, or let his army found a colony (9.5.1, 9.5.5, 7.2.1).

    An ally who does not lend his army leaves the Campaign its second commander.
    """
    card, leader = game.card, order["leader"]
    assert card is not None
    if leader != NONE and not order.get("colony") and not (yield from consents(game, table, leader)):
        return
    card.commanders_left -= 1
    if order.get("colony"):
        yield from _settle(game, table, leader)
    elif leader != NONE:
        yield from activate(game, table, game.board.leaders[leader].power, leader, card.side)


# ---- colonies (7.2.1)


def colony_choices(view: Game, decision: Decision) -> Part:
    """Return every army that can found a colony, with every card that activates its leader (7.2.1)."""
    if decision.side != view.board.powers[ROMANS].side:
        return NO_WAY
    able = playable(view, decision.side)
    return _activations(view, decision.side, able, COLONY, lambda leader: why_no_colony(view, leader))


def check_colony(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with founding a colony: the card, the leader, his army, the space (7.2.1)."""
    found = list(check_activate(view, decision, order))
    yield from found
    if not found and (refusal := why_no_colony(view, order["leader"])) is not None:
        yield order.fault(("leader",), refusal.reason, rule=refusal.rule)


def carry_colony(game: Game, table: Table, order: Order) -> Flow[None]:
    """Lay the card down and found a colony, unless a response cancels the activation (7.2.1)."""
    lay_down(game, table, order["card"], COLONY, ROMANS)
    yield from _settle(game, table, order["leader"])
    put_away(game, table)


def _settle(game: Game, table: Table, leader: str) -> Flow[None]:
    """Remove a CU and make the space a Roman walled city with loyalty 1, for the rest of the game (7.2.1)."""
    if (yield from respond_to(game, table, leader)).cancelled:
        return
    space = game.where(leader)
    assert space is not None
    settle_colony(game, space)
    table.tell("colony_founded", power=ROMANS, leader=leader, space=space, rule="7.2.1")


def settle_colony(game: Game, space: str) -> None:
    """Make a space a Roman walled city for the CU that settles there (7.2.1)."""
    lose(game, ROMANS, space, 1)
    game.colonies.append(space)
    assert game.kind(space) == WALLED
    game.loyalty[space] = game.board.tables["city"]["converted"]


ACTIVATION_USES: Final[Mapping[str, Use]] = {
    "activate": Use(activate_choices, check_activate, carry_activation, ("activate", "march")),
    CAMPAIGN: Use(campaign_choices, check_campaign, carry_campaign, (CAMPAIGN,)),
    COLONY: Use(colony_choices, check_colony, carry_colony, ("colony", "found a colony")),
}

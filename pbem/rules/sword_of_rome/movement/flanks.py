"""The flank of a battle: the second commander of a Campaign comes to it by another way (9.5.5 to 9.5.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pbem.game import NOTHING, Kind, OneOf, Part, Refusal, Table, Value, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.movement.fatigue import CAMPAIGN, points_left, points_of, setting_out
from pbem.rules.sword_of_rome.movement.parts import STOP, Body, MarchOrder, Step, part_of, strengths
from pbem.rules.sword_of_rome.movement.paths import taken_by, why_not_step
from pbem.rules.sword_of_rome.movement.voyages import room_at_sea
from pbem.rules.sword_of_rome.position.board import NORMAL, ROMANS, SEA
from pbem.rules.sword_of_rome.position.naming import NOBODY, no_such_leader, power_named, refused, space_named
from pbem.rules.sword_of_rome.position.state import NONE, Force, Game, March, Moment

# ---- who can come next (9.5.1, 9.5.5)


def why_not_next(game: Game, leader: str) -> Refusal | None:
    """Say why a Campaign cannot activate a leader; None: it can (9.5.1, 9.5.5).

    He leads an army of the side, or of an ally that has a player or is bound to the side by a treaty (18).
    """
    card = game.card
    assert card is not None
    power = game.board.leaders[leader].power
    name, own = game.board.leaders[leader].name, game.board.powers_of[card.side]
    led = game.board.powers[power].side is not None or game.guardian(power) == card.side
    if power not in own and not (led and any(game.allied(each, power) for each in own)):
        return Refusal(f"{name} is neither yours nor an ally's", "9.5.5")
    if game.where(leader) is None:
        return Refusal(f"{name} is not on the map", "8.1")
    if leader in card.moved:
        return Refusal(f"this Campaign has called {name} already", "9.5.1")
    return None


def why_no_colony(game: Game, leader: str) -> Refusal | None:
    """Say why the army of a leader cannot found a colony; None: it can (7.2.1)."""
    space = game.where(leader)
    if space is None or leader not in game.force(ROMANS, space).leaders:
        return Refusal("a colony is founded by a Roman army on the map", "7.2.1")
    return why_no_settlers(game, space)


def why_no_settlers(game: Game, space: str) -> Refusal | None:
    """Say why the CU in a space cannot found a colony; None: they can (7.2.1)."""
    where = space_named(game, space)
    if game.kind(space) != NORMAL or game.control.get(space) != ROMANS:
        return Refusal(f"there is no Roman marker in {where}", "7.2.1")
    least = game.board.tables["city"]["army"]
    if game.force(ROMANS, space).cu < least:
        return Refusal(f"a colony takes an army of {least} CU", "7.2.1")
    return None


def can_flank(game: Game, leader: str) -> bool:
    """Tell whether a leader may come to the flank of the battle that is held: he has CU, and a way (9.5.6).

    He is of the power that attacks, or of its ally: an ally of the other power of its side alone is neither (15.1.2).
    """
    battle, space = game.the_battle, game.where(leader)
    if why_not_next(game, leader) is not None or space is None or space == battle.space:
        return False
    power = game.board.leaders[leader].power
    if power != battle.attacker and not game.allied(battle.attacker, power):
        return False
    stack = game.force(power, space)
    if leader not in stack.leaders:
        return False
    units = next(iter(strengths(game, stack, [leader], 1, game.board.tables["movement"]["cu"])), None)
    if units is None:
        return False
    march = setting_out(game, _marching(game, leader, space), Force(*units, [leader]))
    return next(ways_to_flank(game, march), None) is not None


def _marching(game: Game, leader: str, space: str, further: int = 0) -> March:
    """Return the march of a leader who is activated to flank the battle that is held."""
    card, power = game.card, game.board.leaders[leader].power
    assert card is not None
    held, points = game.the_battle.space, points_of(game, power) + further
    march = March(
        card.side, power, leader, Force(), space, space, points, trail=[space], flanking=held, further=further
    )
    march.points = max(0, points_left(game, march.as_if(Force(leaders=[leader]))))
    return march


def why_not_flank_from(game: Game, march: March, space: str) -> Refusal | None:
    """Say why a flank cannot stand in a space; None: it can (9.5.6).

    It is next to the battle, by another path than the first army's, and nobody else stands there.
    """
    battle = game.the_battle
    where, there = space_named(game, space), space_named(game, battle.space)
    if battle.space not in game.board.neighbours[space]:
        return Refusal(f"no path leads from {where} to {there}", "9.5.6")
    if space == battle.came_from:
        return Refusal(f"the first army came from {where}: a flank comes by another path", "9.5.6")
    for other in game.present(space):
        if other != march.power and game.outside(other, space):
            return Refusal(f"CU of {power_named(game, other)} are in {where}", "9.5.6")
    return None


class WayToFlank(NamedTuple):
    """A way to the flank of a battle: its steps as an order writes them, and the CU that can take it."""

    steps: list[Body]
    room: int


def ways_to_flank(game: Game, march: March, way: WayToFlank | None = None) -> Iterator[WayToFlank]:
    """Yield the ways on which a force can come to the flank of the battle, without going in a circle (9.5.6).

    `way` is how it has come to where it is now.
    """
    way = way or WayToFlank([], game.board.tables["movement"]["cu"])
    if why_not_flank_from(game, march, march.at) is None:
        yield way
    by_land = [Step(to) for to in game.board.neighbours[march.at]]
    for step in [*by_land, *(Step(to, by_sea=True) for to in _ports_near(game, march))]:
        if step.to in march.trail or why_not_step(game, march, step) is not None:
            continue
        kind, cost = taken_by(game, march, step)
        room = min(way.room, room_at_sea(game, march, step.to)) if step.by_sea else way.room
        written = {"to": step.to, "by": SEA} if step.by_sea else {"to": step.to}
        on = march.as_if(march.force)
        on.points, on.trail = march.points - cost, [*march.trail, step.to]
        on.came_from, on.at, on.came_by = march.at, step.to, kind
        yield from ways_to_flank(game, on, WayToFlank([*way.steps, written], room))


def _ports_near(game: Game, march: March) -> list[str]:
    """List the ports to which a flank may sail and have the points to come next to the battle, or seem to."""
    left = march.points - game.board.tables["movement"]["cost"][SEA]
    if left < 0 or not game.is_harbour(march.power, march.at):
        return []
    near = {game.the_battle.space}
    for _ in range(left + 2):  # the last path leads to the battle itself, and one on the Appian Way may be free
        near |= {to for space in near for to in game.board.neighbours[space]}
    return [to for to in game.harbours(march.power) if to in near]


# ---- the questions


def ask_next(game: Game, table: Table, space: str) -> Flow[Order]:
    """Ask whom the Campaign activates next; `space` is the battle that is held for a flank, empty if none is."""
    card = game.card
    assert card is not None
    return (
        yield from table.ask(
            card.side,
            "next_commander",
            rule="9.5.6" if space else "9.5.1",
            default={"leader": NONE},
            moved=list(card.moved),
            space=space,
        )
    )


def consents(game: Game, table: Table, leader: str) -> Flow[bool]:
    """Tell whether a Campaign gets a leader, who is asked for if he is an ally's (9.5.5).

    A no does not end the alliance; the Campaign does not ask for him again.
    """
    card, power = game.card, game.board.leaders[leader].power
    assert card is not None
    card.moved.append(leader)
    side = game.board.powers[power].side
    if side is None or side == card.side:
        return True
    ally = next(own for own in game.board.powers_of[card.side] if game.allied(own, power))
    order = yield from table.ask(
        side, "join_campaign", rule="9.5.5", default={"consent": False}, power=ally, leader=leader
    )
    if not order["consent"]:
        table.tell("no_consent", power=power, ally=ally, leader=leader, rule="9.5.5")
    agreed: bool = order["consent"]
    return agreed


def respond_to(game: Game, table: Table, leader: str) -> Flow[Moment]:
    """Let all respond to the activation of a leader: they may cancel it, or send his army further (7.1, 9.2, 21.4)."""
    card = game.card
    assert card is not None
    about = {"space": game.where(leader), "power": game.board.leaders[leader].power, "value": card.value}
    return (yield from responses.window(game, table, "activation", about=about))


def choose_flank(game: Game, table: Table) -> Flow[March | None]:
    """Let a Campaign bring its second commander to the flank of the battle, and return his march (9.5.6).

    Nobody is asked where the first army wins without dice, or nobody could come.
    """
    card, held = game.card, game.the_battle
    if card is None or card.use != CAMPAIGN or not card.commanders_left:
        return None
    own, enemy = game.force(held.attacker, held.space).cu, game.force(held.defender, held.space).cu
    if own >= enemy and game.board.force_ratio(own, enemy) is None:
        return None
    while any(can_flank(game, leader) for leader in game.board.leaders):
        leader = (yield from ask_next(game, table, held.space))["leader"]
        if leader == NONE:
            return None
        if (yield from consents(game, table, leader)):
            card.commanders_left -= 1
            moment = yield from respond_to(game, table, leader)
            power, space = game.board.leaders[leader].power, game.where(leader)
            if moment.cancelled or space is None:
                return None
            table.tell("activated", power=power, leader=leader, space=space, rule="9.5.6")
            return _marching(game, leader, space, moment.points)
    return None


def way_of_flank(game: Game, table: Table) -> Flow[Force]:
    """Ask for the way of the flank under way, note it, and return the force that goes (9.5.6)."""
    march = game.the_march
    order = yield from table.ask(march.side, "flank", rule="9.5.6", **march.asked, space=march.flanking)
    said = MarchOrder.read(order.body)
    march.path, march.then = [dict(step) for step in said.written], STOP
    most = game.board.tables["movement"]["cu"]
    return part_of(game.force(march.power, march.at), said.force, march.leader, most)


def next_commanders(view: Game, decision: Decision) -> Part:
    """Return whom a Campaign can activate next, and nobody (9.5.1, 9.5.5, 7.2.1)."""
    own, values = view.board.powers_of[decision.side], [Value(NONE, says=NOBODY, must=True)]
    colony = Value(True, says=("colony", "found a colony"), must=True)
    for leader in view.board.leaders:
        if decision.facts["space"]:
            ways = [Value(None)] if can_flank(view, leader) else []
        else:
            ways = [Value(None)] if why_not_next(view, leader) is None else []
            if view.board.leaders[leader].power in own and why_no_colony(view, leader) is None:
                ways.append(colony)
        if ways:
            then = OneOf("colony", ways) if colony in ways else NOTHING
            values.append(Value(leader, then, at=view.where(leader) or ""))
    return OneOf("leader", values, of="leader")


def check_next(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with who is activated next (9.5.1, 9.5.5, 9.5.6, 7.2.1)."""
    leader, colony = order["leader"], order.get("colony", False)
    if leader == NONE:
        return
    refusal = no_such_leader(view, leader)
    if refusal is None and colony:
        if view.board.leaders[leader].power not in view.board.powers_of[decision.side]:
            refusal = Refusal("only Rome founds colonies", "7.2.1")
        refusal = refusal or why_no_colony(view, leader)
        if refusal is None and decision.facts["space"]:
            refusal = Refusal("a battle is held for a flank: found the colony after it", "9.5.6")
    elif refusal is None:
        refusal = why_not_next(view, leader)
    if refusal is None and decision.facts["space"] and not can_flank(view, leader):
        refusal = Refusal(f"{view.board.leaders[leader].name} has no army that could come to the flank", "9.5.6")
    yield from refused(("colony",) if colony else ("leader",), refusal)


FLANK_KINDS: Final = (
    Kind(
        "next_commander",
        next_commanders,
        check_next,
        hints="views.hints:next_commander_hints",
        bot="policy.acts:best_next",
    ),
    Kind("join_campaign", *yes_or_no("consent"), bot="policy.replies:best_consent"),
)

"""Losses and retreat: who bears the losses of a battle, and where the beaten go (8.4, 9.5.6, 12.3, 12.4, S 12.4.3).

What is open to the beaten army stands in the facts of the decision: the ways by land, room in the city, and the ports
it may sail to. All of that is public; which cards the loser holds is not, so that it is asked wherever it holds any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from pbem.game import NOTHING, UNTOLD, AllOf, Fixed, Kind, OneOf, Part, Table, Value, listing
from pbem.protocol import Decision, Fault, Flow, Order, Record, Side
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.movement import voyages
from pbem.rules.sword_of_rome.movement.paths import Beaten, penalty, retreats
from pbem.rules.sword_of_rome.movement.voyages import Crossing
from pbem.rules.sword_of_rome.position.board import CARTHAGE, CLEAR, DIFFICULT, SEA, WALLED
from pbem.rules.sword_of_rome.position.changes import come_out, displace, drop_force, go_in, lose
from pbem.rules.sword_of_rome.position.naming import NOBODY, card_value, space_named
from pbem.rules.sword_of_rome.position.state import UNSEEN, Force, Game
from pbem.rules.sword_of_rome.turn.order_of_play import decider

VALUES: Final = (1, 2, 3)
STAND: Final[Record] = {"inside": False}
"""The answer of an army that could only sail, and does not: it is lost (12.4.5)."""


# ---- losses, and leaders without CU (8.4, 9.5.6, 12.3)


def divide(primary: int, flank: int, cu: int) -> tuple[int, int]:
    """Divide the losses of an army evenly with its flank, the odd one to the primary force (9.5.6).

    What one of the two lacks, the other gives.
    """
    cu = min(cu, primary + flank)
    on_flank = min(max(cu // 2, cu - primary), flank)
    return cu - on_flank, on_flank


class Loss(NamedTuple):
    """CU that a power loses in a space, and the paragraph by which it does."""

    power: str
    space: str
    cu: int
    rule: str


def bear(game: Game, table: Table, loss: Loss) -> Flow[int]:
    """Take CU from a force and return how many it gave; if none is left its leaders are displaced (8.4, 12.3)."""
    lost = yield from bear_alone(game, table, loss)
    if lost and not game.force(loss.power, loss.space).cu:
        displace(game, table, loss.power, loss.space)
    return lost


def bear_alone(game: Game, table: Table, loss: Loss) -> Flow[int]:
    """Take CU from a force, whose leaders stay, and return how many it had to give (12.3).

    Carthage may say how many of them are mercenaries; without an answer they go first.
    """
    power, space, cu, rule = loss
    force = game.forces[power].get(space)
    if force is None or cu < 1:
        return 0
    cu = min(cu, force.cu)
    mercenaries = yield from _mercenaries_of(game, table, loss._replace(cu=cu))
    if mercenaries is None:
        lose(game, power, space, cu)
    else:
        force.cu -= cu
        force.mercenaries -= mercenaries
        if force.empty:
            drop_force(game, power, space)
    if cu:
        table.tell("lost", power=power, space=space, cu=cu, rule=rule)
    return cu


def _mercenaries_of(game: Game, table: Table, loss: Loss) -> Flow[int | None]:
    """Ask Carthage how many of the CU that it loses are mercenaries, where there is a choice (12.3)."""
    power, space, cu, _ = loss
    force = game.force(power, space)
    least, most = force.fewest_mercenaries(cu), min(cu, force.mercenaries)
    if power != CARTHAGE or least == most:
        return None
    order = yield from table.ask(
        CARTHAGE,
        "losses",
        rule="12.3",
        default={"mercenaries": most},
        waits=False,
        power=power,
        space=space,
        cu=cu,
        least=least,
        most=most,
    )
    chosen: int = order["mercenaries"]
    return chosen


def loss_choices(view: Game, decision: Decision) -> Part:
    """Return how many of the CU lost may be mercenaries (12.3)."""
    facts = decision.facts
    return OneOf("mercenaries", [Value(number) for number in range(facts["most"], facts["least"] - 1, -1)])


def check_losses(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the number of mercenaries lost (12.3)."""
    least, most = decision.facts["least"], decision.facts["most"]
    if not least <= order["mercenaries"] <= most:
        yield order.fault(("mercenaries",), f"{least} to {most} of the CU lost can be mercenaries", rule="12.3")


# ---- retreat: by land, into the city, by sea; rout and penalties (12.4, S 12.4.3)


def retreat(game: Game, table: Table, army: Beaten) -> Flow[None]:
    """Let what a power has in a space retreat; the CU that it loses are counted in the battle under way (12.4).

    An attacker goes back where it came from first, so that it is lost if it came across rough ground or a strait; if
    it came by sea, it sails back without another card, or is lost (12.4.1, 12.4.3; option `sea_way_back`).
    """
    power, space = army.power, army.space
    if not game.force(power, space).cu:
        displace(game, table, power, space)
        return
    side = yield from decider(game, table, power)
    sails = army.attacked and army.came_by == SEA
    if sails and army.came_from not in ports(game, power, space) and game.options["sea_way_back"] == "by_land":
        sails, army = False, replace(army, came_from=None, came_by=CLEAR)
    fleet = not army.attacked
    tried = 0
    while True:
        facts = _facts(game, replace(army, came_from=None) if sails else army, fleet)
        if sails and army.came_from in ports(game, power, space):
            facts = {**facts, "free": army.came_from}
        order = yield from _ask(game, table, side, facts)
        onward = "path" in order.body or "to" in order.body
        if order.get("inside"):
            gone_in = yield from _go_inside(game, table, power, space, rest=onward)
            if not gone_in and not onward:
                continue  # a response has shut the city: the army must go another way
        force = game.force(power, space)
        if not force.cu:
            return
        if "path" in order.body:
            yield from _march_off(game, table, power, space, order["path"])
            return
        if "to" not in order.body:
            yield from destroy(game, table, power, space)
            return
        tried += 1
        crossing = Crossing(power, space, order["to"], fleeing=True)
        cu = force.cu if crossing.to == facts["free"] else (yield from _aboard(game, table, side, crossing, order))
        if cu and (yield from _sail_off(game, table, crossing, cu, f"{army.name}/retreat-{tried}")):
            return
        sails, fleet = False, False


def _facts(game: Game, army: Beaten, fleet: bool) -> Record:
    """Return what is open to a beaten army (12.4)."""
    power, space = army.power, army.space
    by_sea = army.came_by == SEA
    return {
        "power": power,
        "space": space,
        "cu": game.force(power, space).cu,
        "ways": [] if by_sea or army.came_by in DIFFICULT else retreats(game, army),
        "room": 0 if army.came_from is not None or by_sea else room_inside(game, power, space),
        "ports": open_ports(game, power, space) if fleet else [],
        "free": None,
    }


def room_inside(game: Game, power: str, space: str) -> int:
    """Return how many CU of a power can go inside the city of a space: three in its own (9.3.1, 12.4.4)."""
    if game.kind(space) != WALLED or game.control.get(space) != power or game.board.is_capital(space):
        return 0
    if game.barred(space):
        return 0
    most: int = game.board.tables["city"]["cu"]
    return most - game.garrison(power, space).cu


def ports(game: Game, power: str, space: str) -> list[str]:
    """Return the ports to which a beaten army can sail: friendly, with no CU of another power (12.4.3)."""
    if not game.is_harbour(power, space):
        return []
    leaders = game.force(power, space).leaders
    return [
        port
        for port in game.harbours(power)
        if game.board.spaces[port].port and port != space and game.friendly(power, port)
        if port not in game.board.powers[power].barred and voyages.why_he_stays(game, leaders, port) is None
        if not any(game.cu(other, port) for other in game.board.powers if other != power)
    ]


def open_ports(game: Game, power: str, space: str) -> list[str]:
    """Return the ports to which a card may carry a beaten army, as far as everybody can see (12.4.3, S 12.4.3).

    A card of its side, or one of Carthage for an ally; a power without a player needs none.
    """
    side = game.board.powers[power].side
    own = side is not None and voyages.holds_cards(game, side)
    lent = voyages.may_get_leave(game, power)

    def by_card(port: str) -> bool:
        return any(voyages.carried(game, Crossing(power, space, port, fleeing=True), value) for value in VALUES)

    return [
        port
        for port in ports(game, power, space)
        if lent or (own and by_card(port)) or voyages.without_card(game, power, space, port)
    ]


def _ask(game: Game, table: Table, side: Side, facts: Record) -> Flow[Order]:
    """Ask how the army goes; where there is no choice at all nobody is asked (12.4)."""
    default = _default(game, facts)
    if not facts["ports"] and facts["free"] is None and len(facts["ways"]) + bool(facts["room"]) < 1:
        return Order("retreat", STAND)
    return (yield from table.ask(side, "retreat", rule="12.4", default=default, **facts))


def _default(game: Game, facts: Record) -> Record:
    """Return the way that costs least, without a card: all into the city, back over the sea, or by land (12.4)."""
    if facts["free"] is not None:
        return {"to": facts["free"]}
    rest = facts["cu"] - facts["room"]
    if facts["room"] and rest <= 0:
        return {"inside": True}
    found = facts["ways"]
    if found:
        path = min(found, key=lambda way: cost(game, facts["power"], way))
        return {"inside": True, "path": path} if facts["room"] else {"path": path}
    return {"inside": True} if facts["room"] else STAND


def cost(game: Game, power: str, way: Sequence[str]) -> int:
    """Return the CU that a way costs a retreating army (12.4.5)."""
    return sum(penalty(game, power, space) for space in way)


# ---- the three ways


def _go_inside(game: Game, table: Table, power: str, space: str, *, rest: bool) -> Flow[int]:
    """Put as many CU as there is room for inside the city, and return how many (12.4.4).

    The leaders stay with the rest if that goes on.
    """
    about = {"space": space, "power": power, "other": None}
    yield from responses.window(game, table, "into_city", about=about)
    cu = min(room_inside(game, power, space), game.force(power, space).cu)
    if not cu:
        return 0
    force = game.force(power, space)
    leaders = [] if rest and force.cu > cu else list(force.leaders)
    taken = game.take(power, space, survivors(force, cu, leaders))
    go_in(game, space, taken)
    table.tell("withdraws_inside", power=power, space=space, cu=cu, rule="12.4.4")
    return cu


def _march_off(game: Game, table: Table, power: str, space: str, path: Sequence[str]) -> Flow[None]:
    """Lead a beaten army along a way: own CU join the rout, each enemy space costs CU (12.4.2, 12.4.5)."""
    at, cu = space, 0
    for to in path:
        force = game.force(power, at)
        moving = game.take(power, at, survivors(force, force.cu, force.leaders))
        come_out(game, power, to, moving)
        lost = yield from bear(game, table, Loss(power, to, penalty(game, power, to), "12.4.5"))
        _count(game, power, lost)
        at, cu = to, max(0, moving.cu - lost)
        if not game.force(power, at).cu:
            break
    table.tell("retreats", power=power, space=space, path=list(path), end=at, cu=cu, rule="12.4")


def _aboard(game: Game, table: Table, side: Side, crossing: Crossing, order: Order) -> Flow[int]:
    """Return how many CU the card of an order carries, or a fleet that is lent (12.4.3, S 12.4.3)."""
    if "card" in order.body:
        cu = voyages.capacity(game, crossing, order["card"])
        voyages.play_beside(game, table, side, order["card"], "retreat")
        return cu
    cu = voyages.without_card(game, crossing.power, crossing.origin, crossing.to)
    return cu or (yield from voyages.borrow(game, table, crossing, game.force(crossing.power, crossing.origin).cu))


def _sail_off(game: Game, table: Table, crossing: Crossing, cu: int, name: str) -> Flow[bool]:
    """Sail away with as many CU as the fleet carries; the others are lost. Tell whether it has arrived (12.4.3)."""
    power, space, to, _ = crossing
    force = game.force(power, space)
    sailing = survivors(force, min(cu, force.cu), force.leaders)
    at_sea = Force(sailing.cu, sailing.mercenaries, list(sailing.leaders))
    arrives = yield from voyages.sail(game, table, crossing, at_sea, name)
    if at_sea.cu < sailing.cu:
        _count(game, power, (yield from bear(game, table, Loss(power, space, sailing.cu - at_sea.cu, "9.6.4"))))
    if not arrives:
        return False
    come_out(game, power, to, game.take(power, space, sailing))
    table.tell("retreats", power=power, space=space, path=[], end=to, cu=sailing.cu, rule="12.4.3")
    yield from destroy(game, table, power, space)
    return True


def survivors(force: Force, cu: int, leaders: Sequence[str]) -> Force:
    """Return some CU of a force, mercenaries last, with leaders: those that get away."""
    return Force(cu, force.fewest_mercenaries(cu), list(leaders))


def destroy(game: Game, table: Table, power: str, space: str) -> Flow[None]:
    """Take off the map what cannot retreat; its leaders are displaced (12.4.5)."""
    cu = game.force(power, space).cu
    if not cu:
        return
    table.tell("destroyed", power=power, space=space, cu=cu, rule="12.4.5")
    gone = yield from bear(game, table, Loss(power, space, cu, "12.4.5"))
    if game.options["no_retreat_counts"]:
        _count(game, power, gone)


def _count(game: Game, power: str, cu: int) -> None:
    if cu and game.battle is not None:
        game.battle.lost[power] = game.battle.lost.get(power, 0) + cu


# ---- legal orders and checks


def retreat_choices(view: Game, decision: Decision) -> Part:
    """Return every way that is open to the beaten army (12.4)."""
    facts = decision.facts
    if facts["ports"] and UNSEEN in view.hands[decision.side]:
        return UNTOLD
    onward = _onward(view, decision)
    ways = [Value("", onward)]
    if facts["room"]:
        rest = OneOf(None, [Value(""), *([Value("", onward)] if facts["cu"] > facts["room"] else [])], inferred=True)
        ways.append(Value("inside", AllOf(Fixed({"inside": True}), rest), says=("inside",), must=len(onward) > 0))
    elif not facts["ways"] and facts["free"] is None:
        ways.append(Value("stand", Fixed(STAND), says=NOBODY, must=True))
    return OneOf(None, ways, inferred=True)


def _onward(view: Game, decision: Decision) -> Part:
    """Return the ways out of the space: by land, back over the sea, or to a port by a card or by leave (12.4)."""
    facts = decision.facts
    by_land = OneOf("path", [Value(way, at=way[-1]) for way in facts["ways"]], of="space", inferred=True, ordered=True)
    harbours: dict[str, Part] = {}
    for to in facts["ports"]:
        by = [card_value(view, card) for card in _carrying(view, decision, to)]
        if _needs_no_card(view, facts, to) or to == facts["free"]:
            by.append(Value(None))
        harbours[to] = OneOf("card", by, of="card", inferred=True)
    if facts["free"] is not None and facts["free"] not in harbours:
        harbours = {facts["free"]: NOTHING, **harbours}
    by_sea = OneOf("to", [Value(to, then, at=to) for to, then in harbours.items()], of="space", inferred=True)
    return OneOf(None, [Value("path", by_land), Value("sea", by_sea, says=("sail",))], inferred=True)


def _needs_no_card(view: Game, facts: Record, to: str) -> bool:
    """Tell whether an army may sail without a card that carries it (12.4.3).

    An event of its own or Carthage may give it leave, and a power without a player needs none.
    """
    power = facts["power"]
    return voyages.may_get_leave(view, power) or voyages.without_card(view, power, facts["space"], to) > 0


def _carrying(view: Game, decision: Decision, to: str) -> list[str]:
    """List the cards of the loser by which the army can sail to a port (12.4.3)."""
    power, space = decision.facts["power"], decision.facts["space"]
    if view.board.powers[power].side != decision.side:
        return []
    cards = voyages.cards_of(view, decision.side)
    return [card for card in cards if voyages.capacity(view, Crossing(power, space, to, fleeing=True), card)]


def check_retreat(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the way of a beaten army (12.4)."""
    facts = decision.facts
    by_land, by_sea, inside = "path" in order.body, "to" in order.body, order.get("inside", False)
    if by_land and by_sea:
        yield order.fault(("to",), "an army does not split: it goes by land or by sea", rule="12.4.1")
    if inside and not facts["room"]:
        yield order.fault(("inside",), f"nobody of {facts['power']} can go inside here", rule="12.4.4")
    if by_land and list(order["path"]) not in [list(way) for way in facts["ways"]]:
        yield order.fault(("path",), _ways_in_words(view, facts["ways"]), rule="12.4.1")
    if by_sea:
        yield from _sea_faults(view, decision, order)
    elif "card" in order.body:
        yield order.fault(("to",), "say to which port the army sails", rule="12.4.3")
    if not (by_land or by_sea or inside) and (facts["ways"] or facts["room"] or facts["free"] is not None):
        yield order.fault((), "say where the army goes", rule="12.4")


def _ways_in_words(view: Game, found: Sequence[Sequence[str]]) -> str:
    if not found:
        return "no way by land is open"
    words = [" - ".join(space_named(view, space) for space in way) for way in found]
    return f"the army goes the shortest way to safety: {listing(words, 'or')}"


def _sea_faults(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    facts, side, to = decision.facts, decision.side, order["to"]
    if to == facts["free"] and "card" not in order.body:
        return
    if to not in facts["ports"]:
        known = [*facts["ports"], *([facts["free"]] if facts["free"] else [])]
        harbours = listing([space_named(view, port) for port in known], "or")
        yield order.fault(("to",), f"it can sail to {harbours or 'no port'}", rule="12.4.3")
    elif "card" not in order.body:
        if not _needs_no_card(view, facts, to):
            yield order.fault(("card",), "say by which card the army sails", rule="12.4.3")
    elif (refusal := voyages.why_not_held(view, side, order["card"])) is not None:
        yield order.fault(("card",), refusal.reason, rule=refusal.rule)
    elif order["card"] not in _carrying(view, decision, to):
        yield order.fault(
            ("card",), f"by {order['card']} nobody sails from here to {space_named(view, to)}", rule="9.6.3"
        )


RETREAT_KINDS: Final = (
    Kind("losses", loss_choices, check_losses, hints="views.hints:losses_hints"),
    Kind("retreat", retreat_choices, check_retreat, hints="views.hints:retreat_hints"),
)

"""Alliances: proposed, accepted and broken while a side is active, and renewed at the end of a turn (5.9, 15).

`part(game, table, pair)` ends an alliance, whoever has ended it. What allies may not do to each other stands where it
is done; `Game.allied`, `Game.friendly` and `Game.full_ally` tell who is an ally.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import Kind, OneOf, Part, Refusal, Table, Value, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events.card_play import Use, own_power
from pbem.rules.sword_of_rome.events.support import own_support, remove, settle_support
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GREEKS, WALLED
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.naming import may_be_left_out, no_such_space, own, points, refused, space_named
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.siege.siege import place_marker
from pbem.rules.sword_of_rome.turn.order_of_play import ranked

IN_TURN: Final = "in_turn"


# ---- proposing (15.1)


def why_not_propose(view: Game, power: str, to: str) -> Refusal | None:
    """Say why a power cannot propose an alliance to another; None: it can (15.1, 15.1.2)."""
    if to not in view.board.powers:
        return Refusal(f"{to} is not in this game", "15.1")
    side, other = view.board.powers[power].side, view.board.powers[to].side
    if other is None or side is None:
        return Refusal(f"{view.board.powers[to].name} has no player who could accept", "15.1")
    if side == other:
        return Refusal("nobody allies with themselves: choose a power of another player", "15.1")
    if other in view.board.seats_of(side) and not view.options["own_alliance"]:
        return Refusal("the sides of one person do not ally", "15.1")
    if other in view.out:
        return Refusal(f"{view.board.powers[to].name} is out of the game", "5.10.3")
    if view.pair(power, to) in view.alliances:
        return Refusal(f"{view.board.powers[power].name} and {view.board.powers[to].name} are allied", "15.1")
    besiegers, besieged = _led_by_player(view, side), _led_by_player(view, other)
    for space, siege in view.sieges.items():
        if siege.by in besiegers and view.control.get(space) in besieged:
            return Refusal(f"you besiege {space_named(view, space)}: nothing can be proposed to its player", "15.1")
    if GREEKS in (power, to) and view.guardian(CARTHAGE) in (side, other):
        return Refusal("Rome does not ally with the Greeks while it has its treaty with Carthage", "18")
    if f"{power}+{to}" in view.the_activation.proposed:
        return Refusal(f"{view.board.powers[to].name} has refused in this activation", "15.1")
    return None


def _led_by_player(view: Game, side: Side) -> list[str]:
    """Return the powers of a player (15.1): those of the side, or of its person (option `player_besieged`)."""
    sides = view.player(side, view.options["player_besieged"])
    return [power for each in sides for power in view.board.powers_of[each]]


def proposal_choices(view: Game, decision: Decision) -> Part:
    """Return every alliance that the active side can propose (15.1)."""

    def to_whom(power: str) -> Part:
        able = [to for to in view.board.powers if why_not_propose(view, power, to) is None]
        return OneOf("to", [Value(to) for to in able], of="power")

    return own(view.board.powers_of[decision.side], to_whom)


def check_proposal(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a proposal (15.1)."""
    power = own_power(view, decision.side, order)
    if power is None:
        yield _which_power(view, decision.side, order)
    elif "to" not in order.body:
        yield order.fault(("to",), "say to which power you propose it", rule="15.1")
    else:
        yield from refused(("to",), why_not_propose(view, power, order["to"]))


def _which_power(view: Game, side: Side, order: Order) -> Fault:
    own = " or ".join(view.board.powers_of[side])
    return order.fault(("power",), f"say which power of yours: {own}", rule="15.1.2")


def propose(game: Game, table: Table, order: Order) -> Flow[None]:
    """Propose an alliance; with the answer yes it stands at once, and sieges between the two end (15.1, 13.4).

    With two players the other side may be of the same person, who is not asked whether they accept what they propose.
    """
    side, to = game.the_activation.side, order["to"]
    power = order.get("power", game.board.powers_of[side][0])
    table.tell("proposed", power=power, ally=to, rule="15.1")
    asked = game.board.powers[to].side
    assert asked is not None
    accepted = asked in game.board.seats_of(side)
    if not accepted:
        answer = yield from table.ask(asked, "alliance", rule="15.1", default={"accept": False}, power=power, to=to)
        accepted = answer["accept"]
    if accepted:
        game.alliances.append(game.pair(power, to))
        table.tell("allied", power=power, ally=to, rule="15.1")
        settle_spaces(game, table)
    else:
        game.the_activation.proposed.append(f"{power}+{to}")
        table.tell("refused", power=power, ally=to, rule="15.1")


# ---- breaking (15.5)


def price(view: Game) -> int:
    """Return the points of own support that a broken alliance costs (15.5)."""
    points: int = view.board.tables["support"]["break_alliance"]
    return points


def usual_payment(view: Game, power: str) -> list[str]:
    """Return which support pays if an order does not say (15.5).

    Markers go first, those farthest from own cities before others, then points of the highest loyalty.
    """
    own, steps = own_support(view, [power]), _steps_from(view, view.cities(power))
    markers = [space for space in own if view.kind(space) != WALLED]
    paid = sorted(markers, key=lambda space: -steps.get(space, len(view.board.spaces)))[: price(view)]
    left = {space: points for space, points in own.items() if space not in markers}
    while len(paid) < price(view):
        most = max(left, key=lambda space: left[space])
        left[most] -= 1
        paid.append(most)
    return paid


def _steps_from(view: Game, spaces: Sequence[str]) -> dict[str, int]:
    """Return how many paths each space is away from the nearest of some spaces."""
    found, rim = dict.fromkeys(spaces, 0), list(spaces)
    for here in rim:
        for to in view.board.neighbours[here]:
            if to not in found:
                found[to] = found[here] + 1
                rim.append(to)
    return found


def why_not_break(view: Game, power: str, to: str) -> Refusal | None:
    """Say why a power cannot break its alliance with another; None: it can (15.4, 15.5)."""
    if to not in view.board.powers:
        return Refusal(f"{to} is not in this game", "15.5")
    pair = view.pair(power, to)
    if power == to or pair not in view.alliances:
        return Refusal(f"{view.board.powers[power].name} and {view.board.powers[to].name} are not allied", "15.5")
    if tuple(pair.split("+")) in view.board.permanent:
        return Refusal("this alliance never ends", "15.4")
    if sum(own_support(view, [power]).values()) < price(view):
        return Refusal(f"that costs {price(view)} points of support, more than you have", "15.5")
    return None


def break_choices(view: Game, decision: Decision) -> Part:
    """Return every alliance that can be broken, with every way to pay for it (15.5)."""

    def with_whom(power: str) -> Part:
        able = [to for to in view.board.powers if why_not_break(view, power, to) is None]
        if not able:
            return OneOf("to", [])
        paid = may_be_left_out(points("give_up", own_support(view, [power]), price(view), price(view)))
        return OneOf("to", [Value(to, paid) for to in able], of="power")

    return own(view.board.powers_of[decision.side], with_whom)


def check_break(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with breaking an alliance (15.5)."""
    power = own_power(view, decision.side, order)
    if power is None:
        yield _which_power(view, decision.side, order)
        return
    if "to" not in order.body:
        yield order.fault(("to",), "say whose alliance you break", rule="15.5")
        return
    refusal = why_not_break(view, power, order["to"])
    if refusal is not None:
        yield order.fault(("to",), refusal.reason, rule=refusal.rule)
        return
    if "give_up" not in order.body:
        return
    spaces: Sequence[str] = order["give_up"]
    if len(spaces) != price(view):
        reason = f"give up {price(view)} points of own support, a space for each, not {len(spaces)}"
        yield order.fault(("give_up",), reason, rule="15.5")
    own = own_support(view, [power])
    for at, space in enumerate(spaces):
        unknown = no_such_space(view, space)
        if unknown is not None or spaces[: at + 1].count(space) > own.get(space, 0):
            where = unknown or Refusal(f"you have {own.get(space, 0)} points in {space_named(view, space)}", "7.3.2")
            yield order.fault(("give_up", at), where.reason, rule=where.rule)


def break_up(game: Game, table: Table, order: Order) -> Flow[None]:
    """Break an alliance and pay for it with own support (15.5)."""
    side, to = game.the_activation.side, order["to"]
    power = order.get("power", game.board.powers_of[side][0])
    spaces = list(order.get("give_up") or usual_payment(game, power))
    rule = "15.5" if game.board.powers[to].side is not None else "18"
    table.tell("broken", power=power, ally=to, spaces=spaces, rule=rule)
    for space in spaces:
        remove(game, space)
    part(game, table, game.pair(power, to))
    yield from settle_support(game, table, spaces)


def part(game: Game, table: Table, pair: str) -> None:
    """End an alliance: an army in a city of the former ally besieges it, whose own CU go inside (15.5).

    It needs the CU of a siege roll for that; a city takes so many CU as it can hold (9.3.1).
    """
    game.alliances.remove(pair)
    one, other = pair.split("+")
    for owner, guest in ((one, other), (other, one)):
        for space in game.cities(owner):
            if game.force(guest, space).cu < game.board.tables["city"]["army"]:
                continue
            _go_inside(game, owner, space)
            place_marker(game, table, guest, space)
    settle_spaces(game, table)


def _go_inside(game: Game, power: str, space: str) -> None:
    there = game.forces[power].get(space)
    if there is None or space in game.inside:
        return
    cu = min(there.cu, game.board.tables["city"]["cu"])
    all_go = cu == there.cu
    force = Force(cu, min(cu, there.mercenaries), list(there.leaders) if all_go else [])
    game.inside[space] = game.take(power, space, force)


ALLIANCE_USES: Final[Mapping[str, Use]] = {
    "propose": Use(proposal_choices, check_proposal, propose, ("propose", "alliance", "ally")),
    "break": Use(break_choices, check_break, break_up, ("break", "break alliance")),
}


# ---- the Alliance Phase: every alliance ends unless both powers renew it (5.9, 15.4)


def renew_alliances(game: Game, table: Table) -> Flow[None]:
    """Ask by descending VP for each alliance: the first answer is an offer, the second accepts it (5.9).

    The permanent ones never end (15.4), nor does a treaty with a power that has no player (18).
    """
    open_pairs = [pair for pair in game.alliances if _may_end(game, pair)]
    if open_pairs:
        for side in (yield from ranked(game, table)):
            for pair in [pair for pair in open_pairs if side in _sides(game, pair)]:
                open_pairs.remove(pair)
                yield from _renew(game, table, side, pair)
    game.phase = "reinforcement"


def _may_end(game: Game, pair: str) -> bool:
    powers = pair.split("+")
    led = all(game.board.powers[power].side is not None for power in powers)
    return led and tuple(powers) not in game.board.permanent


def _sides(game: Game, pair: str) -> list[str]:
    return [str(game.board.powers[power].side) for power in pair.split("+")]


def _renew(game: Game, table: Table, side: str, pair: str) -> Flow[None]:
    """Ask both sides of an alliance, this one first, and end it unless both renew it (5.9).

    By an option both answer at once. With two players both may be of one person: they are asked once, and renew it
    unless they say otherwise.
    """
    powers = pair.split("+")
    if _sides(game, pair)[0] != side:
        powers.reverse()
    own, other = powers
    partner = str(game.board.powers[other].side)
    one_person = partner in game.board.seats_of(side)
    in_turn = game.options["renewals"] == IN_TURN

    def asked(whom: Side, power: str, ally: str) -> Decision:
        facts = {"power": power, "ally": ally, "offered": in_turn and whom != side}
        return Decision("renew", whom, "5.9", facts, {"renew": one_person}, waits=not one_person)

    both = [asked(side, own, other), asked(partner, other, own)][: 1 if one_person else 2]
    for some in [[each] for each in both] if in_turn else [both]:
        orders = yield from table.ask_all(some)
        if not all(order["renew"] for order in orders):
            table.tell("alliance_ends", power=own, ally=other, rule="5.9")
            part(game, table, pair)
            return
    table.tell("alliance_renewed", power=own, ally=other, rule="5.9")


ALLIANCE_KINDS: Final = (
    Kind("alliance", *yes_or_no("accept"), hints="views.hints:alliance_hints", bot="policy.alliances:best_answer"),
    Kind("renew", *yes_or_no("renew"), hints="views.hints:renew_hints", bot="policy.alliances:best_renewal"),
)

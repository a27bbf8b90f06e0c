"""Powers without a player: their activation by a card, and the revolt of the mercenaries (7.1.2, 16, S 16.4, S 20).

What this chapter offers to the others: `NONPLAYER_USES` with `nonplayer`, beside the card of the round;
`revolt_of_mercenaries` for the effect `insurrection` (S 16.4). While its card lies on the table a power counts as
allied with who plays it (`Game.allied`, 16.1.2). Who decides for it out of its activation is in
`turn.order_of_play.decider`, where its moves must end (16.3) in the rules of movement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from pbem.game import AllOf, Fixed, Lazy, OneOf, Part, Plain, Refusal, Table, Value, listing
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.battle import battle
from pbem.rules.sword_of_rome.events import minor_leaders
from pbem.rules.sword_of_rome.events.card_play import EVENT, EXTRA, Use, lay_down, put_away, value_of
from pbem.rules.sword_of_rome.events.conditions import hold
from pbem.rules.sword_of_rome.events.support import add_all, room_for, rooms, wrong_additions
from pbem.rules.sword_of_rome.movement import activation as movement
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DESPERATE_TIMES, DESPERATE_VALUE, REBELS
from pbem.rules.sword_of_rome.position.changes import INSURRECTION, settle_spaces
from pbem.rules.sword_of_rome.position.naming import cards, no_such_leader, not_in_hand, one_space, points, refused
from pbem.rules.sword_of_rome.position.state import FOR_GOOD, NONE, Force, Game, Mark
from pbem.rules.sword_of_rome.siege import unrest
from pbem.rules.sword_of_rome.siege.siege import place_marker
from pbem.rules.sword_of_rome.turn.reinforcements import eligible, why_not_place

NONPLAYER: Final = "nonplayer"
ADD_SUPPORT: Final = "support"
LEVY_UNITS: Final = "levy"
ACTIVATE: Final = "activate"
RAISE_UNREST: Final = "unrest"
SAYS: Final = ("nonplayer", "neutral", "unrest")
POINTS: Final = DESPERATE_VALUE
"""Points of support that an activation buys, and the value by which it activates: those of a 3 (16.1.1)."""

# ---- by which card which power acts (16.1.1, S 16.4, S 16.5, S 20)


def listed(view: Game, side: Side, card: str) -> list[str]:
    """Return the powers that a card of a side can activate (16.1.1, 18, S 16.4).

    Those on it, rebels unless it is a card of Carthage, and Carthage without a player by most cards. Any card of
    value 3 activates a power that is bound to the side by a treaty; nobody else activates that one.
    """
    powers = view.board.powers
    named = _named(view, card)
    if named is None:
        return bound(view, side) if value_of(view, card) == POINTS else []
    rebels = [REBELS] if view.mark(INSURRECTION) is not None and not _of_carthage(view, card) else []
    more = [power.id for power in powers.values() if side in power.activated_by]
    found = [power for power in (*named, *rebels, *more) if power in powers and powers[power].side is None]
    return [power for power in dict.fromkeys(found) if view.guardian(power) in (None, side)]


def _named(view: Game, card: str) -> Sequence[str] | None:
    """Return the powers that a card names; None: its event activates none (7.1.2)."""
    return view.board.nonplayer_cards.get(card)


def bound(view: Game, side: Side) -> list[str]:
    """Return the powers without a player that are bound to a side by a treaty (18)."""
    return [power for power in view.board.playerless if view.guardian(power) == side]


def _of_carthage(view: Game, card: str) -> bool:
    return CARTHAGE in view.board.powers_of[view.board.cards[card].deck]


def why_not_card(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a card activates no power without a player; None: it does (7.1.2, 16.1.1, 18)."""
    desperate = view.the_activation.desperate
    if card not in ([DESPERATE_TIMES] if desperate else view.hands[side]):
        return Refusal(not_in_hand(view, side, card), "7.1.2")
    by_event = _named(view, card) is not None
    if not by_event and not listed(view, side, card):
        name = "a Desperate Times" if desperate else f"{view.board.cards[card].name} ({card})"
        return Refusal(f"{name} activates no power without a player", "7.1.2")
    if view.the_activation.played and not (by_event and view.board.cards[card].extra):
        return Refusal("you have played your card of this round", "5.4")
    return hold(view, side, card) if by_event else None


def why_not_power(view: Game, side: Side, card: str, power: str) -> Refusal | None:
    """Say why a card of a side does not activate a power; None: it does (16.1.1, S 16.5, 18)."""
    record = view.board.powers.get(power)
    if record is None:
        return Refusal(f"there is no power {power} in this game", "16.1.1")
    if record.side is not None:
        return Refusal(f"{record.name} has a player: no card activates it", "S 16.5" if power == CARTHAGE else "16.1.1")
    if view.guardian(power) not in (None, side):
        return Refusal(f"{record.name} has a treaty: nobody else activates it", "18")
    if power not in listed(view, side, card):
        return Refusal(f"{card} does not activate {record.name}", "16.1.1")
    if power in view.fallen:
        return Refusal(f"{record.name} has fallen", "17.2.2")
    if power in view.activated:
        return Refusal(f"{record.name} has been activated in this round", "16.1.1")
    if not any(force.cu for _, force in view.everywhere(power)) and not eligible(view, power):
        return Refusal(f"{record.name} has no CU left, and no place for new ones", "16.1.1")
    return None


def why_no_unrest(view: Game, card: str) -> Refusal | None:
    """Say why a card does not raise the unrest; None: it does (S 20, S 20.1)."""
    if view.board.powers[CARTHAGE].side is None:
        return Refusal("there is no unrest without a player of Carthage", "S 20")
    if _of_carthage(view, card):
        return Refusal("a card of Carthage raises no unrest", "S 20")
    if _named(view, card) is None:
        return Refusal(f"{card} raises no unrest", "S 20")
    if view.unrest_raised:
        return Refusal("a card has raised the unrest in this round", "S 20")
    if view.unrest >= unrest.cap(view):
        return Refusal(f"the unrest has reached its cap of {unrest.cap(view)}", "S 20.1")
    return None


# ---- what it does


def active_leaders(view: Game, power: str, told: Mapping[str, str]) -> list[str]:
    """Return the leaders that a card of value 3 activates, once minor ones have been placed (8.1, 16.1.1)."""
    return [
        leader.id
        for leader in view.board.leaders.values()
        if leader.power == power and leader.initiative <= POINTS
        if told.get(leader.id, view.where(leader.id)) not in (None, NONE)
    ]


def nonplayer_choices(view: Game, decision: Decision) -> Part:
    """Return every way to activate a power without a player, or to raise the unrest (16.1.1, S 20)."""
    side, acts = decision.side, dict[str, Part]()

    def with_card(card: str) -> Part:
        able = [power for power in listed(view, side, card) if why_not_power(view, side, card, power) is None]
        for power in able:
            if power not in acts:
                acts[power] = Lazy(partial(_acts, view, side, power))
        ways = [Value("power", OneOf("power", [Value(power, acts[power]) for power in able], of="power"))]
        if why_no_unrest(view, card) is None:
            ways.insert(0, Value(RAISE_UNREST, Fixed({"then": RAISE_UNREST}), says=(RAISE_UNREST,), must=True))
        return OneOf(None, ways, inferred=True)

    hand = [DESPERATE_TIMES] if view.the_activation.desperate else view.hands[side]
    return cards(view, [card for card in hand if why_not_card(view, side, card) is None], with_card)


def _acts(view: Game, side: Side, power: str) -> Part:
    """Return what a power can do when it is activated, each with every place of its minor leaders (16.1.1)."""
    placed = minor_leaders.places(view, [power])
    added = points("add", rooms(view, side, [power]), 1, POINTS)
    levied = one_space("at", eligible(view, power))
    activated = [
        Value("", AllOf(Fixed(body), _active(view, power, body)), must=bool(body))
        for body in map(placed.make, range(len(placed)))
    ]
    return OneOf(
        "then",
        [
            Value(ADD_SUPPORT, AllOf(added, placed), says=(ADD_SUPPORT,), must=True),
            Value(LEVY_UNITS, AllOf(levied, placed), says=(LEVY_UNITS,), must=True),
            Value(ACTIVATE, OneOf(None, activated, inferred=True), says=(ACTIVATE,)),
        ],
        inferred=True,
    )


def _active(view: Game, power: str, body: Mapping[str, Plain]) -> Part:
    """Return whom a power can activate once its minor leaders have been placed as an order says (8.1, 16.1.1)."""
    told = body.get("leaders", {})
    assert isinstance(told, Mapping)
    places = {leader: str(space) for leader, space in told.items()}
    values = [Value(leader, at=view.where(leader) or "") for leader in active_leaders(view, power, places)]
    return OneOf("leader", values, of="leader")


def check_nonplayer(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with activating a power without a player (7.1.2, 16.1.1)."""
    for word in ("card", "then"):
        if word not in order.body:
            yield order.fault((word,), f"say by which {word}" if word == "card" else "say what it does", rule="7.1.2")
            return
    card, then, power = order["card"], order["then"], order.get("power")
    refusal = why_not_card(view, decision.side, card)
    if refusal is not None:
        yield order.fault(("card",), refusal.reason, rule=refusal.rule)
        return
    if then == RAISE_UNREST:
        yield from refused(("then",), why_no_unrest(view, card))
        return
    if power is None:
        yield order.fault(
            ("power",), f"say which power acts: {listing(listed(view, decision.side, card), 'or')}", rule="16.1.1"
        )
        return
    refusal = why_not_power(view, decision.side, card, power)
    if refusal is not None:
        yield order.fault(("power",), refusal.reason, rule=refusal.rule)
        return
    yield from _check_act(view, decision.side, order, power)
    told = order.get("leaders", {})
    for leader, wrong in minor_leaders.misplaced(view, told, [power]):
        yield order.fault(("leaders", leader), wrong.reason, rule=wrong.rule)


def _check_act(view: Game, side: Side, order: Order, power: str) -> Iterator[Fault]:
    then = order["then"]
    if then == ADD_SUPPORT:
        yield from _check_points(view, side, order, power)
    elif then == LEVY_UNITS:
        space = order.get("at")
        refusal = Refusal("say where the CU is placed", "5.10") if space is None else None
        if space is not None and space not in eligible(view, power):
            refusal = why_not_place(view, power, space)
        yield from refused(("at",), refusal)
    else:
        leader = order.get("leader")
        able = active_leaders(view, power, order.get("leaders", {}))
        if leader not in able:
            unknown = no_such_leader(view, leader) if leader is not None else None
            reason = f"say which leader is activated: {listing(able, 'or') or 'there is none on the map'}"
            yield order.fault(("leader",), unknown.reason if unknown else reason, rule="16.1.1")


def _check_points(view: Game, side: Side, order: Order, power: str) -> Iterator[Fault]:
    spaces: Sequence[str] = order.get("add", ())
    if not spaces:
        somewhere = any(room_for(view, side, space, [power]) for space in view.board.spaces)
        reason = "say where support is added" if somewhere else "it can add support nowhere"
        yield order.fault(("add",), reason, rule="7.3.1")
    if len(spaces) > POINTS:
        yield order.fault(("add",), f"it has {POINTS} points, not {len(spaces)}", rule="16.1.1")
    for at, refusal in wrong_additions(view, side, spaces, [power]):
        yield order.fault(("add", at), refusal.reason, rule=refusal.rule)


def _use(game: Game, card: str) -> str:
    """Return for what a card is laid down: its event, beside the card of the round or as it, or its value (18)."""
    if _named(game, card) is None:
        return NONPLAYER
    return EXTRA if game.board.cards[card].extra else EVENT


def activate_nonplayer(game: Game, table: Table, order: Order) -> Flow[None]:
    """Let a power without a player act, or raise the unrest (7.1.2, 16.1.1, S 20)."""
    side, then = game.the_activation.side, order["then"]
    power = "" if then == RAISE_UNREST else order["power"]
    play = lay_down(game, table, order["card"], _use(game, order["card"]), power)
    if then == RAISE_UNREST:
        game.unrest_raised = True
        unrest.raise_by(game, table, 1, "S 20")
    else:
        game.activated.append(power)
        table.tell("nonplayer_activated", power=power, side=side, rule="16.1.1")
        minor_leaders.put_leaders(game, table, order.get("leaders", {}))
    if then == ADD_SUPPORT:
        add_all(game, table, side, order["add"], power)
    elif then == LEVY_UNITS:
        game.put(power, order["at"], Force(cu=1))
        table.tell("levied", power=power, space=order["at"], cu=1, rule="16.1.1")
    elif then == ACTIVATE:
        play.value = POINTS
        yield from movement.activate(game, table, power, order["leader"])
    put_away(game, table)
    settle_spaces(game, table)


# ---- the revolt of the mercenaries (S 16.4)


def revolt_of_mercenaries(game: Game, table: Table, cu: int, *, side: Side, space: str) -> Flow[None]:
    """Place the rebels; whoever stands there fights them at once, without avoidance or interception (S 16.4).

    They are placed and have not moved: nobody goes inside the city either.
    """
    game.marks.append(Mark(INSURRECTION, side, FOR_GOOD))
    leaders = [
        leader.id
        for leader in game.board.leaders.values()
        if leader.power == REBELS and not leader.named and leader.id in game.reserve
    ]
    for leader in leaders:
        game.reserve.remove(leader)
    game.put(REBELS, space, Force(cu=cu, leaders=leaders))
    table.tell("revolt", space=space, cu=cu, side=side, rule="S 16.4")
    for enemy in list(game.enemies_in(REBELS, space)):
        if not game.cu(REBELS, space):
            break
        name = f"revolt/turn-{game.turn}/round-{game.round}/{space}/{enemy}"
        yield from battle.fight(game, table, battle.Attack(REBELS, enemy, space), name)
    place_marker(game, table, REBELS, space)
    settle_spaces(game, table)


NONPLAYER_USES: Final[Mapping[str, Use]] = {
    NONPLAYER: Use(nonplayer_choices, check_nonplayer, activate_nonplayer, SAYS),
}

"""Voyages: who sails with how many CU, the fleet that Carthage lends, contesting, naval combat (9.6, S 9.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pbem.game import UNTOLD, Kind, OneOf, Part, Refusal, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.movement.fatigue import points_left, why_too_far
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DESPERATE_TIMES, DESPERATE_VALUE, GARRISON_BOX, GREEKS
from pbem.rules.sword_of_rome.position.changes import displace_leaders, settle_spaces
from pbem.rules.sword_of_rome.position.naming import NOBODY, card_value, not_in_hand, refused, space_named
from pbem.rules.sword_of_rome.position.state import NONE, UNSEEN, Force, Game, March, window_decision

SUCCESS: Final = "success"
ATTRITION: Final = "attrition"
BRIBE: Final = "bribe"
ALL: Final = 99
"""More CU than any force has."""


# ---- capacity (9.6.3, 11.1.1, 12.4.3)


class Crossing(NamedTuple):
    """A way over the sea: whose, from a port to another, and whether an army flees there (11.1.1, 12.4.3)."""

    power: str
    origin: str
    to: str
    fleeing: bool = False


def carried(game: Game, crossing: Crossing, value: int) -> int:
    """Return the CU that a power carries with a card of a value over the sea; 0: it cannot sail (9.6.3).

    An army that avoids battle or retreats must flee *to* the port that makes a fleet larger. The ten CU that the Greeks
    have with Lilybaeum sail from those ports, or to and from them (option `greek_great_fleet`).
    """
    power, origin, to, fleeing = crossing
    most = 0
    for row in game.board.voyages:
        if row.power != power or row.value != value:
            continue
        if row.holds is not None and game.control.get(row.holds) != power:
            continue
        if row.marker is not None and game.mark(row.marker) is None:
            continue
        if row.allied is not None and game.pair(power, row.allied) not in game.alliances:
            continue
        if row.holds is not None and game.options["greek_great_fleet"] == "from":
            ends: tuple[str, ...] = (origin,)
        else:
            ends = (to,) if fleeing else (origin, to)
        if not row.ports or set(row.ports) & set(ends):
            most = max(most, row.cu)
    return min(most, free_to_leave(game, power, origin, to))


def free_to_leave(game: Game, power: str, origin: str, to: str) -> int:
    """Return the CU of a power that may sail from a space to another: its militia stays overseas (17.1.2).

    The rules have counters for the militia. Here any CU there may be of it, as who leads them would have it.
    """
    home = game.board.powers[power].overseas
    if home is None or origin not in home.spaces or to in home.spaces:
        return ALL
    return max(0, sum(force.cu for space, force in game.everywhere(power) if space in home.spaces) - game.militia)


def why_he_stays(game: Game, leaders: Sequence[str], to: str) -> Refusal | None:
    """Say which of some leaders never goes to a space; None: all may, or nobody is called so (17.1.1)."""
    for leader in leaders:
        record = game.board.leaders.get(leader)
        if record is not None and record.stays and to not in record.stays:
            return Refusal(f"{record.name} never goes to {space_named(game, to)}", "17.1.1")
    return None


def without_card(game: Game, power: str, origin: str, to: str) -> int:
    """Return the CU that a power without a player carries to safety, for which it needs no card (11.1.1, 12.4.3)."""
    if game.board.powers[power].side is not None:
        return 0
    return carried(game, Crossing(power, origin, to, fleeing=True), DESPERATE_VALUE)


def capacity(game: Game, crossing: Crossing, card: str) -> int:
    """Return the CU that a power carries with a card over the sea; 0: it cannot sail (9.6.3)."""
    return carried(game, crossing, value_of(game, card))


def holds_cards(game: Game, side: Side) -> bool:
    """Tell whether a side may have a card to play: all see that (6.1)."""
    return bool(game.hands[side] or game.desperate_times[side])


def cards_of(view: Game, side: Side) -> list[str]:
    """List the cards that a side can play out of its hand, its Desperate Times last (7.4.6)."""
    return [*view.hands[side], *([DESPERATE_TIMES] if view.desperate_times[side] else [])]


def why_not_held(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a side cannot play a card; None: it holds it (7.1)."""
    if card in cards_of(view, side):
        return None
    if card == DESPERATE_TIMES:
        return Refusal("you have no Desperate Times left", "7.4")
    return Refusal(not_in_hand(view, side, card), "7.1")


def play_beside(game: Game, table: Table, side: Side, card: str, use: str) -> None:
    """Play a card from a hand beside the one on the table: it is discarded, after a bribe out of the game (7.2.2)."""
    remove = use == BRIBE
    if card == DESPERATE_TIMES:
        game.desperate_times[side] -= 1
    else:
        game.hands[side].remove(card)
        (game.removed if remove else game.discards[side]).append(card)
        if game.board.cards[card].reshuffle and not remove and side not in game.reshuffle:
            game.reshuffle.append(side)
    table.tell("card_played", side=side, card=card, use=use, rule="7.1")


def why_not_sail(game: Game, march: March, to: str) -> Refusal | None:
    """Say why the force under way cannot sail to a space; None: it can, be it with a fleet that is lent (9.6)."""
    power, cost = march.power, game.board.tables["movement"]["cost"]["sea"]
    for space in (march.at, to):
        if not game.is_harbour(power, space):
            rule = "S 19" if space == GARRISON_BOX else "9.6.2" if game.board.spaces[space].port else "9.6"
            return Refusal(f"{space_named(game, space)} is not a port of {game.board.powers[power].name}", rule)
    stays = why_he_stays(game, march.force.leaders, to)
    if stays is not None:
        return stays
    if to == march.at:
        return Refusal(f"the army is in {space_named(game, to)}", "9.6")
    too_far = why_too_far(game, march, "a voyage", cost, "9.6")
    if too_far is not None:
        return too_far
    most = own_capacity(game, march, to)
    if (most and march.force.cu <= most) or may_borrow(game, march):
        return None
    free = free_to_leave(game, power, march.at, to)
    if march.force.cu > free:
        return Refusal(f"the citizen militia stays: {free} CU can leave", "17.1.2")
    if march.lent == 0:
        return Refusal("nobody gives the army leave to sail", "9.6.3")
    if not most:
        return Refusal(f"{game.board.powers[power].name} cannot sail with this card", "9.6.3")
    return Refusal(f"the fleet carries {most} CU, not {march.force.cu}", "9.6.3")


def own_capacity(game: Game, march: March, to: str) -> int:
    """Return the CU that the force under way can sail with: by its card, or by a fleet that was lent (9.6.3)."""
    value = game.card.value if game.card is not None else 0
    return max(carried(game, Crossing(march.power, march.at, to), value), march.lent or 0)


def room_at_sea(game: Game, march: March, to: str) -> int:
    """Return the CU that may be ordered to sail to a port: more than own ships carry if a fleet may be lent."""
    most: int = game.board.tables["movement"]["cu"]
    return most if may_borrow(game, march) else own_capacity(game, march, to)


def may_borrow(game: Game, march: March) -> bool:
    """Tell whether Carthage may still lend its fleet: to an ally's army that was activated in a port (S 9.6.3)."""
    in_port = march.at == march.origin and len(march.trail) == 1
    return march.lent is None and in_port and may_get_leave(game, march.power)


def lender(game: Game, power: str) -> Side | None:
    """Return the side that may lend its fleet to a power: Carthage, if it is an ally and may hold a card (S 9.6.3)."""
    side = game.board.powers[CARTHAGE].side
    if side is None or side in game.out or power == CARTHAGE or not game.allied(power, CARTHAGE):
        return None
    return side if holds_cards(game, side) else None


def ship_cards(game: Game, power: str) -> bool:
    """Tell whether an event of a power's own deck may still carry it, as far as all can see (9.6.3)."""
    side = game.board.powers[power].side
    if side is None or not game.hands[side]:
        return False
    cards = game.board.cards
    return any(
        cards[card].when == "voyage_wanted"
        and any(effect.get("sail", {}).get("power") == power for effect in cards[card].effects)
        and card not in game.discards[side]
        and card not in game.removed
        for card in game.board.decks[side]
    )


def may_get_leave(game: Game, power: str) -> bool:
    """Tell whether somebody may give a power leave to sail: its own event, or Carthage (9.6.3, S 9.6.3)."""
    return lender(game, power) is not None or ship_cards(game, power)


def ports_for(game: Game, march: March) -> list[str]:
    """List the ports to which the force under way may sail, as far as points and fleets go (9.6)."""
    if not game.is_harbour(march.power, march.at):
        return []
    if points_left(game, march) < game.board.tables["movement"]["cost"]["sea"]:
        return []
    return [to for to in game.harbours(march.power) if to != march.at and why_not_sail(game, march, to) is None]


# ---- the fleet of Carthage (S 9.6.3)


def borrow(game: Game, table: Table, crossing: Crossing, cu: int) -> Flow[int]:
    """Ask for leave to sail, and return the CU that may; 0: none (9.6.3, S 9.6.3).

    An own event may give it; else Carthage may lend its fleet to an ally, for a card.
    """
    power, origin, to, _ = crossing
    side = lender(game, power)
    most = 0
    if ship_cards(game, power):
        moment = yield from responses.window(game, table, "voyage_wanted", about={"space": origin, "power": power})
        most = moment.sails
    if side is None or most >= max(cu, 1):
        return most
    facts = {"power": power, "from": origin, "to": to, "cu": cu}
    order = yield window_decision(game, Decision("lend_fleet", side, "S 9.6.3", facts, {"card": NONE}))
    if order["card"] == NONE:
        return most
    most = max(most, capacity(game, crossing._replace(power=CARTHAGE), order["card"]))
    play_beside(game, table, side, order["card"], "lend_fleet")
    table.tell("fleet_lent", power=power, space=to, cu=most, rule="S 9.6.3")
    return most


def card_choices(view: Game, decision: Decision) -> Part:
    """Return the cards of a side that serve for what is asked, and none."""
    if UNSEEN in view.hands[decision.side]:
        return UNTOLD
    able = [card for card in cards_of(view, decision.side) if value_of(view, card) >= _least(decision)]
    nothing = Value(NONE, says=NOBODY, must=True)
    return OneOf("card", [nothing, *[card_value(view, card) for card in able]], of="card")


def _least(decision: Decision) -> int:
    return DESPERATE_VALUE if decision.kind == BRIBE else 1


def check_card(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a card that is played for a voyage, or a bribe (7.2.2, S 9.6.3, S 9.6.4)."""
    card = order["card"]
    if card == NONE:
        return
    refusal = why_not_held(view, decision.side, card)
    if refusal is None and value_of(view, card) < _least(decision):
        refusal = Refusal(f"a bribe takes a card of value {DESPERATE_VALUE}", "7.2.2")
    yield from refused(("card",), refusal)


# ---- a voyage (9.6.4)


def sail(game: Game, table: Table, crossing: Crossing, force: Force, name: str) -> Flow[bool]:
    """Make a voyage and return whether it arrives; who calls moves the force (9.6.4, S 9.6.4).

    Carthage may contest it with a card; without a player it fights some voyages anyway. A result *return* sends the
    force back to its port, *attrition* too, after a roll for its losses.
    """
    power, origin, to, _ = crossing
    table.tell("sails", power=power, origin=origin, space=to, cu=force.cu, rule="9.6")
    card = yield from _contest(game, table, crossing, force.cu)
    moment = yield from responses.window(game, table, "voyage", about={"space": to, "power": power})
    result = SUCCESS
    if (card or is_fought(game, power, to)) and not moment.cancelled:
        roll = table.roll(
            f"voyage/{name}",
            rule="S 9.6.4" if card else "9.6.4",
            modifiers=naval_modifiers(game, power, card, origin, to),
            power=power,
            space=to,
        )
        result = game.board.naval_result(roll.total)
    if result == ATTRITION:
        named = f"voyage/{name}/attrition"
        face = table.roll(named, rule="9.6.4", power=power, space=origin, cu=force.cu).faces[0]
        lost = game.board.attrition(face, force.cu)
        force.cu -= lost
        force.mercenaries = max(0, force.mercenaries - lost)
        table.tell("attrition", power=power, space=origin, cu=lost, rule="9.6.4")
    arrives = result == SUCCESS and not moment.cancelled
    if not arrives:
        table.tell("turned_back", power=power, space=origin, rule="9.6.4")
    return arrives


def sink(game: Game, table: Table, before: int) -> None:
    """End the march of a force that has lost all CU that it had `before` at sea (8.4, 13.4).

    Its leaders are displaced, and a siege that it laid where it sailed from is lifted.
    """
    march = game.the_march
    leaders = march.force.leaders
    if march.force.cu or not before:
        return
    march.force, march.over = Force(), True
    displace_leaders(game, table, march.power, march.at, leaders)
    settle_spaces(game, table)


def naval_modifiers(game: Game, power: str, value: int, origin: str, to: str) -> dict[str, int]:
    """Return the modifiers of a naval combat roll: the contesting card, and friendly ports (S 9.6.4)."""
    table = game.board.tables["naval"]
    both = game.options["friendly_voyage"] == "both"
    friendly = game.friendly(power, to) and (not both or game.friendly(power, origin))
    contest = table["card"][value - 1] if value else 0
    return {"contesting_card": contest, "friendly_port": table["friendly"] if friendly else 0}


def is_fought(game: Game, power: str, to: str) -> bool:
    """Tell whether a voyage rolls for naval combat without a card of Carthage (9.6.4, 18).

    While Carthage has no player, every voyage of another power to a port of its does, and with its treaty with Rome
    every voyage of the Greeks.
    """
    if power == CARTHAGE or CARTHAGE in game.fallen or game.board.powers[CARTHAGE].side is not None:
        return False
    return game.control.get(to) == CARTHAGE or (power == GREEKS and game.guardian(CARTHAGE) is not None)


def _contest(game: Game, table: Table, crossing: Crossing, cu: int) -> Flow[int]:
    """Let Carthage contest the voyage of a power that is no ally; return the value of its card, or 0 (S 9.6.4)."""
    power, origin, to, _ = crossing
    side = game.board.powers[CARTHAGE].side
    if side is None or side in game.out or game.allied(power, CARTHAGE) or not holds_cards(game, side):
        return 0
    facts = {"power": power, "from": origin, "to": to, "cu": cu}
    order = yield window_decision(game, Decision("contest_voyage", side, "S 9.6.4", facts, {"card": NONE}))
    if order["card"] == NONE:
        return 0
    play_beside(game, table, side, order["card"], "contest_voyage")
    return value_of(game, order["card"])


VOYAGE_KINDS: Final = (
    Kind(
        "lend_fleet", card_choices, check_card, hints="views.hints:reaction_card_hints", bot="policy.replies:best_loan"
    ),
    Kind(
        "contest_voyage",
        card_choices,
        check_card,
        hints="views.hints:contest_voyage_hints",
        bot="policy.replies:best_contest",
    ),
)

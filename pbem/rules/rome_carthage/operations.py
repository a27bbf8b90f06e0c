"""A strategy card played for operations: move a general, place control markers, or raise a unit (7.2, 7.3, 15.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from pbem.choices import NOT_TOLD, Choices, chain, grid, later, listed, subsets
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.activation import STAY, activations, check_activation, spaces_with_generals
from pbem.rules.rome_carthage.board import WALLED_CITY
from pbem.rules.rome_carthage.events import check_event, event_options
from pbem.rules.rome_carthage.movement import march
from pbem.rules.rome_carthage.questions import Kinds
from pbem.rules.rome_carthage.state import ENEMY, UNSEEN, Game, Stack
from pbem.rules.rome_carthage.walls import enter_city, locked_up, room
from pbem.rules.rome_carthage.words import no_such_space
from pbem.table import Table

RAISING_OPS: Final = 3
OPERATIONS: Final = ("general", "place", "raise")
MARCHING: Final = ("cu", "elephants", "with", "path", "then")


def carry_out(game: Game, table: Table, side: Side, order: Order) -> Flow[None]:
    """Carry out the one operation that a card was played for (7.3)."""
    if "place" in order.body:
        place_markers(game, table, side, order["place"])
    elif "raise" in order.body:
        raise_unit(game, table, side, order["raise"])
    else:
        yield from march(game, table, side, order)


def place_markers(game: Game, table: Table, side: Side, spaces: list[str]) -> None:
    """Place control markers, or turn enemy ones under own units (7.3b, 15.2)."""
    turned = [space for space in spaces if space in game.control]
    placed = [space for space in spaces if space not in game.control]
    for space in spaces:
        game.control[space] = side
    table.tell("markers", side=side, card=game.the_card.card, placed=placed, turned=turned, rule="15.2")


def raise_unit(game: Game, table: Table, side: Side, general: str) -> None:
    """Add a unit to a general in a friendly space of a friendly province, behind the walls if he is there (7.3c)."""
    space, inside = game.whereabouts(general)
    if inside and room(game, side, space):
        enter_city(game, space, Stack(1))
    else:
        game.put(side, space, Stack(1))
    table.tell("raised", side=side, card=game.the_card.card, general=general, space=space, rule="7.3c")


def open_spaces(game: Game, side: Side) -> list[str]:
    """List where a side may place a marker: no city, tribe, enemy units; an enemy marker only under own CU (15.2)."""
    control, enemy, own, theirs = game.control, ENEMY[side], game.stacks[side], game.stacks[ENEMY[side]]
    tribes = set(game.tribes)
    return [
        space
        for space in game.board.unwalled
        if (space not in control and not (space in theirs and theirs[space].cu) and space not in tribes)
        or (space in own and control.get(space) == enemy and own[space].cu and space not in tribes and not game.truce)
    ]


def why_no_marker(game: Game, side: Side, space: str) -> str | None:
    """Say why a side may not place a marker in a space; None: it may (15.2)."""
    record = game.board.spaces[space]
    holder = game.control.get(space)
    if record.kind == WALLED_CITY:
        return f"{record.name} is a walled city: only a siege takes it"
    if space in game.tribes:
        return f"{record.name} is a tribe: it must be subjugated first"
    if holder == side:
        return f"{record.name} has your marker already"
    enemy_cu = game.stack(ENEMY[side], space).cu
    if holder is None and enemy_cu:
        return f"{enemy_cu} enemy CU stand in {record.name}"
    if holder is not None and game.truce:
        return f"{record.name} has an enemy marker, and there is a Truce (card 64)"
    if holder is not None and not game.stack(side, space).cu:
        return f"{record.name} has an enemy marker and no CU of yours to turn it"
    return None


def recruiters(game: Game, side: Side) -> list[str]:
    """List the generals with whom a side may raise a unit: friendly space and province, no besieged city (7.3c)."""
    return [
        general
        for general, space, _, inside in game.generals_in_play(side)
        if game.control.get(space) == side
        and game.controller(game.board.spaces[space].province) == side
        and not (inside and shut_in(game, side, space))
    ]


def shut_in(game: Game, side: Side, space: str) -> bool:
    """Tell whether nobody can be raised inside a city: it is besieged, or full with the enemy before it (7.3c)."""
    return game.besieged(space) or (locked_up(game, side, space) and not room(game, side, space))


def barred_to(game: Game, side: Side, card: int) -> bool:
    """Tell whether a card's colour bars it to a side for operations: only by the option `ops_colour_bound` (7.2)."""
    return bool(game.options["ops_colour_bound"]) and not game.board.cards[card].event_of(side)


def play_options(known: Game, decision: Decision) -> Choices:
    """List every way to play every card of a hand, one step of a march at a time (7.2, 7.3, 7.5).

    Longer marches are reached step by step: each first step ends with `then: ask`.
    """
    side = decision.side
    hand = known.hands[side]
    if UNSEEN in hand:
        return NOT_TOLD
    if known.must_play is not None:
        hand = [known.must_play]
    return chain(*(later(partial(_of_card, known, side, card)) for card in hand))


def _of_card(known: Game, side: Side, card: int) -> Choices:
    """Return the uses of one card: marches, markers, a unit, laying it off (7.2, 7.3, 7.5)."""
    ops = known.board.cards[card].ops
    event = later(partial(event_options, known, side, known.board.cards[card]))
    if barred_to(known, side, card):
        return chain(event, listed([Order("play", {"card": card, "as": "discard"})]))

    def place() -> Choices:
        spaces = open_spaces(known, side)
        make = partial(_placing, card)
        return subsets(make, spaces, range(1, min(ops, len(spaces)) + 1))

    def single() -> Choices:
        raisers = recruiters(known, side) if ops == RAISING_OPS else []
        orders = [Order("play", {"card": card, "as": "operations", "raise": general}) for general in raisers]
        if known.must_play is None:
            orders.append(Order("play", {"card": card, "as": "discard"}))
        return listed(orders)

    marches = (later(partial(_marches, known, side, card, space)) for space in spaces_with_generals(known, side))
    return chain(*marches, later(place), later(single), event)


def _marches(known: Game, side: Side, card: int, space: str) -> Choices:
    """Return the first steps of every march that a card sets off from a space (7.3, 8.1)."""
    ops = known.board.cards[card].ops

    def set_out(party: tuple[str, tuple[str, ...]], force: tuple[int, int], step: str) -> Order:
        general, companions = party
        body = {"card": card, "as": "operations", "general": general, "cu": force[0], "elephants": force[1]}
        body["with"] = list(companions)
        return Order("play", {**body, "path": []} if step == STAY else {**body, "path": [step], "then": "ask"})

    ways = activations(known, side, space, ops)
    return chain(*(grid(set_out, [party], forces, steps) for party, forces, steps in ways))


def _placing(card: int, spaces: list[str]) -> Order:
    return Order("play", {"card": card, "as": "operations", "place": spaces})


def check_play(known: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a card play: the card, its use, and all that is ordered with it (7.2, 7.3, 7.5)."""
    side, card = decision.side, order["card"]
    if card not in known.hands[side]:
        hand = ", ".join(map(str, known.hands[side]))
        yield order.fault(("card",), f"card {card} is not in your hand; you hold {hand}", rule="7.2")
        return
    if known.must_play not in (None, card):
        name = known.board.cards[known.must_play].name
        yield order.fault(("card",), f"you claimed the first play with {name} ({known.must_play})", rule="5.3")
    yield from _check_use(known, side, order)


def _check_use(known: Game, side: Side, order: Order) -> Iterator[Fault]:
    use, record = order["as"], known.board.cards[order["card"]]
    given = [word for word in OPERATIONS if word in order.body]
    if use == "event":
        yield from check_event(known, side, order, record)
    elif use == "discard":
        if known.must_play is not None:
            yield order.fault(("as",), "the card that claimed the first play must be played", rule="5.3")
        for word in (*given, *(word for word in MARCHING if word in order.body)):
            yield order.fault((word,), f"a card laid off does nothing; leave out {word}", rule="7.5")
    elif barred_to(known, side, record.number):
        reason = f"{record.name} ({record.number}) is a card for the enemy only: lay it off (option ops_colour_bound)"
        yield order.fault(("as",), reason, rule="7.2")
    elif len(given) != 1:
        at = (given[1],) if given else ("as",)
        yield order.fault(at, "operations are one of three: general (a march), place, or raise", rule="7.3")
    else:
        if given[0] != "general":
            for word in MARCHING:
                if word in order.body:
                    yield order.fault((word,), f"{word} goes with a march only", rule="7.3")
        check = {"general": check_activation, "place": _check_place, "raise": _check_raise}[given[0]]
        yield from check(known, side, order, record.ops)


def _check_place(known: Game, side: Side, order: Order, ops: int) -> Iterator[Fault]:
    spaces = order["place"]
    if not spaces:
        yield order.fault(("place",), "name at least one space, or lay the card off", rule="7.3b")
    if len(spaces) > ops:
        reason = f"the card places {ops} marker{'s' if ops > 1 else ''}; you name {len(spaces)} spaces"
        yield order.fault(("place", ops), reason, rule="7.3b")
    for at, space in enumerate(spaces):
        if space not in known.board.spaces:
            yield order.fault(("place", at), no_such_space(known, space), rule="7.3b")
        elif space in spaces[:at]:
            yield order.fault(("place", at), f"{known.board.spaces[space].name} is named twice", rule="7.3b")
        elif (reason_not := why_no_marker(known, side, space)) is not None:
            yield order.fault(("place", at), reason_not, rule="15.2")


def _check_raise(known: Game, side: Side, order: Order, ops: int) -> Iterator[Fault]:
    general = order["raise"]
    if ops != RAISING_OPS:
        yield order.fault(("raise",), f"only a card with a 3 raises a unit; this one has a {ops}", rule="7.3c")
    if general not in (able := recruiters(known, side)):
        can = ", ".join(able) if able else "none"
        reason = f"{general} is not in a friendly space of a friendly province; generals who are: {can}"
        yield order.fault(("raise",), reason, rule="7.3c")


KINDS: Final[Kinds] = {"play": (play_options, check_play)}

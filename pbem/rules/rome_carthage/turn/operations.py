"""A strategy card played for operations: move a general, place control markers, or raise a unit (7.2, 7.3, 15.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from pbem.game import NOTHING, UNTOLD, Kind, Lazy, OneOf, Part, Refusal, Some, Table, Value, counted, once
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.events.catalogue import IN_VAIN, check_event, event_choices, event_needs
from pbem.rules.rome_carthage.movement.activation import MARCHING, check_activation
from pbem.rules.rome_carthage.movement.card_play import CAMPAIGN
from pbem.rules.rome_carthage.movement.fleet import hold
from pbem.rules.rome_carthage.movement.march import march
from pbem.rules.rome_carthage.movement.march_cards import CHARMS, check_charm
from pbem.rules.rome_carthage.movement.setting_out import Marches, Roads
from pbem.rules.rome_carthage.orders import CardUse, MarchOrder, PlayOrder, illegal
from pbem.rules.rome_carthage.position.board import WALLED_CITY, StrategyCard
from pbem.rules.rome_carthage.position.generals import drive_off_generals, why_not_at_hand
from pbem.rules.rome_carthage.position.naming import general_named, generals_named, no_such_general, no_such_space
from pbem.rules.rome_carthage.position.state import ENEMY, UNSEEN, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.walls import enter_city, locked_up, room

OPERATIONS: Final = ("general", "place", "raise")
AIMED: Final = ("space", "spaces", "province")


def carry_out(game: Game, table: Table, side: Side, order: Order) -> Flow[None]:
    """Carry out the one operation that a card was played for (7.3)."""
    play = PlayOrder.read(order)
    if play.place is not None:
        place_markers(game, table, side, play.place)
    elif play.raise_with is not None:
        yield from raise_unit(game, table, side, play.raise_with)
    else:
        yield from march(game, table, side, MarchOrder.read(order))


def place_markers(game: Game, table: Table, side: Side, spaces: Sequence[str]) -> None:
    """Place control markers, or turn enemy ones under own units (7.3b, 15.2)."""
    turned = [space for space in spaces if space in game.control]
    placed = [space for space in spaces if space not in game.control]
    for space in spaces:
        game.control[space] = side
    table.tell("markers", side=side, card=game.the_card.card, placed=placed, turned=turned, rule="15.2")


def raise_unit(game: Game, table: Table, side: Side, general: str) -> Flow[None]:
    """Add a unit to a general in a friendly space of a friendly province, behind the walls if he is there (7.3c).

    Where they are full it stands before them, and an enemy general alone there is displaced (8.9).
    """
    space, inside = game.whereabouts(general)
    if inside and room(game, side, space):
        enter_city(game, space, Stack(1))
    else:
        game.put(side, space, Stack(1))
    table.tell("raised", side=side, card=game.the_card.card, general=general, space=space, rule="7.3c")
    yield from drive_off_generals(game, table, side, space)


def open_spaces(game: Game, side: Side) -> list[str]:
    """List where a side may place a marker: no city, tribe, enemy units; an enemy marker only under own CU (15.2)."""
    control, enemy, own, theirs = game.control, ENEMY[side], game.stacks[side], game.stacks[ENEMY[side]]
    tribes = set(game.tribes)
    return [
        space
        for space in game.board.unwalled
        if (space not in control and not (space in theirs and theirs[space].cu) and space not in tribes)
        or (space in own and control.get(space) == enemy and space not in tribes and _turns(game, own[space]))
    ]


def _turns(game: Game, stack: Stack) -> bool:
    """Tell whether what stands in a space turns the enemy marker there: CU, or CU under a general (15.2, card 64)."""
    return bool(stack.cu) and not game.truce and (bool(stack.generals) or game.options["flip_needs"] == "cu")


def why_no_marker(game: Game, side: Side, space: str) -> Refusal | None:
    """Say why a side may not place a marker in a space; None: it may (15.2)."""
    record = game.board.spaces[space]
    holder = game.control.get(space)
    if record.kind == WALLED_CITY:
        return Refusal(f"{record.name} is a walled city: only a siege takes it", "15.2")
    if space in game.tribes:
        return Refusal(f"{record.name} is a tribe: it must be subjugated first", "15.2")
    if holder == side:
        return Refusal(f"{record.name} has your marker already", "15.2")
    enemy_cu = game.stack(ENEMY[side], space).cu
    if holder is None and enemy_cu:
        return Refusal(f"{enemy_cu} enemy CU stand in {record.name}", "15.2")
    if holder is not None and game.truce:
        return Refusal(f"{record.name} has an enemy marker, and there is a Truce (card 64)", "15.2")
    if holder is not None and not _turns(game, game.stack(side, space)):
        needed = "CU" if game.options["flip_needs"] == "cu" else "army under a general"
        return Refusal(f"{record.name} has an enemy marker and no {needed} of yours to turn it", "15.2")
    return None


def recruiters(game: Game, side: Side) -> list[str]:
    """List the generals with whom a side may raise a unit: friendly space and province, no besieged city (7.3c).

    By the rules of 1998 either will do.
    """
    return [
        general
        for general, space, _, inside in game.generals_in_play(side)
        if _raises_in(game, side, space) and not (inside and no_place_inside(game, side, space))
    ]


def _raises_in(game: Game, side: Side, space: str) -> bool:
    """Tell whether a space and its province are friendly enough to raise a unit there (7.3c)."""
    friendly_space = game.control.get(space) == side
    friendly_province = game.controller(game.board.spaces[space].province) == side
    if _either(game):
        return friendly_space or friendly_province
    return friendly_space and friendly_province


def _either(game: Game) -> bool:
    """Tell whether a friendly space or a friendly province will do to raise a unit (7.3c)."""
    return game.options["raise_in"] == "space_or_province"


def no_place_inside(game: Game, side: Side, space: str) -> bool:
    """Tell whether nobody can be raised inside a city: it is besieged, or full with the enemy before it (7.3c)."""
    return game.besieged(space) or (locked_up(game, side, space) and not room(game, side, space))


def barred_to(game: Game, side: Side, card: int) -> bool:
    """Tell whether a card's colour bars it to a side for operations: only by the option `ops_colour_bound` (7.2)."""
    return game.options["ops_colour_bound"] and not game.board.cards[card].event_of(side)


def play_choices(view: Game, decision: Decision) -> Part:
    """Return every way to play every card of a hand (7.2, 7.3, 7.5)."""
    side = decision.side
    if UNSEEN in view.hands[side]:
        return UNTOLD
    uses, names = _Uses(view, side), view.board.cards
    cards = [Value(card, Lazy(partial(uses.of, card)), label=names[card].name) for card in playable(view, side)]
    return OneOf("card", cards, of="card")


def playable(view: Game, side: Side) -> list[int]:
    """List the cards that a side may play now: its hand, or the one card that it must play first (5.3, card 55)."""
    forced = view.play_next if view.must_play is None else view.must_play
    return view.hands[side] if forced is None else [forced]


class _Uses:
    """The uses of the cards of a hand; cards whose operations do the same share them."""

    def __init__(self, view: Game, side: Side) -> None:
        self.view, self.side, self.roads = view, side, Roads(view, side)
        self._marches: dict[tuple[int, bool], Marches] = {}
        self._operations: dict[tuple[int, int, bool], Part] = {}

    def of(self, card: int) -> Part:
        """Return the uses of one card: operations, its event, a discard (7.2 to 7.5)."""
        view, side, record = self.view, self.side, self.view.board.cards[card]
        either = record.event == CAMPAIGN  # a general may march by the event as well: it must be said which
        ways = [Value("operations", self._of_operations(record), says=_said(record.ops), must=either, weight=6)]
        if barred_to(view, side, card):
            ways = [Value("operations", says=_said(record.ops), why=_not_yours(record))]
        if view.must_play is None:
            ways.append(Value("discard", says=("discard",), must=True))
        why = "" if event_needs(view, side, record) is not None else self._why_no_event(record)
        event = NOTHING if why else Lazy(partial(event_choices, view, side, record))
        ways.append(Value("event", event, says=("event",), must=True, why=why, weight=2))
        return OneOf("as", ways, inferred=True)

    def _why_no_event(self, record: StrategyCard) -> str:
        order = Order("play", {"card": record.number, "as": "event"})
        return next(fault.reason for fault in check_event(self.view, self.side, order, record))

    def _of_operations(self, record: StrategyCard) -> Part:
        play = CardUse(record.number, "operations")
        way = (hold(self.view, self.side, play), record.event == CHARMS)
        if way not in self._marches:
            self._marches[way] = Marches(self.roads, play)
        key = (record.ops, *way)
        if key not in self._operations:
            self._operations[key] = Lazy(partial(self._operate, self._marches[way], record.ops))
        return self._operations[key]

    def _operate(self, marches: Marches, ops: int) -> Part:
        """Return what operations do: a march, control markers, a new unit (7.3)."""
        view, side = self.view, self.side
        ways = [Value("march", marches.part(ops), says=("march",), weight=4)]
        if spaces := open_spaces(view, side):
            some = Some("place", [Value(space, at=space) for space in spaces], 1, min(ops, len(spaces)), of="space")
            ways.append(Value("place", some, says=("place",)))
        if raisers := recruiters(view, side) if ops == view.board.raising_ops else []:
            who = [Value(general, at=view.whereabouts(general)[0]) for general in raisers]
            ways.append(Value("raise", OneOf("raise", who, of="general"), says=("raise",), must=True))
        return OneOf(None, ways, inferred=True)


def _not_yours(record: StrategyCard) -> str:
    """Say that a card of the enemy's colour gives no operations (7.2)."""
    return f"{record.name} ({record.number}) is a card for the enemy only: discard it (option ops_colour_bound)"


def _said(ops: int) -> Sequence[str]:
    """Return what may be said of operations: how many there are."""
    return ("operations", f"{ops} operations", f"operations {ops}")


def check_play(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a card play: the card, its use, and all that is ordered with it (7.2, 7.3, 7.5)."""
    side, play = decision.side, PlayOrder.read(order)
    card = play.play.card
    if card not in view.hands[side]:
        hand = ", ".join(map(str, view.hands[side]))
        yield order.fault(("card",), f"card {card} is not in your hand; you hold {hand}", rule="7.2")
        return
    if view.must_play not in (None, card):
        name = view.board.cards[view.must_play].name
        yield order.fault(("card",), f"you claimed the first play with {name} ({view.must_play})", rule="5.3")
    elif view.play_next not in (None, card):
        name = view.board.cards[view.play_next].name
        reason = f"the card that your messenger brought must be played at once: {name} ({view.play_next})"
        yield order.fault(("card",), reason, rule="card 55")
    yield from _check_use(view, side, order, play)


def _check_use(view: Game, side: Side, order: Order, play: PlayOrder) -> Iterator[Fault]:
    """Yield what is wrong with what a card is played for, and with all that is ordered with it (7.2 to 7.5)."""
    use, record = play.play.use, view.board.cards[play.play.card]
    given = [word for word in OPERATIONS if word in order.body]
    if use == "event":
        yield from check_event(view, side, order, record)
    elif use == "discard":
        if view.must_play is not None:
            yield order.fault(("as",), "the card that claimed the first play must be played", rule="5.3")
        for word in (*given, *(word for word in (*MARCHING, *AIMED, IN_VAIN, "charm") if word in order.body)):
            yield order.fault((word,), f"a discarded card does nothing; leave out {word}", rule="7.5")
    elif barred_to(view, side, record.number):
        yield order.fault(("as",), _not_yours(record), rule="7.2")
    elif len(given) != 1:
        at = (given[1],) if given else ("as",)
        yield order.fault(at, "operations are one of three: general (a march), place, or raise", rule="7.3")
    else:
        for word in (*AIMED, IN_VAIN):
            if word in order.body:
                yield order.fault((word,), f"{word} goes with an event only", rule="7.3")
        if play.general is None:
            for word in (*MARCHING, "charm"):
                if word in order.body:
                    yield order.fault((word,), f"{word} goes with a march only", rule="7.3")
        if play.place is not None:
            yield from _check_place(view, side, play.place, record.ops)
        elif play.raise_with is not None:
            yield from _check_raise(view, side, play.raise_with, record.ops)
        elif play.general is not None:
            ordered = MarchOrder.read(order)
            yield from check_charm(view, ordered.way, play.general)
            yield from check_activation(view, side, order, ordered, record.ops)


def _check_place(view: Game, side: Side, spaces: Sequence[str], ops: int) -> Iterator[Fault]:
    """Yield what is wrong with placing control markers: how many, and where (7.3b, 15.2)."""
    if not spaces:
        yield illegal(("place",), "name at least one space, or lay the card off", rule="7.3b")
    if len(spaces) > ops:
        reason = f"the card places {counted(ops, 'marker')}; you name {counted(len(spaces), 'space')}"
        yield illegal(("place", ops), reason, rule="7.3b")
    for at, space in enumerate(spaces):
        if space not in view.board.spaces:
            yield illegal(("place", at), no_such_space(view, space), rule="7.3b")
        elif space in spaces[:at]:
            yield illegal(("place", at), f"{view.board.spaces[space].name} is named twice", rule="7.3b")
        elif (why := why_no_marker(view, side, space)) is not None:
            yield why.at(("place", at))


def _check_raise(view: Game, side: Side, general: str, ops: int) -> Iterator[Fault]:
    """Yield what is wrong with raising a unit: the card, and the general (7.3c)."""
    if ops != (needed := view.board.raising_ops):
        yield illegal(("raise",), f"only a card with a {needed} raises a unit; this one has a {ops}", rule="7.3c")
    if general not in (able := recruiters(view, side)):
        can = generals_named(view, able)
        where = "a friendly space or province" if _either(view) else "a friendly space of a friendly province"
        if general not in view.board.generals:
            reason = no_such_general(view, general)
        elif (absent := why_not_at_hand(view, side, general, "7.3c")) is not None:
            reason = absent.reason
        else:
            reason = f"{general_named(view, general)} is not in {where} outside a siege"
        yield illegal(("raise",), f"{reason}; generals who are: {can}".replace("?;", "?"), rule="7.3c")


PLAY_KINDS: Final = (
    Kind(
        "play",
        play_choices,
        check_play,
        hints="views.hints:play",
        bot="policy.answers:best_play",
        close_up="views.summary:hand_in_short",
        places="views.summary:nowhere",
        is_last=once,
        foresee="views.forecast:foresee_play",
    ),
)

"""Three Hills: a game in one module, to show that the engine knows no real one.

Each side buries a card face down (3). In each round both bid a card for the lead (4); the leader may assault a hill
next to their own (5), the holder may react (6), and beaten guards fall back (7). It ends when a side holds all hills
or the deck cannot fill the hands; the buried cards then count (8).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from pbem.game import (
    UNTOLD,
    BaseMap,
    Box,
    Counter,
    Kind,
    OneOf,
    Part,
    Plain,
    Rules,
    Scene,
    Table,
    Value,
    base_map,
    by_name,
    drawn_sides,
    listed,
    once,
    plain,
)
from pbem.protocol import ILLEGAL, Checkpoint, Decision, Event, Fault, Flow, Order, Side

SIDES = ("red", "blue")
ENEMY = {"red": "blue", "blue": "red"}
UNSEEN = 0
HILL_POINTS = 4


@dataclass(slots=True)
class Assault:
    """An assault under way (5)."""

    side: Side
    hill: str
    card: int


@dataclass(slots=True)
class Hills:
    """The position. Cards are numbers from 1."""

    phase: str = "deal"
    round: int = 1
    lead: Side = "red"
    hands: dict[str, list[int]] = field(default_factory=dict)
    buried: dict[str, int] = field(default_factory=dict)
    deck: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    holders: dict[str, str] = field(default_factory=dict)
    guards: dict[str, int] = field(default_factory=dict)
    assault: Assault | None = None
    board: Any = plain.static()
    options: Any = plain.static()

    def strength(self, card: int) -> int:
        strength: int = self.board["strengths"][card - 1]
        return strength

    def held(self, side: Side) -> list[str]:
        """List the hills of a side, from west to east."""
        return [hill["id"] for hill in self.board["hills"] if self.holders.get(hill["id"]) == side]

    def targets(self, side: Side) -> list[str]:
        """List the hills that a side may assault: not its own, next to its own (5)."""
        own = self.held(side)
        joined = {hill for a, b, _ in self.board["connections"] for hill, other in ((a, b), (b, a)) if other in own}
        return [hill["id"] for hill in self.board["hills"] if hill["id"] in joined and hill["id"] not in own]

    def spend(self, side: Side, card: int) -> None:
        self.hands[side].remove(card)
        self.spent.append(card)


# ---- the course of the game


def deal(game: Hills, table: Table) -> None:
    """Fill both hands; the game is over when the deck cannot (2, 8)."""
    need = {side: game.board["hand"] - len(game.hands[side]) for side in SIDES}
    if sum(need.values()) > len(game.deck):
        game.phase = "over"
        return
    for side in SIDES:
        game.hands[side] = sorted(game.hands[side] + game.deck[: need[side]])
        game.deck = game.deck[need[side] :]
        table.tell("dealt", to=[side], side=side, hand=list(game.hands[side]), rule="2")
    game.phase = "bid" if game.buried else "bury"


def bury(game: Hills, table: Table) -> Flow[None]:
    """Let each side bury a card face down (3)."""
    questions = [Decision("bury", side, "3", {"cards": len(game.hands[side])}, secret=True) for side in SIDES]
    orders = yield from table.ask_all(questions)
    for side, order in zip(SIDES, orders, strict=True):
        game.hands[side].remove(order["card"])
        game.buried[side] = order["card"]
        table.tell("buried", side=side, rule="3")
    game.phase = "deal"


def bid(game: Hills, table: Table) -> Flow[None]:
    """Let both sides bid a card; the stronger leads (4)."""
    questions = [Decision("bid", side, "4", {"round": game.round}, {"card": "lowest"}) for side in SIDES]
    orders = yield from table.ask_all(questions)
    bids = {
        side: min(game.hands[side]) if order["card"] == "lowest" else order["card"]
        for side, order in zip(SIDES, orders, strict=True)
    }
    red, blue = (game.strength(bids[side]) for side in SIDES)
    if red != blue:
        game.lead = "red" if red > blue else "blue"
    elif game.options["equal_bids"] == "die":
        roll = table.roll(f"tie/round-{game.round}", rule="4", round=game.round)
        game.lead = "blue" if roll.total % 2 else "red"
    for side in SIDES:
        game.spend(side, bids[side])
    table.tell("bids", red=bids["red"], blue=bids["blue"], lead=game.lead, round=game.round, rule="4")
    game.phase = "assault"


def assault(game: Hills, table: Table) -> Flow[None]:
    """Let the leader assault a hill, and the enemy react (5, 6)."""
    side = game.lead
    order = yield from table.ask(side, "assault", rule="5", default={"hold": True}, round=game.round)
    game.phase = "deal"
    game.round += 1
    if order.get("hold"):
        table.tell("holds", side=side, rule="5")
        return
    hill, card = order["hill"], order["card"]
    game.spend(side, card)
    game.assault = Assault(side, hill, card)
    table.tell("assaults", side=side, hill=hill, card=card, rule="5")
    defence = 0
    if game.holders.get(hill) and game.hands[ENEMY[side]]:
        answer = yield from table.ask(
            ENEMY[side], "react", rule="6", default={"card": "none"}, hill=hill, strength=game.strength(card)
        )
        played = None if answer["card"] == "none" else answer["card"]
        if played is not None:
            game.spend(ENEMY[side], played)
            defence = game.strength(played)
        table.tell("defends", side=ENEMY[side], card=played, rule="6")
    modifiers = {"attack": game.strength(card), "defence": -defence, "guards": -game.guards[hill]}
    roll = table.roll(f"assault/{hill}", rule="5", modifiers=modifiers, at_least=5, side=side, hill=hill)
    if roll.success:
        yield from take(game, table, side, hill)
    else:
        table.tell("repulsed", hill=hill, rule="5")
    game.assault = None


def take(game: Hills, table: Table, side: Side, hill: str) -> Flow[None]:
    """Take a hill; its guards fall back to another of theirs (7)."""
    beaten, guards = game.holders.get(hill), game.guards[hill]
    game.holders[hill], game.guards[hill] = side, 1
    table.tell("taken", side=side, hill=hill, rule="5")
    if beaten is None:
        return
    if not game.held(beaten):
        game.phase = "over"
        return
    order = yield from table.ask(beaten, "fall_back", rule="7", hill=hill)
    game.guards[order["hill"]] += guards
    table.tell("falls_back", side=beaten, hill=order["hill"], guards=guards, rule="7")


PHASES = {"bury": bury, "bid": bid, "assault": assault}


# ---- what may be answered: kind -> options, check


def choices_with_card(*words: str) -> Callable[[Hills, Decision], Part]:
    """Return the choices of a question that any card in hand answers, and some words."""

    def choices(view: Hills, decision: Decision) -> Part:
        hand = view.hands[decision.side]
        return UNTOLD if UNSEEN in hand else OneOf("card", [*map(Value, words), *map(Value, hand)])

    return choices


def check_card(view: Hills, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield a fault for a card that is not in hand."""
    card, hand = order["card"], view.hands[decision.side]
    if isinstance(card, int) and card not in hand:
        hold = ", ".join(map(str, hand))
        yield order.fault(("card",), f"card {card} is not in your hand; you hold {hold}", rule=decision.rule)


def assault_choices(view: Hills, decision: Decision) -> Part:
    hand = view.hands[decision.side]
    if UNSEEN in hand:
        return UNTOLD
    some: list[dict[str, Plain]] = [
        {"hill": hill, "card": card} for hill in view.targets(decision.side) for card in hand
    ]
    return OneOf(None, [Value("hold", listed([{"hold": True}])), Value("assault", listed(some))])


def check_assault(view: Hills, decision: Decision, order: Order) -> Iterator[Fault]:
    given = [word for word in ("hill", "card") if word in order.body]
    if order.get("hold"):
        for word in given:
            yield order.fault((word,), f"either hold, or name a {word}", rule="5")
        return
    if len(given) < 2:
        yield order.fault((), "name a hill and a card, or hold: true", rule="5")
        return
    targets = view.targets(decision.side)
    if order["hill"] not in targets:
        can = ", ".join(targets)
        yield order.fault(("hill",), f"{order['hill']} cannot be assaulted; you may assault {can}", rule="5")
    yield from check_card(view, decision, order)


def fall_back_choices(view: Hills, decision: Decision) -> Part:
    return OneOf("hill", [Value(hill, at=hill) for hill in view.held(decision.side)])


def check_fall_back(view: Hills, decision: Decision, order: Order) -> Iterator[Fault]:
    if order["hill"] not in view.held(decision.side):
        yield order.fault(("hill",), f"{order['hill']} is not yours", rule="7")


def foresee_assault(view: Hills, table: Table, decision: Decision, order: Order) -> Flow[None]:
    return answered(assault(table.lay(view), table), order)


KINDS = by_name(
    Kind("bury", choices_with_card(), check_card, is_last=once),
    Kind("bid", choices_with_card("lowest"), check_card, is_last=once),
    Kind("assault", assault_choices, check_assault, is_last=once, foresee=foresee_assault),
    Kind("react", choices_with_card("none"), check_card, is_last=once),
    Kind("fall_back", fall_back_choices, check_fall_back, is_last=once),
)
"""Each is asked for once between two checkpoints."""


class ThreeHills(Rules[Hills]):
    """The rules for the engine."""

    id = "toy"
    sides = SIDES
    kinds = KINDS
    reveals = frozenset({"dealt", "revealed"})

    def __init__(self, box: Box, options: Mapping[str, Any]) -> None:
        self.box, self.agreed, self.board = box, options, box.table("hills")
        self._base: BaseMap | None = None

    def setup(self, scenario: str, table: Table) -> Hills:
        start = self.box.scenario(scenario)
        cards = list(range(1, len(self.board["strengths"]) + 1))
        return Hills(
            hands={side: [] for side in SIDES},
            deck=table.shuffle("deck", cards),
            holders=dict(start["holders"]),
            guards=dict(start["guards"]),
            board=self.board,
            options=self.agreed,
        )

    def play(self, position: Hills, table: Table) -> Flow[Mapping[str, Any]]:
        game: Hills = table.lay(position)
        while game.phase != "over":
            if game.phase == "deal":
                deal(game, table)
            else:
                yield from PHASES[game.phase](game, table)
            if game.phase != "over":
                yield Checkpoint()
        points = {side: HILL_POINTS * len(game.held(side)) for side in SIDES}
        for side in SIDES if game.buried else ():
            table.tell("revealed", side=side, card=game.buried[side], rule="8")
            points[side] += game.strength(game.buried[side])
        winner = None if points["red"] == points["blue"] else max(SIDES, key=points.__getitem__)
        return {"winner": winner, "reason": "all_hills" if not all(map(game.held, SIDES)) else "cards_spent"}

    def view(self, position: Hills, side: Side | None) -> Hills:
        seen = copy(position)
        seen.hands = {own: hand if own == side else [UNSEEN] * len(hand) for own, hand in position.hands.items()}
        seen.buried = {own: card if own == side else UNSEEN for own, card in position.buried.items()}
        seen.deck = [UNSEEN] * len(position.deck)
        return seen

    def silence(self, view: Hills) -> str | None:
        """Tell that nobody talks while cards are buried (3)."""
        return "3" if view.phase == "bury" else None

    def show(self, view: Hills, side: Side, what: str) -> Event | Fault:
        """Let a side show a card of its hand (2)."""
        number, hand = what.removeprefix("card").strip(), view.hands[side]
        if number.isdecimal() and int(number) in hand:
            return Event("shown", {"side": side, "card": int(number)}, "2")
        hold = ", ".join(map(str, hand))
        return Fault(ILLEGAL, (), f"{what} is not in your hand; you hold {hold}", "2")

    def scene(self, view: Hills, told: Sequence[Event] = ()) -> Scene:
        if self._base is None:
            self._base = base_map(
                self.box.table("layout"), self.box.table("coast"), self.board["hills"], self.board["connections"]
            )
        sides = drawn_sides(self.box.table("game")["sides"])
        counters = tuple(Counter(hill, side, str(view.guards[hill])) for side in SIDES for hill in view.held(side))
        return Scene(self._base, f"Round {view.round}", sides=sides, control=dict(view.holders), counters=counters)

    def resample_hidden(self, position: Hills, side: Side | None, table: Table) -> Hills:
        other = copy(position)
        unseen = [own for own in SIDES if own != side]
        hidden = [card for own in unseen for card in position.hands[own]] + position.deck
        pile = table.shuffle(f"resample/{side}", hidden + [position.buried[own] for own in unseen if position.buried])
        other.hands, other.buried = dict(position.hands), dict(position.buried)
        for own in unseen:
            count = len(position.hands[own])
            other.hands[own], pile = sorted(pile[:count]), pile[count:]
            if position.buried:
                other.buried[own] = pile.pop()
        other.deck = pile
        return other

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        hills, cards = (
            [hill["id"] for hill in self.board["hills"]],
            [UNSEEN, *range(1, len(self.board["strengths"]) + 1)],
        )
        return {
            "Hills.phase": ("deal", "over", *PHASES),
            "Hills.lead": SIDES,
            "Hills.hands": SIDES,
            "Hills.hands.*": cards,
            "Hills.buried": SIDES,
            "Hills.buried.*": cards,
            "Hills.deck": cards,
            "Hills.spent": cards,
            "Hills.holders": hills,
            "Hills.holders.*": SIDES,
            "Assault.side": SIDES,
            "Assault.hill": hills,
            "Assault.card": cards,
        }

    def settle(self, position: Hills) -> Hills:
        position.deck = [card for card in range(1, len(self.board["strengths"]) + 1) if card not in _seen(position)]
        return position

    def audit(self, position: Hills) -> Iterator[str]:
        if sorted([*_seen(position), *position.deck]) != list(range(1, len(self.board["strengths"]) + 1)):
            yield "a card is lost or there twice"
        if set(position.guards) != {hill["id"] for hill in self.board["hills"]}:
            yield "a hill has no guards"

    def decode(self, data: Mapping[str, Any]) -> Hills:
        return plain.decode(Hills, data, board=self.board, options=self.agreed)


def answered(flow: Flow[None], order: Order) -> Flow[None]:
    """Play on from the first question of a flow, which an order answers."""
    next(flow)
    sent: Any = order
    while True:
        try:
            sent = yield flow.send(sent)
        except StopIteration:
            return


def _seen(game: Hills) -> list[int]:
    """List the cards that are not in the deck."""
    return [*game.spent, *game.buried.values(), *(card for hand in game.hands.values() for card in hand)]


def make(box: Box, options: Mapping[str, Any]) -> ThreeHills:
    """Return the rules of the game in a box, with options chosen."""
    return ThreeHills(box, options)

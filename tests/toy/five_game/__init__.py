"""Five Valleys: a game of five sides in one module, for all that a game of two sides never shows.

In each round all bid a card for the order of march (3); the highest bidder speaks for the wild powers, who hold valleys
but have no player (4). Each side in turn marches on a valley next to its own (5). Every army next to that valley may
send guards to intercept (6): a side may have to answer for its own army and for a wild one at once. Then anybody may
aid the marcher or the holder, one after another (7), and both roll (8). A side without a valley is out (9). The game is
over after its rounds, or when the deck cannot fill the hands; all who hold the most valleys win (10).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from pbem.game import (
    UNTOLD,
    Box,
    Counter,
    Kind,
    OneOf,
    Part,
    Plain,
    Rules,
    Scene,
    Table,
    Throw,
    Value,
    base_map,
    by_name,
    drawn_sides,
    listed,
    once,
    plain,
)
from pbem.protocol import ILLEGAL, Checkpoint, Decision, Event, Fault, Flow, Order, Side

SIDES = ("oak", "elm", "ash", "fir", "yew")
WILD = ("wolves", "bears")
UNSEEN = 0


@dataclass(slots=True)
class March:
    """A march under way, and what the others have lent to it (5, 7)."""

    side: Side
    to: str
    card: int
    attack_aid: int = 0
    defence_aid: int = 0


@dataclass(slots=True)
class Valleys:
    """The position. Cards are numbers from 1."""

    phase: str = "deal"
    round: int = 1
    to_march: list[Side] = field(default_factory=list)
    hands: dict[str, list[int]] = field(default_factory=dict)
    deck: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    holders: dict[str, str] = field(default_factory=dict)
    guards: dict[str, int] = field(default_factory=dict)
    speaker: Side = SIDES[0]
    march: March | None = None
    board: Any = plain.static()
    options: Any = plain.static()

    @property
    def in_play(self) -> list[Side]:
        """The sides that are not out of the game (9)."""
        return [side for side in SIDES if self.held(side)]

    def strength(self, card: int) -> int:
        return 1 + (card - 1) % 5

    def held(self, holder: str) -> list[str]:
        """List the valleys of a side or of a wild power, in the order of the board."""
        return [valley["id"] for valley in self.board["valleys"] if self.holders[valley["id"]] == holder]

    def next_to(self, *valleys: str) -> list[str]:
        """List the valleys that a path joins to some of these."""
        joined = {end for a, b, _ in self.board["paths"] for end, other in ((a, b), (b, a)) if other in valleys}
        return [valley["id"] for valley in self.board["valleys"] if valley["id"] in joined]

    def targets(self, side: Side) -> list[str]:
        """List the valleys that a side may march on: next to its own, and not its own (5)."""
        own = self.held(side)
        return [valley for valley in self.next_to(*own) if valley not in own]

    def speaks_for(self, army: str) -> Side:
        """Return the side that answers for an army: for a wild one the first in play from the speaker on (4)."""
        if army not in WILD:
            return army
        return next(side for side in (self.speaker, *from_left(self.speaker)) if side in self.in_play)

    def spend(self, side: Side, card: int) -> None:
        self.hands[side].remove(card)
        self.spent.append(card)


def from_left(side: Side) -> list[Side]:
    """Return the other sides as they sit round the table, from the left of one."""
    at = SIDES.index(side)
    return [*SIDES[at + 1 :], *SIDES[:at]]


# ---- the course of the game


def deal(game: Valleys, table: Table) -> None:
    """Fill the hands; the game is over when the deck cannot, or its rounds are played (2, 10)."""
    need = {side: game.board["hand"] - len(game.hands[side]) for side in game.in_play}
    if len(need) == 1 or game.round > game.board["rounds"] or sum(need.values()) > len(game.deck):
        game.phase = "over"
        return
    for side, count in need.items():
        game.hands[side] = sorted(game.hands[side] + game.deck[:count])
        game.deck = game.deck[count:]
        table.tell("dealt", to=[side], rule="2", side=side, hand=list(game.hands[side]))
    game.phase = "bid"


def bid(game: Valleys, table: Table) -> Flow[None]:
    """Let all bid a card at once: the order of march, and who speaks for the wild powers (3, 4)."""
    bidders = game.in_play
    questions = [Decision("bid", side, "3", {"round": game.round}, {"card": "lowest"}) for side in bidders]
    orders = yield from table.ask_all(questions)
    bids = {}
    for side, order in zip(bidders, orders, strict=True):
        bids[side] = min(game.hands[side]) if order["card"] == "lowest" else order["card"]
        game.spend(side, bids[side])
        table.tell("bids", rule="3", side=side, card=bids[side])
    game.to_march = sorted(bidders, key=lambda side: -game.strength(bids[side]))
    game.speaker = game.to_march[0]
    table.tell("speaks", rule="4", side=game.speaker)
    game.phase = "march"


def march(game: Valleys, table: Table) -> Flow[None]:
    """Let the next side march on a valley (5)."""
    side = game.to_march[0]
    order = yield from table.ask(side, "march", rule="5", default={"hold": True}, round=game.round)
    if order.get("hold"):
        home = game.held(side)[0]
        game.guards[home] += 1
        table.tell("holds", rule="5", side=side, valley=home)
    else:
        game.march = March(side, order["to"], order["card"])
        game.spend(side, order["card"])
        table.tell("marches", rule="5", side=side, valley=order["to"], card=order["card"])
        arrived = yield from intercept(game, table, game.march)
        if arrived:
            yield from aid(game, table, game.march)
            attack(game, table, game.march)
        game.march = None
    game.to_march = [other for other in game.to_march[1:] if other in game.in_play]
    if not game.to_march:
        game.phase, game.round = "deal", game.round + 1


def armies(game: Valleys, march: March) -> dict[str, str]:
    """Return the armies that may intercept a march, each with the valley that its guards come from (6)."""
    found = {}
    for army in (*from_left(march.side), *WILD):
        if army != game.holders[march.to]:
            near = [place for place in game.next_to(march.to) if game.holders[place] == army and game.guards[place]]
            if near:
                found[army] = max(near, key=lambda place: game.guards[place])
    return found


def intercept(game: Valleys, table: Table, march: March) -> Flow[bool]:
    """Let every army next to the valley send guards, all at once; tell whether the march arrives (6)."""
    near = armies(game, march)
    questions = [
        Decision(
            "intercept",
            game.speaks_for(army),
            "6",
            {"army": army, "at": place, "valley": march.to, "marcher": march.side},
            {"guards": 0},
            about=army,
        )
        for army, place in near.items()
    ]
    orders = (yield from table.ask_all(questions)) if questions else ()
    for (army, place), order in zip(near.items(), orders, strict=True):
        if not order["guards"]:
            continue
        sent = order["guards"]
        theirs = Throw(f"intercept/{army}", {"guards": sent}, side=army)
        own = Throw(f"march/{army}", {"card": game.strength(march.card)}, side=march.side)
        if table.opposed(theirs, own, rule="6").won:
            table.tell("intercepted", rule="6", side=army, marcher=march.side)
            return False
        game.guards[place] -= sent
        table.tell("brushed_aside", rule="6", side=army, marcher=march.side, guards=sent)
    return True


def aid(game: Valleys, table: Table, march: March) -> Flow[None]:
    """Let every other side lend a card to the marcher or the holder, one after another from the left (7)."""
    for side in from_left(march.side) if game.options["aid"] else ():
        if not game.hands[side]:
            continue
        order = yield from table.ask(
            side,
            "aid",
            rule="7",
            default={"card": "none"},
            waits=False,
            marcher=march.side,
            holder=game.holders[march.to],
            valley=march.to,
        )
        if order["card"] == "none":
            continue
        game.spend(side, order["card"])
        if order["helps"] == "marcher":
            march.attack_aid += game.strength(order["card"])
        else:
            march.defence_aid += game.strength(order["card"])
        table.tell("aids", rule="7", side=side, card=order["card"], helps=order["helps"])


def attack(game: Valleys, table: Table, march: March) -> None:
    """Let both roll; the marcher takes the valley with the higher total (8)."""
    side, valley, holder = march.side, march.to, game.holders[march.to]
    strength = {"card": game.strength(march.card), "aid": march.attack_aid}
    walls = {"guards": game.guards[valley], "aid": march.defence_aid}
    own = Throw(f"attack/{valley}", strength, side=side, facts={"valley": valley})
    theirs = Throw(f"defence/{valley}", walls, side=holder, facts={"valley": valley})
    if not table.opposed(own, theirs, rule="8").won:
        table.tell("repulsed", rule="8", side=side, valley=valley)
        return
    game.holders[valley], game.guards[valley] = side, 1
    table.tell("taken", rule="8", side=side, valley=valley)
    if holder in SIDES and not game.held(holder):
        cards = list(game.hands[holder])
        for card in cards:
            game.spend(holder, card)
        table.tell("out", rule="9", side=holder, cards=cards)


PHASES = {"bid": bid, "march": march}


# ---- what may be answered


def hand_of(view: Valleys, decision: Decision) -> list[int]:
    return view.hands[decision.side]


def bid_choices(view: Valleys, decision: Decision) -> Part:
    hand = hand_of(view, decision)
    return UNTOLD if UNSEEN in hand else OneOf("card", [Value("lowest"), *map(Value, hand)])


def march_choices(view: Valleys, decision: Decision) -> Part:
    hand = hand_of(view, decision)
    some: list[dict[str, Plain]] = [{"to": to, "card": card} for to in view.targets(decision.side) for card in hand]
    ways = [Value("hold", listed([{"hold": True}])), Value("march", listed(some))]
    return UNTOLD if UNSEEN in hand else OneOf(None, ways)


def aid_choices(view: Valleys, decision: Decision) -> Part:
    hand = hand_of(view, decision)
    some: list[dict[str, Plain]] = [{"card": card, "helps": helps} for card in hand for helps in ("marcher", "holder")]
    ways = [Value("none", listed([{"card": "none"}])), Value("aid", listed(some))]
    return UNTOLD if UNSEEN in hand else OneOf(None, ways)


def intercept_choices(view: Valleys, decision: Decision) -> Part:
    return OneOf("guards", [Value(count) for count in range(view.guards[decision.facts["at"]] + 1)])


def check_card(view: Valleys, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield a fault for a card that is not in hand."""
    card, hand = order["card"], hand_of(view, decision)
    if isinstance(card, int) and card not in hand:
        hold = ", ".join(map(str, hand)) or "no cards"
        yield order.fault(("card",), f"card {card} is not in your hand; you hold {hold}", rule=decision.rule)


def check_march(view: Valleys, decision: Decision, order: Order) -> Iterator[Fault]:
    given = [word for word in ("to", "card") if word in order.body]
    if order.get("hold"):
        for word in given:
            yield order.fault((word,), "either hold, or march", rule="5")
        return
    if len(given) < 2:
        yield order.fault((), "name a valley and a card, or hold: true", rule="5")
        return
    targets = view.targets(decision.side)
    if order["to"] not in targets:
        can = ", ".join(targets)
        yield order.fault(("to",), f"you cannot march on {order['to']}; you may march on {can}", rule="5")
    yield from check_card(view, decision, order)


def check_aid(view: Valleys, decision: Decision, order: Order) -> Iterator[Fault]:
    if order["card"] == "none":
        if "helps" in order.body:
            yield order.fault(("helps",), "without a card you help nobody", rule="7")
        return
    if "helps" not in order.body:
        yield order.fault((), "say whom the card helps: marcher or holder", rule="7")
    yield from check_card(view, decision, order)


def check_intercept(view: Valleys, decision: Decision, order: Order) -> Iterator[Fault]:
    army, place = decision.facts["army"], decision.facts["at"]
    there = view.guards[place]
    if order["guards"] > there:
        yield order.fault(("guards",), f"the army of {army} has {there} guards in {place}", rule="6")


def foresee_march(view: Valleys, table: Table, decision: Decision, order: Order) -> Flow[None]:
    return answered(march(table.lay(view), table), order)


KINDS = by_name(
    Kind("bid", bid_choices, check_card, is_last=once),
    Kind("march", march_choices, check_march, is_last=once, foresee=foresee_march),
    Kind("intercept", intercept_choices, check_intercept),
    Kind("aid", aid_choices, check_aid),
)
"""A side bids and marches once a round; others decide how often it may intercept or aid."""


class FiveValleys(Rules[Valleys]):
    """The rules for the engine."""

    id = "five"
    sides: tuple[Side, ...] = SIDES
    kinds = KINDS
    round = turn = "round"
    reveals = frozenset({"dealt", "out"})

    def __init__(self, box: Box, options: Mapping[str, Any]) -> None:
        self.box, self.agreed, self.board = box, options, box.table("map")
        self.sides = SIDES[: options["players"]]
        board = self.board
        self.base = base_map(board["layout"], board["coast"], board["valleys"], board["paths"])
        self.drawn = drawn_sides([*box.sides, *board["wild"]])

    def setup(self, scenario: str, table: Table) -> Valleys:
        start = self.box.scenario(scenario)
        return Valleys(
            round=start["round"],
            hands={side: [] for side in SIDES},
            deck=table.shuffle("deck", range(1, self.board["cards"] + 1)),
            holders=dict(start["holders"]),
            guards=dict(start["guards"]),
            board=self.board,
            options=self.agreed,
        )

    def play(self, position: Valleys, table: Table) -> Flow[Mapping[str, Any]]:
        game: Valleys = table.lay(position)
        while game.phase != "over":
            marcher = game.to_march[:1]
            if game.phase == "deal":
                deal(game, table)
            else:
                yield from PHASES[game.phase](game, table)
            if game.phase != "over":
                # Whoever has marched has done what their orders were for; those of the others wait for their turn.
                yield Checkpoint(keep_queue=frozenset(self.sides).difference(marcher))
        most = max(len(game.held(side)) for side in SIDES)
        winners = [side for side in SIDES if len(game.held(side)) == most]
        return {"winner": winners, "reason": "most_valleys"}

    def out(self, position: Valleys) -> Collection[Side]:
        """Return the sides without a valley, once the cards are dealt (9)."""
        return [side for side in self.sides if side not in position.in_play]

    def view(self, position: Valleys, side: Side | None) -> Valleys:
        seen = copy(position)
        seen.hands = {own: hand if own == side else [UNSEEN] * len(hand) for own, hand in position.hands.items()}
        seen.deck = [UNSEEN] * len(position.deck)
        return seen

    def show(self, view: Valleys, side: Side, what: str) -> Event | Fault:
        """Let a side show a card of its hand (2)."""
        number, hand = what.removeprefix("card").strip(), view.hands[side]
        if number.isdecimal() and int(number) in hand:
            return Event("shown", {"side": side, "card": int(number)}, "2")
        hold = ", ".join(map(str, hand))
        return Fault(ILLEGAL, (), f"{what} is not in your hand; you hold {hold}", "2")

    def periods(self, position: Valleys) -> Mapping[str, Any]:
        return {"round": position.round}

    def scene(self, view: Valleys, told: Sequence[Event] = ()) -> Scene:
        counters = tuple(Counter(valley, holder, str(view.guards[valley])) for valley, holder in view.holders.items())
        return Scene(self.base, f"Round {view.round}", sides=self.drawn, control=dict(view.holders), counters=counters)

    def resample_hidden(self, position: Valleys, side: Side | None, table: Table) -> Valleys:
        unseen = [own for own in SIDES if own != side]
        hidden = [card for own in unseen for card in position.hands[own]] + position.deck
        pile = table.shuffle(f"resample/{side}", hidden)
        other = copy(position)
        other.hands = dict(position.hands)
        for own in unseen:
            count = len(position.hands[own])
            other.hands[own], pile = sorted(pile[:count]), pile[count:]
        other.deck = pile
        return other

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        valleys = [valley["id"] for valley in self.board["valleys"]]
        cards = range(UNSEEN, self.board["cards"] + 1)
        return {
            "Valleys.phase": ("deal", "over", *PHASES),
            "Valleys.to_march": SIDES,
            "Valleys.hands": SIDES,
            "Valleys.hands.*": cards,
            "Valleys.deck": cards,
            "Valleys.spent": cards,
            "Valleys.holders": valleys,
            "Valleys.holders.*": (*SIDES, *WILD),
            "Valleys.guards": valleys,
            "Valleys.speaker": SIDES,
            "March.side": SIDES,
            "March.to": valleys,
            "March.card": cards,
        }

    def settle(self, position: Valleys) -> Valleys:
        dealt = _seen(position)
        position.deck = [card for card in range(1, self.board["cards"] + 1) if card not in dealt]
        return position

    def audit(self, position: Valleys) -> Iterator[str]:
        if sorted([*_seen(position), *position.deck]) != list(range(1, self.board["cards"] + 1)):
            yield "a card is lost or there twice"
        if any(position.hands[side] for side in SIDES if side not in position.in_play):
            yield "a side that is out holds cards"

    def decode(self, data: Mapping[str, Any]) -> Valleys:
        return plain.decode(Valleys, data, board=self.board, options=self.agreed)


def answered(flow: Flow[None], order: Order) -> Flow[None]:
    """Play on from the first question of a flow, which an order answers."""
    next(flow)
    sent: Any = order
    while True:
        try:
            sent = yield flow.send(sent)
        except StopIteration:
            return


def _seen(position: Valleys) -> list[int]:
    """Return every card that is not in the deck."""
    return [*position.spent, *(card for hand in position.hands.values() for card in hand)]


def make(box: Box, options: Mapping[str, Any]) -> FiveValleys:
    """Return the rules of the game in a box, with its options chosen."""
    return FiveValleys(box, options)

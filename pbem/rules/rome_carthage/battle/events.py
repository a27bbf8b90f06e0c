"""Strategy cards played in a battle: Spy in Enemy Camp, deserting allies, Maharbal's Cavalry (cards 6, 20, 31, 32, 59).

All of them are windows (7.4.1). When a battle begins the attacker declares first, then the defender; Ally Deserts may
be played before any round; Maharbal's Cavalry is played in the place of a battle card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from pbem.game import UNTOLD, Kind, OneOf, Part, Refusal, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.battle.withdrawal import DOUBLE_ENVELOPMENT
from pbem.rules.rome_carthage.events.playing import (
    ANY,
    NONE,
    Window,
    cards_of,
    check_card,
    check_window,
    chosen,
    hand_hidden,
    held,
    may_hold,
    open_window,
    play_counter,
    why_unfit,
    window_choices,
)
from pbem.rules.rome_carthage.orders import RoundEventsOrder
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, FACE_DOWN, MAHARBAL, SIDES, Game, once_a_march
from pbem.rules.rome_carthage.position.under_way import Battle

SPY: Final = "spy"
DESERTION: Final = "allies_desert"
ALLY_DESERTS: Final = "ally_deserts"
MAHARBAL_RULE: Final = "card 6"
WORST: Final = "worst"
"""Give back the kind of battle card of which the hand holds fewest; a Reserve only if there is nothing else."""


# ---- when the battle begins (cards 20, 31, 32)


def declare_events(game: Game, table: Table) -> Flow[None]:
    """Let the attacker, then the defender declare cards before the battle cards are dealt (cards 20, 31, 32)."""
    battle = game.the_battle
    for side in (battle.attacker, ENEMY[battle.attacker]):
        if not any(may_hold(game, side, card) for card in to_declare(game, battle, side)):
            continue
        enemy = ENEMY[side]
        facts = {
            "space": battle.space,
            "attacking": side == battle.attacker,
            "own_cu": battle.strength[side],
            "enemy_cu": battle.strength[enemy],
            "general": battle.commanders.get(side),
            "enemy_general": battle.commanders.get(enemy),
        }
        window = Window("battle_events", "7.4.1", facts, {"cards": []})
        (order,) = yield from table.ask_all([window.asks(game, side)])
        for number in declared(game, battle, side, order["cards"]):
            _declare(game, table, side, play_counter(game, table, side, number))


def _declare(game: Game, table: Table, side: Side, card: StrategyCard) -> None:
    battle = game.the_battle
    if card.event == SPY:
        battle.spy = side
        return
    leaving = deserters(game, battle, ENEMY[side], card)
    battle.deserted.setdefault(ENEMY[side], []).extend(leaving)
    table.tell("allies_desert", rule=f"card {card.number}", side=ENEMY[side], space=battle.space, provinces=leaving)


def to_declare(game: Game, battle: Battle, side: Side) -> list[StrategyCard]:
    """List the cards that could be declared in a battle: a spy always, a desertion that costs the enemy cards."""
    enemy = ENEMY[side]
    desertions = [card for card in cards_of(game.board, DESERTION) if deserters(game, battle, enemy, card)]
    return [*cards_of(game.board, SPY), *desertions]


def deserters(game: Game, battle: Battle, side: Side, card: StrategyCard) -> list[str]:
    """List the provinces whose allies a card takes from a side's general in a battle: none elsewhere (cards 31, 32)."""
    board, province = game.board, game.board.spaces[battle.space].province
    if side not in battle.commanders or board.provinces[province].region != card.about["region"]:
        return []
    named = card.about.get("provinces")
    return [
        ally.id
        for ally in board.allied(province, game.options["allies_on_islands"])
        if ally.allies_value and game.controller(ally.id) == side and (named is None or ally.id in named)
    ]


def declared(game: Game, battle: Battle, side: Side, words: str | Sequence[int | str]) -> list[int]:
    """Return the cards that an answer names, lowest first, by number, by event or as any that fits."""
    if words != ANY:
        return sorted({n for word in words if (n := _number(game, battle, side, word)) is not None})
    return [card.number for card in to_declare(game, battle, side) if card.number in game.hands[side]]


def _number(game: Game, battle: Battle, side: Side, word: int | str) -> int | None:
    """Return the card in hand that a word of an answer names: a number, or the event of a card."""
    if isinstance(word, int):
        return word
    fits = (card.number for card in to_declare(game, battle, side) if card.event == word)
    return next((number for number in fits if number in game.hands[side]), None)


def show_cards(game: Game, table: Table) -> None:
    """Turn up half of the spied hand, rounded down, drawn at random; these cards stay open in this battle (card 20)."""
    battle = game.the_battle
    if battle.spy is None:
        return
    owner = ENEMY[battle.spy]
    hand = battle.hands[owner]
    drawn = table.shuffle(f"battle/{battle.space}/spy", hand)[: len(hand) // 2]
    battle.shown[owner] = in_order(game, drawn)
    table.tell("spied", rule="card 20", side=owner, space=battle.space, cards=list(battle.shown[owner]))


def in_order(game: Game, hand: Sequence[str]) -> list[str]:
    """Return battle cards in the order of the deck's kinds, as hands are held (11.1)."""
    kinds = list(game.board.battle_cards)
    return sorted(hand, key=kinds.index)


# ---- before a round (card 59)


def round_events(game: Game, table: Table) -> Flow[None]:
    """Let both sides say whether they play Ally Deserts before a round; only one of them can hold it (card 59)."""
    battle = game.the_battle
    (card,) = cards_of(game.board, ALLY_DESERTS)
    asked = [
        Window(
            "round_events",
            "card 59",
            {
                "space": battle.space,
                "round": battle.round + 1,
                "leads": side == battle.initiative,
                "cards": len(battle.hands[side]),
                "enemy_cards": len(battle.hands[ENEMY[side]]),
                "shown": list(battle.shown.get(ENEMY[side], ())),
            },
        ).asks(game, side)
        for side in SIDES
        if may_hold(game, side, card) and battle.hands[ENEMY[side]]
    ]
    if not asked:
        return
    orders = yield from table.ask_all(asked)
    for decision, order in zip(asked, orders, strict=True):
        said = RoundEventsOrder.read(order)
        number = chosen(game, decision.side, ALLY_DESERTS, said.card)
        if number is not None:
            play_counter(game, table, decision.side, number)
            yield from take_card(game, table, decision.side, said.take)


def take_card(game: Game, table: Table, side: Side, wanted: str | None) -> Flow[None]:
    """Take a battle card from the enemy: one that lies open if it is named, else one drawn blind (card 59).

    By the rules of 1998 the enemy is given the worst of one's own in return.
    """
    battle, enemy = game.the_battle, ENEMY[side]
    shown = battle.shown.get(enemy, [])
    if wanted is None:
        closed = list(battle.hands[enemy])
        for card in shown:
            closed.remove(card)
        pile = [*([card, "open"] for card in shown), *([card, "closed"] for card in closed)]
        wanted, lay = table.shuffle(f"battle/{battle.space}/ally_deserts", pile)[0]
        if lay == "open":
            shown.remove(wanted)
    else:
        shown.remove(wanted)
    hand_over(game, enemy, side, wanted)
    table.tell("ally_deserts", rule="card 59", side=side, space=battle.space)
    table.tell("card_taken", rule="card 59", to=SIDES, side=enemy, space=battle.space, card=wanted)
    if game.options["ally_deserts"] != "exchange":
        return
    order = yield from table.ask(
        side,
        "give_back",
        rule="card 59",
        default={"card": WORST},
        space=battle.space,
        cards=len(battle.hands[side]),
        enemy_cards=len(battle.hands[enemy]),
    )
    given = worst(game, battle.hands[side]) if order["card"] == WORST else order["card"]
    if given in battle.shown.get(side, ()):
        battle.shown[side].remove(given)
    hand_over(game, side, enemy, given)
    table.tell("card_given", rule="card 59", to=SIDES, side=side, space=battle.space, card=given)


def hand_over(game: Game, giver: Side, taker: Side, card: str) -> None:
    """Put a battle card from one hand into the other, face down (card 59)."""
    hands = game.the_battle.hands
    hands[giver].remove(card)
    hands[taker] = in_order(game, [*hands[taker], card])


def worst(game: Game, hand: Sequence[str]) -> str:
    """Return the kind of card that a hand holds fewest of; a Reserve only if there is nothing else (card 59)."""
    *kinds, reserve = game.board.battle_cards
    return min((kind for kind in kinds if kind in hand), key=hand.count, default=reserve)


# ---- Maharbal's Cavalry (card 6)


def last_resort(game: Game, table: Table, side: Side) -> Flow[bool]:
    """Let Carthage play Maharbal's Cavalry when its last battle card is gone; return whether it does (card 6)."""
    if side != CARTHAGE:
        return False
    battle = game.the_battle
    facts = {
        "space": battle.space,
        "round": battle.round_now,
        "leads": side == battle.initiative,
        "enemy_cards": len(battle.hands[ENEMY[side]]),
    }
    played = yield from open_window(game, table, side, Window(MAHARBAL, "card 6", facts))
    return played is not None


def call_cavalry(game: Game, table: Table) -> None:
    """Lay Maharbal's Cavalry on the discards; it counts as a battle card (card 6)."""
    (card,) = cards_of(game.board, MAHARBAL)
    play_counter(game, table, CARTHAGE, card.number)


def why_no_maharbal(view: Game, side: Side) -> Refusal | None:
    """Say why a side cannot play Maharbal's Cavalry; None: it can (card 6)."""
    if side != CARTHAGE:
        return Refusal("Maharbal's Cavalry is an event of Carthage", MAHARBAL_RULE)
    if not held(view, side, MAHARBAL):
        return Refusal("Maharbal's Cavalry is not in your hand of strategy cards", MAHARBAL_RULE)
    led = view.the_battle.led
    if led not in (None, DOUBLE_ENVELOPMENT):
        name = view.board.battle_cards[DOUBLE_ENVELOPMENT]
        reason = f"Maharbal's Cavalry counts as a {name} and matches no {view.board.battle_cards[led]}"
        return Refusal(reason, MAHARBAL_RULE)
    return None


# ---- legal orders and checks


def declare_choices(view: Game, decision: Decision) -> Part:
    """Return every selection of the cards in hand that can be declared (cards 20, 31, 32)."""
    side = decision.side
    if hand_hidden(view, side):
        return UNTOLD
    cards = declared(view, view.the_battle, side, ANY)
    sets = [list(some) for size in range(len(cards) + 1) for some in combinations(cards, size)]
    values = [Value(some, says=() if some else (NONE,)) for some in sets]
    return OneOf("cards", [*values, Value(ANY, says=(ANY,), unlisted=True)], of="card")


def check_declaration(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the cards declared: each in hand, fitting, and named once (cards 20, 31, 32)."""
    battle, side, words = view.the_battle, decision.side, order["cards"]
    if words == ANY:
        return
    enemy = ENEMY[side]
    for at, word in enumerate(words):
        if word in words[:at]:
            yield order.fault(("cards", at), f"{word} is named twice", rule="7.4.1")
        elif not isinstance(word, int):
            continue
        elif (why := why_unfit(view, side, word, (SPY, DESERTION))) is not None:
            yield why.at(("cards", at))
        elif view.board.cards[word].event == DESERTION:
            card = view.board.cards[word]
            if not deserters(view, battle, enemy, card):
                where = view.board.spaces[battle.space].name
                reason = f"{card.name} ({word}) takes no battle card from the enemy in {where}"
                yield order.fault(("cards", at), reason, rule=f"card {word}")


def round_choices(view: Game, decision: Decision) -> Part:
    """Return the answers: play nothing, Ally Deserts blind, or Ally Deserts for an open card of each kind (card 59)."""
    side = decision.side
    if hand_hidden(view, side):
        return UNTOLD
    kinds = [Value(kind) for kind in dict.fromkeys(decision.facts["shown"])]
    take = OneOf("take", [Value(None), *kinds], of="battle_card", default=0)
    cards = [Value(card, take) for card in held(view, side, ALLY_DESERTS)]
    return OneOf(
        "card", [Value(NONE, says=(NONE,), must=True), *cards, Value(ANY, take, says=(ANY,), unlisted=True)], of="card"
    )


def check_round_events(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with playing Ally Deserts: the card itself, and the open card it is to take (card 59)."""
    yield from check_card(view, decision, order, ALLY_DESERTS)
    said = RoundEventsOrder.read(order)
    if (wanted := said.take) is None:
        return
    shown = decision.facts["shown"]
    if said.card == NONE:
        yield order.fault(("take",), "nothing is taken without Ally Deserts; leave out take", rule="card 59")
    elif wanted not in shown:
        names = ", ".join(view.board.battle_cards[kind] for kind in dict.fromkeys(shown)) or "none"
        reason = f"of the enemy's cards there lie open: {names}; leave out take to draw one blind"
        yield order.fault(("take",), reason, rule="card 59")


def give_back_choices(view: Game, decision: Decision) -> Part:
    """Return the kinds of card in hand that may be given in return (card 59)."""
    hand = view.the_battle.hands[decision.side]
    if FACE_DOWN in hand:
        return UNTOLD
    return OneOf(
        "card", [*[Value(kind) for kind in dict.fromkeys(hand)], Value(WORST, unlisted=True)], of="battle_card"
    )


def check_give_back(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the card given in return: it must be in hand (card 59)."""
    hand, card = view.the_battle.hands[decision.side], order["card"]
    if card != WORST and card not in hand:
        names = ", ".join(view.board.battle_cards[kind] for kind in dict.fromkeys(hand))
        reason = f"you hold no {view.board.battle_cards[card]} to give back; you hold {names}"
        yield order.fault(("card",), reason, rule="card 59")


BATTLE_EVENT_KINDS: Final = (
    Kind(
        "battle_events",
        declare_choices,
        check_declaration,
        hints="views.hints:events_before_battle",
        is_last=once_a_march,
    ),
    Kind("round_events", round_choices, check_round_events, hints="views.hints:events_of_round"),
    Kind("give_back", give_back_choices, check_give_back),
    Kind(MAHARBAL, window_choices, check_window, hints="views.hints:window"),
)

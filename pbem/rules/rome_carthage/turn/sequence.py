"""The set-up, and the course of a turn: its phases, the deal, who goes first, card plays (4, 5, 7.1, 7.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pbem.game import UNTOLD, Kind, Part, Table, once, one_of
from pbem.protocol import Checkpoint, Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.events.catalogue import IN_VAIN, play_event
from pbem.rules.rome_carthage.events.playing import (
    ANY,
    NONE,
    Window,
    cards_of,
    cards_or_none,
    chosen,
    hand_hidden,
    held,
    may_hold,
)
from pbem.rules.rome_carthage.movement.campaigns import next_general
from pbem.rules.rome_carthage.movement.card_play import CAMPAIGN
from pbem.rules.rome_carthage.movement.march_cards import TRUCE, ends_truce
from pbem.rules.rome_carthage.position.board import TRIBE, Board
from pbem.rules.rome_carthage.position.records import Scenario
from pbem.rules.rome_carthage.position.state import CARTHAGE, CONSUL, ENEMY, ROME, SIDES, Game, Options
from pbem.rules.rome_carthage.position.under_way import CardPlay, Stack
from pbem.rules.rome_carthage.turn.end_of_turn import check_victory, remove_isolated, winter
from pbem.rules.rome_carthage.turn.operations import carry_out
from pbem.rules.rome_carthage.turn.reinforcements import reinforce

# ---- the set-up of a scenario (4)


def set_up(board: Board, options: Options, scenario: Scenario, table: Table) -> Game:
    """Return the position at the start: armies, offices, markers as the map has them, a shuffled deck (4.1 to 4.4)."""
    game = Game(
        turn=scenario["first_turn"],
        last_turn=scenario["last_turn"],
        control={space.id: space.start_control for space in board.spaces.values() if space.start_control},
        tribes=[space.id for space in board.spaces.values() if space.kind == TRIBE],
        stacks={side: {} for side in SIDES},
        hands={side: [] for side in SIDES},
        offices=dict(scenario["offices"]),
        consuls=[general for general, office in scenario["offices"].items() if office == CONSUL],
        reserve=list(scenario["reserve"]),
        arrivals=dict(scenario["arrivals"]),
        board=board,
        options=options,
    )
    for army in scenario["armies"]:
        force = Stack(army["cu"], army.get("elephants", 0), list(army.get("generals", ())))
        game.put(army["side"], army["at"], force)
    game.deck = table.shuffle("deck", sorted(board.cards))
    return game


def settle(game: Game) -> Game:
    """Complete a changed position: cards found nowhere go into the deck, missing generals are out of the game.

    A card that was put into a hand is taken out of the deck, a general put into an army out of the reserve.
    """
    held = [*game.discards, *game.removed, *(card for hand in game.hands.values() for card in hand)]
    if game.card is not None:
        held.append(game.card.card)
    game.deck = [card for card in game.deck if card not in held]
    game.deck += [card for card in game.board.cards if card not in held and card not in game.deck]
    stacks = [*game.garrisons.values(), *(stack for side in SIDES for stack in game.stacks[side].values())]
    if game.march is not None:
        stacks.append(game.march.force)
    placed = {general for stack in stacks for general in stack.generals}
    game.reserve = [general for general in game.reserve if general not in placed]
    away = {*game.reserve, *(general for names in game.displaced.values() for general in names)}
    absent = [name for name, record in game.board.generals.items() if record.returns and name not in placed | away]
    game.arrivals = {name: turn for name, turn in game.arrivals.items() if name not in placed | set(game.out)}
    game.out = [*(general for general in game.out if general not in absent and general not in placed), *absent]
    return game


# ---- the course of a turn (5)


def play(game: Game, table: Table) -> Flow[None]:
    """Play the phases, with a checkpoint after each and after every card play, until somebody has won (5)."""
    while game.result is None:
        if game.phase in SILENT:
            SILENT[game.phase](game, table)
        else:
            yield from PHASES[game.phase](game, table)
        yield Checkpoint() if game.card is None else Checkpoint(keep_queue=True)


def deal(game: Game, table: Table) -> None:
    """Deal both hands; when the deck cannot fill them, shuffle all cards still in the game first (7.1, 7.6).

    By the older rule the last cards of the deck are dealt before the others are shuffled: then one to each side in
    turn, for everybody knows which cards they are.
    """
    size = game.board.hand_sizes[game.turn]
    first, second = slice(0, size), slice(size, 2 * size)
    if len(game.deck) < 2 * size:
        rest: list[int] = []
        if game.options["reshuffle"] == "when_empty":
            rest, game.deck = game.deck, []
            first, second = slice(0, 2 * size, 2), slice(1, 2 * size, 2)
        shuffle_all(game, table, f"deck/turn-{game.turn}")
        game.deck = rest + game.deck
    years = game.board.years[game.turn] if game.turn == 1 else None
    table.tell("turn_begins", turn=game.turn, years=years, cards=size, rule="7.1")
    for side, cards in zip(SIDES, (first, second), strict=True):
        game.hands[side] = sorted(game.deck[cards])
        table.tell("dealt", side=side, hand=list(game.hands[side]), to=[side], rule="7.1")
    game.deck = game.deck[2 * size :]
    game.phase = "first_play"


def shuffle_all(game: Game, table: Table, name: str) -> None:
    """Shuffle the deck and the discards into a new deck; the counsels in force end with the turn (7.6).

    By the rules of 1998 they end with the shuffle itself (cards 57, 58).
    """
    game.deck = table.shuffle(name, sorted(game.deck + game.discards))
    game.discards = []
    game.counsels_ending = list(game.counsels)
    table.tell("reshuffled", cards=len(game.deck), rule="7.6")
    if game.options["counsel_ends"] == "shuffle":
        end_counsels(game, table)


def end_counsels(game: Game, table: Table) -> None:
    """End each counsel that was in force when all cards were shuffled (cards 57, 58)."""
    for side in game.counsels_ending:
        game.counsels.remove(side)
        table.tell("counsel_ends", side=side, rule="card 57" if side == CARTHAGE else "card 58")
    game.counsels_ending = []


def choose_first_player(game: Game, table: Table) -> Flow[None]:
    """Let Rome claim the first play by a Campaign card, else let Carthage name the first player (5.3)."""
    game.plays = 0
    game.must_play = yield from claim(game, table)
    if game.must_play is None:
        table.tell("first_not_claimed", rule="5.3")
        order = yield from table.ask(CARTHAGE, "first_player", rule="5.3", default={"side": CARTHAGE}, turn=game.turn)
        game.to_play = order["side"]
        table.tell("plays_first", side=game.to_play, rule="5.3")
    else:
        game.to_play = ROME
        table.tell("first_claimed", card=game.must_play, rule="5.3")
    game.phase = "strategy"


def claim(game: Game, table: Table) -> Flow[int | None]:
    """Return the Campaign card by which Rome claims the first play; None: it does not (5.3).

    The window is that of a counter event: it opens whatever Rome holds, for else it would show the hand. In the first
    turn the game waits for Rome all the same: before the first deal nobody could order anything in advance.
    """
    if not any(may_hold(game, ROME, card) for card in cards_of(game.board, CAMPAIGN)):
        return None
    decision = Window("claim_first", "5.3", {"turn": game.turn}).asks(game, ROME)
    decision.waits = decision.waits or game.turn == FIRST_TURN
    (order,) = yield from table.ask_all([decision])
    return chosen(game, ROME, CAMPAIGN, order["card"])


def play_card(game: Game, table: Table) -> Flow[None]:
    """Play one strategy card for operations or its event, or discard it, then pass the turn (5.3, 7.2, 7.5).

    A campaign has a checkpoint before each of its further generals (8.1).
    """
    if game.card is not None:
        yield from next_general(game, table)
    else:
        yield from begin_card(game, table)
    game.march = None
    card = game.the_card
    if not card.generals_left or game.result is not None:
        game.card = None
        lay_away(game, table, card.card, card.use)
        pass_turn(game)


def begin_card(game: Game, table: Table) -> Flow[None]:
    """Ask for a card and its use, and carry it out, a campaign as far as its first general (7.2)."""
    side = game.the_active_side
    order = yield from table.ask(
        side, "play", rule="7.2", turn=game.turn, play=game.plays + 1, cards=len(game.hands[side])
    )
    card = order["card"]
    game.plays += 1
    game.must_play = game.play_next = None
    game.hands[side].remove(card)
    game.card = CardPlay(side, card, order["as"])
    if order["as"] == "discard":
        table.tell("discarded", side=side, card=card, rule="7.5")
    elif order.get(IN_VAIN):
        play_in_vain(game, table, side, card)
    elif order["as"] == "event":
        end_truce(game, table, card)
        yield from play_event(game, table, side, order)
    else:
        yield from carry_out(game, table, side, order)


def play_in_vain(game: Game, table: Table, side: Side, card: int) -> None:
    """Play an event that cannot take place: the card is spent, and stays in the game (7.4, 7.4.2; V 8.5, card 64).

    By the rules of 1998 it ends a Truce all the same.
    """
    game.the_card.use = IN_VAIN
    end_truce(game, table, card, in_vain=True)
    table.tell("event_in_vain", side=side, card=card, rule="7.4")


def end_truce(game: Game, table: Table, card: int, in_vain: bool = False) -> None:
    """End a Truce by the event that is being played: one of the list, by the older rule any (card 64)."""
    if game.truce and ends_truce(game, game.board.cards[card], in_vain):
        game.truce = False
        table.tell("truce_ends", card=card, rule="card 64")


def lay_away(game: Game, table: Table, card: int, use: str) -> None:
    """Discard a played card, or remove it from the game after its last event (7.4.2, 7.6)."""
    last = game.board.cards[card].removed_after
    if use == "event" and last is not None:
        uses = game.event_uses[str(card)] = game.event_uses.get(str(card), 0) + 1
        if uses >= last:
            game.removed.append(card)
            table.tell("card_removed", card=card, rule="7.4.2")
            return
    game.discards.append(card)
    if game.board.cards[card].event == TRUCE and (use != "discard" or game.options["truce_reshuffle_on_discard"]):
        game.reshuffle_due = True


def pass_turn(game: Game) -> None:
    """Pass the play to the other side, or back to one that alone still has cards (5.3).

    A side that must play at once what its messenger brought plays again (card 55).
    """
    side = game.the_active_side
    if game.play_next is not None:
        return
    if game.hands[ENEMY[side]]:
        game.to_play = ENEMY[side]
    elif not game.hands[side]:
        game.to_play = None
        game.phase = "winter"


def end_turn(game: Game, table: Table) -> None:
    """Shuffle after a Truce and go to the next turn, in which some events no longer hold (5.7, 7.6).

    A Carthaginian Naval Victory ends with the turn (card 29); Hanno and Cato have their say until a turn begins
    after all cards have been shuffled (cards 57, 58).
    """
    table.tell("turn_ends", turn=game.turn, rule="5.7")
    if game.reshuffle_due:
        shuffle_all(game, table, f"deck/truce-{game.turn}")
        game.reshuffle_due = False
    end_counsels(game, table)
    game.naval_victory = False
    game.turn += 1
    game.plays = 0
    game.phase = "reinforcements"


def claim_choices(view: Game, decision: Decision) -> Part:
    """Return the Campaign cards by which Rome may claim the first play, and no claim (5.3)."""
    return UNTOLD if hand_hidden(view, ROME) else cards_or_none(held(view, ROME, CAMPAIGN))


def check_claim(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a claim to the first play: only a Campaign card in hand will do (5.3)."""
    card = order["card"]
    if card in (NONE, ANY):
        return
    if card not in view.hands[ROME]:
        yield order.fault(("card",), _not_in_hand(view, card), rule="5.3")
    elif view.board.cards[card].type != CAMPAIGN:
        yield order.fault(
            ("card",), f"{view.board.cards[card].name} ({card}) is no Campaign card; write none", rule="5.3"
        )


def _not_in_hand(view: Game, card: int) -> str:
    campaigns = held(view, ROME, CAMPAIGN)
    claim = f"you could claim it with {', '.join(map(str, campaigns))}" if campaigns else "you have no Campaign card"
    return f"card {card} is not in your hand; {claim}, or write none"


FIRST_TURN: Final = 1
FIRST_PLAY_KINDS: Final = (
    Kind(
        "claim_first",
        claim_choices,
        check_claim,
        hints="views.hints:claim_first",
        close_up="views.summary:hand_in_short",
        places="views.summary:nowhere",
        is_last=once,
    ),
    Kind(
        "first_player",
        *one_of("side", SIDES),
        close_up="views.summary:hand_in_short",
        places="views.summary:nowhere",
        is_last=once,
    ),
)
SILENT: Final[Mapping[str, Callable[[Game, Table], None]]] = {
    "deal": deal,
    "isolation": remove_isolated,
    "turn_end": end_turn,
}
"""The phases without decisions."""
PHASES: Final[Mapping[str, Callable[[Game, Table], Flow[None]]]] = {
    "reinforcements": reinforce,
    "first_play": choose_first_player,
    "strategy": play_card,
    "winter": winter,
    "victory": check_victory,
}

"""Mine depletion and the Draw Cards Phase: discards, the RESHUFFLE card, hands (5.1, 5.2, 6.2, 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import UNTOLD, Kind, Part, Some, Table, counted, once
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.position.board import CARTHAGE, ETRUSCANS, SICILY
from pbem.rules.sword_of_rome.position.naming import card_value, not_in_hand
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game


def check_mines(game: Game, table: Table) -> None:
    """Close the Etruscan mines for good if the Etruscans control too few of their home spaces (5.1, 7.2.3)."""
    lost = [space for space in game.board.homes[ETRUSCANS] if game.control.get(space) != ETRUSCANS]
    if not game.mines_depleted and len(lost) >= game.board.tables["support"]["mines"]:
        game.mines_depleted = True
        table.tell("mines_depleted", rule="7.2.3")
    game.phase = "draw"


def draw_cards(game: Game, table: Table) -> Flow[None]:
    """Shuffle where it is due, let all discard what they have kept, at once, and fill the hands (5.2, 6.2, 6.4).

    The hands of the first turn come with the set-up.
    """
    if game.turn > 1:
        due, game.reshuffle = game.reshuffle, []
        for side in game.in_play:
            if side in due:
                shuffle_discards(game, side, table, f"deck/{side}/turn-{game.turn}")
        yield from discard(game, table)
        for side in game.in_play:
            draw(game, side, table, hand_limit(game, side) - len(game.hands[side]), "exhausted")
    game.phase = "first_player"


def discard(game: Game, table: Table) -> Flow[None]:
    """Take all cards of who keeps none, the Gauls, and ask the others which of theirs they discard (6.2.1)."""
    keeping = [side for side in game.in_play if game.hands[side] and side not in game.board.seats.discard_all]
    asked = [
        Decision(
            "discard",
            side,
            "6.2.1",
            {"turn": game.turn, "cards": len(game.hands[side])},
            {"cards": sorted(game.hands[side], key=lambda card: game.board.cards[card].value)[: surplus(game, side)]},
        )
        for side in keeping
    ]
    orders = (yield from table.ask_all(asked)) if asked else ()
    chosen = {side: list(order["cards"]) for side, order in zip(keeping, orders, strict=True)}
    for side in game.in_play:
        cards = chosen.get(side, list(game.hands[side]))
        if cards:
            lay_off(game, side, cards)
            table.tell("discards", side=side, cards=cards, rule="6.2.1")


def surplus(game: Game, side: Side) -> int:
    """Return how many cards a side must discard: those above its limit, by option `kept_hand` (S 20.2)."""
    if game.options["kept_hand"] != "is_cut":
        return 0
    return max(0, len(game.hands[side]) - hand_limit(game, side))


def lay_off(game: Game, side: Side, cards: list[str]) -> None:
    """Move cards of a hand to the discards; a RESHUFFLE card among them counts for the next Draw Phase (6.4.1)."""
    for card in cards:
        game.hands[side].remove(card)
        game.discards[side].append(card)
        if game.board.cards[card].reshuffle and side not in game.reshuffle:
            game.reshuffle.append(side)


def shuffle_discards(game: Game, side: Side, table: Table, name: str) -> None:
    """Shuffle the discards of a side into its deck (6.4)."""
    game.decks[side] = table.shuffle(name, sorted(game.decks[side] + game.discards[side]))
    game.discards[side] = []
    table.tell("reshuffled", side=side, cards=len(game.decks[side]), rule="6.4")


def draw(game: Game, side: Side, table: Table, wanted: int, name: str) -> None:
    """Draw so many cards; a deck that runs out is replaced by the discards (6.2.2, 6.4.2).

    `name` is that of the shuffle, within the turn.
    """
    drawn: list[str] = []
    while len(drawn) < wanted:
        if not game.decks[side]:
            if not game.discards[side]:
                break
            shuffle_discards(game, side, table, f"deck/{side}/turn-{game.turn}/{name}")
        drawn.append(game.decks[side].pop(0))
    game.hands[side] = sorted(game.hands[side] + drawn)
    table.tell("drawn", side=side, cards=len(drawn), rule="6.2.2")
    table.tell("dealt", to=[side], side=side, hand=list(game.hands[side]), rule="6.2.2")


def hand_limit(game: Game, side: Side) -> int:
    """Return the hand limit of a side, for Carthage by its ports in Sicily and the unrest (6.2.2, S 5.2, S 20.2)."""
    limit: int = game.board.seats.hands[side]
    if side == CARTHAGE:
        ports = [port for port in game.board.ports if game.board.spaces[port].region == SICILY]
        limit += sum(game.control.get(port) == CARTHAGE for port in ports)
        limit -= game.unrest // game.board.tables["unrest"]["card"]
    return limit


def discard_choices(view: Game, decision: Decision) -> Part:
    """Return every selection of the hand, of as many cards as must go at least (6.2.1, S 20.2)."""
    hand = view.hands[decision.side]
    if UNSEEN in hand:
        return UNTOLD
    some = [card_value(view, card) for card in hand]
    return Some("cards", some, surplus(view, decision.side), len(hand), of="card", says=("discard",))


def check_discard(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield the cards that are not in the hand, and what must go besides (6.2.1, S 20.2)."""
    for i, card in enumerate(order["cards"]):
        if card not in view.hands[decision.side]:
            hold = counted(len(view.hands[decision.side]), "card")
            yield order.fault(("cards", i), f"{not_in_hand(view, decision.side, card)}; you hold {hold}", rule="6.2.1")
    least = surplus(view, decision.side)
    if len(order["cards"]) < least:
        kept = counted(hand_limit(view, decision.side), "card")
        yield order.fault(("cards",), f"you keep {kept} at most: discard {least} or more", rule="S 20.2")


DRAW_KINDS: Final = (
    Kind(
        "discard",
        discard_choices,
        check_discard,
        hints="views.hints:discard_hints",
        bot="policy.replies:best_discard",
        is_last=once,
    ),
)

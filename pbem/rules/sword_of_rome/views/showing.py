"""Showing cards: a side lets others see a card of its hand, or all of it (6.1)."""

from __future__ import annotations

from pbem.game import did_you_mean
from pbem.protocol import ILLEGAL, Event, Fault, Side
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game

HAND = "hand"
CARD = "card "


def show(view: Game, side: Side, what: str) -> Event | Fault:
    """Return the event by which a side shows a card by its id, or its hand, or why it cannot (6.1)."""
    hand = [card for card in view.hands[side] if card != UNSEEN]
    word = " ".join(what.lower().split()).removeprefix(CARD)
    if word == HAND and hand:
        return Event("shows", {"side": side, "cards": hand}, "6.1")
    if word in hand:
        return Event("shows", {"side": side, "cards": [word]}, "6.1")
    if word == HAND:
        reason = "your hand is empty"
    elif word in view.board.cards:
        reason = f"{word} is not in your hand"
    else:
        reason = f"write the id of a card of your hand, such as r7, or hand{did_you_mean(word, hand)}"
    return Fault(ILLEGAL, (), reason, rule="6.1")

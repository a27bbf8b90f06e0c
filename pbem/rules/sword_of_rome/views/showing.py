"""Showing cards: a side lets others see cards of its hand, or all of it (6.1)."""

from __future__ import annotations

import re

from pbem.game import Vocabulary, listing
from pbem.protocol import ILLEGAL, Event, Fault, Side
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game

HAND = "hand"
CARD = "card "


def show(view: Game, side: Side, what: str) -> Event | Fault:
    """Return the event by which a side shows its hand or cards of it, by id or by name, or why it cannot (6.1)."""
    hand = [card for card in view.hands[side] if card != UNSEEN]
    word = " ".join(what.lower().split()).removeprefix(CARD)
    if word == HAND and hand:
        return Event("shows", {"side": side, "cards": hand}, "6.1")
    named = [each for each in dict.fromkeys(re.findall(r"\w+", word)) if each in view.board.cards]
    others = [card for card in named if card not in hand]
    meant = named or Vocabulary({card: [view.board.cards[card].name] for card in hand}).readings(word)
    if word == HAND:
        reason = "your hand is empty"
    elif others:
        reason = f"{listing(others)} {'is' if len(others) == 1 else 'are'} not in your hand"
    elif not meant:
        reason = f"you hold no card of that name; your hand: {listing(hand) or 'none'}"
    elif named or len(meant) == 1:
        return Event("shows", {"side": side, "cards": list(meant)}, "6.1")
    else:
        reason = f"that can be {listing(meant, 'or')}: write which"
    return Fault(ILLEGAL, (), reason, rule="6.1")

"""What a side does not know, and what it is shown of it."""

from __future__ import annotations

import re

from pbem.game import Table, Vocabulary, listing, plain
from pbem.protocol import ILLEGAL, Event, Fault, Side
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game, March

# ---- Views of a position: each side sees its own hand, never another's, nor the order of decks and cup (6.1, 8.2.2)


def view(game: Game, side: Side | None) -> Game:
    """Return the position as a side may know it, without the decks; what is public is shared (6.1).

    How many cards a deck has is public, and what is in the cup, but not in which order it comes.
    """
    seen = plain.twin(game)
    seen.hands = {owner: hand if owner == side else [UNSEEN] * len(hand) for owner, hand in game.hands.items()}
    seen.decks = {owner: [UNSEEN] * len(deck) for owner, deck in game.decks.items()}
    seen.cup = sorted(game.cup)
    seen.reader = side
    if game.march is not None and game.march.side != side:
        seen.march = plain.twin(game.march)
        blank(seen.march)
    return seen


def blank(march: March) -> None:
    """Remove from a march what only its own side knows: its path, and what follows (9.1)."""
    march.path, march.then, march.against = [], "", None


def resample_hidden(game: Game, side: Side | None, table: Table) -> Game:
    """Return a position that a side could not tell from this one, with what it cannot see dealt again (6.1)."""
    other = plain.twin(game)
    other.hands, other.decks = dict(game.hands), dict(game.decks)
    for owner in game.board.sides:
        held = [] if owner == side else game.hands[owner]
        pile = table.shuffle(f"resample/{side}/{owner}", held + game.decks[owner])
        if owner != side:
            other.hands[owner], pile = sorted(pile[: len(held)]), pile[len(held) :]
        other.decks[owner] = pile
    other.cup = table.shuffle(f"resample/{side}/cup", game.cup)
    if game.march is not None and game.march.side != side:
        other.march = plain.twin(game.march)
        blank(other.march)
    return other


# ---- Showing cards: a side lets others see cards of its hand, or all of it (6.1)


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

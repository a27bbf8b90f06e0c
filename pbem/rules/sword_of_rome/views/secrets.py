"""Views of a position: each side sees its own hand, never another's, nor the order of decks and cup (6.1, 8.2.2)."""

from __future__ import annotations

from pbem.game import Table, plain
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game
from pbem.rules.sword_of_rome.position.under_way import March


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

"""What each side may know: its own hand, never the enemy's nor the decks (7.1, 11.1)."""

from __future__ import annotations

from pbem.plain import twin
from pbem.protocol import Side
from pbem.rules.rome_carthage.state import FACE_DOWN, SIDES, UNSEEN, Game
from pbem.table import Table


def known(game: Game, side: Side | None) -> Game:
    """Return the position as a side may know it, without the deck; what is public is shared (7.1, 11.1)."""
    seen = twin(game)
    seen.hands = {owner: hand if owner == side else [UNSEEN] * len(hand) for owner, hand in game.hands.items()}
    seen.deck = []
    battle = game.battle
    if battle is not None:
        seen.battle = twin(battle)
        seen.battle.hands = {
            owner: hand if owner == side else [FACE_DOWN] * len(hand) for owner, hand in battle.hands.items()
        }
    march = game.march
    if march is not None and march.side != side:
        seen.march = twin(march)
        seen.march.path, seen.march.then = [], "stop"
    return seen


def reseal(game: Game, side: Side | None, table: Table) -> Game:
    """Return a position that a side could not tell from this one: what it cannot see is dealt or ordered anew (7.1)."""
    other = twin(game)
    unseen = [owner for owner in SIDES if owner != side and owner in game.hands]
    pile = table.shuffle(f"reseal/{side}", game.deck + [card for owner in unseen for card in game.hands[owner]])
    other.hands = dict(game.hands)
    for owner in unseen:
        count = len(game.hands[owner])
        other.hands[owner], pile = sorted(pile[:count]), pile[count:]
    other.deck = pile
    if game.march is not None and game.march.side != side:
        other.march = twin(game.march)
        other.march.path, other.march.then = [], "ask"
    if game.battle is not None:
        other.battle = twin(game.battle)
        other.battle.hands = _other_hands(game, side, table)
    return other


def _other_hands(game: Game, side: Side | None, table: Table) -> dict[str, list[str]]:
    """Deal the battle hands that a side cannot see from the cards it has not seen (11.1)."""
    battle = game.the_battle
    pool = list(game.board.battle_deck)
    for card in [*(play.card for play in battle.played), *battle.hands.get(side or "", [])]:
        pool.remove(card)
    pool = table.shuffle(f"reseal/{side}/battle", pool)
    hands = dict(battle.hands)
    for owner in SIDES:
        if owner != side and owner in hands:
            count = len(hands[owner])
            hands[owner], pool = pool[:count], pool[count:]
    return hands

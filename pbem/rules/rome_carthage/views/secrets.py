"""Views of a position: each side sees its own hand, never the enemy's nor the decks (7.1, 11.1)."""

from __future__ import annotations

from pbem.game import Table, plain
from pbem.protocol import Side
from pbem.rules.rome_carthage.position.state import FACE_DOWN, MAHARBAL, SIDES, UNSEEN, Game
from pbem.rules.rome_carthage.position.under_way import Battle, March


def view(game: Game, side: Side | None) -> Game:
    """Return the position as a side may know it, without the deck; what is public is shared (7.1, 11.1)."""
    seen = plain.twin(game)
    seen.hands = {owner: hand if owner == side else [UNSEEN] * len(hand) for owner, hand in game.hands.items()}
    seen.deck = []
    if game.play_next is not None and side != game.to_play:
        seen.play_next = UNSEEN
    battle = game.battle
    if battle is not None:
        seen.battle = plain.twin(battle)
        seen.battle.hands = {
            owner: hand if owner == side else _face_down(battle, owner, hand) for owner, hand in battle.hands.items()
        }
    march = game.march
    if march is not None and march.side != side:
        seen.march = plain.twin(march)
        _blank(seen.march)
    return seen


def _blank(march: March) -> None:
    """Remove from a march what only its own side knows: its path, and what it does if the enemy reacts (8.2)."""
    march.path, march.then = [], ""
    march.if_intercepted = march.if_avoided = march.charm = None


def _face_down(battle: Battle, owner: Side, hand: list[str]) -> list[str]:
    """Return a hand as others see it: what a spy has found out lies open (11.1, card 20)."""
    shown = battle.shown.get(owner, [])
    return [*shown, *[FACE_DOWN] * (len(hand) - len(shown))]


def resample_hidden(game: Game, side: Side | None, table: Table) -> Game:
    """Return a position that a side could not tell from this one, with what it cannot see dealt again (7.1)."""
    other = plain.twin(game)
    unseen = [owner for owner in SIDES if owner != side and owner in game.hands]
    pile = table.shuffle(f"resample/{side}", game.deck + [card for owner in unseen for card in game.hands[owner]])
    other.hands = dict(game.hands)
    for owner in unseen:
        count = len(game.hands[owner])
        other.hands[owner], pile = sorted(pile[:count]), pile[count:]
    other.deck = pile
    if game.play_next is not None and game.to_play in unseen:
        other.play_next = other.hands[game.the_active_side][0]
    if game.march is not None and game.march.side != side:
        other.march = plain.twin(game.march)
        _blank(other.march)
        other.march.then = "ask"
    if game.battle is not None:
        other.battle = plain.twin(game.battle)
        other.battle.hands = _other_hands(game, side, table)
    return other


def _other_hands(game: Game, side: Side | None, table: Table) -> dict[str, list[str]]:
    """Deal the battle hands that a side cannot see from the cards it has not seen (11.1)."""
    battle = game.the_battle
    pool = list(game.board.battle_deck)
    unseen = [owner for owner in SIDES if owner != side and owner in battle.hands]
    open_cards = [card for owner in unseen for card in battle.shown.get(owner, ())]
    seen = [play.card for play in battle.played if play.card != MAHARBAL] + open_cards
    for card in [*seen, *battle.hands.get(side or "", [])]:
        pool.remove(card)
    pool = table.shuffle(f"resample/{side}/battle", pool)
    hands = dict(battle.hands)
    for owner in unseen:
        shown = battle.shown.get(owner, [])
        count = len(hands[owner]) - len(shown)
        hands[owner], pool = [*shown, *pool[:count]], pool[count:]
    return hands

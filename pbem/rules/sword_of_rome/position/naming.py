"""Sentences of faults about names: what the game does not have, and what may be meant."""

from __future__ import annotations

from pbem.game import Refusal, did_you_mean
from pbem.rules.sword_of_rome.position.state import Game


def no_such_space(game: Game, word: str) -> Refusal | None:
    """Say that there is no such space; None: there is (2.2)."""
    if word in game.board.spaces:
        return None
    return Refusal(f"no space is called {word}{did_you_mean(word, game.board.spaces)}", "2.2")


def no_such_leader(game: Game, word: str) -> Refusal | None:
    """Say that there is no such leader; None: there is (8)."""
    if word in game.board.leaders:
        return None
    return Refusal(f"no leader is called {word}{did_you_mean(word, game.board.leaders)}", "8.1")


def space_named(game: Game, space: str) -> str:
    """Return the name of a space."""
    record = game.board.spaces.get(space)
    return space if record is None else record.name


def event_named(game: Game, mark: str) -> str:
    """Return the name of an event in effect: that of its card, marked if the card is not as printed."""
    for card in game.board.cards.values():
        if any(effect.get("marker", {}).get("name") == mark for effect in card.effects):
            return card.name
    return mark.replace("_", " ")

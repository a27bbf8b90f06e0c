"""A digest of all that happens in a random game."""

from __future__ import annotations

import hashlib
from random import Random

from pbem.crypto.dice import SeededDice
from pbem.engine.playout import play_out
from tests.support.walks import loaded, start

MOST = 180
"""The most questions of a game."""


def fingerprint(game: str, edition: str, scenario: str) -> str:
    """Return a digest of all that happens in a random game."""
    rules = loaded(game, edition).rules
    played = play_out(rules, start(rules, scenario, 5), SeededDice(5), Random(5), most=MOST)
    whole = repr((played.decisions, played.events, played.result, rules.encode(played.position)))
    return hashlib.sha256(whole.encode()).hexdigest()

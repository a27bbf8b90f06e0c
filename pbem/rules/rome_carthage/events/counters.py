"""Counter events that are never a card play of their own, and when they are played instead (7.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.rules.rome_carthage.events.base import CardEvent, Elsewhere

EVENTS: Final[Mapping[str, CardEvent | Elsewhere]] = {
    "maharbal": Elsewhere("it counts as a battle card when you lead one or match one"),
    "spy": Elsewhere("it is declared when a battle begins"),
    "allies_desert": Elsewhere("it is declared when a battle begins"),
    "ally_deserts": Elsewhere("it is played in a battle, before a round"),
    "elephant_fright": Elsewhere("it is played when the elephants of Carthage charge"),
    "bad_weather": Elsewhere("it is played against a general of the enemy on the march"),
    "storms_at_sea": Elsewhere("it is played against a force of the enemy at sea"),
}

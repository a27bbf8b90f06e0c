"""The unrest of Carthage: its cap, who raises and lowers it, and the attack on it (S 20).

What is to come beside it: `USES` with `attack_unrest` (S 20.3), and `attack(game, table, leader, cu, name) ->
Flow[None]`, which a force that has sailed in calls with its last point and a Campaign for each half. It rolls by the
functions of `battle`, with size and tactics of the unrest. Events it tells: `unrest_attacked`, `unrest_beaten`,
`unrest_wins`. The three examples of S 20.3 pin it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Kinds, Table
from pbem.rules.sword_of_rome.events.card_play import Use
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX
from pbem.rules.sword_of_rome.position.state import Game


def cap(game: Game) -> int:
    """Return how high the unrest can be raised: CU in the Garrison box hold it down (S 20.1)."""
    most: int = game.board.tables["unrest"]["most"]
    return max(0, most - game.cu(CARTHAGE, GARRISON_BOX))


def raise_by(game: Game, table: Table, points: int, rule: str) -> int:
    """Raise the unrest as far as its cap, and return by how much; the cap never lowers it (S 20.1)."""
    raised = max(0, min(points, cap(game) - game.unrest))
    game.unrest += raised
    table.tell("unrest", level=game.unrest, by=raised, rule=rule)
    return raised


def lower_by(game: Game, table: Table, points: int, rule: str) -> int:
    """Lower the unrest and return by how much (S 12.5.3, S 20.3)."""
    lowered = min(points, game.unrest)
    game.unrest -= lowered
    table.tell("unrest", level=game.unrest, by=-lowered, rule=rule)
    return lowered


USES: Final[Mapping[str, Use]] = {}
KINDS: Final[Kinds] = {}

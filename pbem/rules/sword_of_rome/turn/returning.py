"""Leaders in the Reinforcement Phase: consuls, displaced leaders, the price of Greek ones (5.10.2, 8.2, 8.4).

What the chapter of leaders must do in the functions below (its decisions: `consuls`, `return_leaders`, `keep_leaders`):

* `change_consuls`: all consuls, displaced ones too, back into the cup, shuffle it (`consuls/turn-N`), place two with
  Roman CU. The cup's contents are public, its order is hidden.
* `return_displaced`: each displaced named leader of the side comes back with own CU if he can.
* `pay_for_leaders`: each Greek named leader on the map costs his penalty in city loyalty, eased by Sicily
  (S 8.2.3, option `eased_leader`), or leaves the game for good.
* minor leaders may be placed: `events.minor_leaders.place`.

Events it tells: `consuls_drawn`, `leader_returns`, `leader_paid`, `leader_leaves`.
"""

from __future__ import annotations

from typing import Final

from pbem.game import Kinds, Table
from pbem.protocol import Flow, Side
from pbem.rules.sword_of_rome.position.state import Game


def change_consuls(game: Game, table: Table) -> Flow[None]:
    """Put the consuls into the cup, draw two, and place them (8.2.2)."""
    return
    yield


def return_displaced(game: Game, table: Table, side: Side) -> Flow[None]:
    """Bring the displaced leaders of a side back (8.4)."""
    return
    yield


def pay_for_leaders(game: Game, table: Table) -> Flow[None]:
    """Let the Greeks pay for the leaders whom they keep (8.2.3)."""
    return
    yield


KINDS: Final[Kinds] = {}

"""Plunder: the track, raids, looting and solidarity (14).

What this chapter offers to the others (its decisions are `sack` and `raid_on`):

* `add_markers(game, table, power, count) -> None`: place markers one at a time, of a kind by power; the two kinds
  cancel, a full track scores by `turn.scoring.add_vp` and is cleared (14.1). `Game.plunder` is signed.
* `raid(game, table, power, space, name) -> Flow[bool]`: one attempt (14.2), for `movement.march`.
* `loot(game, table, power, space) -> Flow[None]`: instead of `siege.siege.convert` (14.4); decision `sack`.
* `USES`: `solidarity` (14.6).

Events it tells: `raided`, `raid_fails`, `plundered`, `track_full`, `looted`, `solidarity`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Kinds, Table
from pbem.rules.sword_of_rome.events.card_play import Use
from pbem.rules.sword_of_rome.position.state import Game


def add_markers(game: Game, table: Table, power: str, count: int, rule: str = "14.1") -> None:
    """Place plunder markers (14.1)."""


USES: Final[Mapping[str, Use]] = {}
KINDS: Final[Kinds] = {}

"""Minor leaders and commanders: placing, moving, and who commands (8.2.1, 8.3).

What this chapter must offer: `USES` with `leaders` (`at: {leader: space}`, any number, to spaces with the power's CU,
besieged cities included; `set_aside`), the decision `command`, `commander_of(game, power, space) -> str | None`, and
`place(game, table, side) -> Flow[None]` for the Reinforcement Phase. Events it tells: `leader_placed`, `commands`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Kinds
from pbem.rules.sword_of_rome.events.card_play import Use

USES: Final[Mapping[str, Use]] = {}
KINDS: Final[Kinds] = {}

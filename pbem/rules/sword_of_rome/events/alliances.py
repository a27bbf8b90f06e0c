"""Alliances while a side is active: proposed, accepted, broken (15.1, 15.5). Their end of turn is `turn.renewal`.

What this chapter must offer: `USES` with `propose` (`power`, `to`) and `break` (`power`, `to`, `give_up: [spaces]`),
the decision `alliance` (accept or not), and `why_not_propose`, `why_not_break`. A proposal to oneself, to a player any
of whose cities or tribes the proposer besieges, or out of one's activation is a fault. When two powers ally their own
sieges are lifted; when they part CU in the former ally's city come out, with a siege marker for an army of 3 or more:
both through `position.changes.settle_spaces`. Events it tells: `proposed`, `allied`, `refused`, `broken`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Kinds
from pbem.rules.sword_of_rome.events.card_play import Use

USES: Final[Mapping[str, Use]] = {}
KINDS: Final[Kinds] = {}

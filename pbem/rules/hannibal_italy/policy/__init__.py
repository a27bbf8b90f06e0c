"""A stand-in for an absent player: a plain, careful player that knows no more than its side may know.

It marches one leader after the other to where he does most good: past cities that he may win over, at weak enemies,
into quarters before the winter. It fights where the odds are good and gets away where they are not. What it has no
view of it answers by the default, or the first legal answer.
"""

from __future__ import annotations

from typing import Final

from pbem.game import Proposals
from pbem.rules.hannibal_italy.policy.plans import best_marches
from pbem.rules.hannibal_italy.policy.replies import REPLIES

PROPOSALS: Final[Proposals] = {"move": best_marches, **REPLIES}
"""What the stand-in has a view of."""

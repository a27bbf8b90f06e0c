"""The bot of the game: a plain, careful player for every side, who knows no more than the view of that side.

It holds its victory spaces and takes those within reach, keeps its armies together, besieges with enough, raids, allies
with those who do not lead, and leads the powers without a player against its enemies. What it has no view of it answers
by the default of the decision, or by the first legal order.
"""

from __future__ import annotations

from typing import Final

from pbem.game import Proposals
from pbem.rules.sword_of_rome.policy.acts import best_act
from pbem.rules.sword_of_rome.policy.marches import best_flank, best_march, best_next
from pbem.rules.sword_of_rome.policy.placing import PLACING
from pbem.rules.sword_of_rome.policy.replies import REPLIES
from pbem.rules.sword_of_rome.policy.responses import RESPONSES
from pbem.rules.sword_of_rome.policy.spoils import best_spoils

PROPOSALS: Final[Proposals] = {
    "act": best_act,
    "march": best_march,
    "next_commander": best_next,
    "flank": best_flank,
    "spoils": best_spoils,
    **REPLIES,
    **RESPONSES,
    **PLACING,
}
"""The kinds of decisions that the bot answers."""

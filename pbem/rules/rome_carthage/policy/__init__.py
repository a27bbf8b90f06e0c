"""The bot of the game: a plain, careful player that knows no more than its side may know.

It holds its provinces and takes those it can, keeps its armies together, fights where it is stronger, and does not
march to its destruction. What it has no view of it answers by the default, or the first legal answer.
"""

from __future__ import annotations

from typing import Final

from pbem.game import Proposals
from pbem.rules.rome_carthage.policy.plays import best_campaign, best_play
from pbem.rules.rome_carthage.policy.replies import REPLIES

PROPOSALS: Final[Proposals] = {"play": best_play, "campaign": best_campaign, **REPLIES}
"""The kinds of decisions that the bot answers."""

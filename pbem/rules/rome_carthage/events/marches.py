"""Events of marches: Campaign cards, Force Marches, and the dual cards, which go together with operations (7.2, 8.1).

Cards 5, 18, 28, 33, 34, 37 to 40, 50, 54, 61 to 63.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.rules.rome_carthage.events.base import CardEvent, Elsewhere
from pbem.rules.rome_carthage.movement.campaigns import (
    campaign_needs,
    check_event_march,
    event_marches,
    force_march,
    force_march_needs,
    play_campaign,
)

EVENTS: Final[Mapping[str, CardEvent | Elsewhere]] = {
    "campaign": CardEvent(play_campaign, event_marches, check_event_march, campaign_needs),
    "force_march": CardEvent(force_march, event_marches, check_event_march, force_march_needs),
    "native_guide": Elsewhere("play it for operations, to march over a mountain pass"),
    "traitor": Elsewhere("play it for operations, with an army of 3 CU that besieges Tarentum"),
    "hannibal_charms": Elsewhere("play it for operations, to march with Hannibal in Italy"),
    "pirates": Elsewhere("play it for operations, to sail with up to 3 CU"),
    "treachery": Elsewhere("play it for operations, to besiege a city"),
}

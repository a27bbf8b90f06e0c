"""What goes into the dice of an adjudication: the link that it opens, and what players and game master have said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pbem.crypto.closing import Closing
from pbem.crypto.player_chains import contribution
from pbem.game import plain
from pbem.game.plain import Record
from pbem.protocol import Side
from pbem.repo.charter import Joined
from pbem.repo.state import State


class Links(Protocol):
    """The links of a dice chain, such as `Chain`."""

    def link(self, n: int) -> str:
        """Return the link that adjudication n opens, as hex."""

    def renewal(self, n: int) -> str | None:
        """Return the tip that adjudication n promises, as hex; None unless it opens the last link of its chain."""


def stated_inputs(
    n: int, state: State | None, joined: Mapping[Side, Joined], act: Record | None, beacon: Closing | None
) -> dict[str, Any]:
    """Return what has been said since the adjudication before, as the turn file states it.

    `joined` is what newcomers have mailed, or all sides if the game has not begun (`state` is None).
    """
    stated: dict[str, Any] = {}
    if state is None:
        stated["joined"] = {side: plain.encode(own) for side, own in joined.items()}
    else:
        # Their chain alone: what else they mail later, a KEY, turns no dice.
        stated["joined"] = {
            side: plain.encode(Joined(chain=own.chain, player=own.player)) for side, own in joined.items()
        }
        # Sorted, because the order in which they came must not change the dice.
        stated["sheets"] = {side: dict(state.new_sheets[side]) for side in sorted(state.new_sheets)}
        stated["standing"] = dict(sorted(state.standing_digests.items()))
        stated["player_chains"] = {
            side: contribution(state.links[side], state.new_links.get(side), n) for side in sorted(state.links)
        }
    stated["beacon"] = beacon and beacon.stated
    stated["act"] = act
    return {word: value for word, value in stated.items() if value}

"""What the bot makes of a victory: the loser's support, its own, plunder, the unrest (7.3.4, 12.5, 14.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.battle.spoils import losers, most_unrest, taker, why_not_add, why_not_take_away
from pbem.rules.sword_of_rome.policy.plans import MARKER, UNREST
from pbem.rules.sword_of_rome.policy.worth import rivalry, taken, worth
from pbem.rules.sword_of_rome.position.board import CARTHAGE, WALLED
from pbem.rules.sword_of_rome.position.state import Game

LOYALTY: Final = 0.1


def best_spoils(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield how points are spent, by what each point is worth; then the same with fewer (12.5)."""
    points: int = decision.facts["points"]
    bought = sorted(_purchases(view, decision), key=lambda each: -each[0])
    for known in range(len(bought), -1, -1):
        left, body = points, dict[str, Any]()
        for _, cost, word, space in bought[:known]:
            if cost > left:
                continue
            left -= cost
            if word in ("plunder", "unrest"):
                body[word] = body.get(word, 0) + cost
            else:
                body[word] = [*body.get(word, ()), *[space] * cost]
        yield Order("spoils", body)
        if known < len(bought) - 3:
            return


def _purchases(view: Game, decision: Decision) -> Iterator[tuple[float, int, str, str]]:
    """Yield what can be bought: its worth for a point, the points, the word and the space."""
    side, facts = decision.side, decision.facts
    winner, loser, points = facts["power"], facts["loser"], facts["points"]
    own = winner in view.board.powers_of[side]
    for space in view.board.spaces:
        holder = view.control.get(space)
        if holder in losers(view, loser) and why_not_take_away(view, losers(view, loser), space) is None:
            cost = view.loyalty[space] if view.kind(space) == WALLED else 1
            goes_to_us = own and taker(view, winner, space) == winner
            denied = rivalry(view, side, holder) * worth(view, holder or "", space)
            value = taken(view, side, winner, space) if goes_to_us else denied
            if cost <= points:
                yield value / cost, cost, "remove", space
        elif own and why_not_add(view, winner, space) is None:
            value = LOYALTY if holder == winner else worth(view, winner, space)
            yield value, 1, "add", space
    if own and view.board.powers[winner].raids:
        yield from [(MARKER, 1, "plunder", "")] * points
    change = min(points, most_unrest(view, winner, loser))
    per_point = UNREST if winner == CARTHAGE and own else UNREST * rivalry(view, side, CARTHAGE)
    yield from [(per_point, 1, "unrest", "")] * change

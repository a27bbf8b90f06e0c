"""Facts that conditions of standing orders may test, besides those of the decision itself.

Strengths are those in the space that the decision is about. All facts are on the map or in the side's own hand, so
that nothing hidden is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from pbem.protocol import Decision, Side
from pbem.rules.rome_carthage.movement.detachment import leaders, most_sent
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.siege.walls import interceptors

Facts: TypeAlias = Mapping[str, object]
"""What conditions may test: word -> plain value."""
NO_ENEMY: Final = 1000
"""The odds where no enemy CU are."""


def periods(game: Game) -> Facts:
    """Return the turn and the card play that a game is in, for standing orders that end with one (5.3)."""
    return {"turn": game.turn, "play": f"{game.turn}/{_play(game)}"}


def facts(view: Game, decision: Decision) -> Facts:
    """Return the facts for any decision and, if it is about a space, what stands there."""
    side = decision.side
    found: dict[str, object] = {"turn": view.turn, "play": _play(view), "hand": list(view.hands.get(side, ()))}
    space = space_of(view, decision)
    if space is not None:
        found |= _of_space(view, decision, space)
    battle = view.battle
    if battle is not None and side in battle.hands:
        found["card_lead"] = len(battle.hands[side]) - len(battle.hands[ENEMY[side]])
    return found


def _play(game: Game) -> int:
    return game.plays if game.card is not None else game.plays + 1


def space_of(view: Game, decision: Decision) -> str | None:
    """Return the space that a decision is about: the one it names, or where the battle or the march is."""
    named = decision.facts.get("at") or decision.facts.get("space")
    if named is None and view.battle is not None:
        named = view.battle.space
    if named is None and view.march is not None:
        named = view.march.at
    return named if named in view.board.spaces else None


def _of_space(view: Game, decision: Decision, space: str) -> Facts:
    side, enemy, record = decision.side, ENEMY[decision.side], view.board.spaces[space]
    own, theirs = view.cu(side, space), view.cu(enemy, space)
    if decision.kind == "intercept":
        own += max((_can_send(view, side, near, space) for near in decision.facts["from"]), default=0)
    return {
        "region": record.region,
        "province": record.province,
        "marker": view.control.get(space),
        "own_cu": own,
        "enemy_cu": theirs,
        "odds": 100 * own // theirs if theirs else NO_ENEMY,
        "enemy_general": _commander(view, enemy, space),
        "rating": _rating(view, _commander(view, side, space)),
        "enemy_rating": _rating(view, _commander(view, enemy, space)),
    }


def _can_send(view: Game, side: Side, near: str, space: str) -> int:
    """Return how many CU could intercept from a space at once (9.3)."""
    return most_sent(view, interceptors(view, side, near)) if leaders(view, side, near, space) else 0


def _commander(view: Game, side: Side, space: str) -> str | None:
    """Return who commands a side's army in a space, one on the march before one that stands there (8.5)."""
    march = view.march
    if march is not None and march.side == side and march.at == space and march.force.generals:
        return march.force.generals[0]
    return view.stack(side, space).commander


def _rating(view: Game, general: str | None) -> int:
    return view.board.generals[general].battle if general else 0

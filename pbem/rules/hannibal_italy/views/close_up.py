"""The part of a position that a question is about: its hexes, who stands there and next to them, the pools (3, 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Line, Section
from pbem.protocol import Decision
from pbem.rules.hannibal_italy.position.state import BOXES, ENEMY, SIDES, Game
from pbem.rules.hannibal_italy.views.facts import hex_of
from pbem.rules.hannibal_italy.views.summary import in_hex, pools

_DRAWS: Final = frozenset({"raise", "receive"})
"""The questions for which it matters what can still be drawn."""

_LISTS: Final = frozenset({"move", "place"})
"""The questions whose form itself says what stands where."""


def close_up(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield what a question is about."""
    if decision.kind in _DRAWS:
        yield from pools(view)
    hex = hex_of(view, decision)
    hexes = places(view, decision)
    here = [line for each in hexes for side in SIDES for line in in_hex(view, side, each)]
    if here and decision.kind not in _LISTS:
        yield Section("the armies there" if hex is not None else "the armies", _level(here))
    near = {each: None for one in hexes for each, _ in view.board.steps[one] if each not in hexes}
    enemy = [line for each in near for line in in_hex(view, ENEMY[decision.side], each)]
    if enemy:
        yield Section("Enemies next to it" if len(hexes) == 1 else "Enemies next to them", _level(enemy))


def places(view: Game, decision: Decision) -> list[str]:
    """Return the hexes that a question is about."""
    hex = hex_of(view, decision)
    return list(dict.fromkeys([hex] if hex is not None else _named(view, decision)))


def _named(view: Game, decision: Decision) -> list[str]:
    """Return the hexes that a decision names, and those of the leaders that it names."""
    facts = decision.facts
    found = [each for each in facts.get("hexes", ()) if each in view.board.hexes]
    for id in facts.get("leaders", ()):
        leader = view.leaders.get(id)
        if leader is not None and leader.at not in BOXES:
            found.append(leader.at)
    return found


def _level(lines: list[Line]) -> tuple[Line, ...]:
    return tuple(Line(line.label, line.cells) for line in lines)

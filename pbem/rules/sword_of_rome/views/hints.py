"""Hints of an order form: what can be chosen, what it costs, and orders to choose from.

Hints use only what their reader may know. A form shows texts as remarks and orders as choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.protocol import Decision
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.views import hints_of_battles, hints_of_cards, hints_of_marches, hints_of_phases
from pbem.rules.sword_of_rome.views.hinting import Hint, HintsOf

_HINTS: Final[Mapping[str, HintsOf]] = {
    **hints_of_marches.HINTS,
    **hints_of_cards.HINTS,
    **hints_of_battles.HINTS,
    **hints_of_phases.HINTS,
}


def hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield remarks on a decision, and legal orders to choose from."""
    if decision.kind in _HINTS:
        yield from _HINTS[decision.kind](view, decision)

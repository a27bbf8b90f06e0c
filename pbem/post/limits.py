"""Limits on answers: a robot that does not say that it is one is answered a few times, and then no more."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

_IN_VAIN: Final = frozenset({"refusal", "faults", "form", "help", "words", "report", "confirm", "refused"})
"""How the names of letters begin that answer a letter which has changed nothing, or only asked."""
MOST_IN_VAIN: Final = 20
"""So many of them go to one address within a day. People who learn a game get a few."""


def falls_silent(names: Collection[str]) -> bool:
    """Tell whether an address gets no more answers; `names` are those of the letters to it within a day."""
    return sum(name.partition(".")[0] in _IN_VAIN for name in names) >= MOST_IN_VAIN

"""Windows: decisions in which a side may step in while another acts (7.1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.protocol import Decision, Side
from pbem.rules.sword_of_rome.position.state import Game


def window_decision(
    game: Game,
    kind: str,
    side: Side,
    rule: str,
    facts: Mapping[str, Any],
    default: Mapping[str, Any],
    *,
    secret: bool = False,
    about: str = "",
) -> Decision:
    """Return the decision of a window; with `windows: ask` the game waits for a side whose standing orders ask for it.

    Nobody waits otherwise: standing orders and orders in advance answer, or the default does.
    """
    waits = game.options["windows"] == "ask"
    return Decision(kind, side, rule, facts, default, secret=secret, waits=waits, about=about, on_request=True)

"""The vote on another player for a side, which is required if the game master plays a side."""

from __future__ import annotations

from pbem.protocol import Side
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.repo.requests import OPEN, REPLACEMENT, Motion, still_needed


def replacement_agreed(game: OpenGame, side: Side) -> bool:
    """Tell whether the sides have voted that a side gets another player.

    Raises CannotPlay if they must have, because the game master plays a side, and they have not.
    """
    request = game.request() if game.begun else None
    asked = request is not None and (request.kind, request.outcome) == (REPLACEMENT, OPEN)
    if isinstance(request, Motion) and request.replaced == side and asked and not still_needed(request):
        return True
    terms = game.clock.terms
    if game.begun and terms is not None and terms.master is not None and terms.master != side:
        raise CannotPlay(
            f"the game master plays {terms.master} in {game.name}: the other sides vote on another player for {side}; "
            f"`pbem player {game.name} {side}=PERSON --vote` asks them"
        )
    return False

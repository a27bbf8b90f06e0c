"""The hold: a sheet by which the game would go on waits for a while, so that its player can take it back.

The sheet is committed at once, sealed. Until its hold is over no adjudication is made, and no link of the dice chain is
opened. WITHDRAW and a new sheet are commits as well: the first ends the hold of its side, the second begins another. A
deadline ends a hold, that of the side itself or of another one.

When a hold is over follows from the terms of the clock, and from when the letter with the sheet came, which its commit
says. It stands in `clock.yaml` with the clock of the side.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from pbem.referee.open_game import CannotPlay, OpenGame

_SECOND: Final = timedelta(seconds=1)


def is_on_hold(game: OpenGame, *, late: bool) -> bool:
    """Tell whether a sheet of a game is on hold; `late`: the game master says that a deadline has passed."""
    held = game.clock.held()
    return held is not None and held > game.clock.time and (game.clock.decides or not late)


def held_until(game: OpenGame) -> datetime | None:
    """Return until when a game is on hold; None: it is not."""
    held = game.clock.held()
    return held if held is not None and held >= game.clock.time and not game.open_decisions else None


def hold_ends(game: OpenGame, ready: Callable[[], bool]) -> datetime | None:
    """Return when a game goes on with sheets that are, or were, on hold; None: it does not.

    A letter that came at the very second at which a hold ends goes first, so that is the second after it. `ready` tells
    whether every open decision has an answer.
    """
    held = game.clock.held()
    return held + _SECOND if held is not None and game.closed is None and ready() else None


def require_gone_on(game: OpenGame, ready: Callable[[], bool]) -> None:
    """Raise CannotPlay if a hold has ended before that came which is carried out, and the game has not gone on."""
    ends = hold_ends(game, ready)
    if ends is not None and ends <= game.clock.time:
        raise CannotPlay(f"the hold of a sheet of {game.name} is over: `pbem adjudicate {game.name}` plays on")

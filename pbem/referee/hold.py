"""The hold: a sheet that would let the game go on waits for a while, so that its player can take it back.

The sheet is committed at once, sealed. No adjudication is made, and no link of the dice chain is opened, before its
hold is over. WITHDRAW and a new sheet are commits as well. The first ends the hold, the second begins a new one. A hold
also ends at a deadline of any side.

The end of a hold follows from the terms of the clock and the time of the letter with the sheet, which is the date of
its commit. `clock.yaml` has it, with the clock of the side.
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
    """Raise CannotPlay if a hold had ended when the letter arrived, and the game has not gone on since."""
    ends = hold_ends(game, ready)
    if ends is not None and ends <= game.clock.time:
        raise CannotPlay(f"the hold of a sheet of {game.name} is over: `pbem adjudicate {game.name}` plays on")

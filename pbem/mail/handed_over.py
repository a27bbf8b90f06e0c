"""The letters that ask, once they have left: from then on the clocks of their readers run."""

from __future__ import annotations

from datetime import datetime

from pbem.mail.correspondence import correspondence
from pbem.mail.outboxes import Outbox
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.timekeeping import hand_over


def note_handed_over(game: Adjudicator, outbox: Outbox | None, now: datetime) -> None:
    """Put on record which letters that ask have left since this was called last. The game's lock is held."""
    clocks = None if outbox is None or not game.begun or game.result is not None else game.clock.read()
    if clocks is None or outbox is None:
        return
    handed: dict[str, datetime] = {}
    for side, clock in clocks.sides.items():
        known = correspondence(game.path, side)
        if clock.opened is None or clock.since is not None or not known.file or (known.told or 0) < clock.asked:
            continue
        if (at := outbox.left(known.file, now)) is not None:
            handed[side] = at
    hand_over(game, handed)

"""The handing over of letters that ask: from then on the clocks of the sides run that are asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from pbem.mail.outgoing import Outgoing
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.timekeeping import hand_over


def note_handed_over(game: Adjudicator, letters: Iterable[Outgoing], at: datetime) -> None:
    """Note that letters of a game were handed over to what sends them, if they ask anything."""
    if game.clock.terms is not None and (asked := {side: at for out in letters for side in _asked(out)}):
        hand_over(game, asked)


def _asked(out: Outgoing) -> Iterator[Side]:
    """Yield the sides that a letter has a form for; none for a deputy's, since the clock waits for the player's own."""
    attached = out.draft.attached
    if not out.sent:
        return
    if len(out.sent) == 1:
        if attached.sheet is not None:
            yield out.sent[0].side
        return
    yield from (each.of for each in (attached, *attached.more) if each.sheet is not None)

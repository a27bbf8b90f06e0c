"""Desperate Times: two a side, played before an activation or after the last round (7.4).

What this chapter must do in the two functions below (its decisions are `desperate_times` and `desperate_use`):

* `window`: ask all sides with one left at once and in secret (`table.ask_all`), with `{announce, contest}`: announce,
  or contest whom. Of those who announce, and who contest one that was announced, the fewest VP play (4.4, no question:
  the tie order decides who plays, 7.4.2), the others keep theirs. It sets `Game.activation` with `desperate=True` and
  counts the card off `Game.desperate_times`; `turn.action` then asks `act` as for any activation, for one action. The
  other two uses (redraw, named event) are `USES` of this module: `redraw`, `named_event`.
* `last_chances`: after the last round each side by descending VP, once; by option `last_desperate_times` contested too.
  It needs a list in the position of who still has a chance, for the phase goes on from a checkpoint.

Events it tells: `desperate_announced`, `desperate_played`, `desperate_kept`, `redrawn`.
"""

from __future__ import annotations

from typing import Final

from pbem.game import Kinds, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.position.state import Game


def window(game: Game, table: Table) -> Flow[None]:
    """Let all announce a Desperate Times before the next activation (7.4.1)."""
    return
    yield


def last_chances(game: Game, table: Table) -> Flow[None]:
    """Let each side play a Desperate Times after the last round (7.4.5)."""
    return
    yield


KINDS: Final[Kinds] = {}

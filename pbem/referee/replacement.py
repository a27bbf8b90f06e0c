"""The replacement of a player by a vote of the other sides (`pbem.referee.motions`).

The side whose player may be replaced hears of the vote and does not take part. The name of the proposed player stays
sealed. The vote itself is public.
"""

from __future__ import annotations

from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay
from pbem.referee.players import Change, change_of
from pbem.repo.seats import Person


def change_proposed(game: Adjudicator, side: Side, person: Person) -> Change:
    """Return the change by which somebody would take a side over. Raises CannotPlay if that cannot be."""
    change = change_of(game, side, person.name, person.address)
    if not change.replaced:
        raise CannotPlay(f"{person.name} plays {side} already; write the name of another player")
    return change


def replace_by_vote(game: Adjudicator, side: Side) -> None:
    """Give a side the player that the sides have voted for. Raises CannotPlay if they cannot play it any more."""
    person = game.ledger.proposed(side)
    if person is None:
        raise CannotPlay(f"nobody is proposed for {side}")
    change = change_proposed(game, side, person)
    game.change_player(side, change.name, change.address, replaced=True)

"""The replacement of a player by vote of the other sides: proposed by one of them, or by the game master.

The side whose player is to be replaced is told, and has no vote. The game may go on meanwhile. Who is proposed stays
sealed; public is that the sides vote about a side, and how.
"""

from __future__ import annotations

from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.filing import asked_by_mail, file_request, quorum_of
from pbem.referee.open_game import CannotPlay
from pbem.referee.players import Change, change_of
from pbem.referee.preconditions import reason_of, require_running
from pbem.repo.ledger import LetterId
from pbem.repo.requests import REPLACEMENT, Ending
from pbem.repo.seats import Person
from pbem.repo.state import State


def ask_to_replace(
    game: Adjudicator,
    side: Side,
    person: Person | None,
    by: Side | None,
    reason: str = "",
    letter: LetterId | None = None,
) -> Ending:
    """Record a proposal that somebody takes a side over, and return it; a request that is open becomes void.

    The side that proposes it (`by`) has consented; without one, the game master asks. `person` is None where the game
    is derived again. `letter` is the digest, or the digests, of the letter that it came in. Raises CannotPlay.
    """
    with game.lock():
        require_running(game)
        said = reason_of(reason or "its player does not write any more")
        needed = [each for each in asked_by_mail(game) if each != side and each != _master(game)]
        if by == side:
            raise CannotPlay("you cannot vote about your own side; RESIGN gives it up, DEPUTY names a deputy")
        if by is not None and len(needed) < 2:
            raise CannotPlay("nobody is left to vote with you; write to your game master, who can replace a player")
        if not needed:
            raise CannotPlay(f"no other side of {game.name} has an address to ask")
        if side in game.out:
            raise CannotPlay(f"{side} is out of the game")

        def make(number: int, state: State) -> Ending:
            consents, quorum = [] if by is None else [by], quorum_of(game, needed)
            return Ending(number, REPLACEMENT, side, state.adjudication, said, needed, consents, quorum=quorum)

        proposal = game.ledger.proposal_files(side, person)
        return file_request(game, make, f"another player for {side}", letter, proposal)


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


def _master(game: Adjudicator) -> Side | None:
    return None if game.clock.terms is None else game.clock.terms.master

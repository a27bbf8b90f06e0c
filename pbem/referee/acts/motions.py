"""Motions: requests to pause the game, to give sides more time, or to give a side another player.

The side whose player may be replaced hears of the vote and does not take part. The name of the proposed player stays
sealed. The vote itself is public.

A player may propose a pause or another player for a side. A game master who plays a side needs a motion for all three.
A motion stays open while the game goes on, until it is carried out or refused, or another request takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pbem.game.wording import listing
from pbem.protocol import Side
from pbem.referee import GAME_MASTER
from pbem.referee.acts.players import PlayerChange, change_of
from pbem.referee.acts.preconditions import asked_by_mail, file_request, quorum_of, reason_of, require_running
from pbem.referee.acts.timekeeping import extend_time, fact_time, pause_game, require_clock
from pbem.referee.game.calendar import read_instant, stamp, to_second
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.terms import duration_text
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import EXTENSION, PAUSE, REPLACEMENT, Motion
from pbem.repo.files.seats import Person
from pbem.repo.files.state import State
from pbem.repo.ledger import LetterId


def change_proposed(game: Adjudicator, side: Side, person: Person) -> PlayerChange:
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


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a motion proposes."""

    kind: str
    """`PAUSE`, `EXTENSION` or `REPLACEMENT`."""
    until: datetime | None = None
    """Until when the game is to be paused."""
    extended: Mapping[Side, datetime] = field(default_factory=dict)
    """Side -> until when it is to have time."""
    replaced: Side = ""
    """The side that is to have another player."""
    person: Person | None = None
    """Who that is to be; it stays sealed. None where the game is derived again."""


def propose(
    game: Adjudicator, by: Side | None, proposal: Proposal, reason: str = "", letter: LetterId | None = None
) -> Motion:
    """Record a motion of a side, or of the game master if `by` is None, and return it; proposing is consenting.

    `letter` is the digest, or the digests, of the letter that it came in. Raises CannotPlay if it cannot be carried
    out, or a side could not consent by letter.
    """
    with game.lock():
        require_running(game)
        _require_possible(game, proposal)
        if by is not None and by == proposal.replaced:
            raise CannotPlay("you cannot vote about your own side; RESIGN gives it up, DEPUTY names a deputy")
        who = GAME_MASTER if by is None else by
        said = reason_of(reason or f"{who} proposes it")
        needed = _asked(game, by, proposal)
        consents = [] if by is None or by not in needed else [by]
        until = "" if proposal.until is None else stamp(proposal.until)
        extended = {side: stamp(at) for side, at in sorted(proposal.extended.items())}

        def make(number: int, state: State) -> Motion:
            motion = Motion(number, proposal.kind, who, state.adjudication, said, needed, consents)
            motion.quorum = quorum_of(game, needed)
            motion.until, motion.extended, motion.replaced = until, extended, proposal.replaced
            return motion

        seats = game.ledger.proposal_files(proposal.replaced, proposal.person) if proposal.replaced else {}
        return file_request(game, make, proposal.kind, letter, seats)


def carry_motion(game: Adjudicator, motion: Motion) -> None:
    """Carry out a motion to which all have consented.

    Raises CannotPlay if it has become impossible.
    """
    if motion.kind == PAUSE:
        pause_game(game, read_instant(motion.until), motion.reason, request=motion.request)
    elif motion.kind == EXTENSION:
        until = {side: read_instant(at) for side, at in motion.extended.items()}
        extend_time(game, until, motion.reason, request=motion.request)
    else:
        replace_by_vote(game, motion.replaced)


def _require_possible(game: Adjudicator, proposal: Proposal) -> None:
    """Raise CannotPlay if a motion could not be carried out even if all consented at once."""
    if proposal.kind == REPLACEMENT:
        if proposal.replaced in game.out:
            raise CannotPlay(f"{proposal.replaced} is out of the game")
        if proposal.person is not None:
            change_proposed(game, proposal.replaced, proposal.person)
        return
    terms, clocks = require_clock(game)
    now = fact_time(game, clocks)
    if proposal.kind == PAUSE:
        until = proposal.until
        if until is None or not now < to_second(until) <= now + terms.pause:
            raise CannotPlay(f"a pause of {game.name} is {duration_text(terms.pause)} at most, and ends in the future")
        if (paused := clocks.paused(now)) is not None:
            raise CannotPlay(f"{game.name} is paused already, until {stamp(paused.until)}")


def _asked(game: Adjudicator, by: Side | None, proposal: Proposal) -> list[Side]:
    """Return the sides that must consent: all in the game but the one to be replaced.

    If the game master asks, it is those with an address, without the side that the game master plays.
    """
    terms = game.clock.terms
    own = None if terms is None or by is not None else terms.master
    by_mail = asked_by_mail(game)
    asked = [side for side in game.in_play if side not in (own, proposal.replaced)]
    if by is None:
        asked = [side for side in asked if side in by_mail]
    elif missing := [side for side in asked if side not in by_mail and side != by]:
        raise CannotPlay(f"{listing(missing)} cannot be asked by letter. Write to your game master")
    if not asked or asked == [by]:
        raise CannotPlay(f"there is nobody in {game.name} who could be asked")
    return asked

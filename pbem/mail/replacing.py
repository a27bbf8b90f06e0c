"""The word REPLACE, by which a side proposes another player for a side that does not write, and the letters of that."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.mail.address import is_name, mailbox
from pbem.mail.consent_letters import outcome, request_letters, vote_letters
from pbem.mail.correspondence import forget
from pbem.mail.ending_words import side_named
from pbem.mail.new_player import new_address_letter
from pbem.mail.outgoing import MailSettings, Outgoing, called
from pbem.mail.task import Task
from pbem.mail.token import forget_heard
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.motions import Proposal, propose
from pbem.referee.open_game import CannotPlay
from pbem.repo.requests import OPEN, REPLACEMENT, Motion
from pbem.repo.seats import Person


def replaced(task: Task) -> str:
    """Propose another player for a side, and return the answer."""
    game = task.game
    if task.letter is None:
        number = task.noted.get("consents")
        if number is None:
            raise CannotPlay("nothing is on record")
        return f"REPLACE: on record for {called(game, task.side)}. {outcome(game, number)}"
    name, side, person = _words(task)
    if name != game.name or person is None:
        raise CannotPlay(f"write the game, the side and who takes it over: {game.name} SIDE Carl <carl@example.net>")
    found = side_named(game, side)
    proposal = Proposal(REPLACEMENT, replaced=found, person=person)
    request = propose(game, task.side, proposal, "its player does not write any more", task.letter)
    return f"REPLACE: on record for {called(game, task.side)}. {outcome(game, request.request)}"


def _words(task: Task) -> tuple[str, str, Person | None]:
    name, _, rest = task.rest.partition(" ")
    side, _, who = rest.strip().partition(" ")
    box = mailbox(who.strip())
    return name, side, None if box is None or not is_name(box.name) else Person(box.name, box.address)


def proposal_letters(game: Adjudicator, request: Motion, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters of a proposal: to the sides that vote, and to the one that they vote about."""
    yield from request_letters(game, request, settings)
    yield from vote_letters(game, request, settings)


def letters_of_vote(game: Adjudicator, settings: MailSettings, *, again: bool) -> Iterator[Outgoing]:
    """Yield the letter to the new player, if the last request has given a side one; `again`: it was written before."""
    request = game.request()
    if isinstance(request, Motion) and (request.kind, request.outcome) == (REPLACEMENT, "done"):
        if not again:
            forget(game.path, request.replaced)
            forget_heard(game.path, request.replaced)
        yield new_address_letter(game, request.replaced, True, settings)


def is_open(request: object) -> bool:
    """Tell whether a request is a proposal of another player that is open."""
    return isinstance(request, Motion) and (request.kind, request.outcome) == (REPLACEMENT, OPEN)

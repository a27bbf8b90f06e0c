"""DRAW, RESIGN and REPLACE: what a side proposes, and the others must agree to.

Both name the game, so that a word on a line of its own never ends it. Behind the game, DRAW may name the sides that
would win together.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.wording import listing
from pbem.mail.notes.address import is_name, mailbox
from pbem.mail.notes.correspondence import forget_side
from pbem.mail.read.commands import CommandTask
from pbem.mail.read.token import forget_heard
from pbem.mail.write.consent_letters import outcome
from pbem.mail.write.outgoing import MailSettings, Outgoing, side_name
from pbem.mail.write.welcome import new_address_letter
from pbem.protocol import Side
from pbem.referee.acts.consents import carry_out_request, note_consent, propose
from pbem.referee.acts.ending import left_by
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import DRAW, REPLACEMENT, RESIGNATION
from pbem.repo.files.seats import Person

# ---- The words by which a player ends the game: DRAW proposes a draw or agrees to one, RESIGN gives the game up


def propose_draw(task: CommandTask) -> str:
    """Propose a draw, or agree to the one that is proposed, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return _answered_before(task, "DRAW")
    words = _require_name(
        task, "DRAW", "it proposes to end the game in a draw, or agrees to the draw that another proposes"
    )
    named = [side_of_word(game, word) for word in words]
    request = game.request()
    proposed = request if request is not None and request.kind == DRAW and request.is_open else None
    if proposed is not None and set(named or proposed.winners) == set(proposed.winners):
        if side in proposed.consents:
            raise CannotPlay(f"you have proposed it or agreed already. {outcome(game, proposed.request)}")
        agreed = note_consent(game, side, proposed.request, task.letter)
        carry_out_request(game, agreed)
        return f"DRAW: on record for {side_name(game, side)}. {outcome(game, agreed.request)}"
    request = propose(game, side, Proposal(DRAW, winners=named), letter=task.letter)
    carry_out_request(game, request)
    return f"DRAW: on record for {side_name(game, side)}. {outcome(game, request.request)}"


def resign_by_word(task: CommandTask) -> str:
    """Let a side resign, or ask the others whether it may, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return _answered_before(task, "RESIGN")
    ends = len(left_by(game, side)) < 2
    words = _require_name(
        task, "RESIGN", "it ends the game, and you lose it" if ends else "your side goes on without you, by its bot"
    )
    if words:
        raise CannotPlay(f"write RESIGN {game.name}, and nothing else on its line")
    request = propose(game, side, Proposal(RESIGNATION, resigns=side), letter=task.letter)
    carry_out_request(game, request)
    return f"RESIGN: on record for {side_name(game, side)}. {outcome(game, request.request)}"


def _require_name(task: CommandTask, word: str, effect: str) -> list[str]:
    """Return what stands behind the name of the game. Raises CannotPlay if that does not come first."""
    name, *words = task.rest.replace(",", " ").split() or [""]
    if name != task.game.name:
        raise CannotPlay(f"write {word} {task.game.name}, with the name of the game: {effect}")
    return [each for each in words if each.lower() != "and"]


def side_of_word(game: OpenGame, word: str) -> Side:
    """Return the side that a word names, by its id or its name in any letters. Raises CannotPlay if none."""
    for side in game.rules.sides:
        if word.lower() in (side, side_name(game, side).lower()):
            return side
    raise CannotPlay(f"there is no side {word[:40]}; the sides are {listing(game.rules.sides)}")


def _answered_before(task: CommandTask, word: str) -> str:
    """Return the answer to a letter that was carried out before."""
    number = task.noted.get("consents")
    if number is None:
        raise CannotPlay("nothing is on record")
    return f"{word}: on record for {side_name(task.game, task.side)}. {outcome(task.game, number)}"


# ---- The word REPLACE, by which a side proposes another player for a side that does not write, and the letters of
#      that


def propose_replacement(task: CommandTask) -> str:
    """Propose another player for a side, and return the answer."""
    game = task.game
    if task.letter is None:
        number = task.noted.get("consents")
        if number is None:
            raise CannotPlay("nothing is on record")
        return f"REPLACE: on record for {side_name(game, task.side)}. {outcome(game, number)}"
    name, side, person = _replacement_words(task)
    if name != game.name or person is None:
        raise CannotPlay(f"write the game, the side and who takes it over: {game.name} SIDE Carl <carl@example.net>")
    found = side_of_word(game, side)
    proposal = Proposal(REPLACEMENT, replaced=found, person=person)
    request = propose(game, task.side, proposal, "its player does not write any more", task.letter)
    return f"REPLACE: on record for {side_name(game, task.side)}. {outcome(game, request.request)}"


def _replacement_words(task: CommandTask) -> tuple[str, str, Person | None]:
    name, _, rest = task.rest.partition(" ")
    side, _, who = rest.strip().partition(" ")
    box = mailbox(who.strip())
    return name, side, None if box is None or not is_name(box.name) else Person(box.name, box.address)


def letters_of_vote(game: Adjudicator, settings: MailSettings, *, again: bool) -> Iterator[Outgoing]:
    """Yield the letter to the new player, if the last request has given a side one; `again`: it was written before."""
    request = game.request()
    if request is not None and (request.kind, request.outcome) == (REPLACEMENT, "done"):
        if not again:
            forget_side(game.path, request.replaced)
            forget_heard(game.path, request.replaced)
        yield new_address_letter(game, request.replaced, True, settings)

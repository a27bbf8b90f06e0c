"""The consents of the sides: a request is put on record, they consent to it or refuse it, and it is carried out.

A request is what is asked of others, such as a rollback, a draw or a pause (`pbem.referee.acts.request_kinds`). A
player asks by letter, or the game master asks. One request is open at a time: an earlier one gives way to it.
"""

from __future__ import annotations

from pbem.protocol import Side
from pbem.referee import GAME_MASTER
from pbem.referee.acts.preconditions import letter_files, open_request_of, reason_of, require_running
from pbem.referee.acts.request_kinds import KINDS, Proposal
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import Request, can_be_agreed, made, open_request, request_files, still_needed
from pbem.repo.files.state import State
from pbem.repo.ledger import LetterId


def propose(
    game: Adjudicator, by: Side | None, proposal: Proposal, reason: str = "", letter: LetterId | None = None
) -> Request:
    """Record a request of a side, or of the game master if `by` is None, and return it; proposing is consenting.

    `letter` is the digest, or the digests, of the letter of the side. Raises CannotPlay if it cannot be carried out,
    or a side could not consent by letter.
    """
    kind = KINDS[proposal.kind]
    with game.lock():
        require_running(game)
        kind.require(game, by, proposal)
        who = GAME_MASTER if by is None else by
        said = reason_of(reason or kind.usual_reason(who, proposal))
        needed = kind.needed(game, by, proposal)
        quorum = game.charter.quorum
        request = Request(
            request=0,
            kind=kind.name,
            side=who,
            at=game.adjudication,
            reason=said,
            needed=needed,
            consents=[by] if by is not None and by in needed else [],
            quorum=None if quorum is None or quorum >= len(needed) else quorum,
        )
        kind.fill(game, request, proposal)

        def change(state: State) -> tuple[dict[str, bytes], str]:
            request.request = number = made(state) + 1
            files = dict[str, bytes]()
            if (before := open_request(game.ledger.repo, state)) is not None:
                before.outcome = f"void: request {number} took its place"
                files = request_files(before)
            state.requests = {"made": number, "open": number}
            files |= letter_files(game, None if by is None else letter, {"side": request.side, "consents": number})
            files |= request_files(request)
            if proposal.replaced:
                files |= game.ledger.proposal_files(proposal.replaced, proposal.person)
            return files, f"request {number}, {kind.log(request)}"

        game.note(change)
        return request


def consent(game: Adjudicator, side: Side, number: int, letter: LetterId | None = None) -> int | None:
    """Record a side's consent to a request; if it was the last one needed, carry it out and return the adjudication.

    `letter` is the digest, or the digests, of the letter that it came in. Raises CannotPlay if no such request is open.
    """
    with game.transaction():
        return carry_out_request(game, note_consent(game, side, number, letter))


def carry_out_request(game: Adjudicator, request: Request) -> int | None:
    """Carry out a request to which all have consented, and return the adjudication; None: it needed none, or waits."""
    return None if still_needed(request) else KINDS[request.kind].carry_out(game, request)


def note_consent(game: Adjudicator, side: Side, number: int, letter: LetterId | None) -> Request:
    """Record a side's consent to a request, and return the request."""
    require_running(game)
    request = open_request_of(game, number)
    _require_vote(game, side, request)

    def change(_: State) -> tuple[dict[str, bytes], str]:
        request.refusals = [each for each in request.refusals if each != side]
        request.consents = [each for each in game.rules.sides if each in {*request.consents, side}]
        files = request_files(request) | letter_files(game, letter, {"side": side, "consents": number})
        return files, f"{side} consents to request {number}"

    game.note(change)
    return request


def refuse_request(game: Adjudicator, side: Side, number: int, letter: LetterId | None = None) -> Request:
    """Record that a side refuses a request, and return the request; it is closed if too few can still consent.

    `letter` is the digest, or the digests, of the letter that it came in. Raises CannotPlay if no such request is open.
    """
    with game.lock():
        require_running(game)
        request = open_request_of(game, number)
        _require_vote(game, side, request)

        def change(state: State) -> tuple[dict[str, bytes], str]:
            if request.quorum is not None:
                request.consents = [each for each in request.consents if each != side]
                request.refusals = [each for each in game.rules.sides if each in {*request.refusals, side}]
            if request.quorum is None or not can_be_agreed(request):
                request.outcome = f"refused by {side}"
                state.requests = {"made": made(state)}
            files = request_files(request) | letter_files(game, letter, {"side": side, "refuses": number})
            return files, f"{side} refuses request {number}"

        game.note(change)
        return request


def _require_vote(game: Adjudicator, side: Side, request: Request) -> None:
    """Raise CannotPlay if a side has no say: it is out of the game, or the others vote about it."""
    if request.replaced and side not in request.needed:
        raise CannotPlay("the others vote about your own side; you have no vote in that")
    if side in game.out:
        raise CannotPlay(f"{side} is out of the game; its consent is not asked")

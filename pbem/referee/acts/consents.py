"""The consents to a request, and its refusal: a rollback, a draw, a resignation or a motion."""

from __future__ import annotations

from pbem.protocol import Side
from pbem.referee.acts.ending import end_by_request
from pbem.referee.acts.motions import carry_motion
from pbem.referee.acts.preconditions import letter_files, opened, require_running
from pbem.referee.acts.rollback import roll_back
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import (
    REPLACEMENT,
    AnyRequest,
    Motion,
    Request,
    can_be_agreed,
    made,
    request_files,
    still_needed,
)
from pbem.repo.files.state import State
from pbem.repo.ledger import LetterId


def consent(game: Adjudicator, side: Side, number: int, letter: LetterId | None = None) -> int | None:
    """Record a side's consent to a request; if it was the last one needed, carry it out and return the adjudication.

    `letter` is the digest, or the digests, of the letter that it came in. Raises CannotPlay if no such request is open.
    """
    with game.transaction():
        return carry_out(game, note_consent(game, side, number, letter))


def carry_out(game: Adjudicator, request: AnyRequest) -> int | None:
    """Carry out a request to which all have consented, and return the adjudication; None: it needed none, or waits."""
    if still_needed(request):
        return None
    if isinstance(request, Motion):
        carry_motion(game, request)
        return None
    if isinstance(request, Request):
        return roll_back(game, request.to, request.reason, request=request)
    return end_by_request(game, request)


def note_consent(game: Adjudicator, side: Side, number: int, letter: LetterId | None) -> AnyRequest:
    """Record a side's consent to a request, and return the request."""
    require_running(game)
    request = opened(game, number)
    _require_asked(game, side, request)

    def change(_: State) -> tuple[dict[str, bytes], str]:
        request.refusals = [each for each in request.refusals if each != side]
        request.consents = [each for each in game.rules.sides if each in {*request.consents, side}]
        files = request_files(request) | letter_files(game, letter, {"side": side, "consents": number})
        return files, f"{side} consents to request {number}"

    game.note(change)
    return request


def refuse(game: Adjudicator, side: Side, number: int, letter: LetterId | None = None) -> AnyRequest:
    """Record that a side refuses a request, and return the request; it is closed if too few can still consent.

    `letter` is the digest, or the digests, of the letter that it came in. Raises CannotPlay if no such request is open.
    """
    with game.lock():
        require_running(game)
        request = opened(game, number)
        _require_asked(game, side, request)

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


def _require_asked(game: Adjudicator, side: Side, request: AnyRequest) -> None:
    """Raise CannotPlay if a side has no say: it is out of the game, or the others vote about it."""
    if request.kind == REPLACEMENT and side not in request.needed:
        raise CannotPlay("the others vote about your own side; you have no vote in that")
    if side in game.out:
        raise CannotPlay(f"{side} is out of the game; its consent is not asked")

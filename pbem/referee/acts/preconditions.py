"""The preconditions of acts: a game in play, the right rules, a reason, and the consents of the sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.game.wording import listing
from pbem.protocol import Side
from pbem.referee import ALL_SIDES, QUORUM
from pbem.referee.game.open_game import CannotPlay, OtherRules
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import Request, made, open_request, still_needed
from pbem.repo.files.state import State
from pbem.repo.ledger import LetterId

MOST_LETTERS: Final = 500
"""The greatest length of a reason: it stands in the turn file and in every report."""


def require_running(game: Adjudicator, *, pinned: bool = True) -> None:
    """Raise CannotPlay unless a game is in play and, with `pinned`, its rules are those that are here.

    Raises OtherRules, so that a player's letter waits, if its rules are others.
    """
    if not game.begun:
        raise CannotPlay(f"{game.name} has not begun; there is nothing to rule on yet")
    if game.result is not None:
        raise CannotPlay(f"{game.name} is over and its secrets are published: nothing of it can be changed any more")
    if pinned and (odd := game.differs) is not None:
        raise OtherRules(
            f"{game.name} is played with other rules than those here: the {odd} differs; "
            f"`pbem migrate {game.name}` comes first"
        )


def reason_of(text: str) -> str:
    """Return a reason on one line, as it is recorded. Raises CannotPlay if there is none, or it is too long."""
    reason = " ".join(text.split())
    if not reason or not reason.isprintable():
        raise CannotPlay("give a reason: it goes on record, and every side reads it")
    if len(reason) > MOST_LETTERS:
        raise CannotPlay(f"the reason has {len(reason)} letters; {MOST_LETTERS} are the most that go on record")
    return reason


def valid_adjudications(state: State) -> list[int]:
    """Return the adjudications that were not undone."""
    undone = set(state.undone)
    return [n for n in range(1, state.adjudication + 1) if n not in undone]


def adjudications(numbers: list[int]) -> str:
    """Return ascending adjudications as text, consecutive ones as a span.

    >>> adjudications([7, 8, 9, 11]), adjudications([7]), adjudications([])
    ('adjudications 7 to 9 and 11', 'adjudication 7', '')
    """
    return f"adjudication{'s' if len(numbers) > 1 else ''} {listing(spans(numbers))}" if numbers else ""


def spans(numbers: Sequence[int]) -> list[str]:
    """Return ascending numbers as text, consecutive ones as a span.

    >>> spans([1, 3, 4, 5, 9])
    ['1', '3 to 5', '9']
    """
    found: list[list[int]] = []
    for n in numbers:
        if found and found[-1][-1] == n - 1:
            found[-1].append(n)
        else:
            found.append([n])
    return [f"{span[0]} to {span[-1]}" if len(span) > 1 else str(span[0]) for span in found]


def open_request_of(game: Adjudicator, number: int) -> Request:
    """Return a request that is open. Raises CannotPlay if it is not."""
    state = state_of(game)
    request = open_request(game.ledger.repo, state)
    if request is None or request.request != number:
        open_now = f"request {request.request} is" if request is not None else "none is"
        known = f"request {number} is not open any more" if 1 <= number <= made(state) else f"no request {number}"
        raise CannotPlay(f"{game.name}: {known}; {open_now} open")
    return request


def require_consents(request: Request) -> None:
    """Raise CannotPlay unless the sides have consented to a request whose consent it needs."""
    if missing := still_needed(request):
        raise CannotPlay(f"request {request.request} waits for {', '.join(missing)}")


def asked_by_mail(game: Adjudicator) -> list[Side]:
    """Return the sides whose consent is asked by letter: those with an address that are not out of the game."""
    out = game.out
    return [side for side in game.by_mail if side not in out]


def consented(request: Request) -> str:
    """Return by whom a request was agreed to, as an act says it."""
    return ALL_SIDES if set(request.needed) <= set(request.consents) else QUORUM


def state_of(game: Adjudicator) -> State:
    """Return the state of a game. Raises CannotPlay if it has not begun."""
    state = game.ledger.state()
    if state is None:
        raise CannotPlay(f"{game.name} has not begun")
    return state


def letter_files(game: Adjudicator, letter: LetterId | None, note: dict[str, object]) -> dict[str, bytes]:
    """Return the note that a letter was carried out; nothing if it came by another way."""
    return {} if letter is None else game.ledger.letter_files(letter, {**note, "after": game.adjudication})

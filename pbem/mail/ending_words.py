"""The words by which a player ends the game: DRAW proposes a draw or agrees to one, RESIGN gives the game up.

Both name the game, so that a word on a line of its own never ends it.
"""

from __future__ import annotations

from pbem.mail.consent_letters import outcome
from pbem.mail.outgoing import called
from pbem.mail.task import Task
from pbem.referee.ending import ask_for_draw, ask_to_resign
from pbem.referee.open_game import CannotPlay
from pbem.referee.requests import carry_out, note_consent
from pbem.repo.requests import DRAW, OPEN


def drawn(task: Task) -> str:
    """Propose a draw, or agree to the one that is proposed, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return _answer(task, "DRAW")
    _require_name(task, "DRAW", "it proposes to end the game in a draw, or agrees to the draw that another proposes")
    request = game.request()
    if request is not None and request.kind == DRAW and request.outcome == OPEN:
        if side in request.consents:
            raise CannotPlay(f"you have proposed it or agreed already. {outcome(game, request.request)}")
        request = note_consent(game, side, request.request, task.letter)
    else:
        request = ask_for_draw(game, side, letter=task.letter)
    carry_out(game, request)
    return f"DRAW: on record for {called(game, side)}. {outcome(game, request.request)}"


def resigned(task: Task) -> str:
    """Let a side resign, or ask the others whether it may, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return _answer(task, "RESIGN")
    _require_name(task, "RESIGN", "it ends the game, and you lose it")
    request = ask_to_resign(game, side, letter=task.letter)
    carry_out(game, request)
    return f"RESIGN: on record for {called(game, side)}. {outcome(game, request.request)}"


def _require_name(task: Task, word: str, effect: str) -> None:
    if task.rest.split() != [task.game.name]:
        raise CannotPlay(f"write {word} {task.game.name}, with the name of the game: {effect}")


def _answer(task: Task, word: str) -> str:
    """Return the answer to a letter that was carried out before."""
    number = task.noted.get("consents")
    if number is None:
        raise CannotPlay("nothing is on record")
    return f"{word}: on record for {called(task.game, task.side)}. {outcome(task.game, number)}"

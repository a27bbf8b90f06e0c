"""The words by which a player ends the game: DRAW proposes a draw or agrees to one, RESIGN gives the game up.

Both name the game, so that a word on a line of its own never ends it. Behind the game, DRAW may name the sides that
would win together.
"""

from __future__ import annotations

from pbem.game.wording import listing
from pbem.mail.consent_letters import outcome
from pbem.mail.outgoing import called
from pbem.mail.task import Task
from pbem.protocol import Side
from pbem.referee.ending import ask_for_draw, ask_to_resign, left_by
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.referee.requests import carry_out, note_consent
from pbem.repo.requests import DRAW, OPEN, Ending


def drawn(task: Task) -> str:
    """Propose a draw, or agree to the one that is proposed, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return _answer(task, "DRAW")
    words = _require_name(
        task, "DRAW", "it proposes to end the game in a draw, or agrees to the draw that another proposes"
    )
    named = [side_named(game, word) for word in words]
    request = game.request()
    proposed = request if isinstance(request, Ending) and (request.kind, request.outcome) == (DRAW, OPEN) else None
    if proposed is not None and set(named or proposed.winners) == set(proposed.winners):
        if side in proposed.consents:
            raise CannotPlay(f"you have proposed it or agreed already. {outcome(game, proposed.request)}")
        agreed = note_consent(game, side, proposed.request, task.letter)
        carry_out(game, agreed)
        return f"DRAW: on record for {called(game, side)}. {outcome(game, agreed.request)}"
    request = ask_for_draw(game, side, letter=task.letter, winners=named)
    carry_out(game, request)
    return f"DRAW: on record for {called(game, side)}. {outcome(game, request.request)}"


def resigned(task: Task) -> str:
    """Let a side resign, or ask the others whether it may, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return _answer(task, "RESIGN")
    ends = len(left_by(game, side)) < 2
    words = _require_name(
        task, "RESIGN", "it ends the game, and you lose it" if ends else "your side goes on without you, by its bot"
    )
    if words:
        raise CannotPlay(f"write RESIGN {game.name}, and nothing else on its line")
    request = ask_to_resign(game, side, letter=task.letter)
    carry_out(game, request)
    return f"RESIGN: on record for {called(game, side)}. {outcome(game, request.request)}"


def _require_name(task: Task, word: str, effect: str) -> list[str]:
    """Return what stands behind the name of the game. Raises CannotPlay if that does not come first."""
    name, *words = task.rest.replace(",", " ").split() or [""]
    if name != task.game.name:
        raise CannotPlay(f"write {word} {task.game.name}, with the name of the game: {effect}")
    return [each for each in words if each.lower() != "and"]


def side_named(game: OpenGame, word: str) -> Side:
    """Return the side that a word names, by its id or its name in any letters. Raises CannotPlay if none."""
    for side in game.rules.sides:
        if word.lower() in (side, called(game, side).lower()):
            return side
    raise CannotPlay(f"there is no side {word[:40]}; the sides are {listing(game.rules.sides)}")


def _answer(task: Task, word: str) -> str:
    """Return the answer to a letter that was carried out before."""
    number = task.noted.get("consents")
    if number is None:
        raise CannotPlay("nothing is on record")
    return f"{word}: on record for {called(task.game, task.side)}. {outcome(task.game, number)}"

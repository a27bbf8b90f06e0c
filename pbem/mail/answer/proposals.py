"""What a side proposes and others must agree to, and how they do: DRAW, RESIGN, CONSENT and REFUSE.

DRAW and RESIGN name the game, so that a word on a line of its own never ends it. Behind the game, DRAW may name the
sides that would win together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.mail.answer.command import Command, CommandTask, Topic, ask_others
from pbem.mail.answer.deputy_words import letter_to_new_player, side_of_word
from pbem.mail.read.commands import Word
from pbem.mail.write.consent_letters import outcome, refusal_letters
from pbem.mail.write.outgoing import MailSettings, Outgoing
from pbem.referee.acts.consents import carry_out_request, consent, note_consent, propose, refuse_request
from pbem.referee.acts.ending import left_by
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game.open_game import CannotPlay
from pbem.repo.files import requests


def propose_draw(task: CommandTask) -> str:
    """Propose a draw, or agree to the one that is proposed, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return task.requested(DRAW.word, task.noted_request)
    effect = "it proposes to end the game in a draw, or agrees to the draw that another proposes"
    named = [side_of_word(game, word) for word in _require_name(task, DRAW.word, effect)]
    request = game.request()
    proposed = request if request is not None and request.kind == requests.DRAW and request.is_open else None
    if proposed is not None and set(named or proposed.winners) == set(proposed.winners):
        if side in proposed.consents:
            raise CannotPlay(f"you have proposed it or agreed already. {outcome(game, proposed.request)}")
        found = note_consent(game, side, proposed.request, task.letter)
    else:
        found = propose(game, side, Proposal(requests.DRAW, winners=named), letter=task.letter)
    carry_out_request(game, found)
    return task.requested(DRAW.word, found.request)


def resign_by_word(task: CommandTask) -> str:
    """Let a side resign, for which nobody else must consent, and return the answer."""
    game, side = task.game, task.side
    if task.letter is None:
        return task.requested(RESIGN.word, task.noted_request)
    ends = len(left_by(game, side)) < 2
    effect = "it ends the game, and you lose it" if ends else "your side goes on without you, by its bot"
    if _require_name(task, RESIGN.word, effect):
        raise CannotPlay(f"write RESIGN {game.name}, and nothing else on its line")
    request = propose(game, side, Proposal(requests.RESIGNATION, resigns=side), letter=task.letter)
    carry_out_request(game, request)
    return task.requested(RESIGN.word, request.request)


def _require_name(task: CommandTask, word: Word, effect: str) -> list[str]:
    """Return what stands behind the name of the game. Raises CannotPlay if that does not come first."""
    name, *words = task.rest.replace(",", " ").split() or [""]
    if name != task.game.name:
        raise CannotPlay(f"write {word} {task.game.name}, with the name of the game: {effect}")
    return [each for each in words if each.lower() != "and"]


def consent_by_word(task: CommandTask) -> str:
    """Put on record that a side consents to a request, and carry the request out once all sides have."""
    number = _request_number(task)
    if task.letter is not None:
        consent(task.game, task.side, number, task.letter)
    return task.requested(CONSENT.word, number)


def refuse_by_word(task: CommandTask) -> str:
    """Put on record that a side does not consent, which ends the request."""
    number = _request_number(task)
    if task.letter is not None:
        refuse_request(task.game, task.side, number, task.letter)
    return task.requested(REFUSE.word, number)


def _request_number(task: CommandTask) -> int:
    """Return the number of the request that a command is about: it follows the name of the game."""
    *game, number = task.rest.split() or [""]
    if game not in ([], [task.game.name]) or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise CannotPlay(f"write the game and the number of the request after it, such as: {task.game.name} 1")
    return int(number)


def _tell_refusal(task: CommandTask, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that tell the others that a side has refused."""
    yield from refusal_letters(task.game, task.side, settings)


_ENDS: Final = Topic()
_REQUESTS: Final = Topic()
_NUMBER: Final = r"(?:[\w.-]+\s+)?\d+"
DRAW: Final = Command(
    word=Word("DRAW", names_game=True),
    does=propose_draw,
    tells=ask_others,
    is_of_the_player=True,
    moves_on=True,
    topic=_ENDS,
    help=(
        "DRAW and the game's name",
        "proposes a draw, or agrees to one; the sides named behind it would win together.",
    ),
    docs=(
        (
            "DRAW game",
            "proposes to end the game in a draw, or agrees to the draw that another side proposes; "
            "`DRAW game side side`: these sides would win together",
        ),
    ),
)
RESIGN: Final = Command(
    word=Word("RESIGN", names_game=True),
    does=resign_by_word,
    is_of_the_player=True,
    is_of_one_side=True,
    moves_on=True,
    topic=_ENDS,
    help=(
        "RESIGN and the game's name",
        "gives the game up: the only side that is left wins, and more than one play on.",
    ),
    docs=(("RESIGN game", "gives the game up"),),
)
CONSENT: Final = Command(
    word=Word("CONSENT", shape=_NUMBER, names_game=True),
    does=consent_by_word,
    tells=letter_to_new_player,
    is_of_the_player=True,
    moves_on=True,
    tells_outcome=True,
    topic=_REQUESTS,
    help=("CONSENT", ""),
    docs=(("CONSENT game number", "agrees to what you were asked about: a rollback, a draw, a resignation"),),
)
REFUSE: Final = Command(
    word=Word("REFUSE", shape=_NUMBER, names_game=True),
    does=refuse_by_word,
    tells=_tell_refusal,
    is_of_the_player=True,
    tells_outcome=True,
    topic=_REQUESTS,
    help=(
        "or REFUSE, the game's name and a number:",
        "the answer to a letter that asks whether the game should go back or end.",
    ),
    docs=(
        (
            "REFUSE game number",
            "refuses it, which ends the request unless your game has agreed on a smaller number of consents",
        ),
    ),
)
COMMANDS: Final = (DRAW, RESIGN, CONSENT, REFUSE)

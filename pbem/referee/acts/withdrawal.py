"""The words of a letter that hand in a sheet: a player takes orders back, or cancels standing orders."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.orders.sheet import cancellation, withdrawal
from pbem.protocol import Side
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.ledger import LetterId, by_word


def withdraw(game: Adjudicator, side: Side, link: str | None = None, letter: LetterId | None = None) -> int:
    """Put an empty sheet in the place of a side's orders that are not used yet, and return its number.

    `link` is the next link of the side's own chain, `letter` the digest, or the digests, of the letter with the word.
    Raises CannotPlay if no orders are waiting, or the link is wrong.
    """
    with game.lock():
        _require_in_play(game)
        if not game.waits(side):
            raise CannotPlay(
                "no orders of yours are waiting. A sheet that has been used cannot be taken back by you alone: with "
                "the consent of all sides your game master can take the game back"
            )
        return _handed_in(game, side, withdrawal(game.name, side, game.adjudication, link), letter)


def cancel_standing(
    game: Adjudicator, side: Side, numbers: Sequence[int], link: str | None = None, letter: LetterId | None = None
) -> int:
    """Cancel standing orders of a side by their numbers (none: all of them), and return the number of the sheet.

    `link` and `letter` are as in `withdraw`. Raises CannotPlay if there are no such orders, or the link is wrong.
    """
    with game.lock():
        _require_in_play(game)
        if not game.standing(side):
            raise CannotPlay("you have no standing orders in force")
        return _handed_in(game, side, cancellation(game.name, side, game.adjudication, numbers, link), letter)


def _require_in_play(game: Adjudicator) -> None:
    if game.result is not None:
        raise CannotPlay(f"{game.name} is over; nothing of it can be changed any more")


def _handed_in(game: Adjudicator, side: Side, raw: bytes, letter: LetterId | None) -> int:
    receipt = game.receive(side, raw, letter=letter and by_word(letter))
    if receipt.number is None:
        raise CannotPlay("; ".join(placed.fault.reason for placed in receipt.complaints))
    return receipt.number

"""Publishes the secrets of a game that is over, where the adjudication that ended it has not done so."""

from __future__ import annotations

from pbem.adjudicator import Adjudicator
from pbem.ledger import REVEALED
from pbem.open_game import CannotPlay


def publish(game: Adjudicator) -> bool:
    """Publish the secrets of a game, and tell whether they were not published yet.

    Raises CannotPlay if the game goes on: its secrets would tell every hand.
    """
    with game.ledger.repo.lock():
        if game.result is None:
            raise CannotPlay(
                f"{game.name} goes on, and its secrets would tell every hand. One that nobody plays on is broken off "
                f"with: pbem ruling {game.name} --end --reason TEXT"
            )
        if game.ledger.repo.read(REVEALED) is not None:
            return False
        game.note(lambda _: (game.ledger.revealed_files(), "its secrets are published"))
        return True

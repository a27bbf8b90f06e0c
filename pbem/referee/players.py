"""The players of a game: another address for one, or another player for a side."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.game.wording import listing
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, OpenGame


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the player of a side, or of their address alone."""

    side: Side
    name: str
    address: str
    replaced: bool
    """Whether it is another player."""


def change_of(game: OpenGame, side: Side, name: str, address: str) -> Change:
    """Return how a side gets a name and an address; without a name, or with the same, only the address changes.

    Raises CannotPlay if the game is over, another side has the address, or nothing would change.
    """
    if game.result is not None:
        raise CannotPlay(f"{game.name} is over; nothing of it can be changed any more")
    game.require_format()
    now = game.player(side)
    replaced = bool(name) and name.casefold() != now.casefold()
    plays = game.ledger.sides_of(address)
    others = [each for each in plays if each != side]
    if others and game.one_side_each:
        raise CannotPlay(f"{address} plays {listing(others)} in {game.name}, where nobody plays more than one side")
    if side in plays and not replaced:
        raise CannotPlay(f"{now} plays {side} in {game.name} from {address} already")
    return Change(side, name if replaced else now, address, replaced)


def carry_out(game: Adjudicator, change: Change) -> None:
    """Record a change of player or address. Raises CannotPlay while the sheets of the game are closed."""
    game.change_player(change.side, change.name, change.address, replaced=change.replaced)


def last_wrote(game: OpenGame, side: Side) -> int:
    """Return the adjudication before the one that last used a sheet of a side; 0: none did."""
    for n in range(game.adjudication, 1, -1):
        if side in game.ledger.public_turn(n).get("sheets", {}):
            return n - 1
    return 0

"""The players of a game: another address for one, another player for a side, a deputy for a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from pbem.game.wording import listing
from pbem.protocol import Side
from pbem.referee.acts.preconditions import letter_files, require_running
from pbem.referee.game.open_game import CannotPlay, OpenGame, deputy_of
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.seats import Deputy
from pbem.repo.files.state import State
from pbem.repo.ledger import LetterId

MOST_DAYS: Final = 366
"""A deputy is named for at most so many days."""


@dataclass(frozen=True, slots=True)
class PlayerChange:
    """A change of the player of a side, or of their address alone."""

    side: Side
    name: str
    address: str
    replaced: bool
    """Whether it is another player."""


def change_of(game: OpenGame, side: Side, name: str, address: str) -> PlayerChange:
    """Return how a side gets a name and an address; without a name, or with the same, only the address changes.

    Raises CannotPlay if the game is over, another side has the address, or nothing would change.
    """
    if game.result is not None:
        raise CannotPlay(f"{game.name} is over; nothing of it can be changed any more")
    now = game.player(side)
    replaced = bool(name) and name.casefold() != now.casefold()
    plays = game.ledger.sides_of(address)
    others = [each for each in plays if each != side]
    if others and game.one_side_each:
        raise CannotPlay(f"{address} plays {listing(others)} in {game.name}, where nobody plays more than one side")
    if others := _deputy_of_others(game, side, address):
        raise CannotPlay(f"{address} is the deputy of {listing(others)} in {game.name}")
    if side in plays and not replaced:
        raise CannotPlay(f"{now} plays {side} in {game.name} from {address} already")
    return PlayerChange(side, name if replaced else now, address, replaced)


def change_player(game: Adjudicator, change: PlayerChange) -> None:
    """Record a change of player or address. Raises CannotPlay while the sheets of the game are closed."""
    game.change_player(change.side, change.name, change.address, replaced=change.replaced)


def last_wrote(game: OpenGame, side: Side) -> int:
    """Return the adjudication before the one that last used a sheet of a side; 0: none did."""
    for n in range(game.adjudication, 1, -1):
        if side in game.ledger.public_turn(n).get("sheets", {}):
            return n - 1
    return 0


def require_deputy(game: OpenGame, side: Side, deputy: Deputy) -> None:
    """Raise CannotPlay if somebody may not write for a side: they would know what two sides know, or for too long."""
    if side not in game.ledger.addresses:
        raise CannotPlay(f"{side} has no address in {game.name}; give it a player first")
    plays = game.ledger.sides_of(deputy.address)
    if side in plays:
        raise CannotPlay(f"{deputy.address} plays {side} already")
    plays += _deputy_of_others(game, side, deputy.address)
    if plays:
        raise CannotPlay(f"{deputy.address} writes for {listing(plays)} in {game.name}, and cannot be your deputy")
    today, until = date.fromisoformat(game.calendar_day), date.fromisoformat(deputy.until)
    if until < today:
        raise CannotPlay(f"{deputy.until} is over")
    if until > today + timedelta(days=MOST_DAYS):
        raise CannotPlay(f"a deputy is named for {MOST_DAYS} days at most")


def name_deputy(game: Adjudicator, side: Side, deputy: Deputy | None, letter: LetterId | None = None) -> None:
    """Put on record that a side has a deputy, in place of an earlier one, or none any more. Raises CannotPlay.

    `letter` is the digest, or the digests, of the letter that it came in.
    """
    with game.lock():
        require_running(game)
        if deputy is not None:
            require_deputy(game, side, deputy)
        elif deputy_of(game, side) is None:
            raise CannotPlay(f"{side} has no deputy")
        put_deputy(game, side, deputy, None if deputy is None else deputy.until, letter)


def put_deputy(
    game: Adjudicator, side: Side, deputy: Deputy | None, until: str | None, letter: LetterId | None
) -> None:
    """Commit who may write for a side, and until when; that alone is public."""

    def change(_: State) -> tuple[dict[str, bytes], str]:
        files = game.ledger.deputy_files(side, deputy, until) | letter_files(game, letter, {"side": side})
        return files, f"{side} has {'no deputy' if until is None else f'a deputy until {until}'}"

    game.note(change)


def _deputy_of_others(game: OpenGame, side: Side, address: str) -> list[Side]:
    """Return the other sides that an address may write for as a deputy today."""
    day, deputies = game.calendar_day, game.ledger.deputies
    return [
        each
        for each, deputy in deputies.items()
        if each != side and deputy.address.lower() == address.lower() and deputy.writes_on(day)
    ]

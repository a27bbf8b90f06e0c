"""The seats of a game: the player of each side with their address, the deputy, and a proposed new player.

All of it is sealed to a key that is never revealed. Only the fact that a side has a deputy is public, and until when.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pbem.crypto.keys import Keys
from pbem.crypto.seal import recipient_of, seal, unseal
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.order_form import compact
from pbem.protocol import Record, Side
from pbem.repo.files.charter import Charter
from pbem.repo.files.layout import PLAYERS, Store, deputy_path
from pbem.repo.files.records import yaml_of

Seats: TypeAlias = Mapping[Side, str | Record]
"""The address of each side; once anything else is known of its player, a mapping with name, address and deputy."""


@dataclass(slots=True)
class Deputyship:
    """What is public of the deputies of a side, in `deputies/<side>.yaml`."""

    named: int
    """How often a deputy has been named, or dismissed."""
    until: str | None = None
    """The last day on which the deputy may write for the side; None: it has none."""


@dataclass(frozen=True, slots=True)
class Deputy:
    """Somebody who may write for a side until the end of a day. The name and the address are sealed."""

    name: str
    address: str
    until: str

    def writes_on(self, day: str) -> bool:
        """Tell whether they may write on a day."""
        return day <= self.until


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody by name and address."""

    name: str
    address: str


class Seated:
    """The part of a ledger that keeps the seats."""

    repo: Store
    keys: Keys
    charter: Charter
    _unsealed_seats: tuple[bytes, Seats] | None = None

    @property
    def addresses(self) -> Mapping[Side, str]:
        """Side -> the address that may play it."""
        return _addresses_of(self._seats)

    def player(self, side: Side) -> str:
        """Return the name of the player of a side: only that of the first is public."""
        seat = self._seats.get(side, "")
        return self.charter.players[side] if isinstance(seat, str) else str(seat["name"])

    @property
    def deputies(self) -> Mapping[Side, Deputy]:
        """The deputies of sides, whether or not their time is over."""
        return _deputies(self._seats)

    def deputyship(self, side: Side) -> Deputyship:
        """Return what is public of the deputies of a side."""
        content = self.repo.read(deputy_path(side))
        if content is None:
            return Deputyship(0)
        return plain.decode(Deputyship, yamlio.read(content, name=deputy_path(side)).value)

    @property
    def _seats(self) -> Seats:
        """The sealed file of the players: side -> address, or a mapping with name, address and deputy."""
        sealed = self.repo.read(PLAYERS) or b""
        if self._unsealed_seats is None or self._unsealed_seats[0] != sealed:
            self._unsealed_seats = sealed, _open_seats(sealed, self.keys)
        return self._unsealed_seats[1]

    def sides_of(self, address: str) -> list[Side]:
        """Return the sides that an address plays, in capitals or not."""
        return _sides_of(self._seats, address)

    def written_by(self, address: str, day: str) -> list[Side]:
        """Return the sides that an address may write for on a day: those that it plays, or is the deputy of."""
        return _written_by(self._seats, address, day)

    def proposed(self, side: Side) -> Person | None:
        """Return who is proposed to take a side over; None: nobody is."""
        seat = self._seats.get(side, "")
        return plain.decode(Person, seat["proposed"]) if not isinstance(seat, str) and "proposed" in seat else None

    # ---- files to commit

    def player_files(self, side: Side, name: str, address: str, *, replaced: bool) -> dict[str, bytes]:
        """Return the files of the players with another name and address for a side; a new player has no deputy."""
        named, seat = self.deputyship(side), {} if replaced else self._seat(side)
        seat |= {"name": name, "address": address}
        over = replaced and named.until is not None
        files = {deputy_path(side): yaml_of(Deputyship(named.named + 1))} if over else {}
        return files | self._seat_files(side, seat)

    def deputy_files(self, side: Side, deputy: Deputy | None, until: str | None) -> dict[str, bytes]:
        """Return the files by which a side has a deputy until a day, or none any more."""
        seat = {word: value for word, value in self._seat(side).items() if word != "deputy"}
        if deputy is not None:
            seat["deputy"] = plain.encode(deputy)
        public = Deputyship(self.deputyship(side).named + 1, until)
        return {deputy_path(side): yaml_of(public), **self._seat_files(side, seat)}

    def proposal_files(self, side: Side, person: Person | None) -> dict[str, bytes]:
        """Return the file of the players with somebody who is proposed to take a side over."""
        proposed = {} if person is None else {"proposed": plain.encode(person)}
        return self._seat_files(side, self._seat(side) | proposed)

    def _seat(self, side: Side) -> dict[str, object]:
        seat = self._seats.get(side, "")
        if isinstance(seat, str):
            return {"name": self.charter.players[side], "address": seat}
        return dict(seat)

    def _seat_files(self, side: Side, seat: Record) -> dict[str, bytes]:
        seats = {**self._seats, side: seat}
        return {PLAYERS: seal([recipient_of(self.keys.office)], PLAYERS, compact(seats))}


def addresses_in(sealed: bytes, keys: Keys) -> Mapping[Side, str]:
    """Return side -> the address that may play it, by the sealed file of the players alone. Raises CannotOpen."""
    return _addresses_of(_open_seats(sealed, keys))


def written_by(sealed: bytes, keys: Keys, address: str, day: str) -> list[Side]:
    """Return the sides that an address may write for on a day, by the sealed file of the players alone.

    Raises CannotOpen. A game whose charter cannot be read here has its players, too: their letters must not be lost.
    """
    return _written_by(_open_seats(sealed, keys), address, day)


def _open_seats(sealed: bytes, keys: Keys) -> Seats:
    seats: Seats = json.loads(unseal(keys.office, PLAYERS, sealed))
    return seats


def _addresses_of(seats: Seats) -> dict[Side, str]:
    return {side: seat if isinstance(seat, str) else seat["address"] for side, seat in seats.items()}


def _deputies(seats: Seats) -> dict[Side, Deputy]:
    named = {side: seat["deputy"] for side, seat in seats.items() if not isinstance(seat, str) and "deputy" in seat}
    return {side: plain.decode(Deputy, deputy) for side, deputy in named.items()}


def _sides_of(seats: Seats, address: str) -> list[Side]:
    return [side for side, own in _addresses_of(seats).items() if own.lower() == address.lower()]


def _written_by(seats: Seats, address: str, day: str) -> list[Side]:
    deputies = _deputies(seats).items()
    others = [side for side, each in deputies if each.writes_on(day) and each.address.lower() == address.lower()]
    return [*_sides_of(seats, address), *others]

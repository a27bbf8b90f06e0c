"""The closing of sheets until a round of the public beacon has come: `beacon.yaml` in a game's repo.

In a game with a beacon an adjudication is made in two steps. When every open decision has its answer, the sheets are
closed: a commit fixes all inputs of the dice but the beacon, and who is late, by a digest, and names a future round of
drand. When the round has come, its signature is put in, and the game is played on. So nobody who can still change a
sheet knows the dice, and nobody who knows the dice can still change a sheet, whoever conspires.

The round is the first that is published at least ten minutes after the closing, and later than any named before. It
decides the adjudications that follow without anything new, too. A round that never comes can be recorded as
missing, with a reason that every side reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final, NamedTuple, Self

from pbem.crypto.beacon import BadBeacon, check_signature, first_round_from, time_of
from pbem.crypto.dice import canonical
from pbem.protocol import Side

DRAND: Final = "drand"
PATIENCE: Final = timedelta(minutes=10)
"""The least time between naming a round and its publication: clocks differ, and letters take time."""


class Circumstances(NamedTuple):
    """The circumstances of an adjudication: the day, the sides whose deadline has passed, those the bot plays for.

    They are on record, for the answers depend on them, but turn no dice.
    """

    day: str
    late: frozenset[Side] = frozenset()
    absent: frozenset[Side] = frozenset()

    @classmethod
    def of(cls, turn: Mapping[str, Any]) -> Self:
        """Return what a turn file says of them."""
        return cls(turn["day"], frozenset(turn.get("late", ())), frozenset(turn.get("absent", ())))

    def record(self) -> dict[str, str | list[Side]]:
        """Return what a turn file says of them; nobody late or absent is left out."""
        return {
            "day": self.day,
            **({"late": sorted(self.late)} if self.late else {}),
            **({"absent": sorted(self.absent)} if self.absent else {}),
        }


@dataclass(frozen=True, slots=True)
class Closing:
    """A closing: what was closed, and the round that decides."""

    adjudication: int
    """The first adjudication that the round decides."""
    round: int
    closed: str
    """The digest of all its inputs but the beacon, and of who is late or absent on which day: see `closed_digest`."""
    day: str
    """The day by which standing orders expire."""
    late: list[Side] = field(default_factory=list)
    absent: list[Side] = field(default_factory=list)
    signature: str | None = None
    missing: str | None = None
    """Why the round will not come."""

    @property
    def come(self) -> bool:
        """Whether the round has come, or is known to be missing."""
        return self.signature is not None or self.missing is not None

    @property
    def time(self) -> str:
        """The time at which the round is published, as text."""
        return f"{time_of(self.round):%Y-%m-%d %H:%M:%S} UTC"

    @property
    def stated(self) -> dict[str, Any]:
        """What the turn files of the adjudications that it decides state of it."""
        if self.signature is not None:
            return {"round": self.round, "signature": self.signature}
        return {"round": self.round, "missing": self.missing}

    def with_signature(self, number: int, signature: str) -> Closing:
        """Return the closing with the signature of its round. Raise `BadBeacon` for any other, or a false one."""
        self._require(number)
        check_signature(number, signature)
        return replace(self, signature=signature)

    def without_signature(self, number: int, reason: str, now: datetime) -> Closing:
        """Return the closing with the reason why its round will not come. Raise `BadBeacon` before it is due."""
        self._require(number)
        said = " ".join(reason.split())
        if not said:
            raise BadBeacon("say why the round will not come: every side is told")
        if now < time_of(number):
            raise BadBeacon(f"round {number} is not missing: it is published at {self.time}")
        return replace(self, missing=said)

    def _require(self, number: int) -> None:
        if number != self.round:
            raise BadBeacon(f"the sheets were closed for round {self.round}, published at {self.time}, not {number}")


def closed_digest(inputs: str, at: Circumstances) -> str:
    """Return the digest of what a closing fixes, as hex; `inputs` is the digest of the inputs without the beacon."""
    return sha256(canonical([inputs, at.day, sorted(at.late), sorted(at.absent)])).hexdigest()


def close_sheets(adjudication: int, inputs: str, at: Circumstances, before: Closing | None, now: datetime) -> Closing:
    """Return the closing of the sheets for an adjudication.

    `inputs` is the digest of its inputs without the beacon, `before` the closing before it.
    """
    earliest = first_round_from(now + PATIENCE)
    number = earliest if before is None else max(earliest, before.round + 1)
    return Closing(adjudication, number, closed_digest(inputs, at), at.day, sorted(at.late), sorted(at.absent))


def closing_round(turn: Mapping[str, Any], before: int) -> tuple[int, str | None]:
    """Return the round and the signature that decide an adjudication, from its turn file; None: it is missing.

    `before` is the round that decided the one before it, 0 if none did. The signature is not checked, so that those of
    many turns can be at once: `pbem.crypto.beacon.check_signatures`. Raise `BadBeacon` if anything else is wrong.
    """
    stated = turn.get("beacon")
    if turn.get("act") is not None:
        if stated is not None:
            raise BadBeacon("what the game master does is decided by no round")
        return before, None
    if not isinstance(stated, Mapping) or stated.keys() not in ({"round", "signature"}, {"round", "missing"}):
        raise BadBeacon("the round of the beacon that decides it is not there")
    number, signature = stated["round"], stated.get("signature")
    time_of(number)
    if number < before:
        raise BadBeacon(f"round {number} decides it, which is earlier than round {before}, named before")
    return number, signature

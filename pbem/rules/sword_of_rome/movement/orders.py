"""Orders of movement as typed values: each is read once from what a player has written, then checked and carried out.

What a player left out is None. A typed order is never written down: the record keeps what the player wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.protocol import ILLEGAL, Fault, Path
from pbem.rules.sword_of_rome.position.board import SEA

Body: TypeAlias = Mapping[str, Any]
"""What an order, or a part of one, says."""
STOP: Final = "stop"
ASK: Final = "ask"
ATTACK_UNREST: Final = "attack_unrest"


def illegal(path: Path, reason: str, *, rule: str) -> Fault:
    """Return the fault of an order that breaks a rule; `path` is within its body."""
    return Fault(ILLEGAL, path, reason, rule)


class Wanted(NamedTuple):
    """A part of an army that an order names: who leads it, units, mercenaries among them, subordinates (9.1)."""

    leader: str | None = None
    cu: int | None = None
    mercenaries: int | None = None
    others: tuple[str, ...] = ()
    at: str | None = None
    """The space it comes from."""

    @classmethod
    def read(cls, body: Body) -> Wanted:
        """Return the part that an order names by `leader`, `cu`, `mercenaries`, `with` and `from`."""
        others = tuple(body.get("with", ()))
        return cls(body.get("leader"), body.get("cu"), body.get("mercenaries"), others, body.get("from"))


class Step(NamedTuple):
    """One step of a path: where to, what is left and taken along before it, raids after it (9.1.2, 9.2, 14.2)."""

    to: str
    by_sea: bool = False
    drop: Wanted | None = None
    take: Wanted | None = None
    raid: int = 0

    @classmethod
    def read(cls, body: Body) -> Step:
        """Return the step that an order has written."""
        drop, take = (Wanted.read(body[word]) if word in body else None for word in ("drop", "take"))
        return cls(body["to"], body.get("by") == SEA, drop, take, body.get("raid", 0))


class MarchOrder(NamedTuple):
    """An order to an active leader (9.1): with whom, where to, and what follows."""

    force: Wanted
    path: tuple[Step, ...] = ()
    written: tuple[Body, ...] = ()
    """The path as it was written."""
    raid: int = 0
    roll: bool = False
    sortie: bool = False
    then: str = STOP
    against: int | None = None
    """CU that attack the unrest at the end (S 20.3)."""

    @classmethod
    def read(cls, body: Body) -> MarchOrder:
        """Return the order that a player has written."""
        written = tuple(body.get("path", ()))
        return cls(
            force=Wanted.read(body),
            path=tuple(map(Step.read, written)),
            written=written,
            raid=body.get("raid", 0),
            roll=body.get("roll", False),
            sortie=body.get("sortie", False),
            then=body.get("then", STOP),
            against=body.get("against"),
        )

"""The order of a march: who goes, what they take, which way they go, and what they do on it (7).

An order is read here, once. Everything that deals with a march (the check, the play, what it costs, what it may lead
to) gets a `MarchOrder`. What is recorded stays the mapping as the player wrote it.

A path is a list of these, in any mixture: a hex (`"0522"`), a city (`placentia`), `along via_aemilia` followed by
`to ariminum`, `{try: ariminum}` for diplomacy on the way (7.4), `{drop: {roman_foot: 1}}` for units that stay where
the march has come to (7.2). It may be written as one text with commas, in which `try ariminum` is diplomacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from pbem.game import Refusal
from pbem.protocol import ILLEGAL, Fault, Order, Path, Record

END: Final = {"end": True}
"""The body of the order that ends a side's movement."""
ALL: Final = "all"
"""The word for all units at hand that a leader may lead."""
ALONG: Final = "along "
TO: Final = "to "
TRY: Final = "try"
DROP: Final = "drop"

PathWord: TypeAlias = str | int | Mapping[str, str | Mapping[str, int]]
"""An item of a path as an order writes it."""


@dataclass(frozen=True, slots=True)
class Along:
    """A road to follow to the place that comes next."""

    road: str


@dataclass(frozen=True, slots=True)
class Try:
    """A city to win over by diplomacy."""

    city: str


@dataclass(frozen=True, slots=True)
class Drop:
    """Units to leave where the march has come to."""

    units: Mapping[str, int]


PathItem: TypeAlias = str | Along | Try | Drop
"""A hex or a city to go to, by its name; or something else."""


@dataclass(frozen=True, slots=True)
class Marcher:
    """A leader who is to march, the units that they are to take, and where the order says so."""

    leader: str
    units: Mapping[str, int] | str | None = None
    """None: the units with the leader; ALL: whatever they may lead of the units at hand."""
    at: Path = ()
    units_at: Path = ()


@dataclass(frozen=True, slots=True)
class MarchOrder:
    """A march as it was ordered, read from the order's mapping without a look at the position."""

    going: tuple[Marcher, ...]
    """The leaders who are to go, the one who leads first."""
    path: tuple[PathItem, ...]
    overruns: bool
    inside: bool | None
    """Whether they go into the city where the march ends; None: the order does not say."""

    @classmethod
    def read(cls, order: Order) -> MarchOrder | None:
        """Read a well-formed order; return None if it ends the movement of its side."""
        if "end" in order.body:
            return None
        first = Marcher(order["leader"], order.get("units"), ("leader",), ("units",))
        others = [_other(at, other) for at, other in enumerate(order.get("with", ()))]
        path = _path(order.get("path", ()))
        return cls((first, *others), path, bool(order.get("overrun")), order.get("inside"))

    def alone(self) -> MarchOrder:
        """Return the same march of the first leader alone."""
        return replace(self, going=self.going[:1])

    def without_overruns(self) -> MarchOrder:
        """Return the same march with all overruns left out."""
        return replace(self, overruns=False)


def illegal(path: Path, refusal: Refusal) -> Fault:
    """Return the fault of an order at a place in it."""
    return Fault(ILLEGAL, path, refusal.reason, refusal.rule)


def _other(at: int, written: str | Record) -> Marcher:
    """Return a leader who goes with the first one, as the list of the others has them."""
    path: Path = ("with", at)
    if isinstance(written, str):
        return Marcher(written, None, path, path)
    return Marcher(written["leader"], written.get("units"), (*path, "leader"), (*path, "units"))


def _path(written: str | int | Sequence[PathWord]) -> tuple[PathItem, ...]:
    """Return the items of a path, which may be written as one text with commas, or be one hex."""
    words: Sequence[PathWord]
    if isinstance(written, str):
        words = [word.strip() for word in written.split(",") if word.strip()]
    else:
        words = [written] if isinstance(written, int) else written
    return tuple([word if isinstance(word, str) and word.isalnum() else _item(word) for word in words])


def _item(word: PathWord) -> PathItem:
    """Return what one word of a path asks for."""
    if not isinstance(word, str):
        return f"{word:04}" if isinstance(word, int) else _deed(word)
    text = word.strip()
    if " " not in text:
        return text
    start = text.lower()
    if start.startswith(f"{TRY} "):
        return Try(text[len(TRY) :].strip())
    if start.startswith(ALONG):
        return Along(text[len(ALONG) :].strip())
    return text[len(TO) :] if start.startswith(TO) else text


def _deed(word: Mapping[str, str | Mapping[str, int]]) -> Try | Drop:
    units = word.get(DROP)
    return Try(str(word[TRY]).strip()) if units is None or isinstance(units, str) else Drop(units)


def ends_marches(order: Order) -> bool:
    """Tell whether an order ends its side's movement: it waits if an order before it cannot be carried out."""
    return order.body == END

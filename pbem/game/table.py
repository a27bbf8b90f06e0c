"""The table that a game is played on: it asks, rolls, shuffles and tells. Knows no game, no git, no mail, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pbem.crypto.dice import Dice
from pbem.game.plain import copy
from pbem.protocol import Bug, Decision, Draw, Event, Flow, Order, Record, Roll, Side

S = TypeVar("S")


class NameReused(Bug):
    """A roll or shuffle was named like an earlier one since the last checkpoint: a bug in the rules."""


@dataclass(frozen=True, slots=True)
class Throw:
    """One of two rolls that are compared: its name, its dice and modifiers, whose it is, and facts for the report."""

    name: str
    modifiers: Mapping[str, int] = field(default_factory=dict)
    count: int = 1
    side: Side = ""
    facts: Record = field(default_factory=dict)

    @property
    def told(self) -> dict[str, Any]:
        """The facts of it that the report states."""
        return {**({"side": self.side} if self.side else {}), **self.facts}


@dataclass(frozen=True, slots=True)
class Contest:
    """The result of two rolls that were compared."""

    own: Roll
    other: Roll
    won: bool
    """Whether the first roll has won."""


class Table:
    """One stretch of play: the position that lies on it, the dice, and the record of what happened.

    `position` is the game's own working copy; `events`, `rolls` and `draws` grow as the rules tell, roll and shuffle.
    """

    __slots__ = ("dice", "draws", "events", "names", "position", "rolls")

    def __init__(self, dice: Dice, names: Iterable[str] = ()) -> None:
        """`names` are names already used that must not come again."""
        self.dice = dice
        self.position: Any = None
        self.events: list[Event] = []
        self.rolls: list[Roll] = []
        self.draws: list[Draw] = []
        self.names: set[str] = set(names)

    def lay(self, position: S) -> S:
        """Lay a copy of a position on the table and return it: the rules change only this copy."""
        laid = self.position = copy(position)
        return laid

    def ask(
        self,
        side: Side,
        kind: str,
        *,
        rule: str,
        default: Record | None = None,
        waits: bool = True,
        secret: bool = False,
        **facts: Any,
    ) -> Flow[Order]:
        """Ask one side one question and return its order; `facts` are what that side may know.

        With `waits` False nobody waits for the answer: what is not answered in advance is answered by the default.
        A `secret` answer is not published when the game next rests.
        """
        order: Order = yield Decision(kind, side, rule, facts, default, secret=secret, waits=waits)
        return order

    def ask_all(self, decisions: Sequence[Decision]) -> Flow[tuple[Order, ...]]:
        """Ask several questions at once; no answer is shown or used before all are in."""
        orders: tuple[Order, ...] = yield tuple(decisions)
        return orders

    def roll(
        self,
        name: str,
        count: int = 1,
        *,
        rule: str,
        sides: int = 6,
        modifiers: Mapping[str, int] | None = None,
        at_most: int | None = None,
        at_least: int | None = None,
        **facts: Any,
    ) -> Roll:
        """Roll dice under a name, record the roll, and return it.

        `modifiers` go to the total by reason (zeros are left out). `at_most` or `at_least` say what is
        needed; `roll.success` whether it was reached (True where nothing is needed). `facts` are for the
        sentence of the report.
        """
        self._claim(name)
        faces = self.dice.faces(name, count, sides)
        kept = {reason: value for reason, value in (modifiers or {}).items() if value}
        total = sum(faces) + sum(kept.values())
        need, success = None, True
        if at_most is not None:
            need, success = f"<= {at_most}", total <= at_most
        elif at_least is not None:
            need, success = f">= {at_least}", total >= at_least
        roll = Roll(name, faces, kept, total, need, success, rule, sides)
        self.rolls.append(roll)
        self.events.append(Event("roll", facts, rule, None, roll))
        return roll

    def opposed(self, own: Throw, other: Throw, *, rule: str, sides: int = 6, ties: bool = False) -> Contest:
        """Roll two throws against each other: the higher total wins, and with `ties` the first throw if they are equal.

        A forecast then knows the chance that one beats the other. On record they are two rolls.
        """
        rolls = [
            self.roll(each.name, each.count, rule=rule, sides=sides, modifiers=each.modifiers, **each.told)
            for each in (own, other)
        ]
        return contest(*rolls, ties=ties)

    def shuffle(self, name: str, items: Sequence[S]) -> list[S]:
        """Return the items in an order that only the hidden secret determines (decks, cups of counters).

        That it was done, under which name and with how many items, is public at once; what came of it is not.
        """
        self._claim(name)
        order = self.dice.shuffled(name, items)
        self.draws.append(Draw(name, list(items), list(order)))
        return order

    def tell(self, kind: str, *, rule: str | None = None, to: Sequence[Side] | None = None, **facts: Any) -> None:
        """Record that something happened; `to` restricts who may read it."""
        self.events.append(Event(kind, facts, rule, None if to is None else tuple(to)))

    def _claim(self, name: str) -> None:
        if name in self.names:
            raise NameReused(name)
        self.names.add(name)


def contest(own: Roll, other: Roll, *, ties: bool) -> Contest:
    """Return the result of two rolls that are compared."""
    return Contest(own, other, own.total > other.total or (ties and own.total == other.total))

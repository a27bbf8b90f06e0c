"""Legal orders that can be counted and picked without being listed.

A card play has thousands of legal orders; a form shows a few, a bot picks one, a test counts them all. They are
composed of parts, each made only when it is first looked at, so that the n-th order, or a random one, is made alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import overload

from pbem.game.choices.parts import Body, Part, Tree, itself
from pbem.protocol import Order


class LegalOrders(Sequence[Order]):
    """A lazy sequence of orders.

    `certain` is False when the view they were asked of does not show enough to list them; they are then empty.
    """

    __slots__ = ()

    certain = True

    def __len__(self) -> int:
        raise NotImplementedError

    def make(self, index: int) -> Order:
        """Return the order at an index that is known to be in range."""
        raise NotImplementedError

    def pick(self, random: Callable[[], float]) -> Order | None:
        """Return a random order, or None if there is none; `random` yields numbers from 0 up to, not including, 1."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Order: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Order]: ...
    def __getitem__(self, index: int | slice) -> Order | Sequence[Order]:
        length = len(self)
        if isinstance(index, slice):
            return [self.make(i) for i in range(*index.indices(length))]
        if not -length <= index < length:
            raise IndexError(index)
        return self.make(index % length)

    def __iter__(self) -> Iterator[Order]:
        return map(self.make, range(len(self)))


class Answers(LegalOrders):
    """The orders that the choices of a decision list, and what else these are good for."""

    def __init__(self, kind: str, root: Part) -> None:
        self.kind = kind
        self.root = root

    @cached_property
    def certain(self) -> bool:  # type: ignore[override]
        """Whether the view they were asked of shows enough to list them."""
        return itself(self.root).certain

    def __len__(self) -> int:
        return len(self.root)

    def make(self, index: int) -> Order:
        """Return the order at an index that is known to be in range."""
        return Order(self.kind, self.root.make(index))

    def pick(self, random: Callable[[], float]) -> Order | None:
        """Return a random order, listed or not: with detours, preferences, and what is meant anyhow; None: none is."""
        return self._order(self.root.draw(random, wide=True))

    def _order(self, body: Body | None) -> Order | None:
        return None if body is None else Order(self.kind, body)

    def has(self, order: Order) -> bool:
        """Tell whether an order is one of these, listed or not."""
        return order.kind == self.kind and self.root.has(order.body)

    def tree(self) -> Body:
        """Return the choices as plain data."""
        return Tree().plain(self.kind, self.root)

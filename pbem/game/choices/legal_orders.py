"""Legal orders that can be counted and picked without being listed.

A card play has thousands of legal orders; a form shows a few, a bot picks one, a test counts them all. They are
composed of parts, each made only when it is first looked at, so that the n-th order, or a random one, is made alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import prod
from typing import overload

from pbem.game.choices.parts import Body, Part, Tree, itself
from pbem.protocol import Order


class LegalOrders(Sequence[Order]):
    """A lazy sequence of orders, made by the functions below and not directly.

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
        """Return a random order, or None if there is none; `random` yields numbers from 0 up to, not including, 1.

        Among parts one is picked first and then an order in it, so that a few marches do not drown among the
        many ways to place markers.
        """
        length = len(self)
        return self.make(int(random() * length)) if length else None

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

    def __iter__(self) -> Iterator[Order]:
        return map(self.make, range(len(self.root)))

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


class _Made(LegalOrders):
    """So many orders, each made from its index."""

    __slots__ = ("_length", "_made")

    def __init__(self, length: int, made: Callable[[int], Order]) -> None:
        self._length = length
        self._made = made

    def __len__(self) -> int:
        return self._length

    def make(self, index: int) -> Order:
        return self._made(index)

    def pick(self, random: Callable[[], float]) -> Order | None:
        return self._made(int(random() * self._length)) if self._length else None


class _Concat(LegalOrders):
    """The orders of several parts, one part after another."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[LegalOrders, ...]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def make(self, index: int) -> Order:
        for part in self._parts:
            length = len(part)
            if index < length:
                return part.make(index)
            index -= length
        raise IndexError(index)

    def __iter__(self) -> Iterator[Order]:
        return (order for part in self._parts for order in part)

    def pick(self, random: Callable[[], float]) -> Order | None:
        left, order = list(self._parts), None
        while order is None and left:
            order = left.pop(int(random() * len(left))).pick(random)
        return order


class _NotTold(_Made):
    """Orders that the viewer cannot know."""

    __slots__ = ()

    certain = False


def _none(index: int) -> Order:
    raise IndexError(index)


NOT_TOLD: LegalOrders = _NotTold(0, _none)
"""The answer to an observer who does not see enough to know the legal orders."""


def of(orders: Sequence[Order]) -> LegalOrders:
    """Return legal orders that are few enough to be listed."""
    return _Made(len(orders), orders.__getitem__)


def concat(*parts: LegalOrders) -> LegalOrders:
    """Return the orders of several parts, one after another; `NOT_TOLD` if any part is."""
    return NOT_TOLD if NOT_TOLD in parts else _Concat(parts)


def product(make: Callable[..., Order], *axes: Sequence[object]) -> LegalOrders:
    """Return `make(*values)` for one value of each axis; the last axis turns fastest."""

    def pick(index: int) -> Order:
        picked: list[object] = []
        for axis in reversed(axes):
            index, at = divmod(index, len(axis))
            picked.append(axis[at])
        return make(*reversed(picked))

    return _Made(prod(map(len, axes)), pick)

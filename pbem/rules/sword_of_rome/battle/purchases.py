"""Purchases: every way to spend some points in several places, counted and picked without being listed (12.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

Part: TypeAlias = dict[str, Any]
"""A piece of an order: lists and numbers by their words."""


class Purchases(Sequence[Part]):
    """Every choice of one thing for each place, of which the points add up to no more than there are.

    The things of a place come with their points, and begin with nothing for 0.
    """

    __slots__ = ("_counts", "_places", "_points")

    def __init__(self, places: Sequence[Sequence[tuple[int, Part]]], points: int) -> None:
        self._places = places
        self._points = points
        counts = [[1] * (points + 1)]
        for choices in reversed(places):
            later = counts[-1]
            counts.append(
                [sum(later[left - cost] for cost, _ in choices if cost <= left) for left in range(points + 1)]
            )
        self._counts = counts[::-1]
        """Place -> points left -> ways to go on from there."""

    def __len__(self) -> int:
        return self._counts[0][self._points]

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Part]: ...
    def __getitem__(self, index: int | slice) -> Part | Sequence[Part]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        whole: Part = {}
        left = self._points
        for at, choices in enumerate(self._places):
            for cost, part in choices:
                if cost > left:
                    continue
                ways = self._counts[at + 1][left - cost]
                if index < ways:
                    left -= cost
                    for word, value in part.items():
                        whole[word] = whole[word] + value if word in whole else value
                    break
                index -= ways
        return whole or {"remove": []}

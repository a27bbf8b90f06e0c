"""All mistakes in one reply: each wrong part of an order is told, whatever else is wrong with it.

Legal orders of random games are broken in two or three parts that do not depend on each other. Each must then have its
fault at its own place.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any

import pytest

from pbem.engine.faults import every_fault
from pbem.protocol import Decision, Fault, Order, Path
from tests.support.chance import seed_of
from tests.support.soak import quick_and_whole
from tests.support.walks import GAMES, Walk, faults_of_shape, loaded, plain, walk

QUICK = {"rome_carthage": [(seed_of(), 10)], "hannibal_italy": [(seed_of(), 5)]}
LENGTHS = {"rome_carthage": [(0, 30), (seed_of(), 20)], "hannibal_italy": [(0, 15), (seed_of(), 6)]}
"""Seed and length of the random games to be looked at."""
DEPENDS = {
    ("play", "general", "elephants"),  # the general decides which army it is, and so how many elephants there are
    ("campaign", "general", "elephants"),
    ("move", "leader", "units"),  # and which units are at hand
    ("act", "card", "effect"),  # the card decides what there is to say of its event
}
"""Parts of orders of which the second one depends on the first."""
ALL_DEPENDS = {("play", "as"), ("act", "do")}
"""Parts on which all others depend: what a card is played for, or what is done."""


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from leaves(item, (*path, at))
    else:
        yield path, value


def broken(body: Any, *parts: tuple[Path, Any]) -> Any:
    body = deepcopy(body)
    for path, value in parts:
        at = body
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
    return body


def wrong_values(value: Any) -> list[Any]:
    """Return values that have the form of another and mean nothing."""
    if isinstance(value, bool):
        return []
    return [99, 60, 20, 12, 64] if isinstance(value, int) else ["nowhere", "9999"] if isinstance(value, str) else []


def meet(one: Path, other: Path) -> bool:
    return one[: len(other)] == other or other[: len(one)] == one


def told(faults: list[Fault], path: Path) -> bool:
    return any(fault.path and meet(fault.path, path) for fault in faults)


def independent(kind: str, paths: tuple[Path, ...]) -> bool:
    pairs = [*combinations(paths, 2), *combinations(paths[::-1], 2)]
    if any((kind, path[0]) in ALL_DEPENDS for path in paths):
        return False
    return not any(meet(*pair) or (kind, pair[0][0], pair[1][0]) in DEPENDS for pair in pairs)


class Breaker:
    """The orders of one game, broken; `tried` counts by kind of order."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.tried: dict[str, int] = {}
        self.missed: list[str] = []

    def look(self, at: Walk, decision: Decision) -> None:
        """Break an answer to a decision in each way that is refused for one part, and then in several at once."""
        view, body = at.view(decision.side), plain(at.pick(decision).body)
        check = at.rules.check
        bad: dict[Path, Any] = {}
        for path, value in leaves(body):
            for wrong in wrong_values(value):
                order = Order(decision.kind, broken(body, (path, wrong)))
                if not faults_of_shape(self.game, order) and told(list(check(view, decision, order)), path):
                    bad[path] = wrong
                    break
        for size in (2, 3):
            for paths in list(combinations(bad, size))[:12]:
                if not independent(decision.kind, paths):
                    continue
                order = Order(decision.kind, broken(body, *((path, bad[path]) for path in paths)))
                if faults_of_shape(self.game, order):
                    continue
                self.tried[decision.kind] = self.tried.get(decision.kind, 0) + 1
                faults = every_fault(at.rules, view, decision, order)
                self.judge(order, paths, faults)
        for path in list(bad)[:4]:
            self.half_read(at, decision, body, path, bad[path])

    def half_read(self, at: Walk, decision: Decision, body: Any, path: Path, value: Any) -> None:
        """Break one part so that it cannot be read, and another one so that it is against the rules."""
        for key in body:
            if not independent(decision.kind, ((key,), path)):
                continue
            order = Order(decision.kind, broken(body, (path, value), ((key,), {"x": [1]})))

            def fits(other: Order) -> bool:
                return not faults_of_shape(self.game, other)

            faults = every_fault(at.rules, at.view(decision.side), decision, order, [(key,)], fits)
            self.judge(order, (path,), faults)
            if told(faults, (key,)):
                self.missed.append(f"{order}: {key} cannot be read, and is judged: {faults}")

    def judge(self, order: Order, paths: tuple[Path, ...], faults: list[Fault]) -> None:
        missing = [path for path in paths if not told(faults, path)]
        if missing:
            self.missed.append(f"{order}: no fault at {missing}, but {[(each.path, each.reason) for each in faults]}")
        if len({(fault.path, fault.reason) for fault in faults}) != len(faults):
            self.missed.append(f"{order}: told twice: {faults}")


@pytest.mark.parametrize("lengths", quick_and_whole(QUICK, LENGTHS))
@pytest.mark.parametrize("game", GAMES)
def test_every_wrong_part_of_an_order_is_told_at_once(game: str, lengths: dict[str, list[tuple[int, int]]]) -> None:
    breaker, loads = Breaker(game), loaded(game)
    for seed, most in lengths.get(game, [(seed_of(), 60)]):
        for at in walk(loads.rules, loads.box.scenarios[0], seed, most):
            for decision in at.open_decisions:
                breaker.look(at, decision)
    assert not breaker.missed, "\n".join(breaker.missed[:10])
    if game in LENGTHS and lengths is LENGTHS:
        assert sum(breaker.tried.values()) > 100


@pytest.mark.parametrize("game", GAMES)
def test_a_legal_order_has_no_fault(game: str) -> None:
    loads = loaded(game)
    for at in walk(loads.rules, loads.box.scenarios[0], seed_of(), 30):
        for decision in at.open_decisions:
            assert every_fault(at.rules, at.view(decision.side), decision, at.pick(decision)) == []

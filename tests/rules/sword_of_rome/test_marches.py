"""Marches: the choices have what the check passes and nothing else, over paths drawn from neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from pbem.game import Answers
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.movement.march_orders import march_choices
from pbem.rules.sword_of_rome.position.state import Game
from tests.support.chance import seed_of
from tests.support.soak import quick_and_whole
from tests.support.walks import loaded, walk

GAMES: list[Any] = quick_and_whole(2, 12)
TRIED = 60
"""So many orders are tried at each march."""


def marches(edition: str, games: int) -> Iterator[tuple[Game, Decision]]:
    """Yield the questions to active leaders in the beginnings of some games, with the view of who is asked."""
    rules = loaded("sword_of_rome", edition).rules
    for seed in range(games):
        for at in walk(rules, "short", seed_of(seed), 150):
            for decision in at.open_decisions:
                if decision.kind == "march":
                    yield at.view(decision.side), decision


def written(view: Game, decision: Decision, rng: Random) -> dict[str, Any]:
    """Return an order to march that may be legal or not: units, others, a path over the map, an end."""
    march, board = view.the_march, view.board
    body: dict[str, Any] = {}
    stack = view.force(march.power, march.at)
    if march.force.empty:
        body["cu"] = rng.randint(0, min(stack.cu, 10) + 1)
        if stack.mercenaries:
            body["mercenaries"] = rng.randint(0, stack.mercenaries)
        others = [leader for leader in stack.leaders if leader != march.leader and rng.random() < 0.4]
        if others:
            body["with"] = others
    path, at = [], march.at
    for _ in range(rng.randint(1, 4)):
        by_sea = rng.random() < 0.2
        at = rng.choice(list(board.ports) if by_sea else list(board.neighbours[at]) or [at])
        path.append({"to": at, "by": "sea"} if by_sea else {"to": at})
    return {**body, "path": path}


@pytest.mark.parametrize("edition", ["five", "four"])
@pytest.mark.parametrize("games", GAMES)
def test_choices_have_each_march_that_the_check_passes(edition: str, games: int) -> None:
    rules, rng, seen = loaded("sword_of_rome", edition).rules, Random(seed_of()), Counter[bool]()
    for view, decision in marches(edition, games):
        choices = Answers("march", march_choices(view, decision))
        for _ in range(TRIED):
            order = Order("march", written(view, decision, rng))
            passes = not list(rules.check(view, decision, order))
            assert choices.has(order) == passes, order
            seen[passes] += 1
    assert min(seen[True], seen[False]) > 20

"""What a victory buys: every way to spend the points, and no other."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from pbem.game import Answers
from pbem.protocol import Decision
from pbem.rules.sword_of_rome.battle.retreat import divide
from pbem.rules.sword_of_rome.battle.spoils import Purchases
from pbem.rules.sword_of_rome.position.state import Battle, Force, Game
from tests.support.chance import seed_of
from tests.support.walks import loaded, start

RULES = loaded("sword_of_rome").rules


@pytest.mark.parametrize("seed", range(8))
def test_purchases_are_all_choices_that_cost_no_more(seed: int) -> None:
    random = Random(seed_of(seed))
    places = [
        [(cost, {"remove": [f"{place}-{cost}"]} if cost else {}) for cost in range(random.randint(1, 4))]
        for place in range(5)
    ]
    points = random.randint(0, 5)
    by_hand = sorted(
        sorted(word for _, part in choice for word in part.get("remove", ()))
        for choice in product(*places)
        if sum(cost for cost, _ in choice) <= points
    )
    bought = Answers("spoils", Purchases(places, points))
    assert sorted(sorted(order["remove"]) for order in bought) == by_hand
    assert len(bought) == len(by_hand)


@pytest.mark.parametrize(
    ("primary", "flank", "cu", "shares"),
    [
        (7, 5, 5, (3, 2)),
        (7, 0, 5, (5, 0)),
        (1, 5, 4, (1, 3)),
        (7, 1, 6, (5, 1)),
        (2, 2, 9, (2, 2)),
    ],
)
def test_losses_are_divided_with_the_flank(primary: int, flank: int, cu: int, shares: tuple[int, int]) -> None:
    """9.5.6: evenly, the odd one to the primary force; what one has not got the other gives."""
    assert divide(primary, flank, cu) == shares


def won(points: int, **battle: Any) -> tuple[Game, Decision]:
    """Return a position in which the Gauls have beaten Romans at Ancona, and the decision on their points."""
    game: Game = RULES.decode(RULES.encode(start(RULES, "short", 1)))
    game.put("gauls", "ancona", Force(5))
    game.battle = Battle("ancona", "gauls", "romans", **battle)
    game.battle.near = {"gauls": ["sentinum", "ancona"]}
    facts = {"power": "gauls", "loser": "romans", "points": points, "space": "ancona"}
    return game, Decision("spoils", "gauls", "12.5", facts, {"remove": []})


def test_points_are_counted_by_hand() -> None:
    """12.5: one point of the Gauls takes support of Rome, is added at Ancona, is plunder, or is nothing.

    Rome has five spaces without CU, three of them cities: Sutrium, Narnia, Capua, Praeneste, Tarracina.
    """
    game, decision = won(1)
    removable = ["sutrium", "narnia", "praeneste", "tarracina", "capua"]
    bodies = [dict(order.body) for order in RULES.legal_orders(game, decision)]
    expected: list[dict[str, Any]] = [{"remove": [space]} for space in removable]
    expected += [{"add": ["ancona"]}, {"plunder": 1}, {"remove": []}]
    assert sorted(map(str, bodies)) == sorted(map(str, expected))


@pytest.mark.parametrize("points", [1, 2, 4])
def test_every_way_to_spend_points_is_legal_and_there_once(points: int) -> None:
    game, decision = won(points, flank="samnites", flank_at="asculum")
    orders = RULES.legal_orders(game, decision)
    random = Random(seed_of(points))
    picked = [orders[random.randrange(len(orders))] for _ in range(150)]
    for order in [orders[0], orders[-1], *picked]:
        assert list(RULES.check(game, decision, order)) == [], order
    if points < 4:
        assert len({str(dict(order.body)) for order in orders}) == len(orders)


def test_an_ally_on_the_flank_is_given_support() -> None:
    """9.5.6, 12.5.1: the winner may give points to the ally whose army was on its flank, and to no other."""
    game, decision = won(1, flank="samnites", flank_at="asculum")
    game.alliances.append("gauls+samnites")
    game.loyalty["fregellae"] = 1
    bodies = [dict(order.body) for order in RULES.legal_orders(game, decision)]
    assert {"for_ally": ["fregellae"]} in bodies
    alone, same = won(1)
    assert not any("for_ally" in order.body for order in RULES.legal_orders(alone, same))

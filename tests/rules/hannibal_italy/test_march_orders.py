"""HANNIBAL in Italy: an order as it is read, and the division of units when a march begins."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.game.boxes import shelf
from pbem.game.table import Table
from pbem.protocol import Decision, Order
from pbem.rules.hannibal_italy.movement.march import lay_out
from pbem.rules.hannibal_italy.movement.orders import Along, Drop, MarchOrder, Try
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, SUMMER, Game


def read(**body: Any) -> MarchOrder:
    march = MarchOrder.read(Order("move", body))
    assert march is not None
    return march


def position(**options: str) -> tuple[Any, Game]:
    rules: Any = shelf.load("hannibal_italy", options=options).rules
    game: Game = rules.setup("campaign", Table(SeededDice("orders")))
    return rules, game


def test_end_of_movement_is_read_as_no_march() -> None:
    assert MarchOrder.read(Order("move", {"end": True})) is None


@pytest.mark.parametrize(
    ("path", "items"),
    [
        ([], ()),
        (522, ("0522",)),
        ("taurasia, try ariminum", ("taurasia", Try("ariminum"))),
        (["0522", 522, " Placentia "], ("0522", "0522", "Placentia")),
        (["along via_aemilia", "to ariminum"], (Along("via_aemilia"), "ariminum")),
        ([{"try": " Ariminum "}, {"drop": {"roman_foot": 1}}], (Try("Ariminum"), Drop({"roman_foot": 1}))),
    ],
)
def test_path_is_read_item_by_item(path: Any, items: Any) -> None:
    assert read(leader="hannibal", path=path).path == items


def test_order_says_where_each_leader_stands_in_it() -> None:
    """A fault of a leader, or of the units named for them, points at their place in the order."""
    march = read(leader="hannibal", **{"with": ["hanno", {"leader": "hamilcar", "units": "all"}]})
    assert [marcher.leader for marcher in march.going] == ["hannibal", "hanno", "hamilcar"]
    assert [marcher.at for marcher in march.going] == [("leader",), ("with", 0), ("with", 1, "leader")]
    assert march.going[2].units_at == ("with", 1, "units")
    assert (march.overruns, march.inside) == (False, None)


def test_division_says_who_goes_and_who_stays_with_what() -> None:
    """What a leader takes over is missing with the leaders who stay; until the march begins nothing has moved."""
    _, game = position()
    before = {leader: dict(game.leaders[leader].units) for leader in game.on_map(CARTHAGE)}
    division = lay_out(game, read(leader="hanno", units={"punic_horse": 2}, path=["taurasia"])).division
    assert division.forces == [{"punic_horse": 2}]
    assert division.staying["hannibal"]["punic_horse"] == before["hannibal"]["punic_horse"] - 2
    assert {leader: game.leaders[leader].units for leader in before} == before
    division.carry_out(game)
    assert game.leaders["hanno"].units == {"punic_horse": 2}
    assert game.leaders["hannibal"].units == division.staying["hannibal"]


def test_unknown_city_and_a_placed_leader_are_both_at_fault() -> None:
    """Legions raised in a city that does not exist are a fault, also where a leader is to be placed with them."""
    rules, game = position()
    game.year, game.segment = 217, SUMMER
    facts = {"legions": {"latium": 2}, "cities": {"latium": ["rome"]}, "slaves": False, "leaders": []}
    order = Order("raise", {"legions": {"nowhere": 1}, "leaders": {"varro": "rome"}})
    faults = list(rules.check(game, Decision("raise", ROME, "6.2", facts), order))
    assert [fault.path for fault in faults] == [("legions", "nowhere"), ("leaders", "varro")]


def test_city_won_over_in_a_forecast_loses_its_allies() -> None:
    """Rome can foresee that it wins over a city with allies in it, although it does not see what the pools hold."""
    rules, game = position(leaderless_seen="all")
    game.phase, game.first, game.cities["ariminum"] = "first_move", ROME, CARTHAGE
    hex = game.board.cities["ariminum"].hex
    game.loose[CARTHAGE][hex] = {"allies_3": 1}
    near, _ = game.board.steps[hex][0]
    game.put("longus", near)
    game.put("marcellus", game.board.home)
    game.leaders["marcellus"].escaped = True  # somebody is left to march afterwards
    view = rules.view(game, ROME)
    decision = Decision("move", ROME, "7.1", {"leaders": ["longus", "marcellus"]})
    order = Order("move", {"leader": "longus", "path": [{"try": "ariminum"}]})
    assert list(rules.check(view, decision, order)) == []
    (won, _), (lost, _) = rules.successors(view, decision, order)
    assert (won.cities["ariminum"], lost.cities["ariminum"]) == (ROME, CARTHAGE)
    assert hex not in won.loose[CARTHAGE]

"""HANNIBAL in Italy: orders of other kinds than marches, as they are read."""

from __future__ import annotations

import pytest

from pbem.game.boxes import shelf
from pbem.protocol import Order
from pbem.rules.hannibal_italy.battle.foraging import SetAsideOrder
from pbem.rules.hannibal_italy.battle.losses import CHEAPEST, LossOrder
from pbem.rules.hannibal_italy.turn.elections import DictatorOrder, ProconsulOrder
from pbem.rules.hannibal_italy.turn.recruiting import RaiseOrder


@pytest.mark.parametrize(
    ("lose", "read"),
    [("cheapest", LossOrder(CHEAPEST)), (["roman_foot"], LossOrder(None, ("roman_foot",))), ([], LossOrder(None, ()))],
)
def test_losses_are_named_or_left_to_a_way(lose: object, read: LossOrder) -> None:
    for kind in ("losses", "winter_losses"):
        assert LossOrder.read(Order(kind, {"lose": lose})) == read


@pytest.mark.parametrize(
    ("units", "set_aside", "nobody"),
    [("none", {}, True), ("least", {"punic_horse": 1}, False), ({"punic_foot": 2}, {"punic_foot": 2}, False)],
)
def test_units_set_aside_are_named_or_the_fewest(units: object, set_aside: dict[str, int], nobody: bool) -> None:
    board = shelf.load("hannibal_italy").rules.board  # type: ignore[attr-defined]
    order = SetAsideOrder.read(Order("forage", {"units": units}))
    assert order.units(board, {"punic_horse": 3}, 1) == set_aside
    assert order.nobody == nobody


def test_raise_order_leaves_out_cities_with_no_legion() -> None:
    order = RaiseOrder.read(Order("raise", {"legions": {"rome": 2, "ostia": 0}, "slaves": "none"}))
    assert (order.raised, order.leaders, order.slaves) == ({"rome": 2}, {}, None)


def test_none_is_read_as_nobody() -> None:
    """The word `none` names no leader, neither for a proconsul nor for a dictator."""
    assert ProconsulOrder.read(Order("proconsul", {"keep": "none"})) == ProconsulOrder(None, ())
    assert ProconsulOrder.read(Order("proconsul", {"keep": "varro", "dismiss": ["longus"]})).keep == "varro"
    assert DictatorOrder.read(Order("dictator", {"dictator": "none"})) is None
    assert DictatorOrder.read(Order("dictator", {"dictator": "varro"})) == DictatorOrder("varro", "")

"""Orders of Rome and Carthage as typed values: what is written, and what is left out."""

from __future__ import annotations

from pbem.protocol import Order
from pbem.rules.rome_carthage.orders import (
    ALL,
    ArmyPart,
    AvoidOrder,
    CardUse,
    EventOrder,
    Exchange,
    Force,
    InterceptOrder,
    MarchOrder,
    RetreatOrder,
    Step,
    WayOrder,
)


def test_march_order_leaves_what_is_not_said_to_the_rules() -> None:
    order = MarchOrder.read(Order("campaign", {"general": "mago", "path": ["dertosa"]}))
    assert order.force == Force("mago")
    assert order.way.play is None
    assert (order.sortie, order.train) == (False, True)


def test_march_on_a_card_names_the_card_and_its_use() -> None:
    order = MarchOrder.read(Order("play", {"card": 33, "as": "operations", "general": "hannibal", "train": False}))
    assert order.way.play == CardUse(33, "operations")
    assert not order.train


def test_step_written_as_a_mapping_is_not_bare() -> None:
    bare, written = Step.read("narbo"), Step.read({"to": "narbo"})
    assert (bare.to, bare.bare) == ("narbo", True)
    assert (written.to, written.bare) == ("narbo", False)


def test_voyage_is_written_as_legal_orders_write_it() -> None:
    body = {"to": "syracuse", "by": "sea", "into": "city"}
    assert Step.read({**body, "drop": {"cu": 1}}).voyage == body


def test_step_says_what_is_dropped_and_taken() -> None:
    step = Step.read({"to": "capua", "drop": {"cu": 2, "inside": True}, "take": {"generals": ["mago"]}})
    assert step.drop == Exchange(cu=2, inside=True)
    assert step.take == Exchange(generals=("mago",))


def test_way_keeps_the_path_as_it_was_written() -> None:
    path = ["narbo", {"to": "massilia", "take": {"cu": 1}}]
    assert list(WayOrder.read(Order("march", {"path": path})).written) == path


def test_way_sets_sail_only_by_its_first_step() -> None:
    by_sea = {"to": "rome", "by": "sea"}
    assert WayOrder.read(Order("march", {"path": [by_sea]})).sets_sail
    assert not WayOrder.read(Order("march", {"path": ["narbo", by_sea]})).sets_sail


def test_intercept_order_reads_each_attempt() -> None:
    order = Order("intercept", {"with": [{"general": "fabius", "cu": 8}, {"general": "varro", "with": []}]})
    assert InterceptOrder.read(order).attempts == (Force("fabius", 8), Force("varro", companions=()))


def test_avoid_order_without_a_general_is_led_by_the_commander() -> None:
    assert AvoidOrder.read(Order("avoid_battle", {"to": "capua"})).led_by("fabius").general == "fabius"
    assert AvoidOrder.read(Order("avoid_battle", {"to": "capua", "general": "varro"})).led_by("fabius") == Force(
        "varro"
    )


def test_retreat_order_sends_all_or_a_part_into_the_city() -> None:
    assert RetreatOrder.read(Order("retreat", {"city": ALL})) == RetreatOrder(ALL)
    part = {"city": {"cu": 3, "generals": ["gisgo"]}, "path": ["capua"]}
    assert RetreatOrder.read(Order("retreat", part)) == RetreatOrder(ArmyPart(3, None, ("gisgo",)), ("capua",))


def test_event_order_reads_the_targets_it_names() -> None:
    order = Order("play", {"card": 24, "as": "event", "spaces": ["cirta", "hippo"]})
    assert EventOrder.read(order) == EventOrder(spaces=("cirta", "hippo"))

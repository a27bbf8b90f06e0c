"""How many answers the rules of HANNIBAL offer, counted by hand, and once more by trying everything.

The numbers stand with their arithmetic in `counts.yaml` beside this file, sort by sort.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.cases.compare import change
from pbem.engine.session import Session
from pbem.game import yaml as yamlio
from pbem.protocol import Order
from tests.support.soak import quick_and_whole
from tests.support.walks import faults_of_shape, loaded, start, walk

GAME = "hannibal_italy"
EDITIONS = ("text", "repaired", "fair")
COUNTED = ("text", "repaired")
"""The editions with the values of the box, for which the answers were counted by hand."""
COUNTS = yamlio.read((Path(__file__).parent / "counts.yaml").read_bytes(), name="counts").value


def asked(edition: str, **changes: Any) -> Session[Any]:
    """Return a game at the first question that follows from the set-up with some changes."""
    rules = loaded(GAME, edition).rules
    written = rules.encode(start(rules, "short", 1))
    for dotted, value in changes.items():
        assert change(written, dotted, value) is None
    position = rules.decode(written)
    assert list(rules.audit(position)) == []
    return Session(rules, position, SeededDice(1))


def sort_of(order: Order) -> str:
    """Return under what an answer is counted."""
    body = order.body
    if order.kind != "move":
        return "all"
    if "end" in body:
        return "end"
    words = [body["leader"], *(word for word in ("with",) if word in body), *(["all"] if "units" in body else [])]
    if isinstance((body["path"] or [""])[-1], dict):
        words.append("tries")
    return " ".join([*words, *(["into"] if body.get("inside") else [])])


@pytest.mark.parametrize("edition", COUNTED)
@pytest.mark.parametrize("told", [pytest.param(told, id=told["name"]) for told in COUNTS])
def test_choices(told: dict[str, Any], edition: str) -> None:
    session = asked(edition, **told.get("with", {}))
    orders_of = told.get("play", {})
    while session.at_checkpoint or any(orders_of.get(each.side, {}).get(each.kind) for each in session.open_decisions):
        if session.at_checkpoint:
            session.go_on()
        else:
            session.answer([Order(each.kind, orders_of[each.side][each.kind]) for each in session.open_decisions])
    (decision,) = session.open_decisions
    assert decision.kind == told["kind"]
    orders = list(session.rules.legal_orders(session.rules.view(session.position, decision.side), decision))
    assert len({json.dumps(order.body, sort_keys=True) for order in orders}) == len(orders), "no two are the same"
    counts = {sort: count[edition] if isinstance(count, dict) else count for sort, count in told["counts"].items()}
    assert Counter(map(sort_of, orders)) == Counter(counts)


@pytest.mark.parametrize(
    "edition", [EDITIONS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in EDITIONS[1:])]
)
@pytest.mark.parametrize("apart", quick_and_whole(12, 6))
def test_the_marches_offered_are_all_that_the_check_lets_pass(edition: str, apart: int) -> None:
    """Try every hex with each leader, with and without going inside, and diplomacy there: what passes is offered."""
    rules: Any = loaded(GAME, edition).rules
    tried = passed = asked = 0
    for at in walk(rules, "short", 4, 90):
        for decision in at.open_decisions:
            asked += decision.kind == "move"
            if decision.kind != "move" or asked % apart != 1:
                continue
            view = at.view(decision.side)
            offered = Counter(map(goal_of, rules.legal_orders(view, decision)))
            for leader in decision.facts["leaders"]:
                for goal in goals(view, view.leaders[leader].at):
                    order = Order("move", {"leader": leader, **goal})
                    assert faults_of_shape(GAME, order) == []
                    allowed = not list(rules.check(view, decision, order))
                    assert allowed == (goal_of(order) in offered), order
                    tried, passed = tried + 1, passed + allowed
    assert tried > passed > 1200 // apart


def goals(view: Any, at: str) -> list[dict[str, Any]]:
    """Return the ends of marches that are tried: every hex, every city from within, diplomacy from anywhere near."""
    board = view.board
    ways = {hex: [hex] if hex != at else [] for hex in board.hexes}
    found: list[dict[str, Any]] = [{"path": path} for path in ways.values()]
    found += [{"path": path, "inside": True} for path in ways.values()]
    return found + [{"path": [*ways[hex], {"try": city}]} for hex in board.hexes for city in board.near[hex]]


def goal_of(order: Order) -> tuple[Any, ...]:
    """Return who goes, where the march ends, and what is done there."""
    body = order.body
    path = list(body.get("path", []))
    city = path.pop()["try"] if path and isinstance(path[-1], dict) else None
    company = str(body.get("units")), str(body.get("with"))
    return body.get("leader"), company, path[-1] if path else None, city, bool(body.get("inside"))

"""Standing orders: conditions on the facts of a question, and answers that need no letter."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pbem.adjudicator import Adjudicator
from pbem.box import open_box
from pbem.dice import inputs_digest
from pbem.protocol import Decision, Order
from pbem.standing_orders import answer, check_standing, standing_orders
from tests.live import Folder, order, sheet

FACTS = {"mover": "hannibal", "at": "boii", "enemy_cu": 9, "from": ["mutina", "verona"]}
INTERCEPT = Decision("intercept", "rome", "9.4", FACTS)


@pytest.mark.parametrize(
    ("when", "fits"),
    [
        ({}, True),
        ({"mover": "hannibal"}, True),
        ({"mover": ["mago", "hannibal"]}, True),
        ({"mover": "mago"}, False),
        ({"enemy_cu": "<= 9", "at": "boii"}, True),
        ({"enemy_cu": "< 9"}, False),
        ({"enemy_cu": ">= 10"}, False),
        ({"enemy_cu": ">8"}, True),
        ({"enemy_cu": ">= -1"}, True),
        ({"enemy_cu": 9}, True),
        ({"from": "verona"}, True),
        ({"from": ["pisae", "roma"]}, False),
        ({"elephants": 2}, False),
    ],
)
def test_a_standing_order_fits_when_every_fact_is_as_it_says(when: dict[str, object], fits: bool) -> None:
    orders = standing_orders([{"intercept": {"when": when, "with": []}}])
    found = answer(orders, INTERCEPT)
    assert (found is not None) == fits
    if found is not None:
        assert (found.order, found.by) == (Order("intercept", {"with": []}), "standing 1")


def test_the_first_that_fits_answers_and_only_its_kind() -> None:
    orders = standing_orders(
        [
            {"avoid_battle": {"to": "none"}},
            {"intercept": {"with": []}, "when": {"mover": "mago"}},
            {"intercept": {"with": [{"general": "fabius"}]}},
        ]
    )
    found = answer(orders, INTERCEPT)
    assert found is not None
    assert found.by == "standing 3"


def test_every_slip_in_standing_orders_has_its_place() -> None:
    forms = open_box("rome_carthage").forms
    written: list[dict[str, Any]] = [
        {"intercept": {"with": "all", "when": {"enemy_cu": "<= many"}}},
        {"intercept": {"with": []}, "when": ["hannibal"], "until": "end_of_turn"},
    ]
    assert [fault.path for fault in check_standing(written, forms)] == [
        ("standing", 0, "intercept", "with"),
        ("standing", 0, "intercept", "when", "enemy_cu"),
        ("standing", 1, "when"),
    ]
    until = [{"intercept": {"with": [], "until": "end_of_turn"}}]
    assert [fault.path for fault in check_standing(until, forms)] == [("standing", 0, "intercept", "until")]


def test_a_standing_order_spares_a_letter_and_is_told_to_its_side_alone(tmp_path: Path) -> None:
    with Adjudicator.create(
        tmp_path / "games", tmp_path / "keys", "punica", "rome_carthage", players={}, secrets=(b"c" * 32, b"h" * 32)
    ) as game:
        standing = b"game: punica\nside: carthage\nadjudication: 1\nstanding:\n- first_player: {side: rome}\n"
        assert str(game.receive("carthage", standing)) == ""
        assert game.adjudicate() == []
        claim = b"game: punica\nside: rome\nadjudication: 1\norders:\n- claim_first: {card: none}\n"
        assert str(game.receive("rome", claim)) == ""
        game.adjudicate()
        assert game.known(None).to_play == "rome"
        assert [each.kind for each in game.waiting] == ["play"]
        fired = [told.event.facts for told in game.told("carthage", 1) if told.event.kind == "standing_fired"]
        assert fired == [{"order": "first_player", "by": "standing 1"}]
        assert not [told for told in game.told("rome", 1) if told.event.kind == "standing_fired"]
        assert b"standing_fired" not in (game.ledger.repo.read("turns/000/0002.yaml") or b"")


def test_an_empty_list_withdraws_standing_orders(tmp_path: Path) -> None:
    with Adjudicator.create(
        tmp_path / "games", tmp_path / "keys", "punica", "rome_carthage", players={}, secrets=(b"c" * 32, b"h" * 32)
    ) as game:
        head = "game: punica\nside: carthage\nadjudication: 1\nstanding:"
        game.receive("carthage", f"{head}\n- first_player: {{side: rome}}\n".encode())
        assert str(game.receive("carthage", f"{head} []\n".encode())) == ""
        game.receive("rome", b"game: punica\nside: rome\nadjudication: 1\norders:\n- claim_first: {card: none}\n")
        game.adjudicate()
        assert [(each.side, each.kind) for each in game.waiting] == [("carthage", "first_player")]


def test_a_sheet_that_came_for_its_standing_orders_leaves_the_orders_that_wait(tmp_path: Path) -> None:
    with Folder(tmp_path).create() as game:
        card = game.known("red").hands["red"][0]
        assert game.receive("red", sheet(game, "red", order("bury", card=card))).number == 1
        standing = sheet(game, "red").replace(b"orders:", b"standing:\n- bid: {card: lowest}")
        assert game.receive("red", standing).number == 2
        assert [each.side for each in game.waiting] == ["blue"]


def test_a_turn_file_names_the_standing_orders_that_went_into_its_dice_but_not_which_of_them_answered(
    tmp_path: Path,
) -> None:
    with Adjudicator.create(
        tmp_path / "games", tmp_path / "keys", "punica", "rome_carthage", players={}, secrets=(b"c" * 32, b"h" * 32)
    ) as game:
        head = "game: punica\nside: carthage\nadjudication: 1\nstanding:"
        orders = "- first_player: {side: carthage, when: {turn: 9}}\n- first_player: {side: rome}\n"
        assert str(game.receive("carthage", f"{head}\n{orders}".encode())) == ""
        game.receive("rome", b"game: punica\nside: rome\nadjudication: 1\norders:\n- claim_first: {card: none}\n")
        assert game.adjudicate() == [2]
        turn = game.ledger.public_turn(2)
        read = game.ledger.repo.read
        digests = {
            side: [sha256(read(path) or b"").hexdigest() for path in paths] for side, paths in turn["sheets"].items()
        }
        assert turn["standing"] == {"carthage": sha256(read("standing/carthage.siv") or b"").hexdigest()}
        assert turn["inputs"] == inputs_digest(turn["previous"], digests, turn["standing"], {})
        assert [answer["by"] for answer in turn["answers"]] == ["sheet 1", "standing"]
        assert [answer.by for answer in game.ledger.turn(2).answers] == ["sheet 1", "standing 2"]

"""Scenes as plain data: JSON holds all of them, and every counter can be followed by its id."""

from __future__ import annotations

import json

import pytest

from pbem.game.board.scene import Counter, named, plain_board, plain_scene
from tests.support.walks import GAMES, loaded, start


@pytest.mark.parametrize("game", GAMES)
def test_a_scene_is_plain_data_with_ids_on_its_counters(game: str) -> None:
    rules = loaded(game).rules
    drawn = rules.scene(rules.view(start(rules, loaded(game).scenarios[0], 1), None))
    data = plain_scene(drawn)
    assert json.loads(json.dumps(data)) == data
    assert data["control"] == dict(drawn.control)
    ids = [counter["id"] for counter in data["counters"]]
    assert all(ids)
    assert len(set(ids)) == len(ids) == len(drawn.counters)
    board = plain_board(drawn.base)
    assert json.loads(json.dumps(board)) == board
    assert board["places"].keys() == drawn.base.places.keys()


def test_counters_without_an_id_are_called_by_side_and_place() -> None:
    here = (Counter("capua", "rome"), Counter("capua", "rome"), Counter("capua", "rome", inside=True))
    assert [each.id for each in named(here)] == ["rome/capua", "rome/capua/2", "rome/capua/inside"]

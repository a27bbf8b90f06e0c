"""Kinds of decisions: every game has one for each shape of order, and all that they name is there."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module

import pytest

from tests.support.walks import GAMES, loaded


@pytest.mark.parametrize("game", GAMES)
def test_game_has_a_kind_for_each_shape_of_order(game: str) -> None:
    found = loaded(game)
    assert sorted(found.rules.kinds) == sorted(found.box.forms)


@pytest.mark.parametrize("game", GAMES)
def test_functions_that_kinds_name_by_their_place_are_there(game: str) -> None:
    rules = loaded(game).rules
    for name, kind in rules.kinds.items():
        assert kind.name == name
        for each in fields(kind):
            place = getattr(kind, each.name)
            if each.name != "name" and isinstance(place, str):
                module, function = place.split(":")
                assert callable(getattr(import_module(f"{type(rules).__module__}.{module}"), function)), (name, place)

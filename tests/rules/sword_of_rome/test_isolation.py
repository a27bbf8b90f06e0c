"""Which spaces are isolated, and in which order they are told (5.7.1)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from pbem.rules.sword_of_rome.turn.attrition import isolated
from tests.support.walks import loaded, start

CUT_OFF = ["canusium", "metapontum", "gela"]


@pytest.mark.parametrize("taken", list(permutations(CUT_OFF)))
def test_order_is_that_of_the_board_whichever_was_taken_first(taken: tuple[str, ...]) -> None:
    """A position that was read from disk and one that was played on tell the same."""
    rules: Any = loaded("sword_of_rome").rules
    game = start(rules, "short", 1)
    for space in taken:
        game.control.pop(space, None)
        game.control[space] = "romans"
    assert list(isolated(game, "romans")) == game.board.in_order(CUT_OFF)

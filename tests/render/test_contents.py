"""The contents of a report are worked out once, however many texts are made of them."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import Any

import pytest

from pbem.pages.letter_page import Envelope, letter_page
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.report import Report
from tests.support.walks import loaded, walk


@pytest.mark.parametrize(("since", "summaries"), [("the first letter", 1), ("the last", 1), ("an earlier one", 2)])
def test_a_text_and_its_page_ask_the_rules_once(since: str, summaries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = loaded("rome_carthage")
    first, at = (each for number, each in enumerate(walk(game.rules, game.scenarios[0], 1, 12)) if number in (0, 11))
    side = at.open_decisions[0].side
    view, decisions = at.view(side), [each for each in at.open_decisions if each.side == side]
    before = {"the first letter": None, "the last": copy(view), "an earlier one": first.view(side)}[since]
    asked: Counter[str] = Counter()

    def counted(name: str) -> Any:
        ask = getattr(game.rules, name)

        def answer(*about: Any) -> Any:
            asked[name] += 1
            return ask(*about)

        return answer

    for name in ("summary", "hints", "close_up"):
        monkeypatch.setattr(game.rules, name, counted(name))
    contents = Contents(game.rules, game.box, ReportRequest("punica", 7, side, view, waiting=decisions, before=before))
    assert Report(contents).sheet
    assert letter_page(contents, Envelope("punica", "", "", "pbem@example.org"))
    assert asked == {"summary": summaries, "hints": len(decisions), "close_up": len(decisions)}

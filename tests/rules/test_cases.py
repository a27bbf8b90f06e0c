"""Every ruling in every box, one test each: the number of its paragraph stands in the test's name."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from pbem.engine.cases import Case, CaseVerdict, run_case
from tests.support.rulings import rulings
from tests.support.walks import FOLDERS, GAMES, loaded


@pytest.mark.parametrize(
    ("game", "case"), [pytest.param(game, case, id=f"{game}-{case.rule}-{case.name}") for game, case in rulings()]
)
def test_ruling(game: str, case: Case) -> None:
    verdict = run_case(case, game, FOLDERS)
    assert verdict.passed, "\n" + "\n".join([*verdict.differences, "what happened:", *verdict.report])


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
def test_no_case_would_pass_without_its_orders(game: str) -> None:
    """What a case expects comes of its orders; an only answer, which the engine gives by itself, may be written out."""
    course = ("play", "dice", "shuffles", "defaults", "otherwise", "stop")
    for of, case in rulings():
        if of == game and case.told.get("play"):
            rest = {word: value for word, value in case.told.items() if word not in course}
            without = run_case(replace(case, told=rest), game, FOLDERS)
            given = run_case(case, game, FOLDERS)
            assert not without.passed or events_of(without) == events_of(given), case.where()


def events_of(verdict: CaseVerdict) -> list[str]:
    return [line for line in verdict.report if line.startswith("  ")]


def test_no_two_rulings_of_a_game_share_a_name() -> None:
    names = Counter((game, case.rule, case.name) for game, case in rulings())
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_rulings(game: str) -> None:
    assert loaded(game).box.cases()

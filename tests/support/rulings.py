"""Rulings of the boxes, read once in a process: thousands of cases in 150 files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pbem.engine.cases import Case, read_cases
from pbem.game.boxes.box import Box
from tests.support.walks import GAMES, loaded


@cache
def cases_in(path: Path) -> tuple[Case, ...]:
    """Return the cases of a file."""
    return tuple(read_cases(path))


def rulings() -> Iterator[tuple[str, Case]]:
    """Yield every ruling with its game."""
    for game in GAMES:
        for path in loaded(game).box.cases():
            for case in cases_in(path):
                yield game, case


def rulings_by_row(box: Box) -> dict[str, list[Case]]:
    """Return the rulings of a box that rule on an option, by its row in the table of editions."""
    found: dict[str, list[Case]] = defaultdict(list)
    for path in box.cases():
        for case in cases_in(path):
            if "row" in case.told:
                found[case.told["row"]].append(case)
    return found

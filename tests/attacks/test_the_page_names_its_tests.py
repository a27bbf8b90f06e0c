"""The table of attacks in docs/dice.md: each row names the tests that show it, and each attack is small."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
PAGE: Final = (ROOT / "docs" / "dice.md").read_text("utf-8")
OUTCOMES: Final = {"stopped", "shows on the day", "shows at the end", "open"}
ON_THE_RECORD: Final = (
    "inputs",
    "answers",
    "commits",
    "player_chains",
    "beacon_rounds",
    "dice_known",
    "beside_the_record",
)
MOST_LINES: Final = 40


def rows() -> list[list[str]]:
    """Return the cells of the rows of the table."""
    found = re.findall(r"^\| (\[.*) \|$", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in found]


def parsed() -> dict[str, ast.Module]:
    """Return the modules of attacks, by path."""
    return {f"tests/attacks/{path.name}": ast.parse(path.read_text("utf-8")) for path in sorted(HERE.glob("*.py"))}


def test_every_row_names_tests_that_exist() -> None:
    there = {
        f"{path}::{each.name}"
        for path, module in parsed().items()
        for each in ast.walk(module)
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")
    }
    found = rows()
    assert len(found) > 35
    for attack, *_, tests in found:
        named = re.findall(r"`([^`]+)`", tests)
        assert named, f"{attack} names no test"
        assert set(named) <= there, f"{attack} names {sorted(set(named) - there)}"


def test_every_kind_of_cell_of_a_row_has_a_test_of_its_own() -> None:
    """A row with several outcomes, such as open and stopped, names at least as many tests."""
    for attack, *cells, tests in rows():
        outcomes = {re.sub(r" [¹²³⁴]$", "", cell) for cell in cells} - {""}
        assert outcomes, attack
        assert outcomes <= OUTCOMES, attack
        assert len(re.findall(r"`([^`]+)`", tests)) >= len(outcomes), attack


def test_every_test_of_an_attack_on_the_record_is_named() -> None:
    named = set(re.findall(r"::(\w+)`", PAGE))
    for name in ON_THE_RECORD:
        for each in ast.walk(parsed()[f"tests/attacks/test_{name}.py"]):
            if isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
                assert each.name in named, f"{name}: {each.name}"


def test_every_dishonest_referee_is_small() -> None:
    referees = {"Dishonest"}
    for path, module in parsed().items():
        for each in module.body if path != "tests/attacks/base.py" else ():
            if isinstance(each, ast.ClassDef) and referees & {ast.unparse(base) for base in each.bases}:
                referees.add(each.name)
                assert (each.end_lineno or 0) - each.lineno < MOST_LINES, f"{path}: {each.name}"
    assert len(referees) > 25

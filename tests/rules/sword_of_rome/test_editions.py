"""The table of options of The Sword of Rome: each has its row, and cases that give a reason and show its values."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pbem.game.boxes.box import open_box
from tests.support.rulings import rulings_by_row

ROOT = Path(__file__).resolve().parents[3]
BOX = open_box("sword_of_rome")
OPTIONS: dict[str, dict[str, Any]] = BOX.table("game")["options"]
TABLE = (ROOT / "docs" / "editions.md").read_text("utf-8").partition("\n# The Sword of Rome")[2]
RULINGS = rulings_by_row(BOX)


def test_the_table_has_every_option_and_every_edition() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", TABLE, re.MULTILINE)
    assert rows == [*BOX.editions, *OPTIONS]
    assert RULINGS.keys() == OPTIONS.keys()


@pytest.mark.parametrize("name", OPTIONS)
def test_cases_give_a_reason_and_show_each_value(name: str) -> None:
    rulings = RULINGS[name]
    shown = [{**BOX.options(case.told.get("edition")), **case.told.get("options", {})}[name] for case in rulings]
    assert {json.dumps(value) for value in OPTIONS[name]["values"]} == {json.dumps(value) for value in shown}
    assert any("why" in case.told for case in rulings)

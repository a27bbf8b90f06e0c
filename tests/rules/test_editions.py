"""Editions are values: every option has a row in the table of editions, is read by the rules, and has its rulings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pbem.cli import rulebook
from pbem.cli.verbs import app
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import play_out
from pbem.game.boxes import shelf
from pbem.game.boxes.box import open_box
from pbem.game.table import Table
from tests.support.chance import seed_of
from tests.support.rulings import cases_in, rulings_by_row
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS, GAMES, loaded

ROOT = Path(__file__).resolve().parents[2]
BOX = open_box("rome_carthage")
OPTIONS: dict[str, dict[str, Any]] = BOX.table("game")["options"]
TABLE = (ROOT / "docs" / "editions.md").read_text("utf-8").partition("\n# HANNIBAL, Italy")[0]
ROWS: dict[str, str] = dict(re.findall(r"^\| (\w+) \|.*?(?:\| `(\w+)` )?\|$", TABLE, re.MULTILINE))
RULINGS = rulings_by_row(BOX)


def test_every_option_has_its_own_row_in_the_table_of_editions() -> None:
    """Every option has a row of its own in the table of editions."""
    rows = {name: option.get("row") for name, option in OPTIONS.items()}
    assert rows == {option: row for row, option in ROWS.items() if option}


def test_the_rows_are_complete() -> None:
    rows = re.findall(r"^\| (E\d+|mail) \|", TABLE, re.MULTILINE)
    last = max(int(row[1:]) for row in rows if row != "mail")
    assert last >= 102
    assert sorted(rows) == sorted([*(f"E{number:02}" for number in range(1, last + 1)), "mail"]), "each number once"


def test_every_option_is_read_by_the_rules() -> None:
    package = ROOT / "pbem" / "rules" / BOX.id
    code = "\n".join(path.read_text("utf-8") for path in sorted(package.rglob("*.py")))
    read = set(re.findall(r'options\["(\w+)"\]', code))
    assert {name for name in OPTIONS if name not in read} == set()
    assert read - OPTIONS.keys() == set()


def test_the_options_stand_in_the_order_of_the_rulebook() -> None:
    def place(option: dict[str, Any]) -> list[int]:
        rule = option["rule"]
        return [100, int(rule[5:])] if rule.startswith("card ") else [int(part) for part in re.findall(r"\d+", rule)]

    places = [place(option) for option in OPTIONS.values()]
    assert places == sorted(places)


def test_a_preset_names_only_what_differs_from_the_defaults() -> None:
    for edition in BOX.editions:
        named = BOX.table("game")["editions"][edition]["options"]
        assert {name for name, value in named.items() if value == OPTIONS[name]["default"]} == set()


@pytest.mark.parametrize("name", OPTIONS)
def test_a_ruling_shows_what_each_edition_makes_of_an_option(name: str) -> None:
    """Where editions differ, one for each that differs from the usual one, and for that; else one for each value."""
    by_edition = {edition: BOX.options(edition)[name] for edition in BOX.editions}
    rulings = RULINGS[OPTIONS[name]["row"]]
    if len({json.dumps(value) for value in by_edition.values()}) > 1:
        usual, *others = BOX.editions
        wanted = {usual, "descartes1998", *(one for one in others if by_edition[one] != by_edition[usual])}
        assert wanted <= {case.told.get("edition") for case in rulings}
    else:
        shown = [case.told.get("options", {}).get(name, OPTIONS[name]["default"]) for case in rulings]
        assert {json.dumps(value) for value in OPTIONS[name]["values"]} <= {json.dumps(value) for value in shown}


def test_rulings_carry_only_rows_of_the_table() -> None:
    assert {row for row in RULINGS if not ROWS.get(row)} == set()


def test_every_open_point_is_ruled_on_with_a_reason() -> None:
    """Ten that no rulebook settles, and how many sail on Force March (3)."""
    rulings = cases_in(BOX.folder / "cases" / "gaps.yaml")
    assert [case.name for case in rulings if not case.name.startswith("open point: ")] == []
    assert [case.name for case in rulings if "why" not in case.told] == []
    assert len(rulings) == 11


OTHER_VALUES = [
    pytest.param(name, value, id=f"{name}-{number}")
    for name, option in OPTIONS.items()
    for number, value in enumerate(option["values"])
    if json.dumps(value) != json.dumps(option["default"])
]


@pytest.mark.parametrize(("name", "value"), quick_first(OTHER_VALUES, 20))
def test_every_value_can_be_played(name: str, value: Any) -> None:
    rules = shelf.load(BOX.id, options={name: value}).rules
    seed = f"{name} {value} {seed_of()}"
    position = rules.setup("standard", Table(SeededDice(seed)))
    end = play_out(rules, position, SeededDice(seed), Random(seed), most=250)
    assert list(rules.audit(end.position)) == []


# ---- pbem rules


def pbem(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("game", GAMES)
def test_pbem_rules_tells_every_option_of_every_game(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    rulebook.show_rules(game, rules_dir=[Path(folder) for folder in FOLDERS])
    printed = capsys.readouterr().out
    box = loaded(game).box
    assert all(len(line) <= 100 for line in printed.splitlines())
    for name, option in box.table("game")["options"].items():
        assert re.search(rf"^{name} +.*rule {re.escape(option['rule'])}", printed, re.MULTILINE)
    assert all(f"\n  {edition}: " in printed for edition in box.editions)


def test_a_value_stands_with_the_editions_that_set_it() -> None:
    printed = pbem("rules", "rome_carthage").stdout
    assert "    may   valley2007 (default)\n    must  descartes1998, reorganised\n" in printed
    assert "Valley VASSAL module; an example of the Dutch rules 1998 (10.3)" in " ".join(printed.split())


def test_one_edition_alone() -> None:
    printed = pbem("rules", "rome_carthage", "--edition", "reorganised").stdout
    assert "    may   - (default)\n    must  reorganised\n" in printed
    assert "descartes1998" not in printed


def test_for_a_program_to_read() -> None:
    read = json.loads(pbem("rules", "rome_carthage", "--edition", "descartes1998", "--json").stdout)
    assert read["presets"]["descartes1998"]["options"] == BOX.options("descartes1998")
    assert read["options"]["withdraw_limit"]["row"] == "E20"
    abouts = [(note["file"], note["about"]) for note in read["confidence"]]
    assert ("generals", "ability of flaminius") in abouts


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["rules", "rome"], 1, "there is no game rome"),
        (["rules", "rome_carthage", "--edition", "valley"], 2, "there is no edition valley; did you mean valley2007?"),
    ],
)
def test_what_is_not_there(words: list[str], code: int, said: str) -> None:
    done = pbem(*words)
    assert (done.exit_code, done.stdout) == (code, "")
    assert said in done.stderr

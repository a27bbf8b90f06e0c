"""The box of a game: what it gives, what it refuses, and what `check` finds; and the shelf it stands on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pbem.game.boxes import shelf
from pbem.game.boxes.box import Box, NotInTheBox, boxes, open_box
from pbem.game.boxes.box_file import BrokenBox
from pbem.game.order_form import OrderForm
from tests.support.soak import quick_first

GAME = """\
id: hare
title: Hare and Tortoise
version: 3
package: hare_game
sides:
- {id: hare, name: Hare, colour: "#aa8855"}
- {id: tortoise, name: The Tortoise, colour: "#558844"}
names_from: [game, fields]
scenario: short
edition: modern
options:
  naps: {meaning: the hare may sleep, rule: "2", values: [true, false], default: true}
  laps: {meaning: laps to run, rule: "1", values: [1, 2, null], default: 1}
editions:
  modern: {title: as we play it, options: {}}
  fable: {title: as it was told, options: {laps: 2}}
"""
FILES = {
    "game": GAME,
    "fields": "- {id: oak, name: Old Oak}\n- {id: brook, name: Brook}\n",
    "orders": """\
$defs:
  field: {enum: [oak, brook]}
run:
  title: Where to?
  example: {to: oak}
  schema:
    type: object
    properties: {to: {$ref: "#/$defs/field"}}
    required: [to]
    additionalProperties: false
""",
    "scenarios/short": "title: To the brook\n",
    "scenarios/long": "title: To the sea\n",
    "messages/en": 'events:\n  ran: "{side} runs to {to}."\nrolls:\n',
    "cases/1-running": '- {rule: "1", name: runs, expect: {events: [{ran: {to: oak}}]}}\n',
    "schemas/fields": """\
type: array
items:
  type: object
  properties: {id: {type: string}, name: {type: string}, wet: {type: boolean}}
  required: [id, name]
  additionalProperties: false
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file, text in FILES.items():
        path = tmp_path / "hare" / f"{file}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def change(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / "hare" / f"{file}.yaml"
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
    path.write_text(text.replace(old, new), "utf-8")


def flaws(box: Box) -> list[tuple[str, int, int, str]]:
    with pytest.raises(BrokenBox) as broken:
        box.check()
    return [(Path(flaw.file).stem, flaw.line, flaw.column, flaw.reason) for flaw in broken.value.flaws]


def test_a_box_says_what_is_in_it(folder: Path) -> None:
    box = open_box("hare", [folder])

    assert (box.id, box.title, box.version, box.package) == ("hare", "Hare and Tortoise", 3, "hare_game")
    assert box.side_ids == ("hare", "tortoise")
    assert box.sides[1] == {"id": "tortoise", "name": "The Tortoise", "colour": "#558844"}
    assert box.scenarios == ("short", "long")
    assert box.scenario("long") == {"title": "To the sea"}
    assert box.editions == ("modern", "fable")
    assert box.messages() == {"events": {"ran": "{side} runs to {to}."}, "rolls": {}}
    assert [path.name for path in box.cases()] == ["1-running.yaml"]
    assert box.names == {"hare": "Hare", "tortoise": "The Tortoise", "oak": "Old Oak", "brook": "Brook"}
    box.check()


def test_forms_share_the_definitions(folder: Path) -> None:
    (form,) = open_box("hare", [folder]).forms.values()

    assert isinstance(form, OrderForm)
    assert (form.kind, form.title, form.example) == ("run", "Where to?", {"to": "oak"})
    assert form.defs == {"field": {"enum": ["oak", "brook"]}}


def test_files_are_read_when_asked_for_and_once(folder: Path) -> None:
    (folder / "hare" / "fields.yaml").write_text("[", "utf-8")
    box = open_box("hare", [folder])
    assert box.table("orders") is box.table("orders")
    with pytest.raises(BrokenBox, match=r"fields\.yaml:"):
        box.table("fields")


def test_a_table_that_is_not_there(folder: Path) -> None:
    with pytest.raises(BrokenBox, match=r"hills\.yaml:1:1: this file is missing from the box"):
        open_box("hare", [folder]).table("hills")


def test_nearest_folder_first(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "elsewhere"
    (other / "hare").mkdir(parents=True)
    (other / "hare" / "game.yaml").write_text(GAME.replace("Hare and Tortoise", "Another"), "utf-8")
    monkeypatch.setenv("PBEM_RULES", str(folder))
    assert open_box("hare").title == "Hare and Tortoise"
    assert open_box("hare", [other]).title == "Another"
    assert boxes()["hare"] == folder / "hare"
    assert "hare" in shelf.ids()


def test_unknown_words_are_refused_and_the_likely_one_named(folder: Path) -> None:
    box = open_box("hare", [folder])
    with pytest.raises(NotInTheBox, match=r"there is no game hair; did you mean hare\?; there are: .*hare"):
        open_box("hair", [folder])
    with pytest.raises(NotInTheBox, match=r"there is no scenario shrot; did you mean short\?; there are: long, short"):
        box.scenario("shrot")
    with pytest.raises(NotInTheBox, match=r"there is no scenario \.\./game; there are"):
        box.scenario("../game")
    with pytest.raises(NotInTheBox, match="there is no language el; there are: en"):
        box.messages("el")


def test_options(folder: Path) -> None:
    box = open_box("hare", [folder])
    assert box.options() == {"naps": True, "laps": 1}
    assert box.options("fable") == {"naps": True, "laps": 2}
    assert box.options("fable", {"laps": None, "naps": False}) == {"naps": False, "laps": None}
    with pytest.raises(NotInTheBox, match=r"there is no edition fables; did you mean fable\?"):
        box.options("fables")
    with pytest.raises(NotInTheBox, match=r"there is no option nap; did you mean naps\?; there are: laps, naps"):
        box.options(None, {"nap": True})
    with pytest.raises(NotInTheBox, match="option laps cannot be 7: it is 1, 2 or null"):
        box.options(None, {"laps": 7})
    with pytest.raises(NotInTheBox, match="option naps cannot be 1: it is true or false"):
        box.options(None, {"naps": 1})


def test_the_digest_pins_all_but_the_rulings(folder: Path) -> None:
    digest = open_box("hare", [folder]).digest
    (folder / "hare" / "cases" / "2-more.yaml").write_text("[]\n", "utf-8")
    assert open_box("hare", [folder]).digest == digest
    fields = folder / "hare" / "fields.yaml"
    fields.write_bytes(fields.read_bytes().replace(b"\n", b"\r\n"))
    assert open_box("hare", [folder]).digest == digest
    fields.write_bytes(fields.read_bytes().replace(b"Old", b"New"))
    assert open_box("hare", [folder]).digest != digest


def test_the_digest_sees_a_file_renamed(folder: Path) -> None:
    digest = open_box("hare", [folder]).digest
    (folder / "hare" / "scenarios" / "long.yaml").rename(folder / "hare" / "scenarios" / "longer.yaml")
    assert open_box("hare", [folder]).digest != digest


@pytest.mark.parametrize(
    ("file", "old", "new", "flaw"),
    [
        ("game", "version: 3", "version: three", ("game", 3, 10, "'three' is not of type 'integer'")),
        ("game", "rio: short", "rio: shrot", ("game", 9, 11, "there is no scenario shrot; did you mean short?")),
        (
            "game",
            "edition: modern",
            "edition: fables",
            ("game", 10, 10, "there is no edition fables; did you mean fable?"),
        ),
        ("game", "default: 1}", "default: 3}", ("game", 13, 74, "the default is none of the values")),
        ("game", "{laps: 2}", "{laps: 5}", ("game", 16, 50, "5 is none of the values of laps")),
        ("game", "{laps: 2}", "{lap: 2}", ("game", 16, 44, "there is no option lap; did you mean laps?")),
        ("fields", "name: Brook", "nmae: Brook", ("fields", 2, 15, "nmae does not belong here; did you mean name?")),
        ("fields", "id: brook", "id: hare", ("fields", 2, 8, "hare is also the id of Hare")),
        ("schemas/fields", "type: array", "type: 7", ("fields", 1, 7, "7 is not valid under any of the given schemas")),
        ("messages/en", '"{side} runs to {to}."', "[]", ("en", 2, 8, "[] is not of type 'string'")),
        ("cases/1-running", "expect:", "expects:", ("1-running", 1, 3, "'expect' is a required property")),
        ("scenarios/long", "title", "titel", ("long", 1, 1, "'title' is a required property")),
        (
            "orders",
            "to: oak",
            "at: oak",
            ("orders", 5, 13, "the example does not fit the schema: unknown word 'at' in run; known are to"),
        ),
    ],
)
def test_check_names_the_place(folder: Path, file: str, old: str, new: str, flaw: tuple[str, int, int, str]) -> None:
    change(folder, file, old, new)
    assert flaw in flaws(Box(folder / "hare"))


def test_check_lists_all_flaws_at_once(folder: Path) -> None:
    change(folder, "game", "version: 3", "version: three")
    change(folder, "fields", "name: Brook", "nmae: Brook")
    change(folder, "messages/en", '"{side}', "{side")
    assert {file for file, *_ in flaws(Box(folder / "hare"))} == {"game", "fields", "en"}


def test_a_game_without_its_entries_is_broken_not_a_bug(folder: Path) -> None:
    change(folder, "game", "title: Hare", "titel: Hare")
    with pytest.raises(BrokenBox, match=r"game\.yaml:2:1: titel does not belong here; did you mean title\?"):
        open_box("hare", [folder])


def test_folder_and_game_have_one_name(folder: Path) -> None:
    (folder / "hare").rename(folder / "lepus")
    with pytest.raises(BrokenBox, match=r"game\.yaml:1:5: the folder is called lepus, so must the game"):
        open_box("lepus", [folder])


@pytest.mark.parametrize("id", quick_first(shelf.ids()))
def test_every_box_on_the_shelf_fits_its_schemas(id: str) -> None:
    open_box(id).check()


RULES = """\
class Rules:
    def __init__(self, box, options):
        self.id, self.options = box.id, options

def make(box, options):
    return Rules(box, options)
"""


def test_a_folder_and_a_package_are_a_game(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "code" / "hare_game"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(RULES)
    monkeypatch.syspath_prepend(tmp_path / "code")
    loaded = shelf.load("hare", edition="fable", options={"naps": False}, folders=[folder])
    monkeypatch.delitem(sys.modules, "hare_game")

    assert loaded.options == {"naps": False, "laps": 2}
    assert loaded.rules.id == loaded.box.id == "hare"


def test_a_box_stays_open_as_long_as_its_files_stay_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "code" / "hare_game"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(RULES)
    monkeypatch.syspath_prepend(tmp_path / "code")
    loaded = shelf.load("hare", folders=[folder])
    assert shelf.load("hare", folders=[folder]) is loaded
    assert shelf.load("hare", options={"naps": False}, folders=[folder]).options["naps"] is False

    change(folder, "game", "title: Hare and Tortoise", "title: Tortoise and Hare")
    again = shelf.load("hare", folders=[folder])
    monkeypatch.delitem(sys.modules, "hare_game")
    assert (loaded.box.title, again.box.title) == ("Hare and Tortoise", "Tortoise and Hare")


def test_a_box_without_a_package(folder: Path) -> None:
    change(folder, "game", "package: hare_game", "package: hare_lost")
    with pytest.raises(BrokenBox, match=r"game\.yaml:4:10: Python finds no package hare_lost"):
        shelf.load("hare", folders=[folder])


def test_what_a_package_fails_to_import_is_its_own_bug(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hare_bug.py").write_text("import hare_absent\n")
    monkeypatch.syspath_prepend(tmp_path)
    change(folder, "game", "package: hare_game", "package: hare_bug")
    with pytest.raises(ModuleNotFoundError, match="hare_absent"):
        shelf.load("hare", folders=[folder])

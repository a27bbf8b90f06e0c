"""Files of an edition: laid over those of the box, below the corrections of an owner, pinned and checked like them."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.cli.verbs import app
from pbem.game.boxes import shelf
from pbem.game.boxes.box import Box, NotInTheBox, open_box
from pbem.game.boxes.box_file import BrokenBox
from pbem.referee.opening import open_game

GAME = "hannibal_italy"
FAIR = "editions/fair"


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("games", "keys", "rules"):
        (tmp_path / word).mkdir(mode=0o700)
        monkeypatch.setenv(f"PBEM_{word.upper()}", str(tmp_path / word))


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """Return a copy of a box, in the folder of boxes that comes first."""
    return Path(copytree(open_box(GAME).folder, tmp_path / "rules" / GAME, ignore=lambda *_: ["cases"]))


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text, old
    path.write_text(text.replace(old, new, 1), "utf-8")


def flaws(box: Box) -> list[str]:
    with pytest.raises(BrokenBox) as broken:
        box.check()
    return [f"{flaw.file.partition(GAME)[2]}:{flaw.line}: {flaw.reason}" for flaw in broken.value.flaws]


def said(*words: str, code: int = 0) -> str:
    """Return what a command prints; it must end with a code."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


def loyalty(edition: str | None = None, **more: Any) -> int:
    rules: Any = shelf.load(GAME, edition=edition, **more).rules
    found: int = rules.board.cities["tarentum"].loyalty
    return found


def test_files_of_an_edition_take_the_place_of_the_box() -> None:
    assert [loyalty(edition) for edition in ("text", "repaired", "fair", None)] == [5, 5, 4, 4]
    assert open_box(GAME).edition == "fair"


def test_files_of_an_edition_are_no_files_of_the_box() -> None:
    assert not [file for file in open_box(GAME).files if file.startswith("editions")]
    assert open_box(GAME, edition="text").files == open_box(GAME, edition="fair").files


def test_an_edition_that_is_not_there_is_named() -> None:
    with pytest.raises(NotInTheBox, match=r"there is no edition fare; did you mean fair\?"):
        open_box(GAME, edition="fare")
    with pytest.raises(NotInTheBox, match=r"there is no edition fare; did you mean fair\?"):
        shelf.digests(GAME, edition="fare")


def test_the_pins_are_those_of_the_edition(box: Path) -> None:
    before = {edition: shelf.digests(GAME, edition=edition) for edition in ("text", "repaired", "fair")}
    assert before["text"] == before["repaired"] != before["fair"] == shelf.digests(GAME)
    changed(box / FAIR / "map.yaml", "loyalty: 4, garrison: 5", "loyalty: 3, garrison: 5")
    after = {edition: shelf.digests(GAME, edition=edition) for edition in before}
    assert [edition for edition in before if before[edition] != after[edition]] == ["fair"]


def test_a_correction_of_an_owner_wins_over_an_edition(tmp_path: Path) -> None:
    (tmp_path / "rules" / GAME).mkdir()
    text = (open_box(GAME).folder / "map.yaml").read_text("utf-8")
    map = tmp_path / "rules" / GAME / "map.yaml"
    map.write_text(text.replace("loyalty: 5, garrison: 5", "loyalty: 6, garrison: 5"), "utf-8")
    assert [loyalty(edition) for edition in ("text", "fair")] == [6, 6]
    corrected, *_ = open_box(GAME).corrections.values()
    assert corrected.shown == str(map)


@pytest.mark.slow
def test_every_edition_is_checked(box: Path) -> None:
    """Also the files of the box that the usual edition has others for, and the other way round."""
    changed(box / FAIR / "map.yaml", "class: fortified", "class: wooden")
    assert any(flaw.startswith(f"/{FAIR}/map.yaml:") and "wooden" in flaw for flaw in flaws(Box(box, edition="text")))
    assert "wooden" in said("shelf", "--check", code=1)
    changed(box / FAIR / "map.yaml", "class: wooden", "class: fortified")
    changed(box / "map.yaml", "class: walled", "class: wooden")
    assert any(flaw.startswith("/map.yaml:") and "wooden" in flaw for flaw in flaws(Box(box)))


def test_what_a_package_refuses_is_found_in_any_edition(box: Path) -> None:
    """The sums that a map states are held against it by the code of the game."""
    changed(box / FAIR / "map.yaml", "cities: 80", "cities: 81")
    shelf.load(GAME, edition="text")
    assert "editions/fair/map.yaml" in "".join(said("shelf", "--check", code=1).split())


def test_a_file_of_an_edition_that_the_box_has_not(box: Path) -> None:
    (box / FAIR / "map.yaml").rename(box / FAIR / "maps.yaml")
    said_of_it = [f"/{FAIR}/maps.yaml:1: this box has no file maps.yaml; did you mean map?"]
    assert flaws(Box(box, edition="text")) == said_of_it
    with pytest.raises(BrokenBox, match=r"no file maps\.yaml; did you mean map\?"):
        Box(box, edition="fair")


@pytest.mark.parametrize("file", ["game", "schemas/map"])
def test_what_no_edition_can_replace(box: Path, file: str) -> None:
    (box / FAIR / file).parent.mkdir(exist_ok=True)
    (box / FAIR / f"{file}.yaml").write_text((box / f"{file}.yaml").read_text("utf-8"), "utf-8")
    assert [f"this box has no file {file}.yaml" in flaw for flaw in flaws(Box(box, edition="text"))] == [True]


def test_a_folder_of_no_edition(box: Path) -> None:
    (box / "editions" / "fair").rename(box / "editions" / "fare")
    assert flaws(Box(box)) == ["/editions/fare:1: there is no edition fare; did you mean fair?"]


@pytest.mark.parametrize("edition", ["text", "fair"])
def test_a_game_is_pinned_and_verified_in_its_edition(edition: str, tmp_path: Path) -> None:
    players = ("--player", "rome=Ann", "--player", "carthage=Bob")
    said("new", "italy", "--rules", GAME, "--edition", edition, *players)
    said("adjudicate", "italy", "--late", "carthage")
    with open_game(tmp_path / "games", tmp_path / "keys", "italy") as game:
        assert game.box.edition == edition
        assert game.ledger.pins.box == shelf.digests(GAME, edition=edition)["box"]
    assert f"{GAME} here, and as the game pins it: box the same, code the same" in said("verify", "italy")
    assert "every roll, event and position is as recorded" in said("replay", "italy")


def test_the_first_report_says_which_values_are_whose() -> None:
    said("new", "italy", "--rules", GAME, "--player", "rome=Ann", "--player", "carthage=Bob")
    text = " ".join(said("report", "italy", "--side", "rome").split())
    assert "What the rules do not give had to be reconstructed: " in text
    assert "are neither in the rules nor reconstructed, but ours, chosen for balance: " in text
    assert "64 legions hardly fit among the 200 counters of the original" in text
    said("new", "italia", "--rules", GAME, "--edition", "text", "--player", "rome=Ann", "--player", "carthage=Bob")
    assert "for balance" not in said("report", "italia", "--side", "rome")


def test_rules_says_which_values_are_whose_in_which_edition() -> None:
    text = " ".join(said("rules", GAME).split())
    assert "counters, numbers (fair): " in text
    assert "64 legions hardly fit among the 200 counters of the original" in text
    assert "counters, numbers (repaired, text): " in text
    assert "for balance" not in said("rules", GAME, "--edition", "text")
    notes = json.loads(said("rules", GAME, "--json"))["confidence"]
    found = [note["editions"] for note in notes if (note["file"], note["about"]) == ("map", "loyalty")]
    assert found == [["fair"]]

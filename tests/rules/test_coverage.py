"""Every paragraph of the rulebooks has a ruling, or a reason why it needs none."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from pbem.cli import rulebook
from pbem.engine.cases.coverage import Coverage, coverage_of
from pbem.game.boxes.box import PARAGRAPHS, Box, NotInTheBox, open_box
from tests.support.soak import quick_first
from tests.support.walks import GAMES, loaded

ROME = open_box("rome_carthage")
LISTED = [game for game in GAMES if (loaded(game).box.folder / f"{PARAGRAPHS}.yaml").exists()]


@cache
def covered(game: str) -> Coverage:
    return coverage_of(loaded(game).box)


@pytest.mark.parametrize("game", quick_first(LISTED))
def test_every_paragraph_is_cited(game: str) -> None:
    assert covered(game).uncited == []


@pytest.mark.parametrize("game", quick_first(LISTED))
def test_every_citation_leads_to_a_paragraph(game: str) -> None:
    assert covered(game).unknown == ()


def test_equal_numbers_of_two_books_are_told_apart(tmp_path: Path) -> None:
    """A book with a prefix has its own numbers; without one a number that stands twice is told."""
    box = small_box(tmp_path, "- {rule: B 1.1, name: it holds, expect: {goes_on: true}}\n")
    more = '- source: B book\n  prefix: B\n  paragraphs:\n  - {id: "1.1", title: three}\n'
    file = box.folder / f"{PARAGRAPHS}.yaml"
    file.write_text(file.read_text("utf-8") + more, "utf-8")
    found = coverage_of(Box(box.folder))
    assert [(one.id, one.title, one.rulings) for one in found.paragraphs] == [
        ("1", "one", 0),
        ("1.1", "two", 0),
        ("B 1.1", "three", 1),
    ]
    assert (found.uncited, found.twice) == (["1.1"], ())
    file.write_text(file.read_text("utf-8").replace("  prefix: B\n", ""), "utf-8")
    assert coverage_of(Box(box.folder)).twice == ("1.1",)


@pytest.mark.parametrize("game", LISTED)
def test_paragraphs_are_listed_once_and_no_cited_one_is_excused(game: str) -> None:
    """No paragraph is listed twice, and none that is cited is excused."""
    paragraphs = covered(game).paragraphs
    assert len({one.id for one in paragraphs}) == len(paragraphs)
    assert [one.id for one in paragraphs if one.rulings and one.no_rule] == []


def test_the_numbers_count_up_as_the_dutch_rules_print_them() -> None:
    numbers = [one.id for one in covered(ROME.id).paragraphs if one.source == "Dutch rules 1998"]
    chapters = [number for number in numbers if not number.startswith("card")]
    keys = [[int(part) for part in re.findall(r"\d+", number)] for number in chapters if number != "16.5.5"]
    assert keys == sorted(keys)
    assert len({key[0] for key in keys}) == 19
    assert numbers.index("16.5.5") == numbers.index("16.4.4") + 1, "it is printed there"
    assert [number for number in numbers if number.startswith("card ")] == [f"card {n}" for n in range(1, 65)]


def small_box(tmp_path: Path, rulings: str) -> Box:
    """Return the box with two paragraphs and some rulings instead of its own."""
    folder = tmp_path / ROME.id
    shutil.copytree(ROME.folder, folder, ignore=shutil.ignore_patterns("cases"))
    (folder / "cases").mkdir()
    (folder / "cases" / "some.yaml").write_text(rulings, "utf-8")
    text = (
        '- source: A book\n  paragraphs:\n  - {id: "1", title: one, no_rule: a heading}\n  - {id: "1.1", title: two}\n'
    )
    (folder / f"{PARAGRAPHS}.yaml").write_text(text, "utf-8")
    return Box(folder)


EXPECT = "expect: {position: {turn: 1}}"


def test_a_citation_of_the_parent_does_not_count_for_the_child(tmp_path: Path) -> None:
    found = coverage_of(small_box(tmp_path, f'- {{rule: "1", name: a, {EXPECT}}}\n'))
    assert [(one.id, one.rulings) for one in found.paragraphs] == [("1", 1), ("1.1", 0)]
    assert found.uncited == ["1.1"]


def test_cites_count_once_a_case_and_odd_ones_are_told_in_place(tmp_path: Path) -> None:
    """Cites count once a case, and odd ones are reported with their place."""
    found = coverage_of(small_box(tmp_path, f'- {{rule: "1.1", cites: ["1.1", "9"], name: a, {EXPECT}}}\n'))
    assert found.uncited == []
    assert [one.rulings for one in found.paragraphs] == [0, 1]
    assert [text.rpartition("/")[2] for text in found.unknown] == ["some.yaml:1: 9"]


@pytest.mark.parametrize("json_wanted", [False, True])
def test_the_verb_ends_with_1_if_a_ruling_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], json_wanted: bool
) -> None:
    small_box(tmp_path, f'- {{rule: "1", name: a, {EXPECT}}}\n')
    with pytest.raises(SystemExit) as ended:
        rulebook.print_coverage(ROME.id, False, [tmp_path], json_wanted)
    printed = capsys.readouterr().out
    assert ended.value.code == 1
    if json_wanted:
        assert json.loads(printed)["uncited"] == ["1.1"]
    else:
        assert re.search(r"^ +0  1\.1 +two  <- no case$", printed, re.MULTILINE)
        assert "2 paragraphs: 1 cited, 0 without a rule, 1 uncited." in printed


def test_the_verb_ends_well_if_all_is_cited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_box(tmp_path, f'- {{rule: "1.1", name: a, {EXPECT}}}\n')
    rulebook.print_coverage(ROME.id, False, [tmp_path])
    assert re.search(r"^ +-  1 +one \(no rule: a heading\)$", capsys.readouterr().out, re.MULTILINE)


def test_the_list_is_no_part_of_what_a_game_is_played_with(tmp_path: Path) -> None:
    box = small_box(tmp_path, "[]\n")
    (box.folder / f"{PARAGRAPHS}.yaml").write_text("- {source: Another book, paragraphs: []}\n", "utf-8")
    assert Box(box.folder).digest == box.digest


def test_a_box_without_a_list(tmp_path: Path) -> None:
    box = small_box(tmp_path, "[]\n")
    (box.folder / f"{PARAGRAPHS}.yaml").unlink()
    with pytest.raises(NotInTheBox, match=r"lists no paragraphs"):
        coverage_of(box)

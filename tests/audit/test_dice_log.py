"""The dice of a game, one by one and counted: as text, for a spreadsheet, as a picture; and without any key."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from pbem.audit.explain.dice_log import (
    NOBODYS,
    Count,
    Rolled,
    as_chart,
    as_csv,
    counts_of,
    dice_as_text,
    rolls_of,
    undone_in,
)
from pbem.cli.runtime import DONE, WORLD
from pbem.cli.verbs import app
from pbem.game.boxes.box import open_box
from pbem.render.dice_chart import Bars, dice_chart
from pbem.render.text.messages import sentences
from tests.support.live import Folder, git, play
from tests.support.walks import FOLDERS

BOX = open_box("rome_carthage")


def turn(n: int, *rolls: tuple[dict[str, Any], dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a turn file with rolls, each with the facts of its event."""
    events = [{"kind": "roll", "roll": at, **facts} for at, (_, facts) in enumerate(rolls, 1)]
    return {
        "adjudication": n,
        "rolls": [{"number": at, **roll} for at, (roll, _) in enumerate(rolls, 1)],
        "events": [{"kind": "stopped", "rule": "8.5"}, *events],
        "open_decisions": [],
        **more,
    }


def rolled(name: str, *faces: int, need: str | None = None, rule: str = "9.2", **more: Any) -> dict[str, Any]:
    total = sum(faces) + sum(more.get("modifiers", {}).values())
    needed = {} if need is None else {"need": need, "success": total <= int(need.split(" ")[1])}
    return {"name": name, "faces": list(faces), "total": total, **needed, "rule": rule, **more}


TURNS = [
    {"adjudication": 1, "events": [], "open_decisions": []},
    turn(
        12,
        (rolled("intercept/fabius/capua", 2, need="<= 3"), {"side": "rome", "general": "fabius", "space": "capua"}),
        (rolled("battle/capua/casualties", 4, rule="11.9"), {"rounds": 2}),
        (
            rolled("battle/capua/retreat", 5, rule="11.10", modifiers={"double_envelopment": 1}),
            {"side": "carthage", "cu": 6},
        ),
    ),
    turn(
        13,
        (rolled("intercept/fabius/arpi", 6, need="<= 3"), {"side": "rome", "general": "fabius", "space": "arpi"}),
    ),
    {"adjudication": 14, "act": {"kind": "rollback", "to": 12, "undone": [13], "by": "x", "reason": "y"}, "events": []},
    turn(15, (rolled("siege/capua", 1, 3, rule="16.4"), {"side": "rome", "space": "capua"})),
]

GOLDEN = """\
punica: 5 rolls, 6 dice.

die    side       met  what was rolled for
12.1   Rome       yes  intercept: 2 (needs <= 3, rule 9.2)
12.2   both/none       casualties of 2 rounds: 4 (rule 11.9)
12.3   Carthage        rout of 6 CU: 5 +1 Double Envelopment
                       = 6 (rule 11.10)
13.1*  Rome       no   intercept: 6 (needs <= 3, rule 9.2)
15.1   Rome            siege of Capua: 1 + 3 = 4 (rule 16.4)
* undone by a rollback; it fell all the same, and is
counted.

dice of 6 faces    dice mean 1 2 3 4 5 6 chi2      p
all dice              6 3.50 1 1 1 1 1 1  0.0 1.000!
Carthage              1 5.00 0 0 0 0 1 0  5.0 1.000!
 battle/retreat       1 5.00 0 0 0 0 1 0  5.0 1.000!
Rome                  4 3.00 1 1 1 0 0 1  2.0 1.000!
 intercept            2 4.00 0 1 0 0 0 1  4.0 1.000!
 siege                2 2.00 1 0 1 0 0 0  4.0 1.000!
both/none             1 4.00 0 0 0 1 0 0  5.0 1.000!
 battle/casualties    1 4.00 0 0 0 1 0 0  5.0 1.000!

Fair dice have a mean of 3.50. chi2 has 5 degrees of
freedom; p says how often fair dice fall as unevenly as
these, or more so. Of 20 rows, one is below 0.05 by chance.
! Too few dice for the curve (of each face fewer than
5 expected): p is counted out.

what was needed rolls met expected
all dice            2   1      1.0
Rome                2   1      1.0
 intercept          2   1      1.0
"""


@pytest.fixture
def rolls() -> list[Rolled]:
    return rolls_of(TURNS, BOX.messages()["rolls"], undone_in(TURNS))


@pytest.fixture
def counts(rolls: list[Rolled]) -> list[Count]:
    return counts_of(rolls, BOX.side_ids)


def test_the_text(rolls: list[Rolled], counts: list[Count]) -> None:
    text = dice_as_text("punica", rolls, counts, sentences(BOX))
    assert text == GOLDEN
    assert max(map(len, text.splitlines())) <= 60


def test_without_the_box_ids_stand_for_words() -> None:
    rolls = rolls_of(TURNS, (), undone_in(TURNS))
    counts = counts_of(rolls)
    text = dice_as_text("punica", rolls, counts)
    assert "12.2   both/none       battle/capua/casualties:\n" in text
    assert "                       5 +1 double_envelopment =\n" in text
    assert [(count.whose, count.purpose) for count in counts] == [
        ("", ""),
        ("carthage", ""),
        ("carthage", "battle"),
        ("rome", ""),
        ("rome", "intercept"),
        ("rome", "siege"),
        (NOBODYS, ""),
        (NOBODYS, "battle"),
    ]


def test_a_long_name_stands_on_a_line_of_its_own() -> None:
    name = "what_has_quite_some_words_to_it/1"
    rolls = rolls_of([turn(1, (rolled(name, 3), {"side": "rome"}))])
    text = dice_as_text("punica", rolls, counts_of(rolls))
    assert " what has quite some words to it\n" in text
    assert max(map(len, text.splitlines())) <= 60


def test_many_dice_and_dice_of_other_faces() -> None:
    nobodys: dict[str, Any] = {}
    ones = [(rolled(f"d/{n}", *range(1, 7)), nobodys) for n in range(20)]
    others = (rolled("d20", 20, 1, sides=20, need="<= 3"), {"side": "rome"})
    tens = [(rolled(f"d10/{n}", *range(1, 11), sides=10), nobodys) for n in range(6)]
    rolls = rolls_of([turn(1, *ones, *tens, others)])
    counts = counts_of(rolls, ["rome"])
    text = dice_as_text("punica", rolls, counts)
    assert "all dice         120 3.50 20 20 20 20 20 20  0.0 1.000\n" in text
    assert "all dice           60 5.50 6 6 6 6 6 6 6 6 6  6  0.0 1.000\n" in text
    assert "all dice            2 10.50 18.0 -\n" in text
    assert "Too few dice to tell." in text
    reasons = {count.tally.sides: count.tally.fairness.reason for count in counts}
    assert reasons == {6: "", 10: "", 20: "too few dice: 2 for 20 faces, where 100 are wanted"}
    with Image.open(io.BytesIO(as_chart("punica", counts, None, {}))) as picture:
        assert picture.size == (720, 52 + 3 * 236 + 14)


def test_what_was_needed_and_what_was_to_be_expected(counts: list[Count]) -> None:
    tally = counts[0].tally
    assert (tally.needy, tally.met, tally.expected) == (2, 1, 1.0)


def test_no_dice_are_no_mistake() -> None:
    assert dice_as_text("punica", [], []) == "punica: no dice have been rolled.\n"
    assert as_csv([], []) == ""
    assert as_chart("punica", [], None, {})[:4] == b"\x89PNG"


def test_the_csv_has_everything(rolls: list[Rolled], counts: list[Count]) -> None:
    rows = list(csv.reader(io.StringIO(as_csv(rolls, counts))))
    assert ",".join(rows[0]) == ("turn,number,side,purpose,name,sides,faces,modifiers,total,need,success,rule,undone")
    assert rows[1][:8] == ["12", "1", "rome", "intercept", "intercept/fabius/capua", "6", "2", ""]
    assert rows[2][2] == NOBODYS
    assert rows[3][6:] == ["5", "double_envelopment+1", "6", "", "", "11.10", "no"]
    assert rows[4][-4:] == ["<= 3", "no", "9.2", "yes"]
    assert rows[5][6] == "1 3"
    assert rows[6] == []
    by_name = [dict(zip(rows[7], row, strict=True)) for row in rows[8:]]
    assert [(row["side"], row["purpose"], row["dice"]) for row in by_name][:3] == [
        ("all", "all", "6"),
        ("carthage", "all", "1"),
        ("carthage", "battle/retreat", "1"),
    ]
    assert by_name[0]["counts"] == "1 1 1 1 1 1"
    assert (by_name[0]["degrees"], by_name[0]["p"], by_name[0]["exact"]) == ("5", "1.0", "yes")


def test_the_chart_shows_each_count_as_tall_as_it_is() -> None:
    bars = [Bars("All", "#112233", [10, 20, 0], "line"), Bars("Rome", "#b3261e", [0, 0, 0], "nothing")]
    with Image.open(io.BytesIO(dice_chart("punica", bars))) as picture:
        colours = picture.convert("RGB")
    column = [sum(colours.getpixel((x, y)) == (0x11, 0x22, 0x33) for y in range(52, 290)) for x in (45, 150, 260)]
    assert column[2] == 0
    assert 1.7 < column[1] / column[0] < 2.3
    red = [colours.getpixel((x, y)) for x in range(370, 700, 5) for y in range(90, 228, 3)]
    assert (0xB3, 0x26, 0x1E) not in red


# ---- from a game, and from a clone of it that has no keys


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("dice"))
    with folder.create() as game:
        for _ in play(game, 3, 40):
            pass
    return folder


@pytest.fixture
def folder(played: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("PBEM_GAMES", str(played.games))
    monkeypatch.setenv("PBEM_KEYS", str(tmp_path / "no keys here"))
    monkeypatch.setenv("PBEM_RULES", FOLDERS[0])
    monkeypatch.chdir(tmp_path)
    return played


def said(code: int, *words: str) -> str:
    result = CliRunner().invoke(app, ["log", *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_a_bare_clone_tells_its_dice(folder: Folder) -> None:
    git(folder.repo("punica"), "clone", "-q", "--bare", str(folder.repo("punica")), "bare.git")
    git(folder.repo("punica"), "clone", "-q", str(folder.repo("punica")), "checkout")
    text = said(DONE, "punica", "--dice")
    assert "rolls, " in text
    assert [said(DONE, place, "--dice") for place in ("bare.git", "checkout", "bare")] == [text] * 3
    said(WORLD, "nowhere", "--dice")


def test_where_the_box_is_missing_the_dice_are_told_all_the_same(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = said(DONE, "punica", "--dice")
    monkeypatch.delenv("PBEM_RULES")
    assert said(DONE, "punica", "--dice").splitlines()[0] == words.splitlines()[0]
    assert re.search(r" (assault|tie)/\S+: [1-6] ", said(DONE, "punica", "--dice"))
    assert said(DONE, "punica", "--png", "dice.png") == "dice.png\n"


def test_files_are_written_where_asked(folder: Folder) -> None:
    assert said(DONE, "punica", "--csv", "dice.csv", "--png", "dice.png").splitlines() == ["dice.csv", "dice.png"]
    assert Path("dice.csv").read_text("utf-8") == said(DONE, "punica", "--csv", "-")
    with Image.open("dice.png") as picture:
        assert picture.format == "PNG"
    rows = json.loads(said(DONE, "punica", "--dice", "--json"))
    assert [row["turn"] for row in rows["rolls"]] == sorted(row["turn"] for row in rows["rolls"])
    assert rows["counts"][0]["dice"] == sum(len(row["faces"]) for row in rows["rolls"])
    some = json.loads(said(DONE, "punica", "--dice", "--json", "--from", str(rows["rolls"][1]["turn"])))
    assert some["rolls"] == rows["rolls"][1:]
    assert "pbem: " in said(WORLD, "punica", "--png", "nowhere/dice.png")


def test_a_damaged_file_is_named(folder: Folder) -> None:
    git(folder.repo("punica"), "clone", "-q", str(folder.repo("punica")), "damaged")
    file = Path("damaged/turns/000/0003.yaml")
    file.write_text(file.read_text("utf-8") + "]\n", "utf-8")
    words = ["-c", "user.name=x", "-c", "user.email=x@example.org", "--work-tree", "damaged"]
    git(Path("damaged/.git"), *words, "commit", "-qam", "damage")
    assert "turns/000/0003.yaml" in said(WORLD, "damaged", "--dice")

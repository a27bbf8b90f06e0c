"""Corrected files of a box: laid beside it, or kept in a game's repo; what is wrong in them is told all at once."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.audit.verify import verify
from pbem.cli.verbs import app
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import play_out
from pbem.game.boxes import shelf
from pbem.game.boxes.box import open_box
from pbem.game.boxes.box_file import BrokenBox
from pbem.game.table import Table
from pbem.protocol import Decision, Order
from pbem.referee.game.home_check import check_at_home, take_home
from pbem.referee.opening import open_game

GAME = "hannibal_italy"
CRT = ("[A5, A4, A3, A3, A2, E2]", "[A6, A4, A3, A3, A2, E2]")
LOYALTY = ('hex: "0326", class: unfortified, loyalty: 3', 'hex: "0326", class: walled, loyalty: 5')
SURE = ("Italy is real, the drawing is ours", "checked against the printed map")


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("games", "keys", "rules"):
        (tmp_path / word).mkdir(mode=0o700)
        monkeypatch.setenv(f"PBEM_{word.upper()}", str(tmp_path / word))


def said(*words: str, code: int = 0) -> str:
    """Return what a command prints; it must end with a code."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


def corrected(folder: Path, file: str, *changes: tuple[str, str]) -> Path:
    """Write a copy of a file of the box with something changed in it, and return it."""
    text = (open_box(GAME).folder / f"{file}.yaml").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / f"{file}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def begun(*more: str) -> None:
    said("new", "italy", "--rules", GAME, "--player", "rome=Ann", "--player", "carthage=Bob", *more)
    said("adjudicate", "italy", "--late", "carthage")


def test_a_single_file_beside_the_box_takes_the_place_of_its_own(tmp_path: Path) -> None:
    whole = open_box(GAME).digest
    corrected(tmp_path / "rules" / GAME, "tables", CRT)
    corrected(tmp_path / "rules" / GAME, "map", LOYALTY, SURE)
    board = shelf.load(GAME).rules.board  # type: ignore[attr-defined]
    assert board.field.read(0, -1) == "A6"
    assert (board.cities["taurasia"].kind, board.cities["taurasia"].loyalty) == ("walled", 5)
    assert open_box(GAME).digest != whole
    text = " ".join(said("rules", GAME).split())
    assert f"map: {tmp_path / 'rules' / GAME / 'map.yaml'}" in text
    assert "map, all: reconstructed; checked against the printed map" in text
    # What lies behind a whole box of its own is not meant for it.
    assert open_box(GAME, [open_box(GAME).folder.parent]).digest == whole


def test_a_game_keeps_its_corrections_and_every_clone_has_them(tmp_path: Path) -> None:
    map = corrected(tmp_path / "mine", "map", LOYALTY)
    begun("--correct", str(map), "--correct", str(corrected(tmp_path / "mine", "tables", CRT)))
    assert shelf.load(GAME).rules.board.cities["taurasia"].loyalty == 3  # type: ignore[attr-defined]
    said("adjudicate", "italy", "--late", "rome")
    assert "taurasia 83 %" not in said("form", "italy", "--side", "carthage")
    assert "  map is corrected: box/map.yaml" in said("status", "italy")
    clone = tmp_path / "clone.git"
    subprocess.run(["git", "clone", "-q", "--bare", tmp_path / "games" / "italy.git", clone], check=True)
    for name in ("italy", str(clone)):
        assert f"{GAME} here, and as the game pins it: box the same, code the same" in said("verify", name)
    assert "every roll, event and position is as recorded" in said("replay", "italy")
    assert "map: box/map.yaml" in said("rules", "italy")


def test_check_at_home_uses_the_corrections_of_the_game(tmp_path: Path) -> None:
    """A player at home checks with the corrections of the game."""
    begun("--correct", str(corrected(tmp_path / "mine", "map", ("name: Placentia", "name: Placenta"))))
    with open_game(tmp_path / "games", tmp_path / "keys", "italy") as game:
        (tmp_path / "position.json").write_text(json.dumps(take_home(game, "rome")), "utf-8")
        sheet = b"game: italy\nside: rome\nadjudication: 2\norders:\n- move: {leader: longus, path: [placentia]}\n"
        assert not check_at_home(tmp_path / "position.json", sheet, "sheet").complaints


def test_a_game_under_way_is_moved_to_corrections(tmp_path: Path) -> None:
    begun()
    map = corrected(tmp_path / "mine", "map", LOYALTY)
    assert "the box differed" in said("migrate", "italy", "--correct", str(map), "--reason", "as printed", "--accept")
    assert "  map is corrected: " in said("status", "italy")
    for words in ((), ("--with-key",)):
        told = said("verify", "italy", *words)
        assert told.startswith("italy: proven, ")  # what came before is made again with the file that counted then
        assert "as the game pins it: box the same" in told
        assert "instead of the shelf's files the game has map.yaml" in told
    assert "reason: as printed" in said("log", "italy")
    # A second time there is nothing to move.
    assert "nothing to move" in said("migrate", "italy", "--correct", str(map))


def test_corrections_a_game_keeps_outrank_those_beside_the_box(tmp_path: Path) -> None:
    """What a game keeps counts before what lies beside the box."""
    begun("--correct", str(corrected(tmp_path / "mine", "map", LOYALTY)))
    corrected(tmp_path / "rules" / GAME, "map", ("loyalty: 3", "loyalty: 1"))
    with open_game(tmp_path / "games", tmp_path / "keys", "italy") as game:
        assert game.rules.board.cities["taurasia"].loyalty == 5  # type: ignore[attr-defined]


def test_slip_no_rule_would_stumble_over_is_refused_all_the_same(tmp_path: Path) -> None:
    """A slip that no rule would stumble over is refused all the same."""
    begun()
    slip = corrected(
        tmp_path / "mine", "map", ("class: unfortified, loyalty: 3", "class: unfortified, loyalty: 3, loyal: 4")
    )
    for words in (["new", "gallia", "--rules", GAME], ["migrate", "italy", "--accept", "--reason", "as printed"]):
        assert "loyal does not belong here" in said(*words, "--correct", str(slip), code=1)
    assert not (tmp_path / "games" / "gallia.git").exists()


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("with_a_turn", [True, False])
def test_a_box_that_the_adjudicator_changes_in_secret_is_found(tmp_path: Path, there: bool, with_a_turn: bool) -> None:
    begun(*(("--correct", str(corrected(tmp_path / "mine", "map", LOYALTY))) if there else ()))
    forged = {"box/map.yaml": corrected(tmp_path / "other", "map", ("loyalty: 3", "loyalty: 1")).read_bytes()}
    with open_game(tmp_path / "games", tmp_path / "keys", "italy") as game:
        if with_a_turn:
            game.ledger.further = forged
            game.adjudicate(late=["rome"])
        else:
            game.ledger.commit(forged, "nothing to see here")
    found = [(each.place.file, each.reason) for each in verify(tmp_path / "games" / "italy.git").findings.sorted]
    changed = "box/, position.yaml, turn" if with_a_turn else "box/"
    of_no_kind = (None, f"no commit of a game changes just these: {changed}")
    assert found == [of_no_kind, ("box/map.yaml", "it is changed, and no migration says why")]


@pytest.mark.slow
def test_rome_may_lie_in_another_hex(tmp_path: Path) -> None:
    """No hex but the four of the rules is certain, and no rule goes by a number: Rome changes places with Praeneste."""
    swaps = [('id: rome, name: Rome, hex: "2215"', 'id: rome, name: Rome, hex: "2114"')]
    swaps += [('name: Praeneste, hex: "2114"', 'name: Praeneste, hex: "2215"')]
    corrected(tmp_path / "rules" / GAME, "map", *swaps)
    rules: Any = shelf.load(GAME).rules
    offered = 0

    def answer(view: Any, decision: Decision) -> Order:
        nonlocal offered
        if decision.kind == "place":
            offered += "2114" in decision.facts["hexes"]  # where it is not, Rome is crowded
        order: Order = rules.bot_order(view, decision)
        return order

    start = rules.setup("short", Table(SeededDice(1)))
    played = play_out(rules, start, SeededDice(1), Random(1), players=dict.fromkeys(rules.sides, answer))
    assert played.result is not None
    assert list(rules.audit(played.position)) == []
    assert offered


def test_flaws_of_a_corrected_file_are_all_told_with_their_place(tmp_path: Path) -> None:
    """All that is wrong with a corrected file is reported at once, with line and column."""
    faulty = corrected(
        tmp_path / "mine",
        "tables",
        ("works_number", "work_number"),
        ("[A5, A4, A3, A3, A2, E2]", "[A5, A4, A3, A3, A2]"),
        ("[A4, A3, A3, A2, E2, E2]", "[A4, A3, X3, A2, E2, E2]"),
    )
    text = said("new", "italy", "--rules", GAME, "--correct", str(faulty), code=1)
    found = dict(re.findall(rf"{re.escape(str(faulty))}:(\d+:\d+): (.*)", text))
    lines = faulty.read_text("utf-8").splitlines()
    reasons = {lines[int(at.partition(":")[0]) - 1].partition("#")[0].strip(): reason for at, reason in found.items()}
    assert reasons["work_number: 6"].startswith("work_number does not belong here")
    assert reasons["- [A5, A4, A3, A3, A2]"] == "this row has 5 cells; there are 6 columns"
    assert reasons["- [A4, A3, X3, A2, E2, E2]"].startswith("'X3' does not match")
    assert not (tmp_path / "games" / "italy.git").exists()


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("table", "{}", "this box has no file table.yaml; did you mean tables?"),
        ("schemas/map", "{}", "this box has no file schemas/map.yaml"),
        ("map", "hexes: [", "map.yaml:2:1: a value is missing here"),
    ],
)
def test_what_cannot_take_the_place_of_a_file_is_refused(name: str, text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "rules" / GAME / f"{name}.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(f"{text}\n", "utf-8")
    with pytest.raises(BrokenBox) as broken:
        shelf.load(GAME)
    assert reason in str(broken.value)


def test_a_wrong_hex_is_told_where_it_stands(tmp_path: Path) -> None:
    path = corrected(tmp_path / "rules" / GAME, "map", ('name: Taurasia, hex: "0326"', 'name: Taurasia, hex: "0325"'))
    with pytest.raises(BrokenBox) as broken:
        shelf.load(GAME)
    line = next(n for n, line in enumerate(path.read_text("utf-8").splitlines(), 1) if "Taurasia" in line)
    (flaw,) = [each for each in broken.value.flaws if each.file == str(path)]
    assert (flaw.line, flaw.reason) == (line, "there is no hex 0325")

"""The verbs of the game master: what they print, what they write to the sides, and their exit codes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pbem.cli.runtime import DONE, FAULTS, USAGE, WORLD
from tests.support.command_line import pbem, said, told
from tests.support.live import Folder, letter, play
from tests.support.read_letters import bid, cards, sheet_file

pytestmark = pytest.mark.usefixtures("in_the_folder")


def outbox(folder: Folder) -> list[str]:
    return sorted(path.name.rsplit(".", 1)[0] for path in (folder.games / "outbox" / "new").iterdir())


def patch_file(folder: Folder, text: str) -> Path:
    path = folder.path / "patch.yaml"
    path.write_text(text)
    return path


def test_a_rollback_is_asked_for_and_consented_to(punica: Folder) -> None:
    bid(punica)
    text = said(DONE, "rollback", "punica", "--to", 1, "--reason", "a slip")
    assert "Request 1: punica is to go back to adjudication 1." in text
    assert "It is done once red, blue have answered CONSENT punica 1." in text
    assert outbox(punica) == ["punica.blue.request-1", "punica.red.request-1"]
    assert "Request 1, to go back to adjudication 1, waits for Red and Blue." in said(DONE, "status", "punica")
    for number, side in enumerate(("red", "blue"), 1):
        said(DONE, "letter", "-", stdin=letter(side, b"CONSENT punica 1", number=number))
    with punica.open() as game:
        assert [(each.side, each.kind) for each in game.open_decisions] == [("red", "bury"), ("blue", "bury")]
        n = game.adjudication
    assert f"punica.red.{n}" in outbox(punica)
    logged = said(DONE, "log", "punica")
    assert logged.count("# UNDONE, by adjudication") == n - 2
    assert [turn["adjudication"] for turn in told(DONE, "log", "punica")["turns"]] == list(range(1, n + 1))


def test_a_rollback_of_the_game_master_alone(punica: Folder) -> None:
    bid(punica)
    with punica.open() as game:
        last = game.adjudication
    assert "needs a reason" in said(USAGE, "rollback", "punica", "--to", 1, "--by-game-master")
    assert "give a reason" in said(WORLD, "rollback", "punica", "--to", 1, "--by-game-master", "--reason", " ")
    assert f"it can go back from 1 to {last - 1}, not to 77" in said(WORLD, "rollback", "punica", "--to", 77)
    row = told(DONE, "rollback", "punica", "--to", 1, "--by-game-master", "--reason", "a slip")
    assert row["adjudications"] == [last + 1]
    assert (row["act"]["kind"], row["act"]["by"]) == ("rollback", "the game master")
    assert len(row["letters"]) == 2


def test_rulings(punica: Folder) -> None:
    high = cards(punica, "red")[-1]
    sheet = sheet_file(punica, "red", high)
    text = said(DONE, "ruling", "punica", "--answer", f"red={sheet}", "--reason", "they telephoned")
    assert "Adjudicated: 2." in text
    assert "It waits for blue" in text
    sheet = sheet_file(punica, "blue", cards(punica, "blue")[0])
    assert said(DONE, "ruling", "punica", "--default", f"blue={sheet}", "--reason", "she is away").count("Letter:") == 2
    assert "RULING in force: if the deadline of Blue passes" in said(DONE, "report", "punica", "--side", "red")
    assert "Adjudicated: 4." in said(DONE, "adjudicate", "punica", "--late", "blue")
    patch = patch_file(punica, "round: 4\nlead: blue\n")
    row = told(DONE, "ruling", "punica", "--patch", patch, "--reason", "a round was forgotten")
    assert row["act"]["patch"] == {"round": "4", "lead": '"blue"'}
    row = told(DONE, "ruling", "punica", "--end", "--reason", "enough")
    assert row["act"]["what"] == "end"
    assert row["waiting"] == []


def test_a_ruling_is_one_thing_and_has_a_reason(punica: Folder) -> None:
    sheet = sheet_file(punica, "red", cards(punica, "red")[0])
    assert pbem("ruling", "punica", "--end").exit_code == USAGE
    assert "give exactly one of" in said(USAGE, "ruling", "punica", "--reason", "x")
    assert "give exactly one of" in said(
        USAGE, "ruling", "punica", "--reason", "x", "--end", "--answer", f"red={sheet}"
    )
    assert "write side=FILE" in said(USAGE, "ruling", "punica", "--reason", "x", "--answer", sheet)
    assert "has no side green" in said(USAGE, "ruling", "punica", "--reason", "x", "--answer", f"green={sheet}")
    assert "nowhere.yaml" in said(WORLD, "ruling", "punica", "--reason", "x", "--default", "red=nowhere.yaml")


def test_what_is_wrong_with_a_sheet_or_a_patch_is_all_said(punica: Folder) -> None:
    sheet = sheet_file(punica, "red", cards(punica, "blue")[0])
    assert "is not in your hand" in said(FAULTS, "ruling", "punica", "--answer", f"red={sheet}", "--reason", "x")
    patch = patch_file(punica, "deck: []\nguards: {}\n")
    text = said(FAULTS, "ruling", "punica", "--patch", patch, "--reason", "x")
    assert "patch.yaml: a card is lost or there twice" in text
    assert "patch.yaml: a hill has no guards" in text
    assert len(told(FAULTS, "ruling", "punica", "--patch", patch, "--reason", "x")) == 2
    for text in ("- a\n- list\n", "a: [", "just words\n"):
        assert "--patch" in said(USAGE, "ruling", "punica", "--patch", patch_file(punica, text), "--reason", "x")
    with punica.open() as game:
        assert game.adjudication == 1


def test_reveal(punica: Folder) -> None:
    text = said(WORLD, "reveal", "punica")
    assert "punica goes on" in text
    assert "pbem ruling punica --end --reason TEXT" in text
    early = punica.path / "early.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(punica.repo("punica")), str(early)], check=True)
    assert "is a clone without the published secrets" in said(WORLD, "reveal", early)
    with punica.open() as game:
        list(play(game, 7, 200))
        assert game.result is not None
    assert "its secrets are published" in said(DONE, "reveal", "punica")
    clone = punica.path / "clone"
    subprocess.run(["git", "clone", "-q", str(punica.repo("punica")), str(clone)], check=True)
    assert "sealed/players.age" in said(DONE, "reveal", clone, "--open", punica.path / "opened")
    assert "is not empty" in said(WORLD, "reveal", clone, "--open", punica.path / "opened")
    assert told(DONE, "reveal", "punica")["new"] is False
    assert "there is no game" in said(WORLD, "reveal", "nowhere")


@pytest.mark.parametrize("words", [["rollback", "gallia", "--to", 1], ["ruling", "gallia", "--end", "--reason", "x"]])
def test_a_game_that_is_not_there(folder: Folder, words: list[object]) -> None:
    assert "there is no game" in said(WORLD, *words)

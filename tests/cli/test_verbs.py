"""The command line: what each verb prints, the exit codes, and that nobody ever sees a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from PIL import Image

from pbem import __version__
from pbem.cli.runtime import DONE, FAULTS, USAGE, WORLD
from pbem.cli.verbs import app
from pbem.game import yaml as yamlio
from pbem.referee.game.home_check import take_home
from tests.support.command_line import OF_TOY, said, told
from tests.support.live import Folder, git, give, letter, order, sheet
from tests.support.read_letters import bid, cards, sheet_file
from tests.support.walks import TOY, loaded

VERBS = sorted(typer.main.get_command(app).list_commands(None))  # type: ignore[attr-defined]


pytestmark = pytest.mark.usefixtures("in_the_folder")


# ---- the program itself


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_what_it_does(verb: str) -> None:
    text = said(DONE, verb, "--help")
    assert f"pbem {verb}" in text or "Usage" in text
    assert len(text.splitlines()) > 4


def test_every_verb_of_the_command_line_is_known() -> None:
    known = "adjudicate case check demo form letter log map new replay report shelf status submit"
    assert set(VERBS) >= set(known.split())


def test_the_program_runs_as_a_program() -> None:
    run = [sys.executable, "-m", "pbem"]
    version = subprocess.run([*run, "--version"], capture_output=True, text=True)
    assert (version.returncode, version.stdout, version.stderr) == (DONE, f"pbem {__version__}\n", "")
    nothing = subprocess.run([*run, "status", "nowhere", "--games", "/nowhere"], capture_output=True, text=True)
    assert nothing.returncode == WORLD
    assert nothing.stderr.startswith("pbem: there is no game at /nowhere/nowhere.git")
    assert nothing.stdout == ""


@pytest.mark.parametrize("words", [["--version"], ["rules", "rome_carthage"]])
def test_who_reads_no_further_is_told_of_no_fault(words: list[str]) -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", "from pbem.cli import main; main()", *words], stdout=write, stderr=-1
    ) as run:
        os.close(read)
        os.close(write)
        assert run.communicate()[1] == b""
        assert run.returncode == 1


@pytest.mark.parametrize("words", [["nonsense"], ["report"], ["check", "punica"], ["log", "punica", "--from", "x"]])
def test_wrong_words_are_wrong_usage(folder: Folder, words: list[str]) -> None:
    said(USAGE, *words)


# ---- shelf, new


def test_the_shelf_lists_what_can_be_played(folder: Folder) -> None:
    assert "toy: Three Hills" in said(DONE, "shelf")
    rows = {row["id"]: row for row in told(DONE, "shelf")}
    assert rows.keys() >= {"toy", "rome_carthage"}
    of_editions = ("printed_of_editions", "sides_of_editions")
    words = ("id", "title", "printed", "editions", "experimental", "scenarios", "sides", "folder", *of_editions)
    assert rows["toy"].keys() == {*words}
    assert rows["toy"]["scenarios"] == ["standard", "siege"]
    assert rows["five"]["sides"] == ["oak", "elm", "ash", "fir", "yew"]
    assert rows["five"]["sides_of_editions"] == {"three": ["oak", "elm", "ash"]}


@pytest.mark.slow
def test_the_shelf_is_checked(folder: Folder) -> None:
    assert "toy: Three Hills (checked)" in said(DONE, "shelf", "--check")


def test_a_new_game_is_ready_with_its_first_letters(folder: Folder) -> None:
    players = ["--player", "red=Ann Smit <ann@example.org>", "--player", "blue=Bob"]
    record = told(DONE, *OF_TOY, *players, "--option", "equal_bids=last", "--scenario", "siege", "--begin")
    assert record.keys() == {"game", "repo", "tip", "awaited", "waiting", "letters"}
    assert record["waiting"] == [{"side": side, "kind": "bury", "rule": "3"} for side in ("red", "blue")]
    assert len(record["letters"]) == 1
    assert b"ann@example.org" in Path(record["letters"][0]).read_bytes()
    assert Path(record["letters"][0]).parent == folder.games / "outbox" / "new"
    with folder.open("gallia") as game:
        assert game.charter.players == {"red": "Ann Smit", "blue": "Bob"}
        assert game.charter.options == {"equal_bids": "last"}
        assert game.charter.scenario == "siege"
        assert game.charter.dice.tip == record["tip"]
    assert (folder.keys / "gallia.yaml").stat().st_mode & 0o777 == 0o600


def test_a_game_is_not_made_twice(folder: Folder) -> None:
    assert "gallia is ready" in said(DONE, *OF_TOY)
    assert "exists already; a new game needs another name" in said(WORLD, *OF_TOY)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--player", "red"], "write side=name"),
        (["--player", "=Ann"], "write side=name"),
        (["--player", "red="], "write side=name"),
        (["--player", "red=ann@"], "is not a mail address"),
        (["--player", "green=Ann"], "no side green; the sides are red, blue"),
        (["--player", "red=Ann", "--player", "red=Bob"], "red already has a player"),
        (["--option", "equal_bids"], "write name=value"),
        (["--option", "equal_bids=[1"], "--option equal_bids"),
        (["--option", "equal_bids=coin"], "cannot be coin"),
        (["--option", "equal=die"], "there is no option equal"),
        (["--scenario", "sieg"], "there is no scenario sieg"),
        (["--edition", "odd"], "there is no edition odd"),
    ],
)
def test_what_a_new_game_cannot_be_made_of_is_wrong_usage(folder: Folder, words: list[str], text: str) -> None:
    assert text in said(USAGE, *OF_TOY, *words)
    assert not folder.games.exists()
    assert not folder.keys.exists()


def test_game_not_on_the_shelf_or_badly_named_is_not_made(folder: Folder) -> None:
    """A game that is not on the shelf, or whose name cannot be used, is not made."""
    assert "there is no game nope" in said(USAGE, "new", "gallia", "--rules", "nope")
    assert "cannot name a game" in said(WORLD, "new", "../gallia", "--rules", "toy")
    assert not folder.games.exists()


def test_letters_need_an_address_to_come_from(punica: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_FROM", "the referee")
    before = git(punica.repo("punica"), "rev-parse", "main")
    assert "PBEM_FROM is not a mail address" in said(USAGE, "letter", stdin=b"")
    assert "PBEM_FROM is not a mail address" in said(USAGE, *OF_TOY)
    assert git(punica.repo("punica"), "rev-parse", "main") == before


# ---- status, form, report, map, log


def test_status_tells_where_a_game_stands(punica: Folder) -> None:
    text = said(DONE, "status", "punica")
    assert "punica: Three Hills (usual), after adjudication 1" in text
    assert "It waits for red: Which card do you bury face down? (bury, rule 3)" in text
    record = told(DONE, "status", "punica")
    words = {
        "game",
        "rules",
        "edition",
        "adjudication",
        "players",
        "deputies",
        "observers",
        "out",
        "awaited",
        "waiting",
        "since",
        "mailboxes",
        "result",
    }
    assert record.keys() == words
    assert (record["adjudication"], record["result"]) == (1, None)


def test_a_form_filled_in_can_be_handed_in(punica: Folder) -> None:
    form = said(DONE, "form", "punica", "--side", "red")
    card = cards(punica, "red")[0]
    path = punica.path / "red.yaml"
    path.write_text(form.replace(f"# - bury: {{card: {card}}}", f"- bury: {{card: {card}}}"))
    assert "no faults" in said(DONE, "check", "punica", path, "--side", "red")
    assert "Sheet 1 of red is accepted." in said(DONE, "submit", "punica", path, "--side", "red")
    assert "red has nothing to decide" in said(DONE, "form", "punica", "--side", "red")


def test_reports_show_each_side_its_own_hand(punica: Folder) -> None:
    hands = {side: ", ".join(map(str, cards(punica, side)[:-1])) for side in ("red", "blue")}
    for words, mine, others in (
        (["--side", "red"], ["red"], ["blue"]),
        (["--side", "blue"], ["blue"], ["red"]),
        ([], [], ["red", "blue"]),
    ):
        text = said(DONE, "report", "punica", "--since", "0", *words)
        assert [side for side in mine if f"Your hand: {hands[side]}" not in text] == []
        assert [side for side in others if hands[side] in text] == []
    assert said(DONE, "report", "punica", "--since", "-5") == said(DONE, "report", "punica", "--since", "0")


def test_the_map_is_a_picture(punica: Folder) -> None:
    assert "hills.png" in said(DONE, "map", "punica", "-o", "hills.png", "--side", "red")
    with Image.open(io.BytesIO((punica.path / "hills.png").read_bytes())) as picture:
        assert picture.format == "PNG"
    assert "pbem: " in said(WORLD, "map", "punica", "-o", "nowhere/hills.png")


def test_the_log_prints_what_is_published(punica: Folder) -> None:
    bid(punica)
    log = told(DONE, "log", "punica")
    turns = [{word: value for word, value in turn.items() if word != "sha256"} for turn in log["turns"]]
    assert log["game"]["game"] == "punica"
    assert log["turns"][0]["previous"] == log["game"]["sha256"]
    assert log["turns"][1]["previous"] == log["turns"][0]["sha256"]
    assert [turn["adjudication"] for turn in turns] == [1, 2]
    assert turns[1]["events"] == [{"kind": "buried", "rule": "3", "side": side} for side in ("red", "blue")]
    documents = said(DONE, "log", "punica").split("---\n")
    assert [yamlio.read(text, name="log").value for text in documents] == turns
    assert [turn["adjudication"] for turn in told(DONE, "log", "punica", "--from", "2", "--to", "9")["turns"]] == [2]
    assert told(DONE, "log", "punica", "--from", "5")["turns"] == []


# ---- check, submit, letter, adjudicate


@pytest.mark.parametrize("buried", [["x"], [31], ["MISSING"], ["OWN", "x"], []])
def test_a_sheet_checked_at_home_has_the_faults_it_has_here(punica: Folder, buried: list[object]) -> None:
    own = cards(punica, "red")
    words = {"OWN": own[0], "MISSING": next(card for card in range(1, 31) if card not in own)}
    path = sheet_file(punica, "red", *[words.get(str(card), card) for card in buried])
    with punica.open() as game:
        (punica.path / "position.json").write_text(json.dumps(take_home(game, "red")))
    here = told(FAULTS, "check", "punica", path, "--side", "red")
    assert here == told(FAULTS, "check", punica.path / "position.json", path)
    assert here[0].keys() == {"file", "line", "column", "width", "kind", "reason", "rule"}
    text = said(FAULTS, "check", "punica", path, "--side", "red")
    assert text == said(FAULTS, "check", punica.path / "position.json", path)
    assert text.startswith("red.yaml:")


def test_sheet_may_replace_an_earlier_one_at_home_as_it_may_here(punica: Folder) -> None:
    """A sheet may take the place of an earlier one at home as it may here."""
    said(DONE, "submit", "punica", sheet_file(punica, "red", cards(punica, "red")[0]), "--side", "red")
    better = sheet_file(punica, "red", cards(punica, "red")[1])
    with punica.open() as game:
        (punica.path / "position.json").write_text(json.dumps(take_home(game, "red")))
    assert told(DONE, "check", "position.json", better) == told(DONE, "check", "punica", better, "--side", "red") == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (None, "No such file"),
        ("[]", "is not the file that came with a report"),
        ("{", "is not the file that came with a report"),
        ({"position": []}, "is not the file that came with a report"),
        ({"position": {"hands": 7}}, "is not the file that came with a report"),
        ({"open_decisions": [{"side": "red"}]}, "is not the file that came with a report"),
        ({"adjudication": "soon"}, "is not the file that came with a report"),
        ({"adjudication": float("inf")}, "is not the file that came with a report"),
        ({"open_decisions": [{"side": "red", "kind": [], "rule": "1", "facts": {}}]}, "is not the file that came"),
        ("[" * 100_000, "is not the file that came with a report"),
        ({"rules": "nope"}, "there is no game nope"),
        ({"edition": "odd"}, "there is no edition odd"),
        ({"box": "0" * 64}, "is played with another version of the rules of Three Hills"),
    ],
)
def test_what_did_not_come_with_a_report_is_refused_at_home(punica: Folder, change: Any, text: str) -> None:
    path = sheet_file(punica, "red", cards(punica, "red")[0])
    with punica.open() as game:
        home = take_home(game, "red")
    if change is not None:
        written = change if isinstance(change, str) else json.dumps({**home, **change})
        (punica.path / "position.json").write_text(written)
    assert text in said(WORLD, "check", "position.json", path)


def test_forecast_of_a_sheet_says_the_same_at_home_and_here(folder: Folder) -> None:
    """A forecast says at home and here what a sheet may lead to."""
    with folder.create(scenario="siege") as game:
        for kind in ("bury", "bid"):
            for side in ("red", "blue"):
                card = game.view(side).hands[side][0] if kind == "bury" else "lowest"
                give(game, side, order(kind, card=card))
        side = game.open_decisions[0].side
        view, head = game.view(side), game.ledger.repo.head
        path, bad, home = (folder.path / name for name in ("orders.yaml", "bad.yaml", "position.json"))
        path.write_bytes(sheet(game, side, order("assault", hill=view.targets(side)[0], card=view.hands[side][0])))
        bad.write_bytes(sheet(game, side, order("assault", hill="nowhere", card=view.hands[side][0])))
        home.write_text(json.dumps(take_home(game, side)))
    text = said(DONE, "forecast", "punica", path, "--side", side)
    assert "could be asked" in text
    assert text == said(DONE, "forecast", home, path)
    found = told(DONE, "forecast", "punica", path, "--side", side)
    assert found == told(DONE, "forecast", home, path)
    assert next(each["asked"] for each in found if "asked" in each) == "react"
    assert said(FAULTS, "forecast", "punica", bad, "--side", side) == said(FAULTS, "forecast", home, bad)
    assert "say whose sheet it is" in said(USAGE, "forecast", "punica", path)
    with folder.open() as game:
        assert game.ledger.repo.head == head


def test_a_sheet_is_handed_in_and_the_game_goes_on(punica: Folder) -> None:
    red, blue = (sheet_file(punica, side, cards(punica, side)[0]) for side in ("red", "blue"))
    assert "Nothing could be adjudicated." in said(DONE, "submit", "punica", red, "--side", "red")
    record = told(DONE, "submit", "punica", "-", "--side", "blue", stdin=blue.read_bytes())
    letters = record.pop("letters")
    assert record == {
        "sheet": 1,
        "changes": [],
        "adjudications": [2],
        "waiting": [{"side": side, "kind": "bid", "rule": "4"} for side in ("red", "blue")],
    }
    assert [Path(path).name.split(".")[:3] for path in letters] == [["punica", side, "2"] for side in ("red", "blue")]
    assert told(FAULTS, "submit", "punica", red, "--side", "red")[0]["reason"].startswith("adjudication 2 came after 1")
    assert "came after 1; answer the last report" in said(FAULTS, "submit", "punica", red, "--side", "red")


def test_sides_and_files_that_are_not_there(punica: Folder) -> None:
    path = sheet_file(punica, "red", cards(punica, "red")[0])
    for words in (["form"], ["report"], ["map"], ["check", path], ["submit", path]):
        verb, *more = words
        assert "has no side green; its sides are red, blue" in said(USAGE, verb, "punica", *more, "--side", "green")
    assert "has no side green" in said(USAGE, "adjudicate", "punica", "--late", "green")
    assert "say whose sheet it is" in said(USAGE, "check", "punica", path)
    for words in (["check", "punica", "none.yaml", "--side", "red"], ["letter", "none.eml"], ["case", "none.yaml"]):
        assert "none." in said(WORLD, *words)
    for words in (["status"], ["report"], ["log"], ["replay"], ["adjudicate"]):
        assert "there is no game at" in said(WORLD, *words, "gallia")


def test_keys_that_are_gone_are_missed(punica: Folder) -> None:
    (punica.keys / "punica.yaml").rename(punica.path / "punica.yaml")
    assert "the secrets of punica are not there" in said(WORLD, "status", "punica")


def test_letters_go_in_and_answers_lie_in_the_outbox(punica: Folder) -> None:
    with punica.open() as game:
        texts = {
            side: letter(side, sheet(game, side, order("bury", card=cards(punica, side)[0])))
            for side in ("red", "blue")
        }
    assert "punica: sheet 1 of red accepted" in said(DONE, "letter", stdin=texts["red"])
    (punica.path / "blue.eml").write_bytes(texts["blue"])
    record = told(DONE, "letter", "blue.eml", "--outbox", punica.path / "out")
    assert record.keys() == {"accepted", "notes", "log", "letters"}
    assert record["log"] == [
        "punica: letter of blue: sheet 1 accepted and adjudication 2; it waits for red (bid) and blue (bid)"
    ]
    assert record["notes"] == ["punica: sheet 1 of blue accepted", "punica: adjudication 2"]
    assert [Path(path).parent for path in record["letters"]] == [punica.path / "out" / "new"] * 2
    late = texts["red"].replace(b"Message-ID: <", b"Message-ID: <another.")
    assert "came after 1" in Path(told(FAULTS, "letter", stdin=late)["letters"][0]).read_text()
    # A letter from nobody is left unanswered, and a mail server must not bounce it either.
    assert told(DONE, "letter", stdin=b"")["letters"] == []


def test_a_game_is_carried_on_for_those_who_are_late(punica: Folder) -> None:
    assert told(DONE, "adjudicate", "punica", "--late", "red", "--late", "blue")["adjudications"] == []
    bid(punica)
    assert "Nothing could be adjudicated." in said(DONE, "adjudicate", "punica", "--late", "red")
    assert told(DONE, "adjudicate", "punica", "--late", "red", "--late", "blue")["adjudications"] == [3]


# ---- changed rules, case


def test_changed_question_stops_every_verb_with_a_sentence(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game whose question has changed stops every verb with a sentence."""
    toy: Any = import_module(type(loaded("toy").rules).__module__)
    with folder.create(scenario="siege") as game:
        for kind in ("bury", "bid"):
            for side in ("red", "blue"):
                give(game, side, order(kind, card=game.view(side).hands[side][0]))
        lead = game.view(None).lead
        give(game, lead, order("assault", hill=game.view(lead).targets(lead)[0], card=game.view(lead).hands[lead][0]))

    def ask_otherwise(game: Any, table: Any) -> Iterator[Any]:
        yield from table.ask(game.lead, "assault", rule="5.2", round=game.round, pot=2)

    monkeypatch.setitem(toy.PHASES, "assault", ask_otherwise)
    for verb in ("status", "adjudicate", "report"):
        text = said(WORLD, verb, "punica")
        assert "the rules have changed since this game stopped: rule 5.2: the facts of assault differ" in text


def test_rulings_from_any_file(folder: Folder) -> None:
    good = TOY / "rules" / "toy" / "cases" / "rounds.yaml"
    assert said(DONE, "case", good).splitlines()[-1].endswith(" passed, 0 failed")
    path = folder.path / "what-if.yaml"
    path.write_text(good.read_text("utf-8").replace("dice: {tie/round-1: [3]}", "dice: {tie/round-1: [4]}"), "utf-8")
    assert "--rules" in said(USAGE, "case", path)
    text = said(FAULTS, "case", path, "--rules", "toy")
    assert "FAIL" in text
    assert "what-if.yaml:" in text
    rows = told(FAULTS, "case", path, "--rules", "toy")
    assert rows[0].keys() == {"rule", "name", "passed", "differences"}
    assert [row["name"] for row in rows if not row["passed"]] == ["a die decides between equal bids"]
    path.write_text("- rule: [", "utf-8")
    assert "what-if.yaml:2:1: " in said(WORLD, "case", path, "--rules", "toy")


def test_what_happens_in_a_case_is_printed(folder: Folder) -> None:
    good = TOY / "rules" / "toy" / "cases" / "rounds.yaml"
    assert "buried {side: red}" not in said(DONE, "case", good)
    text = said(DONE, "case", "-v", good)
    assert "        blue: bury {card: 11}\n          buried {side: red}\n          buried {side: blue}\n" in text


def test_one_broken_file_or_case_does_not_lose_the_others(folder: Folder) -> None:
    good = TOY / "rules" / "toy" / "cases" / "rounds.yaml"
    count = said(DONE, "case", good).splitlines()[-1]
    broken, homeless = folder.path / "broken.yaml", folder.path / "homeless.yaml"
    broken.write_text("- rule: [", "utf-8")
    homeless.write_text('- {rule: "1", name: whose, expect: {goes_on: true}}\n- {rule: "1", name: bare}\n', "utf-8")
    text = said(WORLD, "case", broken, "missing.yaml", good)
    assert count in text
    assert "broken.yaml:2:1: " in text
    assert "missing.yaml" in text
    text = said(USAGE, "case", homeless, good)
    assert "homeless.yaml:1: say which game it is for" in text
    assert "homeless.yaml:2: 'expect' is a required property" in text
    assert count.replace("0 failed", "1 failed") in text


def test_submit_takes_agreed_for_the_last_report(punica: Folder) -> None:
    for side in ("red", "blue"):
        said(DONE, "submit", "punica", sheet_file(punica, side, cards(punica, side)[0]), "--side", side)
    with punica.open() as game:
        number = game.adjudication
        form = sheet(game, "red")
    told_of = said(FAULTS, "submit", "punica", "-", "--side", "red", stdin=form)
    assert f"Here that is: pbem submit punica --side red --agreed {number}" in told_of
    assert f"you answer report {number - 1}" in said(WORLD, "submit", "punica", "--side", "red", "--agreed", number - 1)
    assert "Sheet 2 of red is accepted." in said(DONE, "submit", "punica", "--side", "red", "--agreed", number)
    assert "nothing is asked" in said(WORLD, "submit", "punica", "--side", "red", "--agreed", number)
    assert "give a sheet, or --agreed" in said(USAGE, "submit", "punica", "--side", "red")

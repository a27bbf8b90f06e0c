"""The verbs by which a game master deals with many games: what each does, what fails, and what is told of that."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

import pytest
import typer

from pbem.cli.escaped import escaped_output
from pbem.cli.master import many_games
from pbem.cli.runtime import DONE, USAGE, WORLD
from pbem.cli.verbs import app
from tests.support.command_line import pbem, said, told
from tests.support.live import OTHERS, SECRETS, Folder
from tests.support.read_letters import outbox
from tests.support.walks import FOLDERS

pytestmark = pytest.mark.usefixtures("in_the_folder")


@pytest.fixture
def spring(folder: Folder) -> Folder:
    """Return a folder of two games, the second of which has lost its keys, and one of another season."""
    for number, name in enumerate(["spring-1", "spring-2", "autumn-1"]):
        folder.create(name=name, secrets=OTHERS if number % 2 else SECRETS).close()
    (folder.keys / "spring-2.yaml").unlink()
    return folder


def test_side_that_one_game_lacks_stops_no_other(spring: Folder) -> None:
    spring.create("five", name="spring-5", secrets=OTHERS).close()
    first, lost, third = told(WORLD, "remind", "spring-*", "--side", "oak")["games"]
    assert (first["done"], lost["done"], third["reminded"]) == (False, False, ["oak"])
    assert first["why"] == "it has no side oak; its sides are red, blue"
    rows = told(WORLD, "extend", "spring-*", "--by", "1d", "--side", "oak", "--reason", "why not")["games"]
    assert [row["done"] for row in rows] == [False, False, False]
    assert rows[0]["why"] == "it has no side oak; its sides are red, blue"
    assert pbem("observer", "spring-1", "--late", "2 turns").exit_code == USAGE


def test_remind_writes_to_whom_games_wait_for_once_a_day(spring: Folder) -> None:
    ran = pbem("remind", "spring-*", "--side", "red")
    assert ran.exit_code == WORLD
    lines = [each for each in ran.stdout.splitlines() if not each.startswith("Letter: ")]
    assert lines == ["spring-1: Red reminded", "2 games: 1 done, 1 failed."]
    assert "spring-2: nothing was done: " in ran.stderr
    assert ran.stderr.endswith("Once that is mended: pbem remind spring-2 --side red\n")
    letters = outbox(spring)
    assert [to for to, _, _ in letters] == ["red@example.org"]
    assert all("BEGIN ORDERS" in text and "waits for you" in text for _, _, text in letters)
    pbem("remind", "spring-*", "--side", "red")
    assert outbox(spring) == letters
    row, lost = told(WORLD, "remind", "spring-*")["games"]
    assert {"game": "spring-1", "done": True, "reminded": ["red", "blue"]}.items() <= row.items()
    assert lost["done"] is False
    assert lost["why"]
    assert len(outbox(spring)) == 2


def test_broadcast_is_one_letter_to_each_reader(spring: Folder) -> None:
    """It names the games in which its reader is, and is no part of any of them."""
    words = spring.path / "words.txt"
    words.write_text("The season ends on Sunday.\ngame: autumn-1\nAGREED\n", "utf-8")
    with spring.open("spring-1") as game:
        head = game.ledger.repo.head
    ran = said(DONE, "broadcast", "spring-1", "*-1", "--text", words)
    assert ran.startswith("spring-1: 2 readers\nautumn-1: 2 readers\n")
    letters = outbox(spring)
    assert sorted(to for to, _, _ in letters) == ["blue@example.org", "red@example.org"]
    for _, subject, text in letters:
        assert subject == "spring-1 and autumn-1: the game master writes to all"
        assert "  : The season ends on Sunday.\n  : game: autumn-1\n  : AGREED\n" in text
    ran = told(WORLD, "broadcast", "spring-*", stdin=b"Hail!")
    assert (ran["failed"], len(ran["letters"])) == (1, 2)
    assert pbem("broadcast", "spring-1", stdin=b" \n").exit_code == WORLD
    with spring.open("spring-1") as game:
        assert game.ledger.repo.head == head


def test_archive_takes_games_out_of_sight_and_back(spring: Folder) -> None:
    ran = pbem("archive", "spring-1")
    assert ran.exit_code == WORLD
    assert "spring-1: nothing was done: spring-1 is not over; `pbem ruling spring-1 --end`" in ran.stderr
    said(DONE, "ruling", "spring-1", "--end", "--reason", "nobody plays on")
    said(DONE, "archive", "spring-1")
    assert [row["game"] for row in told(WORLD, "status")] == ["autumn-1", "spring-2"]
    assert (spring.games / "archive" / "spring-1.git").is_dir()
    assert pbem("archive", "spring-1").exit_code == WORLD
    assert told(DONE, "archive", "--back", "spring*")["games"][0]["done"]
    assert "over" in said(DONE, "status", "spring-1")


CONTENT = {"demo", "open", "seal-orders", "my-chain"}
"""The verbs that print what is to be passed on as it stands, and no facts."""


def test_every_verb_that_prints_facts_has_json() -> None:
    lacking = set()
    group: Any = typer.main.get_command(app)
    for name in group.list_commands(None):
        verb = group.get_command(None, name)
        for each in getattr(verb, "commands", {name: verb}).values():
            if not any("--json" in option.opts for option in each.params):
                lacking.add(name)
    assert lacking == CONTENT


def test_json_of_a_form_a_report_and_a_map(spring: Folder) -> None:
    row = told(DONE, "form", "spring-1", "--side", "red")
    assert (row["game"], row["side"], row["adjudication"]) == ("spring-1", "red", 1)
    assert row["sheet"].startswith("game: spring-1\n")
    assert "text" in told(DONE, "report", "spring-1")
    assert "[spoiler" in told(DONE, "thread", "spring-1")["text"]
    assert told(DONE, "map", "spring-1", "-o", spring.path / "m.png")["file"].endswith("m.png")
    assert "text" in told(DONE, "explain", "spring-1", "1")


def test_a_pattern_without_games_is_wrong_usage(spring: Folder) -> None:
    ran = pbem("remind", "summer-*")
    assert ran.exit_code == USAGE
    assert "no game in" in ran.stderr
    ran = pbem("remind", "summer-1")
    assert ran.exit_code == WORLD
    assert "summer-1: nothing was done: " in ran.stderr


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    with escaped_output():
        many_games.deal_with(["a", "b"], lambda name: many_games.Dealt("done"), True, verb="remind")
    assert "remind" in shown.getvalue()
    assert "\x1b[" in shown.getvalue()
    assert "\\x1b" not in shown.getvalue(), "the bar moves the cursor, and is not escaped"
    monkeypatch.setattr(sys, "stderr", quiet := io.StringIO())
    many_games.deal_with(["a", "b"], lambda name: many_games.Dealt("done"), True, verb="remind")
    assert quiet.getvalue() == ""


def test_a_player_by_vote_asks_the_other_sides(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_RULES", os.pathsep.join(map(str, FOLDERS)))
    folder.create("five").close()
    person = "yew=Carl <carl@example.net>"
    made = told(DONE, "player", "punica", person, "--vote", "--reason", "silence")
    assert (made["request"], len(made["letters"])) == (1, 5)
    letters = [(to, " ".join(text.split())) for to, _, text in outbox(folder)]
    asked = [to for to, text in letters if "CONSENT punica 1" in text and "Carl would take it over" in text]
    assert sorted(asked) == [f"{side}@example.org" for side in ("ash", "elm", "fir", "oak")]
    with folder.open() as game:
        assert game.player("yew") == "yew@example.org"

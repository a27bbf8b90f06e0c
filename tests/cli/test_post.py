"""The verbs of the post: `pbem post --once`, its health and unit file, `status`, `doctor`, `backup` and `restore`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from time import time
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from pbem.cli.verbs import app
from pbem.crypto.seal import new_identity, recipient_of
from tests.support.seasons import Season, address


@pytest.fixture
def season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Season:
    made = Season(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PBEM_GAMES", str(made.games))
    monkeypatch.setenv("PBEM_KEYS", str(tmp_path / "keys"))
    monkeypatch.delenv("PBEM_FROM", raising=False)
    made.create("punica", begin=True)
    return made


def run(*words: object, code: int = 0) -> str:
    ran = CliRunner().invoke(app, [str(word) for word in words])
    assert ran.exit_code == code, ran.output
    return ran.output


def test_once_takes_letters_in_and_sends_what_other_verbs_write(season: Season) -> None:
    rules = season.config.boxes[0]
    run("new", "zama", "--rules", "toy", "--player", "red=Ann <ann@example.org>", "--yes", "--rules-dir", rules)
    (welcome,) = (season.games / "outbox" / "new").iterdir()
    assert b"From: Punic Wars <pbem@example.org>" in welcome.read_bytes().replace(b'"', b"")
    season.write(season.letter("punica", "red", b"STATUS\n"))
    said = run("post", "--once")
    assert "punica: letter of red:" in said
    assert {str(each["To"]) for each in season.sent()} == {"ann@example.org", address("punica", "red")}
    assert run("post", "--health").startswith("well. ")


def test_status_tells_what_waits_in_the_post(season: Season) -> None:
    season.write(season.letter("punica", "red", b"STATUS\n"))
    run("post", "--once")
    assert "Post:" not in run("status", "--rules-dir", season.config.boxes[0])
    tables = season.tables()
    tables.postpone("punica", time() + 60, "the disk is full")
    season.write(season.letter("punica", "red", b"STATUS\n"))
    run("post", "--once")
    line = "Post: 1 letter of punica cannot be taken in: the disk is full"
    assert line in run("status", "--rules-dir", season.config.boxes[0])
    assert line in run("status", "punica", "--rules-dir", season.config.boxes[0])


def test_status_tells_which_games_are_pinned_to_other_code(season: Season) -> None:
    boxes = season.config.boxes[0]
    assert "other rules" not in run("status", "punica", "--rules-dir", boxes)
    with patch("pbem.referee.game.open_game.OpenGame.differs", "code"):
        assert "the code differs. Its letters wait" in run("status", "punica", "--rules-dir", boxes)
        assert "its letters wait: it is played with other rules" in run("status", "--rules-dir", boxes)


def test_missing_folder_of_games_loses_no_letter(season: Season) -> None:
    season.write(season.letter("punica", "red", b"STATUS\n"))
    season.games.rename(season.path / "away")
    assert "folder of the games does not exist" in run("post", "--once", code=1)
    (season.path / "away").rename(season.games)
    assert "punica: letter of red:" in run("post", "--once")


def test_wrong_word_in_the_config_has_its_place(season: Season) -> None:
    season.file.write_text(season.file.read_text().replace("per_hour", "per_our"))
    said = run("post", "--once", code=1)
    assert "pbem.yaml:12:" in said
    assert "per_hour" in said


def test_unit_file_names_the_config(season: Season) -> None:
    assert f"post --config {season.file}" in run("post", "--unit")


def test_post_wants_one_thing_at_a_time(season: Season) -> None:
    assert "one of" in run("post", "--once", "--health", code=2)


def test_backup_comes_back(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = new_identity()
    (season.path / "age.key").write_text(identity)
    run("post", "--once")
    said = run("backup", "backups", "--to", recipient_of(identity), "--keep", 1)
    assert said.endswith(": punica; the secrets are sealed.\n")
    (made,) = (season.path / "backups").iterdir()
    assert "nothing is overwritten" in run("restore", made, "--identity", "age.key", code=1)
    season.games.rename(season.path / "lost")
    (season.path / "keys").rename(season.path / "lost-keys")
    assert "Restored to" in run("restore", made, "--identity", "age.key")
    assert "punica" in run("status", "--rules-dir", season.config.boxes[0])
    assert "say how to seal" in run("backup", "backups", code=2)


def test_doctor_says_what_is_wrong(season: Season) -> None:
    run("post", "--once")
    assert "note   backup: no folder of backups is named" in run("doctor")
    os.utime(season.games / "punica.git" / "HEAD", (0, 0))
    found = {each["what"]: each for each in json.loads(run("doctor", "--json", code=1))}
    assert found["games"]["well"]
    assert not found["backup"]["well"]
    assert "WRONG  backup: no folder of backups is named" in run("doctor", code=1)

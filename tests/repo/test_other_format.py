"""Games of another format than this version's: nothing reads them, and their letters wait."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem import verify_one
from pbem.audit.verify import verify
from pbem.cli.runtime import NOT_PROVEN, WORLD
from pbem.mail.intake import take_in, take_in_where_possible
from pbem.pages.game_page import read_record
from pbem.post.service.triage import KnownPlayers
from pbem.referee.opening import open_to_read
from pbem.referee.play import new_game
from pbem.repo.files import charter
from pbem.repo.files.charter import FORMAT, OtherFormat, read_charter
from pbem.repo.git import GameRepo
from tests.support.command_line import pbem, said
from tests.support.live import Folder, letter, order, sheet

NAME = "punica"


@pytest.fixture(params=[1, 2, 4])
def begun(request: pytest.FixtureRequest, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> int:
    """Put a game of another format into the folder, and return its format; `orders.yaml` has a sheet for it."""
    number: int = request.param
    with monkeypatch.context() as older:
        older.setattr(charter, "FORMAT", number)
        older.setattr(new_game, "FORMAT", number)
        with folder.create(name=NAME) as game:
            cards = game.view("red").hands["red"]
            (folder.path / "orders.yaml").write_bytes(sheet(game, "red", order("bury", card=cards[0])))
    return number


def sentence(number: int) -> str:
    return f"punica was begun with format {number} (game.yaml); this version of pbem reads format {FORMAT} alone"


def test_whoever_opens_it_is_told(folder: Folder, begun: int) -> None:
    repo = folder.repo(NAME)
    for read in (
        lambda: folder.open(NAME),
        lambda: open_to_read(folder.games, folder.keys, NAME),
        lambda: verify(repo),
        lambda: read_record(repo),
    ):
        with pytest.raises(OtherFormat) as told:
            read()
        assert str(told.value) == sentence(begun)


def test_a_charter_from_before_formats_is_of_the_first() -> None:
    with pytest.raises(OtherFormat, match="begun with format 1 "):
        read_charter({"game": NAME, "preset": "valley2007"})


def test_verify_one_checks_no_die_of_it(
    folder: Folder, begun: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    with GameRepo.open(folder.repo(NAME)) as repo:
        text = repo.read("game.yaml") or b""
    assert f"format: {begun}\n".encode() in text
    (clone / "game.yaml").write_bytes(text)
    with pytest.raises(SystemExit) as ended:
        verify_one.main(str(clone))
    assert ended.value.code == NOT_PROVEN
    assert capsys.readouterr().err.startswith("not proven: game.yaml: only format 3 is known here")


@pytest.mark.usefixtures("in_the_folder")
def test_every_verb_says_so_in_one_sentence(folder: Folder, begun: int) -> None:
    (folder.path / "letter.eml").write_bytes(letter("red", (folder.path / "orders.yaml").read_bytes()))
    because = ("--reason", "so it is")
    for words in (
        ["status", NAME],
        ["report", NAME, "--side", "red"],
        ["log", NAME],
        ["replay", NAME],
        ["submit", NAME, "orders.yaml", "--side", "red"],
        ["letter", "letter.eml"],
        ["adjudicate", NAME],
        ["rollback", NAME, "--to", "1", "--by-game-master", *because],
        ["ruling", NAME, "--end", *because],
        ["migrate", NAME, "--accept", *because],
        ["reveal", NAME],
        ["publish", NAME, "clone.git"],
        ["site", "pages", NAME],
    ):
        assert said(WORLD, *words) == f"pbem: {sentence(begun)}\n", words
    assert f"{NAME}: cannot be read: {sentence(begun)}" in pbem("status").output
    assert said(NOT_PROVEN, "verify", NAME) == f"not proven: {sentence(begun)}\n"
    assert json.loads(said(NOT_PROVEN, "verify", NAME, "--json")) == {"verdict": "not proven", "why": sentence(begun)}


def test_its_letters_wait(folder: Folder, begun: int) -> None:
    """They are neither lost nor refused as the player's fault, and letters of other games go on."""
    sheets = (folder.path / "orders.yaml").read_bytes()
    for text in (sheets, b"STATUS", b"CONSENT 1", b"REPORT\n\n" + sheets):
        with pytest.raises(OtherFormat, match=f"begun with format {begun}"):
            take_in(letter("red", text), folder.office)
        handled = take_in_where_possible(letter("red", text), folder.office)
        assert (str(handled.waits[NAME]), handled.letters) == (sentence(begun), [])
    known = KnownPlayers(folder.office)
    known.refresh()
    assert known.games_of("red@example.org") == [NAME]
    with folder.create(name="gallia") as other:
        both = sheets + b"\n\n" + sheet(other, "red", order("bury", card=other.view("red").hands["red"][0]))
    handled = take_in_where_possible(letter("red", both), folder.office)
    assert (list(handled.waits), handled.accepted) == ([NAME], True)
    assert any("gallia" in line for line in handled.log)

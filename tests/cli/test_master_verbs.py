"""What a game master runs day by day: the state of all games, new games, late players, other players, the end."""

from __future__ import annotations

import shutil
from email import message_from_bytes
from pathlib import Path

import pytest

from pbem.cli import runtime
from pbem.cli.master import new as new_verb
from pbem.cli.runtime import DONE, USAGE, WORLD
from tests.support.command_line import OF_TOY, pbem, said, told
from tests.support.live import OTHERS, Folder, give, order
from tests.support.read_letters import cards, sheet_file

pytestmark = pytest.mark.usefixtures("in_the_folder")
PLAYERS = ["--player", "red=Ann Smit <ann@example.org>", "--player", "blue=Bob <bob@example.org>"]


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (runtime, new_verb):
        monkeypatch.setattr(module, "on_a_terminal", lambda: True)


def test_letters_of_commands_are_answered_as_those_of_the_post(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers come to the tagged address, and where only signed sheets count there is nothing to tap."""
    monkeypatch.delenv("PBEM_FROM", raising=False)
    config = folder.path / "pbem.yaml"
    for signed in (True, False):
        proofs = "proofs: [signature], " if signed else ""
        config.write_text(
            f"from: R <r@example.org>\nin: {{stdin: true}}\nout: {{sendmail: {{}}}}\nwho: {{{proofs}plus: true}}\n"
        )
        monkeypatch.setenv("PBEM_CONFIG", str(config))
        if not signed:
            monkeypatch.setenv("PBEM_FROM", "The same <r@example.org>")
        letters = told(DONE, "new", f"game-{signed}".lower(), *OF_TOY[2:], *PLAYERS, "--begin")["letters"]
        for path in letters:
            text = message_from_bytes(Path(path).read_bytes())
            assert "<r+" in str(text["Reply-To"])
            (page,) = [each for each in text.walk() if each.get_content_type() == "text/html"]
            content = page.get_payload(decode=True)
            assert isinstance(content, bytes)
            assert (b"only a signed sheet counts" in content) == signed


# ---- status


def test_status_tells_of_all_games_and_whom_they_wait_for(punica: Folder) -> None:
    with punica.open() as game:
        day = game.ledger.public_turn(1)["day"]
        give(game, "red", order("bury", card=game.view("red").hands["red"][0]))
    said(DONE, *OF_TOY, *PLAYERS)
    over = punica.create(name="zama", secrets=OTHERS)
    over.close()
    said(DONE, "resign", "zama", "--side", "red", "--by-game-master", "--reason", "she telephoned")
    lines = said(DONE, "status").splitlines()
    assert lines == [
        "gallia: Three Hills, not begun, waits for a phrase from red (Ann Smit), blue (Bob)",
        f"punica: Three Hills, after adjudication 1, waits for blue (blue@example.org) since {day}",
        "zama: Three Hills, after adjudication 2, over: Red has resigned; Blue wins.",
    ]
    rows = told(DONE, "status")
    assert [row["game"] for row in rows] == ["gallia", "punica", "zama"]
    assert rows[1] == told(DONE, "status", "punica")
    assert rows[1]["since"] == day


@pytest.mark.parametrize("harm", ["no repo", "no keys"])
def test_a_damaged_game_hides_no_other(punica: Folder, harm: str) -> None:
    punica.create(name="gallia", secrets=OTHERS).close()
    if harm == "no repo":
        shutil.rmtree(punica.repo("gallia") / "objects")
    else:
        (punica.keys / "gallia.yaml").unlink()
    ran = pbem("status")
    assert ran.exit_code == WORLD
    first, second = ran.stdout.splitlines()
    assert first.startswith("gallia: cannot be read: ")
    assert second.startswith("punica: Three Hills, after adjudication 1, waits for ")
    rows = told(WORLD, "status")
    assert rows[0]["game"] == "gallia"
    assert rows[0]["wrong"]
    assert rows[1]["waiting"]


def test_status_without_games_says_where_it_looked(folder: Folder) -> None:
    assert f"There are no games in {folder.games}" in said(DONE, "status")
    assert told(DONE, "status") == []


# ---- new


def test_new_shows_the_letters_and_asks(folder: Folder, at_a_terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_FROM", raising=False)
    ran = pbem(*OF_TOY, *PLAYERS, stdin=b"n\n")
    assert ran.exit_code == WORLD
    assert "To: ann@example.org\nSubject: gallia: you play Red. Please send a phrase\n  Dear Ann Smit,\n" in ran.stderr
    assert "To: bob@example.org" in ran.stderr
    assert "Make gallia? [y/N]" in ran.stderr
    assert "PBEM_FROM is not set" in ran.stdout
    assert not folder.repo("gallia").exists()
    assert not (folder.keys / "gallia.yaml").exists()
    assert pbem(*OF_TOY, *PLAYERS, stdin=b"y\n").exit_code == DONE
    assert folder.repo("gallia").exists()


def test_new_asks_who_plays_a_side(folder: Folder, at_a_terminal: None) -> None:
    ran = pbem(*OF_TOY, *PLAYERS[:2], stdin=b"Bob <bob@example.org>\ny\n")
    assert ran.exit_code == DONE, ran.output
    assert "Who plays blue? NAME <address>" in ran.stderr
    with folder.open("gallia") as game:
        assert dict(game.ledger.addresses) == {"red": "ann@example.org", "blue": "bob@example.org"}
    assert pbem("new", "third", *OF_TOY[2:], *PLAYERS[:2], "--yes").exit_code == DONE


def test_new_says_what_is_missing_where_nobody_is_asked(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_FROM", raising=False)
    text = said(DONE, *OF_TOY, *PLAYERS[:2])
    assert "blue has no player and gets no letters." in text
    assert "PBEM_FROM is not set, and there is no pbem.yaml: letters come from pbem@localhost" in text
    assert f"They lie in {folder.games / 'outbox' / 'new'}. Nothing sends them yet: `pbem post` does, once" in text
    config = folder.path / "pbem.yaml"
    config.write_text("from: pbem@example.org\nin: {stdin: true}\nout: {sendmail: {}}\n", "utf-8")
    monkeypatch.setenv("PBEM_CONFIG", str(config))
    text = said(DONE, "new", "fourth", *OF_TOY[2:], *PLAYERS)
    assert "PBEM_FROM" not in text
    assert "`pbem post` sends them." in text
    monkeypatch.setenv("PBEM_FROM", "Referee <pbem@example.org>")
    assert "PBEM_FROM" not in said(DONE, "new", "third", *OF_TOY[2:], *PLAYERS)


# ---- late


def test_late_names_the_verb_that_will_do(punica: Folder) -> None:
    text = said(DONE, "adjudicate", "punica", "--late", "red")
    assert "Nothing could be adjudicated." in text
    assert "--late cannot answer bury of red, which has no default. One of these will do:" in text
    for verb in ("adjudicate punica --bot red", "ruling punica --answer red=FILE --reason TEXT"):
        assert f"`pbem {verb}`" in text
    assert told(DONE, "adjudicate", "punica", "--late", "red")["advice"]
    with punica.open() as game:
        give(game, "red", order("bury", card=game.view("red").hands["red"][0]))
    text = said(DONE, "adjudicate", "punica", "--late", "red")
    assert "nothing is asked of red now; the game waits for blue: pbem adjudicate punica --late blue" in text
    assert "advice" not in told(DONE, "adjudicate", "punica")


def test_late_waits_for_who_is_asked_at_the_same_time(punica: Folder) -> None:
    """A ruling answers for red, but blue is asked at the same time."""
    path = sheet_file(punica, "red", cards(punica, "red")[0])
    said(DONE, "ruling", "punica", "--default", f"red={path}", "--reason", "she is away")
    text = said(DONE, "adjudicate", "punica", "--late", "red")
    assert (
        "the answer of red waits for blue, asked at the same time: pbem adjudicate punica --late red --late blue"
        in text
    )


@pytest.mark.parametrize(
    "words", [["submit", "punica", "x.yaml", "--side", "red"], ["status", "punica"], ["ruling", "x"]]
)
def test_late_at_another_verb_names_its_own(punica: Folder, words: list[str]) -> None:
    assert "pbem adjudicate GAME --late SIDE" in said(USAGE, *words, "--late", "red")


# ---- another player


def test_a_side_gets_another_player(punica: Folder) -> None:
    text = said(DONE, "player", "punica", "red=Carl <carl@example.net>")
    assert "Carl <carl@example.net> takes over red in punica from red@example.org." in text
    (path,) = [line.removeprefix("Letter: ") for line in text.splitlines() if line.startswith("Letter: ")]
    assert b"carl@example.net" in Path(path).read_bytes()
    assert "red: Carl" in said(DONE, "status", "punica")
    row = told(DONE, "player", "punica", "red=<carl@example.com>")
    assert (row["side"], row["replaced"], len(row["letters"])) == ("red", False, 1)


def test_another_player_is_asked_for_at_a_terminal(punica: Folder, at_a_terminal: None) -> None:
    assert pbem("player", "punica", "red=Carl <carl@example.net>", stdin=b"\n").exit_code == WORLD
    with punica.open() as game:
        assert game.ledger.addresses["red"] == "red@example.org"
    assert pbem("player", "punica", "red=Carl <carl@example.net>", "--yes").exit_code == DONE


@pytest.mark.parametrize(
    ("code", "entry", "text"),
    [
        (USAGE, "red", "write SIDE='NAME <address>'"),
        (USAGE, "red=Carl", "write SIDE='NAME <address>'"),
        (USAGE, "green=Carl <c@x.org>", "punica has no side green"),
        (WORLD, "red=Carl <blue@example.org>", "plays blue in punica"),
    ],
)
def test_a_player_needs_a_side_and_an_address(punica: Folder, code: int, entry: str, text: str) -> None:
    assert text in said(code, "player", "punica", entry)


# ---- the end


def test_a_draw_is_asked_for(punica: Folder) -> None:
    text = said(DONE, "draw", "punica", "--reason", "both are tired")
    assert "Request 1: punica is to end in a draw." in text
    assert "It is done once red, blue have answered CONSENT punica 1." in text
    assert text.count("Letter: ") == 2
    assert "Request 1, to end the game in a draw, waits for Red and Blue." in said(DONE, "status", "punica")


def test_the_game_master_ends_a_game(punica: Folder) -> None:
    assert "needs a reason" in said(USAGE, "draw", "punica", "--by-game-master")
    row = told(DONE, "draw", "punica", "--by-game-master", "--reason", "they agreed on the telephone")
    assert row["act"] == {"kind": "draw", "reason": "they agreed on the telephone", "by": "the game master"}
    assert "The game is over. It is a draw." in said(DONE, "status", "punica")


def test_a_side_is_asked_whether_it_resigns(punica: Folder) -> None:
    text = said(DONE, "resign", "punica", "--side", "red")
    assert "Request 1: red is to resign in punica." in text
    assert "It is done once red has answered CONSENT punica 1." in text
    assert "punica has no side green" in said(USAGE, "resign", "punica", "--side", "green")

"""Before the first shuffle: who is waited for, whose words go into the dice, and what each player is told of it."""

from __future__ import annotations

import json
import os
import re
import shutil
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from pbem.cli.master import play as desk
from pbem.cli.runtime import Shared
from pbem.crypto.dice import inputs_digest
from pbem.crypto.seal import new_identity, recipient_of, unseal
from pbem.game import yaml as yamlio
from pbem.mail.answer.joining import MOST_OF_A_PHRASE
from pbem.mail.intake import take_in
from pbem.mail.tasks import Handled
from pbem.mail.write.welcome import welcome_letters
from pbem.referee.game.home_check import take_home
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.git import GameRepo
from tests.support.blank import blank_pictures
from tests.support.command_line import OF_TOY, told
from tests.support.command_line import said as printed
from tests.support.crash import dies
from tests.support.live import SECRETS, Folder, files, git, later, letter, order, readable, sheet, subjects
from tests.support.read_letters import Read, read
from tests.support.walks import FOLDERS

KEY = recipient_of(SECRETS.identity)
PLAYERS = ["--player", "red=Ann Smit <red@example.org>", "--player", "blue=Bob <blue@example.org>"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    return Folder(tmp_path)


@pytest.fixture
def waiting(folder: Folder) -> Folder:
    """Return a folder with a game that waits for a phrase of each side."""
    folder.create(begin=False).close()
    return folder


@pytest.fixture
def shell(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder that the command line works in."""
    monkeypatch.setenv("PBEM_GAMES", str(folder.games))
    monkeypatch.setenv("PBEM_KEYS", str(folder.keys))
    monkeypatch.setenv("PBEM_FROM", folder.office.sender)
    return folder


def says(folder: Folder, side: str, *lines: str, number: int = 1) -> Handled:
    """Mail some lines."""
    return take_in(letter(side, "\n".join(lines).encode(), number=number), folder.office)


def got(handled: Handled) -> dict[str, Read]:
    """Return the letters by the side they went to; no side gets two."""
    found = {out.to.partition("@")[0]: read(out) for out in handled.letters}
    assert len(found) == len(handled.letters)
    return found


def flat(text: str) -> str:
    return " ".join(text.split())


def joined(folder: Folder, side: str) -> Any:
    with folder.open() as game:
        content = game.ledger.repo.read(f"joined/{side}.yaml")
    return None if content is None else yamlio.read(content, name=side).value


# ---- the welcome


def test_the_welcome_asks_for_a_phrase_and_promises_the_dice(waiting: Folder) -> None:
    with waiting.open() as game:
        welcome = {out.to: read(out) for out in welcome_letters(game, waiting.office)}
        dice, key = game.charter.dice, game.charter.signed_by.split()
    assert welcome.keys() == {"red@example.org", "blue@example.org"}
    for to, each in welcome.items():
        name = {"red@example.org": "Red", "blue@example.org": "Blue"}[to]
        assert each.subject == f"punica: you play {name}. Please send a phrase"
        assert "\n  PHRASE any words of yours\n" in each.text
        for word in (dice.tip, dice.hidden, *key):
            assert f"\n  {word}\n" in each.text
        assert f"({dice.scheme})" in each.text
        for word in ("`KEY age1...`", "`KEY ssh-ed25519 AAAA...`", "`CHAIN tip length`", "STATUS"):
            assert word in each.text
        assert each.parts.keys() == {"receipt.txt"}
        assert max(map(len, each.text.splitlines())) <= 72


def test_the_welcome_sent_back_as_it_is_joins_nobody(waiting: Folder) -> None:
    with waiting.open() as game:
        text = read(next(welcome_letters(game, waiting.office))).text
    handled = says(waiting, "red", text)
    assert not handled.accepted
    assert "write any words of your own after it" in flat(got(handled)["red"].text)
    assert joined(waiting, "red") is None


def test_a_new_game_with_addresses_waits_for_its_players(shell: Folder) -> None:
    record = told(0, *OF_TOY, *PLAYERS)
    assert record["awaited"] == ["red", "blue"]
    assert record["waiting"] == []
    assert sorted(Path(path).name.partition(".g")[0] for path in record["letters"]) == ["welcome", "welcome"]
    text = printed(0, "status", "gallia", "--rules-dir", OF_TOY[-1])
    assert "(usual), not begun" in text
    assert "It waits for a phrase from red (Ann Smit), blue (Bob). To begin without: `pbem adjudicate gallia`" in text
    status = told(0, "status", "gallia", "--rules-dir", OF_TOY[-1])
    assert (status["awaited"], status["adjudication"], status["result"]) == (["red", "blue"], 0, None)
    for verb in ("report", "map"):
        assert "gallia has not begun" in printed(1, verb, "gallia", "--rules-dir", OF_TOY[-1])


@pytest.mark.parametrize("words", [["--begin", *PLAYERS], ["--player", "red=Ann"], []])
def test_new_game_begins_at_once_if_told_to_or_without_addresses(shell: Folder, words: list[str]) -> None:
    """A new game begins at once if it is told to or if nobody has an address."""
    record = told(0, *OF_TOY, *words)
    assert (record["awaited"], len(record["waiting"])) == ([], 2)
    assert len(record["letters"]) == (2 if "--begin" in words else 0)
    for path in record["letters"]:
        assert b"Red sent no phrase.\r\n  Blue sent no phrase." in Path(path).read_bytes()


# ---- phrases


def test_phrase_is_recorded_and_the_last_one_begins_the_game(waiting: Folder) -> None:
    """A phrase is put on record, and the last one begins the game."""
    handled = says(waiting, "red", "Hello,", "PHRASE alea   iacta est", "--", "PHRASE Ann")
    assert handled.accepted
    answer = got(handled)["red"]
    assert answer.subject == "punica: PHRASE"
    assert "PHRASE: on record for Red: alea iacta est\n" in answer.text
    assert "The game has not begun: it waits for a phrase from Blue." in answer.text
    assert re.fullmatch(r"<\d+\.red@example\.org>", answer.message["In-Reply-To"])
    assert joined(waiting, "red") == {"phrase": "alea iacta est"}
    handled = says(waiting, "blue", "PHRASE: vae victis")
    assert handled.notes == ["punica: blue says PHRASE", "punica: adjudication 1"]
    first = got(handled)
    assert first.keys() == {"red", "blue"}
    for side, each in first.items():
        assert each.subject.startswith("Your move in punica: it begins, you play")
        assert "\n  Red: alea iacta est\n  Blue: vae victis\n" in each.text
        assert "YOU ARE ASKED: " in each.text
        assert each.parts.keys() == {
            *("close-up.png", "map.png", "legend.png"),
            *("orders.yaml", "position.txt", "position.json", "receipt.txt"),
        }
        assert ("PHRASE: on record for Blue: vae victis" in each.text) == (side == "blue")
    with waiting.open() as game:
        turn = game.ledger.public_turn(1)
        assert turn["joined"] == {"blue": {"phrase": "vae victis"}, "red": {"phrase": "alea iacta est"}}
        charter = sha256(files(game.ledger.repo)["game.yaml"]).hexdigest()
        assert turn["inputs"] == inputs_digest(charter, {"joined": turn["joined"]})


def test_the_phrases_turn_the_first_shuffle(tmp_path: Path) -> None:
    hands = []
    for number, phrase in enumerate(("alea iacta est", "alea iacta est", "veni vidi vici")):
        with Folder(tmp_path / str(number)).create(begin=False) as game:
            game.join_side("red", phrase=phrase)
            game.adjudicate()
            hands.append(game.view("red").hands["red"])
    assert hands[0] == hands[1] != hands[2]


def test_second_phrase_before_the_shuffle_replaces_the_first(waiting: Folder) -> None:
    """Until the first shuffle a second phrase takes the place of the first."""
    says(waiting, "red", "PHRASE one")
    first = letter("red", b"PHRASE two", number=2)
    assert "on record for Red: two" in got(take_in(first, waiting.office))["red"].text
    says(waiting, "red", "PHRASE three", number=3)
    then = git(waiting.repo("punica"), "rev-parse", "main")
    handled = take_in(first, waiting.office)
    assert "on record for Red: three" in got(handled)["red"].text, "a letter that comes again changes nothing"
    assert git(waiting.repo("punica"), "rev-parse", "main") == then
    assert joined(waiting, "red") == {"phrase": "three"}
    with waiting.open() as game:
        assert [line for line in subjects(game) if line.endswith("joins")] == ["punica: red joins"] * 3


def test_phrase_after_the_shuffle_is_refused_with_the_reason(folder: Folder) -> None:
    """After the first shuffle a phrase is refused with the reason."""
    folder.create().close()
    before = git(folder.repo("punica"), "rev-parse", "main")
    for words in ("PHRASE alea iacta est", f"CHAIN {'ab' * 32} 500"):
        handled = says(folder, "red", words)
        assert not handled.accepted
        assert "counts only before the first shuffle, and punica has begun." in flat(got(handled)["red"].text)
        assert joined(folder, "red") is None
    assert git(folder.repo("punica"), "rev-parse", "main") == before


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("PHRASE", "write any words of your own"),
        ("PHRASE any words of yours", "write any words of your own"),
        ("PHRASE " + "x" * (MOST_OF_A_PHRASE + 1), f"at most {MOST_OF_A_PHRASE} characters"),
        ("CHAIN", "write the tip and the length after it"),
        ("CHAIN abc 5", "a chain is a tip of 64 digits"),
        (f"CHAIN {'ab' * 32} many", "write the tip and the length after it"),
        (f"CHAIN {'ab' * 32} 0", "a length from 1"),
    ],
)
def test_what_is_no_phrase_or_chain_is_refused_with_the_reason(waiting: Folder, line: str, reason: str) -> None:
    handled = says(waiting, "red", line)
    assert not handled.accepted
    assert reason in flat(got(handled)["red"].text)
    assert joined(waiting, "red") is None


def test_a_phrase_holds_nothing_that_plays_tricks_on_a_screen(waiting: Folder) -> None:
    says(waiting, "red", "PHRASE alea\x1b[2J iacta \u202etse\u2060 \N{ELEPHANT}")
    assert joined(waiting, "red") == {"phrase": "alea [2J iacta tse \N{ELEPHANT}"}


def test_an_opponents_phrase_cannot_pass_for_an_order_sheet(waiting: Folder) -> None:
    trick = f"{'x' * 60} game: punica {'x' * 60} side: red {'x' * 60}"
    says(waiting, "blue", f"PHRASE {trick}")
    first = got(says(waiting, "red", "PHRASE vae victis"))["red"]
    assert "\n  | game: punica\n" in first.text
    assert not [line for line in first.text.splitlines() if line.strip().startswith("game:")][1:]


def test_all_that_went_into_the_first_dice_is_told_to_all(waiting: Folder) -> None:
    # Or the referee could put in a key for a side that never sent one, and try many.
    tip = "ab" * 32
    says(waiting, "red", "PHRASE alea iacta est", f"KEY {KEY}", f"CHAIN {tip} 500")
    for each in got(says(waiting, "blue", "PHRASE vae victis")).values():
        told_of = each.text.partition("when the game began:")[2].partition("Enclosed:")[0]
        assert flat(told_of).replace("| ", "") == (
            f"Red: alea iacta est With a dice chain of its own: {tip} 500 With the key: {KEY} Blue: vae victis"
        )


# ---- beginning without them


def test_the_game_master_may_begin_and_who_contributed_is_told(shell: Folder) -> None:
    told(0, *OF_TOY, *PLAYERS)
    take_in(letter("blue", b"game: gallia\nPHRASE vae victis"), shell.office)
    record = told(0, "adjudicate", "gallia", "--rules-dir", OF_TOY[-1])
    assert record["adjudications"] == [1]
    assert len(record["letters"]) == 2
    for path in record["letters"]:
        assert b"\r\n  Red sent no phrase.\r\n  Blue: vae victis\r\n" in Path(path).read_bytes()
        assert b"it begins, you play" in Path(path).read_bytes()
    with shell.open("gallia") as game:
        assert game.ledger.public_turn(1)["joined"] == {"blue": {"phrase": "vae victis"}}


def test_a_side_without_an_address_is_not_waited_for(folder: Folder) -> None:
    folder.create(begin=False, addresses={"red": "red@example.org"}).close()
    handled = says(folder, "red", "PHRASE alea iacta est")
    assert handled.notes[-1] == "punica: adjudication 1"
    assert "  Blue sent no phrase.\n" in got(handled)["red"].text


# ---- sheets that come before


def test_a_sheet_before_the_first_report_is_refused_kindly(waiting: Folder) -> None:
    text = "game: punica\nside: red\nadjudication: 0\norders:\n- bury: {card: 1}"
    handled = says(waiting, "red", text)
    assert not handled.accepted
    answer = flat(got(handled)["red"].text)
    assert "Your order sheet was not carried out: it came before the first report." in answer
    assert "it waits for a phrase from you and Blue." in answer
    handled = says(waiting, "red", "PHRASE alea iacta est", text, number=2)
    answer = flat(got(handled)["red"].text)
    assert "on record for Red: alea iacta est" in answer
    assert "Your order sheet was not carried out" in answer
    assert joined(waiting, "red") == {"phrase": "alea iacta est"}
    handled = says(waiting, "blue", "FORECAST", text.replace("red", "blue"))
    assert "it waits for a phrase from you." in flat(got(handled)["blue"].text)


# ---- exactly once


def test_a_letter_that_joins_counts_once_and_is_answered_again(waiting: Folder) -> None:
    mailed = [letter("red", b"PHRASE alea iacta est"), letter("blue", b"PHRASE vae victis\nKEY " + KEY.encode())]
    first = [take_in(raw, waiting.office) for raw in mailed]
    then = git(waiting.repo("punica"), "rev-parse", "main")
    again = take_in(mailed[1], later(waiting.office, 1))
    assert [out.name for out in again.letters] == [out.name for out in first[1].letters]
    assert [read(out).text for out in again.letters] == [read(out).text for out in first[1].letters]
    assert git(waiting.repo("punica"), "rev-parse", "main") == then
    with waiting.open() as game:
        for side in ("red", "blue"):
            text = sheet(game, side, order("bury", card=game.view(side).hands[side][0]))
            assert take_in(letter(side, text, number=5), waiting.office).accepted
    assert [out.to for out in take_in(mailed[1], waiting.office).letters] == ["blue@example.org"]


def test_letter_whose_reader_died_before_beginning_begins_game(waiting: Folder) -> None:
    """A letter whose reader died before the beginning begins the game."""
    raw = letter("blue", b"PHRASE vae victis")
    says(waiting, "red", "PHRASE alea iacta est")
    with waiting.open() as game, pytest.MonkeyPatch.context() as broken:
        broken.setattr(Adjudicator, "adjudicate", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            take_in(raw, waiting.office)
        assert joined(waiting, "blue") is None, "words and beginning are one"
        game.join_side("blue", phrase="vae victis", letter=sha256(raw).hexdigest())
    assert got(take_in(raw, waiting.office)).keys() == {"red", "blue"}


# ---- keys


def test_a_key_that_came_by_letter_opens_what_its_side_may_know(waiting: Folder) -> None:
    identity = new_identity()
    says(waiting, "red", f"KEY {recipient_of(identity)}", "PHRASE alea iacta est")
    says(waiting, "blue", "PHRASE vae victis")
    with waiting.open() as game:
        found = files(game.ledger.repo)
        known = json.loads(unseal(identity, "views/red.age", found["views/red.age"]))
        assert known["position"] == take_home(game, "red")["position"]
        assert "views/blue.age" not in found


def test_player_opens_what_is_sealed_to_them_and_checks_a_sheet(shell: Folder) -> None:
    """Players open with their key what is sealed to it, and can check a sheet with what they find."""
    identity = new_identity()
    keys = [shell.path / name for name in ("mine.txt", "other.txt", "none.txt")]
    for path, text in zip(keys, (f"# made today\n{identity}\n", new_identity(), "secret"), strict=True):
        path.write_text(text)
    with shell.create(begin=False) as game:
        game.join_side("red", key=recipient_of(identity))
        game.adjudicate()
        sealed, home = game.ledger.repo.read("views/red.age"), take_home(game, "red")
        mine = sheet(game, "red", order("bury", card=game.view("red").hands["red"][0]))
    assert sealed is not None
    file, position, orders = (shell.path / name for name in ("red.age", "position.json", "orders.yaml"))
    file.write_bytes(sealed)
    opened = printed(0, "open", file, "--identity", keys[0])
    known = json.loads(opened)
    home.pop("sealed_to")  # which only a letter encloses: whoever has the file has the repo
    assert {word: known[word] for word in home} == home
    assert [event["kind"] for event in known["events"]]
    assert printed(0, "open", "-", "-i", keys[0], stdin=sealed) == opened
    position.write_text(opened)
    orders.write_bytes(mine)
    assert "no faults" in printed(0, "check", position, orders, "--rules-dir", OF_TOY[-1])
    assert "does not open the file" in printed(1, "open", file, "-i", keys[1])
    assert "no secret key in the file" in printed(1, "open", file, "-i", keys[2])
    assert "does not open the file" in printed(1, "open", orders, "-i", keys[0])
    assert "No such file" in printed(1, "open", shell.path / "nothing.age", "-i", keys[0])


def read_letter(path: Path) -> None:
    """Do what `pbem letter` does."""
    with patch.dict(os.environ, PBEM_KEYS=str(path / "keys")):
        desk.receive_letter(
            path / "blue.eml", None, Shared(path / "games", [Path(each) for each in FOLDERS], json=True)
        )


def left(path: Path) -> tuple[list[tuple[str, dict[str, bytes]]], list[str]]:
    """Return what anybody can read of each commit, youngest first, and the names of the letters in the outbox.

    The digest in a name is left out: the letter has the id of a commit, in which what is sealed differs each time.
    """
    with GameRepo.open(path / "games" / "punica.git") as repo:
        commits = [(commit.message, readable(repo, commit.sha)) for commit in repo.history()]
    return commits, sorted(file.stem for file in (path / "games" / "outbox").glob("new/*"))


def test_a_phrase_whose_reader_dies_begins_the_game_once(waiting: Folder, tmp_path: Path) -> None:
    says(waiting, "red", "PHRASE alea iacta est")
    raw = letter("blue", f"PHRASE vae victis\nKEY {KEY}".encode(), number=2)
    (waiting.path / "blue.eml").write_bytes(raw)

    whole = tmp_path / "whole"
    shutil.copytree(waiting.path, whole, ignore=shutil.ignore_patterns("whole"))
    before, _ = left(whole)
    assert not dies(partial(read_letter, whole), 1_000_000)
    end = left(whole)
    assert (len(end[0]) - len(before), len(end[1])) == (3, 2)
    for at in count(1, 37):
        path = tmp_path / f"died-{at}"
        shutil.copytree(waiting.path, path, ignore=shutil.ignore_patterns("whole", "died-*"))
        died = dies(partial(read_letter, path), at, torn=at % 2 == 0)
        assert left(path)[0] in (before, end[0]), at
        for _ in range(1 + (at % 3 == 0)):
            assert not dies(partial(read_letter, path), 1_000_000)
            assert left(path) == end, at
        if not died:
            break
    assert at > 60, "the hook saw too few calls to mean anything"

"""`pbem verify` finds nothing wrong with games that are right: with keys and without, here and in clones."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest

from pbem.audit.record.findings import Findings, Looked, Place, Word
from pbem.audit.verify import Verdict, verify
from pbem.cli.runtime import DONE, FAULTS, WORLD
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE
from pbem.crypto.dice import Chain
from pbem.crypto.keys import BadKeys, Keys, Secrets
from pbem.crypto.player_chains import LOST
from pbem.orders.check import OpenDecisions
from pbem.referee.acts.rollback import roll_back
from pbem.referee.acts.ruling import break_off
from pbem.repo.files.charter import ChainPromise
from pbem.repo.git import NoSuchGame
from pbem.repo.public import repo_of
from tests.support.beacon_rounds import PUBLISHED
from tests.support.command_line import said
from tests.support.forging import STANDING, told
from tests.support.live import SECRETS, Folder, git, order, pick, play, sheet
from tests.support.walks import FOLDERS

IN_CLEAR = ["repo", "history", "turns", "sheets", "phrases", "links", "rolls", "draws", "rules"]
SEALED = ["sealed", "shuffles", "derived"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game that is over, one under way, and one of the real rules."""
    folder = Folder(tmp_path_factory.mktemp("verified"))
    told(folder, name="over").close()
    told(folder, name="running", most=12).close()
    told(folder, name="hannibal", rules="rome_carthage", most=25).close()
    return folder


def right(path: Path, keys: Path | None = None) -> dict[str, str]:
    """Return what was checked of a game that is proven, by subject; a dash if it is not part of the level."""
    load = None if keys is None else lambda game: Keys.load(keys, game)
    verdict = verify(path, keys=load, folders=FOLDERS)
    assert complaints(verdict) == []
    assert verdict.findings.word is Word.PROVEN
    return {each.subject: "-" if each.looked is Looked.BEYOND else each.text for each in verdict.findings.checked}


def complaints(verdict: Verdict) -> list[str]:
    return [str(each) for each in verdict.findings.sorted]


# ---- games that are right


def test_of_a_finished_game_everything_is_checked(folder: Folder) -> None:
    checked = right(folder.repo("over"))
    assert list(checked) == IN_CLEAR + SEALED
    assert checked["phrases"] == "1 of 2 sides mailed a phrase before the first shuffle"
    assert checked["rules"] == "toy here, and as the game pins it: box the same, code the same"
    for subject in ("turns", "sheets", "links", "rolls", "draws", *SEALED):
        assert not checked[subject].startswith("0 "), checked[subject]


@pytest.mark.parametrize("name", ["running", "hannibal"])
def test_without_a_key_what_is_sealed_waits_for_the_end(folder: Folder, name: str) -> None:
    checked = right(folder.repo(name))
    assert list(checked) == [*IN_CLEAR, "sealed"]
    assert checked["sealed"] == "-"
    assert list(right(folder.repo(name), folder.keys)) == IN_CLEAR + SEALED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["running", "over", "hannibal"])
def test_a_clone_is_as_good_as_the_repo(folder: Folder, name: str, tmp_path: Path) -> None:
    bare, checked_out = tmp_path / "bare", tmp_path / "checked_out"
    clone(folder.repo(name), bare, "--bare")
    clone(folder.repo(name), checked_out)
    expected = right(folder.repo(name))
    assert right(bare) == right(checked_out) == right(checked_out / ".git") == expected
    git(bare, "gc", "--quiet", "--aggressive")
    assert right(bare) == expected


@pytest.mark.parametrize(
    "whole", [pytest.param(False, id="two"), pytest.param(True, id="some", marks=pytest.mark.slow)]
)
def test_every_earlier_state_is_right_by_itself(folder: Folder, tmp_path: Path, whole: bool) -> None:
    copy = tmp_path / "over.git"
    shutil.copytree(folder.repo("over"), copy)
    commits = git(copy, "rev-list", "main").split()
    for commit in (*commits[1:10:3], *commits[-4:]) if whole else (commits[1], commits[-2]):
        git(copy, "update-ref", "refs/heads/main", commit)
        right(copy)
        right(copy, renamed(folder, "over", tmp_path))


def test_a_game_that_has_not_begun_is_right(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.create(begin=False) as game:
        right(folder.repo("punica"), folder.keys)
        game.join_side("red", phrase="the first of all")
    assert right(folder.repo("punica"), folder.keys)["turns"].startswith("0 turn files")


def test_a_chain_that_is_renewed_goes_on(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    Keys.create(folder.keys, "punica", SECRETS, length=3)
    with folder.create() as game:
        list(play(game, 3, 20))
        renewals = game.adjudication // 3
        assert renewals > 1
    assert right(folder.repo("punica"), folder.keys)["links"].endswith(f", {renewals} renewals")


def test_player_chains_are_checked(tmp_path: Path) -> None:
    folder, chain = Folder(tmp_path), Chain(b"r" * 32, 3)
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(chain.tip, 3))
        game.adjudicate()
        random, opened = Random(5), 0
        for _ in range(14):
            side = game.open_decisions[0].side
            text = sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
            if side == "red" and game.player_chain("red") is not None:
                opened += 1
                link = chain.link(opened) if opened <= 3 else LOST
                text = text.replace(b"orders:", f"link: {link}\norders:".encode())
            receipt = game.receive(side, text)
            assert receipt.number is not None, str(receipt)
            game.adjudicate()
        assert game.player_chain("red") is None
    assert right(folder.repo("punica"), folder.keys)["player chains"].startswith("red: 3 links opened, ")


def test_rounds_of_the_beacon_are_checked(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.create(begin=False, beacon="drand") as game:
        for n, signature in list(PUBLISHED.items())[:2]:
            game.moment = time_of(n) - PATIENCE
            for side in ("red", "blue") if game.begun else ():
                game.receive(side, sheet(game, side, order("bury", card=game.view(side).hands[side][0])))
            assert game.adjudicate() == []
            right(folder.repo("punica"))
            assert game.put_in_round(n, signature)
    assert right(folder.repo("punica"), folder.keys)["beacon"] == "2 rounds of drand, 0 turns without"


def test_what_the_game_master_does_is_part_of_the_game(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.create() as game:
        list(play(game, 3, 8))
        last = game.adjudication
        roll_back(game, last - 3, "the wrong map was sent")
        list(play(game, 4, 5))
        roll_back(game, last - 4, "and again")
        list(play(game, 5, 4))
        right(folder.repo("punica"))
        break_off(game, "nobody answers any more")
    checked = right(folder.repo("punica"), folder.keys)
    assert checked["undone"].startswith(f"turns {last - 3}, {last - 2}")


def test_standing_orders_are_held_against_their_digests(folder: Folder) -> None:
    """That they were filed at all is what the forger's tests rest on."""
    for name in ("over", "hannibal"):
        assert git(folder.repo(name), "log", "--oneline", "main", "--", "standing").count("\n") >= 2
    assert STANDING


# ---- what is no game, or not this one


def test_other_secrets_are_refused(folder: Folder, tmp_path: Path) -> None:
    Keys.create(tmp_path / "keys", "running", Secrets.drawn())
    with pytest.raises(BadKeys, match="not the secrets that running was begun with"):
        verify(folder.repo("running"), keys=lambda game: Keys.load(tmp_path / "keys", game), folders=FOLDERS)


def test_what_is_no_game_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(NoSuchGame, match="there is no repo of a game"):
        verify(tmp_path)
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(tmp_path / "other")], check=True)
    as_somebody = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    words = ["git", "-C", str(tmp_path / "other"), *as_somebody, "commit", "--quiet", "--allow-empty", "-m", "x"]
    subprocess.run(words, check=True)
    with pytest.raises(NoSuchGame, match=r"its first commit has no game\.yaml"):
        verify(tmp_path / "other")


def test_rules_that_are_not_here_are_said_to_be_missing(folder: Folder) -> None:
    verdict = verify(folder.repo("over"))
    (rules,) = (each for each in verdict.findings.checked if each.subject == "rules")
    assert rules.looked is Looked.OPEN
    assert verdict.findings.word is Word.NOT_PROVEN
    assert rules.text.startswith("not compared: ")
    assert complaints(verdict) == []


def test_a_checked_out_file_that_was_changed_is_named(folder: Folder, tmp_path: Path) -> None:
    clone(folder.repo("over"), tmp_path / "over")
    (tmp_path / "over" / "position.yaml").write_text("phase: over\n", "utf-8")
    (tmp_path / "over" / "turns" / "000" / "0003.yaml").unlink()
    reason = "the checked out file is not the one that is committed"
    verdict = verify(tmp_path / "over", folders=FOLDERS)
    assert complaints(verdict) == [f"position.yaml: {reason}", f"turns/000/0003.yaml: {reason}"]


# ---- the command


def test_the_command_says_what_it_checked(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_KEYS", str(folder.keys))
    text = run(folder, DONE, "over")
    assert text.startswith("over: proven, ")
    assert all(re.search(rf"^  ok      {subject} ", text, re.MULTILINE) for subject in IN_CLEAR + SEALED)
    assert text.endswith("All that can be checked at this level was checked, and all of it is right.\n")
    assert re.search("^  -       sealed ", run(folder, DONE, "running"), re.MULTILINE)
    verdict = json.loads(run(folder, DONE, folder.repo("running"), "--with-key", "--json"))
    assert (verdict["opened"], verdict["divergences"]) == (True, [])


def test_the_command_insists_on_the_reveal_if_asked(folder: Folder) -> None:
    run(folder, DONE, "over", "--after-reveal")
    text = run(folder, WORLD, "running", "--after-reveal")
    assert text == "pbem: running has not revealed its secrets; they are published when it is over\n"
    run(folder, WORLD, "nobody")


def test_the_command_tells_the_first_thing_wrong(folder: Folder, tmp_path: Path) -> None:
    copy = tmp_path / "running.git"
    shutil.copytree(folder.repo("running"), copy)
    (copy / "refs" / "heads" / "main").write_text("nothing\n", "utf-8")
    text = run(folder, FAULTS, copy)
    assert " found. The first:\n  the repo: " in text
    assert json.loads(run(folder, FAULTS, copy, "--json"))["divergences"][0]["at"] == "the repo"


def test_places_are_said_as_a_person_would() -> None:
    findings = Findings()
    findings.blame(Place(40, 31, 4, "retreat/cannae"), "the turn file says 3, the dice say 2")
    findings.blame(Place(7, file="sheets/rome/000/0003.age"), "it is changed")
    findings.blame(Place(2, commit="0123456789abcdef"), "it is not signed")
    assert [str(each) for each in findings.sorted] == [
        "commit 0123456789ab: it is not signed",
        "sheets/rome/000/0003.age: it is changed",
        "turn 31, roll 4, retreat/cannae: the turn file says 3, the dice say 2",
    ]


def run(folder: Folder, code: int, *words: object) -> str:
    """Run `pbem verify`, which must end with a code, and return what it said."""
    return said(code, "verify", *words, "--games", folder.games, "--rules-dir", FOLDERS[0])


def clone(repo: Path, to: Path, *words: str) -> None:
    subprocess.run(["git", "clone", "--quiet", *words, str(repo), str(to)], check=True)


def renamed(folder: Folder, name: str, away: Path) -> Path:
    """Return a key store with the secrets of one game."""
    keys = away / "keys"
    if not keys.exists():
        keys.mkdir(mode=0o700)
        shutil.copy(folder.keys / f"{name}.yaml", keys)
    return keys


@pytest.mark.parametrize("name", [".", "/", "", "..", "a/", "~"])
def test_any_name_leads_to_some_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert repo_of(tmp_path / "games", name) == tmp_path / "games" / f"{name}.git"


def test_where_we_stand_may_be_the_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").touch()
    monkeypatch.chdir(tmp_path)
    assert repo_of(tmp_path / "games", ".").samefile(tmp_path / ".git")


# ---- what the check of sheets has learned since


@pytest.mark.slow
def test_a_sheet_that_counted_is_never_asked_which_it_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet on record is read strictly: a question that was not put to its player then refuses no game now."""
    folder = Folder(tmp_path)
    with folder.create() as game:
        cards = game.view("red").hands["red"][:2]
        twice = sheet(game, "red", *(order("bury", card=card) for card in cards))
        assert "which of the two?" in str(game.receive("red", twice))
        with monkeypatch.context() as before:
            before.setattr(OpenDecisions, "second_answers", lambda self, orders: iter(()))
            assert game.receive("red", twice).number == 1
        for _ in play(game, 1, 200):
            pass
        assert right(game.path, folder.keys)["derived"]


def test_a_sheet_on_record_is_not_forgiven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be forgiven tomorrow changes no game of yesterday: the derivation never takes the forgiving step."""
    folder = Folder(tmp_path)
    told(folder, name="over").close()

    def never(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a sheet on record was read as it was meant")

    monkeypatch.setattr("pbem.orders.check.forgive", never)
    assert right(folder.repo("over"), folder.keys)["derived"]

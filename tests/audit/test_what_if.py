"""A turn played otherwise beside the game: what would have differed, told to nobody who may not know it."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.audit.explain.what_if import Otherwise, WhatIf, what_if
from pbem.cli.runtime import DONE, FAULTS, USAGE, WORLD
from pbem.crypto.dice import Chain
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.opening import open_to_read
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise
from pbem.repo.git import GameRepo
from tests.support.disputed import STRONGER, Assault, hand, other_box, routed, run, told
from tests.support.live import Folder, files, give, order, play, sheet
from tests.support.walks import FOLDERS

pytestmark = pytest.mark.usefixtures("in_the_folder")


def asked(folder: Folder, n: int, *, folder_name: str = "fork", **more: Any) -> WhatIf:
    viewer = more.pop("viewer", None)
    with open_to_read(folder.games, folder.keys, "punica", folders=FOLDERS) as game:
        return what_if(game, n, folder.path / f"{folder_name}-{n}", Otherwise(**more), viewer)


def test_the_same_orders_and_dice_come_to_the_same(hills: Folder) -> None:
    for n in range(2, 7):
        found = asked(hills, n)
        assert (found.then, found.now, found.sections, found.remarks) == ([n], [n], {}, [])


@pytest.mark.parametrize("whole", [pytest.param(False, id="two"), pytest.param(True, id="all", marks=pytest.mark.slow)])
def test_a_game_of_standing_orders_comes_to_the_same(folder: Folder, whole: bool) -> None:
    last = routed(folder).last
    for n in range(2, last + 1) if whole else (2, last):
        found = asked(folder, n)
        assert (found.then == found.now, found.sections) == (True, {}), n


def test_other_dice_and_what_they_lead_to(hills: Folder, assault: Assault) -> None:
    found, title = asked(hills, 5, dice={assault.name: [6]}), f"{assault.hill.title()} Hill"
    assert found.sections == {
        "rolls": [
            f"- {assault.aim}: {assault.face} {assault.changes} = {assault.total} (needs >= 5, rule 5)",
            f"+ {assault.aim}: 6 {assault.changes} = {assault.total - assault.face + 6} (needs >= 5, rule 5)",
        ],
        "events": [f"- The {assault.aim} is repulsed.", f"+ {title} falls to Blue."],
        "position": found.sections["position"],  # what is buried is laid open at the end; this game has not ended
        "the game waits": found.sections["the game waits"],
    }
    assert f"holders, {title}: then red, now blue" in found.sections["position"]
    text = run(DONE, "what-if", "punica", "--turn", 5, "--dice", f"{assault.name}=6")
    assert "punica, branched before turn 5: turn 5, where 5 is on record." in text
    assert max(map(len, text.splitlines())) <= 72
    text = " ".join(text.split())
    assert f"+ {title} falls to Blue." in text
    assert "The branch would reveal hidden things. They are not shown while the game goes on." in text
    record = told(DONE, "what-if", "punica", "--turn", 5, "--dice", f"{assault.name}=6")
    assert record["events"] == found.sections["events"]


def test_another_sheet_is_checked_and_then_played(hills: Folder) -> None:
    with hills.open() as game:
        bid, dealt, buried = game.ledger.sheet("red", 2), dealt_to(game, "red"), game.ledger.sheet("red", 1)
    named = int(bid.partition(b"card: ")[2].partition(b"}")[0])
    other = next(card for card in dealt if card != named and b"card: %d}" % card not in buried)
    low, high = b"card: %d" % named, b"card: %d" % other
    (hills.path / "bad.yaml").write_bytes(bid.replace(low, b"card: 31"))
    text = run(FAULTS, "what-if", "punica", "--turn", 3, "--sheet", "red=bad.yaml")
    assert "bad.yaml:5:" in text
    assert "must be at most 30" in text
    (hills.path / "good.yaml").write_bytes(bid.replace(low, high))
    text = run(DONE, "what-if", "punica", "--turn", 3, "--sheet", "red=good.yaml")
    assert f"+ Red (sheet 3): bid: {{card: {other}}}" in text
    assert f"- Red (sheet 2): bid: {{card: {named}}}" in text
    assert f"+ Red bids {other}" in text


def dealt_to(game: Adjudicator, side: str) -> list[int]:
    """Return the first hand of a side."""
    cards: list[int] = next(each for each in game.told(side, 0) if each.event.kind == "dealt").event.facts["hand"]
    return cards


def test_only_what_the_reader_may_know_is_told(hills: Folder) -> None:
    with hills.open() as game:
        bury = game.ledger.sheet("red", 1)
        dealt = dealt_to(game, "red")
    other = bury.replace(b"card: %d" % dealt[0], b"card: %d" % dealt[3])
    assert other != bury
    for viewer, tells in ((None, False), ("blue", False), ("red", True)):
        with open_to_read(hills.games, hills.keys, "punica", folders=FOLDERS) as game:
            found = what_if(game, 2, hills.path / f"for-{viewer}", Otherwise({"red": ("s", other)}), viewer)
        text = str(found.sections)
        assert (f"bury: {{card: {dealt[3]}}}" in text) == tells, viewer
        assert "hand" not in text.replace("- Your hand", ""), "what would be dealt then may be dealt yet"
        assert bool(found.sections) == tells


def test_the_game_is_not_touched_and_nothing_is_left_behind(
    hills: Folder, assault: Assault, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hills.open() as game:
        before, head = files(game.ledger.repo), game.ledger.repo.head
    scratch = hills.path / "tmp"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    run(DONE, "what-if", "punica", "--turn", 5, "--dice", f"{assault.name}=6")
    assert list(scratch.iterdir()) == []
    with hills.open() as game:
        assert (files(game.ledger.repo), game.ledger.repo.head) == (before, head)


def test_a_branch_can_be_kept_and_holds_no_secret_of_the_game(hills: Folder, assault: Assault) -> None:
    text = run(DONE, "what-if", "punica", "--turn", 5, "--dice", f"{assault.name}=6", "--keep", "forked")
    assert "The repo of the branch: forked/punica.git" in text
    with GameRepo.open(hills.path / "forked" / "punica.git") as repo, hills.open() as game:
        assert b"faces: [6]" in (repo.read("turns/000/0005.yaml") or b"")
        assert repo.read("turns/000/0004.yaml") == game.ledger.repo.read("turns/000/0004.yaml")
        link = game.ledger.public_turn(5)["link"].encode()
        assert not [path for path, content in files(repo).items() if link in content]
    secrets = [
        line for line in (hills.keys / "punica.yaml").read_text().splitlines() if len(line) > 60 and line[0] != "#"
    ]
    assert len(secrets) == 4
    assert not set(secrets) & set((hills.path / "forked" / "keys" / "punica.yaml").read_text().splitlines())
    assert "forked exists already" in run(USAGE, "what-if", "punica", "--turn", 5, "--keep", "forked")


def test_dice_that_do_not_fit_or_are_not_rolled_are_said(hills: Folder, assault: Assault) -> None:
    assert f"{assault.name} rolls 1 die of 6 sides, but 2 faces are loaded" in run(
        WORLD, "what-if", "punica", "--turn", 5, "--dice", f"{assault.name}=6,6"
    )
    assert "none of the faces 1 to 6" in run(WORLD, "what-if", "punica", "--turn", 5, "--dice", f"{assault.name}=7")
    text = " ".join(run(DONE, "what-if", "punica", "--turn", 5, "--dice", "assault/nowhere=6").split())
    assert f"Dice were given for assault/nowhere, but there was no such roll. The rolls were: {assault.name}." in text
    for words in (["--dice", "x"], ["--dice", "x=a"], ["--sheet", "red"], ["--sheet", "green=f"], ["--side", "green"]):
        assert run(USAGE, "what-if", "punica", "--turn", 5, *words)


def test_dice_that_were_not_rolled_then_are_made_up_and_named(folder: Folder) -> None:
    with folder.create() as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=hand(game, side)[0]))
        for side in ("red", "blue"):
            give(game, side, order("bid", card="lowest"))
        lead = game.view(None).lead
        give(game, lead, order("assault", hold=True))
        raw = game.ledger.sheet(lead, 3)
        hill, card = game.view(lead).targets(lead)[0], hand(game, lead)[0]
    other = raw.replace(b"{hold: true}", b"{hill: %b, card: %d}" % (hill.encode(), card))
    found = asked(folder, 4, sheets={lead: ("s", other)})
    assert found.refused == []
    assert found.remarks == [f"Not rolled in the game, so the dice are made up for this branch: assault/{hill}."]
    (roll,) = found.sections["rolls"]
    assert roll.startswith("+ assault on ")
    again = asked(folder, 4, sheets={lead: ("s", other)}, folder_name="again")
    assert again.sections == found.sections, "made up, but the same each time"


@pytest.mark.parametrize("n", [0, 1, 7, -1])
def test_a_turn_that_was_not_made_cannot_be_made_otherwise(hills: Folder, n: int) -> None:
    with pytest.raises(CannotPlay, match="can be branched before adjudications 2 to 6"):
        asked(hills, n)


def test_a_side_that_was_late_is_late_in_the_branch(folder: Folder) -> None:
    with folder.create(scenario="siege") as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=hand(game, side)[0]))
        give(game, "red", order("bid", card=hand(game, "red")[0]))
        assert game.adjudicate(late=["blue"]) == [3]
    assert asked(folder, 3).sections == {}


@pytest.mark.slow
def test_a_game_that_is_over_is_branched_without_any_key(folder: Folder) -> None:
    with folder.create() as game:
        for _ in play(game, 1, 60):
            pass
        count = game.adjudication
    (folder.keys / "punica.yaml").unlink()
    for n in range(2, count + 1):
        assert asked(folder, n).sections == {}, n


def test_a_turn_that_was_played_with_other_rules_says_so(hills: Folder) -> None:
    boxes = other_box("toy", hills.path / "rules", "hills.yaml", STRONGER)
    remark = "The rules here are not those that the game was played with. They may cause some of the differences."
    assert remark in told(DONE, "what-if", "punica", "--turn", 5, "--rules-dir", boxes)["remarks"]
    run(DONE, "migrate", "punica", "--accept", "--rules-dir", boxes)
    assert remark in told(DONE, "what-if", "punica", "--turn", 5, "--rules-dir", boxes)["remarks"]
    assert "a migration of the game master" in run(WORLD, "what-if", "punica", "--turn", 7, "--rules-dir", boxes)


def test_a_sheet_of_the_wrong_turn_is_sent_back(hills: Folder) -> None:
    with hills.open() as game:
        raw = sheet(game, "red", order("react", card="none"))
    found = asked(hills, 5, sheets={"red": ("s.yaml", raw)})
    assert "adjudication" in str(found.refused[0])


def test_game_with_a_player_chain_is_branched_without_its_links(folder: Folder) -> None:
    """A game in which a side has a chain of its own is branched without the links of that chain."""
    chain = Chain(b"r" * 32, 4)
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(chain.tip, 4))
        game.adjudicate()
        raw = sheet(game, "red", order("bury", card=hand(game, "red")[0]))
        raw = raw.replace(b"orders:", f"link: {chain.link(1)}\norders:".encode())
        assert game.receive("red", raw).number == 1
        give(game, "blue", order("bury", card=hand(game, "blue")[0]))
        other = raw.replace(b"card: %d" % dealt_to(game, "red")[0], b"card: %d" % dealt_to(game, "red")[3])
    assert asked(folder, 2).sections == {}
    found = asked(folder, 2, folder_name="other", sheets={"red": ("s", other)}, viewer="red")
    assert found.refused == []
    assert "answers" in found.sections

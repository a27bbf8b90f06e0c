"""A game that is over is opened: its secrets are published, and anybody makes readable files of its whole history."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.crypto.seal import unseal
from pbem.game import yaml as yamlio
from pbem.referee.acts import ruling
from pbem.referee.acts.reveal import open_history, reveal_secrets
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import REVEALED, record_path, sheet_path, turn_path
from pbem.repo.git import NoSuchGame
from tests.support.live import ADDRESSES, SECRETS, Folder, files, give, order, play, sheet, subjects


@pytest.fixture
def over(folder: Folder) -> Iterator[Adjudicator]:
    """Yield a game that was played to its end, with standing orders on the way."""
    with folder.create() as game:
        for text in ("- bid: default", "- bid: default\n- react: default", ""):
            raw = f"game: punica\nside: red\nadjudication: 1\nstanding:{' []' if not text else ''}\n{text}\n"
            assert game.receive("red", raw.encode()).number
        list(play(game, 7, 200))
        assert game.result is not None
        yield game


def clone(folder: Folder, *words: str) -> Path:
    target = folder.path / "clone"
    subprocess.run(["git", "clone", "-q", *words, str(folder.repo("punica")), str(target)], check=True)
    return target


@pytest.mark.parametrize("bare", [True, False])
def test_a_clone_is_opened_without_any_key(folder: Folder, over: Adjudicator, bare: bool) -> None:
    target = clone(folder, *["--bare"] * bare)
    out = folder.path / "opened"
    opened = open_history(target, out)
    found = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert opened.files == len(found)
    assert opened.sealed == ["sealed/players.age"]
    assert not any(b"age-encryption" in content for content in found.values())
    for n in range(1, over.adjudication + 1):
        whole = yamlio.read(found[record_path(n)], name="whole").value
        turn = over.ledger.adjudication(n)
        assert [each["order"] for each in whole["answers"]] == [each.order for each in turn.answers]
        assert [each["order"] for each in whole["draws"]] == [each.order for each in turn.draws]
        assert found[turn_path(n)] == over.ledger.repo.read(turn_path(n))
    for side in over.rules.sides:
        for n in range(1, over.sheets(side) + 1):
            assert found[f"sheets/{side}/000/{n:04}.yaml"] == over.ledger.sheet(side, n)
    versions = [yamlio.read(found[f"standing/red/{n:04}.yaml"], name="standing").value["orders"] for n in (1, 2, 3)]
    assert [len(each) for each in versions] == [1, 2, 0]
    for address in ADDRESSES.values():
        assert not any(address.encode() in content for path, content in found.items() if path != "game.yaml")


def test_any_age_opens_a_file(over: Adjudicator) -> None:
    """What the reader of `age -d` gets is a heading, the content, and zeros."""
    from pyrage import decrypt, x25519

    revealed = yamlio.read(files(over.ledger.repo)[REVEALED], name=REVEALED).value
    assert revealed == {"hidden": SECRETS.hidden.hex(), "identity": SECRETS.identity}
    path = sheet_path("red", 1)
    sealed = files(over.ledger.repo)[path]
    plain = decrypt(sealed, [x25519.Identity.from_str(revealed["identity"])])
    head, rest = plain.rstrip(b"\0").split(b"\n", 1)
    assert head == b"pbem-sealed-v1 %b %d" % (path.encode(), len(rest))
    assert rest == unseal(revealed["identity"], path, sealed) == over.ledger.sheet("red", 1)


def test_a_game_that_goes_on_is_not_revealed(folder: Folder) -> None:
    with folder.create() as game:
        list(play(game, 7, 6))
        with pytest.raises(CannotPlay, match=r"punica goes on.*`?pbem ruling punica --end --reason TEXT"):
            reveal_secrets(game)
        with pytest.raises(CannotPlay, match="its secrets are not published"):
            open_history(folder.repo("punica"), folder.path / "opened")
        assert not (folder.path / "opened").exists()
        assert game.ledger.repo.read(REVEALED) is None


def test_what_is_left_to_do_is_done_once(folder: Folder, over: Adjudicator) -> None:
    count = len(subjects(over))
    assert reveal_secrets(over) is False
    over.ledger.commit({REVEALED: None}, "as if it had been forgotten")  # type: ignore[dict-item]
    assert reveal_secrets(over) is True
    assert reveal_secrets(over) is False
    assert len(subjects(over)) == count + 2
    with folder.open() as again:
        assert again.ledger.repo.read(REVEALED) is not None
        assert again.result == over.result


def test_a_game_that_is_broken_off_is_opened_too(folder: Folder) -> None:
    with folder.create("rome_carthage") as game:
        list(play(game, 3, 8))
        ruling.break_off(game, "nobody writes any more")
        assert reveal_secrets(game) is False
        opened = open_history(folder.repo("punica"), folder.path / "opened")
        assert opened.game == "punica"
        whole = (folder.path / "opened" / record_path(1)).read_text("utf-8")
        assert "strategy" in whole or "deck" in whole


def test_rulings_and_rollbacks_are_opened(folder: Folder) -> None:
    with folder.create() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        card = game.view("red").hands["red"][2]
        _, n = ruling.answer_for_side(game, "red", sheet(game, "red", order("bury", card=card)), "they are away")
        game.adjudicate()
        ruling.break_off(game, "enough")
        assert n is not None
        open_history(folder.repo("punica"), folder.path / "opened")
        path = folder.path / "opened" / record_path(n)
        whole = yamlio.read(path.read_bytes(), name="whole").value
        assert whole["act"] == {"side": "red", "orders": [{"kind": "bury", "order": {"card": card}}]}


def test_nothing_is_overwritten_and_nothing_left_half_done(folder: Folder, over: Adjudicator) -> None:
    out = folder.path / "opened"
    out.mkdir()
    (out / "mine").write_text("mine")
    with pytest.raises(CannotPlay, match="is not empty"):
        open_history(folder.repo("punica"), out)
    assert [path.name for path in out.iterdir()] == ["mine"]
    with pytest.raises(NoSuchGame):
        open_history(folder.path / "nowhere", folder.path / "other")
    assert not (folder.path / "other").exists()
    (out / "mine").unlink()
    assert open_history(folder.repo("punica"), out).files > 20
    assert not list(folder.path.glob(".*opening"))

"""Games of format 1: an older version began them, and this one reads, reports, replays and reveals them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.crypto.dice import EARLIER
from pbem.crypto.keys import Keys
from pbem.mail.write.outgoing import side_report
from pbem.referee.acts.reveal import open_history, reveal
from pbem.referee.game.open_game import CannotPlay
from tests.support.live import SECRETS, Folder, order, sheet

BUNDLES = Path(__file__).resolve().parents[1] / "support" / "format1"
"""Two games made by version 0.1: one is running, the other was ended by the game master and is revealed."""
NAME = "running"
PRESETS = {"hannibal_italy": "text", "rome_carthage": "valley2007"}
"""The editions that were the usual ones then."""


@pytest.fixture(params=["running", "finished"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    found = Folder(tmp_path)
    found.games.mkdir()
    bundle = BUNDLES / f"{request.param}.bundle"
    subprocess.run(["git", "clone", "-q", "--bare", "-b", "main", str(bundle), str(found.repo(NAME))], check=True)
    Keys(NAME, SECRETS, scheme=EARLIER).write(found.keys)
    return found


def test_it_is_read_reported_and_replayed(folder: Folder) -> None:
    with folder.open(NAME) as game:
        assert (game.charter.format, game.charter.edition) == (1, PRESETS[game.charter.rules])
        assert game.box.edition == game.charter.edition
        assert list(replay(game)) == [], "its rolls come from its own scheme"
        for side in game.rules.sides:
            assert "WHAT HAPPENED" in side_report(game, side, 3).text


def test_verify_names_the_version_that_verifies_it(folder: Folder) -> None:
    verdict = verify(folder.repo(NAME))
    assert [str(each) for each in verdict.findings.sorted] == []
    assert verdict.findings.checked[-1].text == "format 1, dice of the scheme chain-v1: pbem 0.1 verifies it"


def test_nobody_plays_it_on(folder: Folder) -> None:
    with folder.open(NAME) as game:
        before = game.ledger.head
        with pytest.raises(CannotPlay, match=r"pbem 0\.1 verifies it and plays it on|is over"):
            game.receive(game.rules.sides[0], sheet(game, game.rules.sides[0], order("move", end=True)))
        with pytest.raises(CannotPlay):
            game.adjudicate()
        assert game.ledger.head == before


def test_it_is_revealed(folder: Folder, tmp_path: Path) -> None:
    with folder.open(NAME) as game:
        if game.result is None:
            return
        assert not reveal(game), "its secrets were published when it ended"
    opened = open_history(folder.repo(NAME), tmp_path / "opened")
    assert (opened.game, bool(opened.files)) == (NAME, True)
    assert not [path for path in opened.sealed if not path.startswith(("known/", "sealed/players"))]

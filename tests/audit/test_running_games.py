"""Games that were begun with older code go on: opened, moved to the rules here, and played on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pbem.audit.migrate import migrate
from pbem.audit.replay import replay
from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from tests.support.live import SECRETS, Folder, play

BUNDLES = Path(__file__).resolve().parents[1] / "support" / "running"
"""A game of each kind, made by the code before the modules moved into rooms: sheets, answers and a mid-turn stop."""
NAME = "running"
LETTERS = 6


@pytest.mark.parametrize("bundle", sorted(BUNDLES.glob("*.bundle")), ids=lambda bundle: bundle.stem)
def test_a_running_game_migrates_and_plays_on(bundle: Path, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.games.mkdir()
    subprocess.run(["git", "clone", "-q", "--bare", str(bundle), str(folder.repo(NAME))], check=True)
    Keys.create(folder.keys, NAME, SECRETS)
    with folder.open(NAME) as game:
        assert game.differs == "box and code", "its pins are of the old kind"
        adjudication, waiting = game.adjudication, game.open_decisions
        position = game.rules.encode(game.session.position)
        move, number = migrate(game)
        assert (move.elsewhere, move.changed, number) == ([], [], adjudication + 1)
    with folder.open(NAME) as game:
        assert (game.differs, game.open_decisions) == (None, waiting)
        assert game.rules.encode(game.session.position) == position
        assert len(list(play(game, 1, LETTERS))) == LETTERS
        assert list(replay(game)) == []
    verdict = verify(folder.repo(NAME), keys=lambda name: Keys.load(folder.keys, name))
    assert [str(finding) for finding in verdict.findings.sorted] == []

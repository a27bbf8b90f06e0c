"""The sample games under `games/`, played again by their sheets and compared file by file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit import replay
from pbem.correspondence import side_report
from tests.live import files
from tests.samples import GAMES, kept, played_again

SAMPLES = sorted(path.parent.name for path in GAMES.glob("*/game.yaml"))


def test_there_is_a_sample() -> None:
    assert SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_played_again_comes_to_the_same_files(name: str, tmp_path: Path) -> None:
    with played_again(name, tmp_path) as game:
        assert game.result is not None
        again, before = files(game.ledger.repo), kept(name)
        assert sorted(again) == sorted(before)
        assert [path for path in sorted(before) if again[path] != before[path]] == []
        assert list(replay(game)) == []
        assert side_report(game, None, 0).text == (GAMES / name / "report.txt").read_text("utf-8")

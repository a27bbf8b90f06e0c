"""The sample games under `games/`, played again by their sheets and compared file by file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.game import yaml as yamlio
from pbem.game.boxes import shelf
from pbem.mail.write.enclosures import map_picture
from pbem.mail.write.outgoing import side_report
from pbem.referee.acts.reveal import open_history
from tests.support.samples import GAMES, README, kept, played_again
from tests.support.samples import SAMPLES as MADE

ODD, FEW = 40, 0.0005
"""A pixel is another if it differs by so much in brightness; as many of all may be, for letters are smoothed."""
SAMPLES = sorted(path.parent.name for path in GAMES.glob("*/game.yaml"))


def test_there_is_a_sample() -> None:
    assert SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_pins_the_rules_that_are_here(name: str) -> None:
    """Whoever changes rules writes the pins anew: `python -m tests.support.samples`."""
    charter = yamlio.read((GAMES / name / "game.yaml").read_bytes(), name="game.yaml").value
    pins = yamlio.read((GAMES / name / "rules.yaml").read_bytes(), name="rules.yaml").value
    assert pins == shelf.digests(charter["rules"], edition=charter["edition"]), "python -m tests.support.samples"


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.soak if at else pytest.mark.slow) for at, each in enumerate(SAMPLES)]
)
def test_a_sample_played_again_comes_to_the_same_files(name: str, tmp_path: Path) -> None:
    with played_again(name, tmp_path) as game:
        assert game.result is not None
        open_history(game.ledger.repo.path, tmp_path / "opened")
        again, before = kept(tmp_path / "opened"), kept(GAMES / name)
        assert sorted(again) == sorted(before)
        assert [path for path in sorted(before) if again[path] != before[path]] == []
        assert list(replay(game)) == []
        assert verify(game.ledger.repo.path).findings.sorted == []
        now, then = (
            Image.open(BytesIO(map_picture(game, None, game.adjudication))),
            Image.open(GAMES / name / "map.png"),
        )
        other = ImageChops.difference(now.convert("L"), then.convert("L")).point(lambda v: 255 * (v > ODD))
        assert other.histogram()[255] < FEW * now.width * now.height, (
            "the map is drawn otherwise: make the samples anew"
        )
        assert side_report(game, None, 0).text == (GAMES / name / "report.txt").read_text("utf-8")
        if (write := MADE[name].readme) is not None:
            assert write(game) == (GAMES / name / README).read_text("utf-8")

"""Finished games that are kept come out the same, byte for byte, when they are derived again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.kept import BUNDLES, GAMES, differences
from tests.support.samples import SAMPLES

KEPT = sorted(BUNDLES.glob("*.bundle"))
LONG = ("allia", "cannae")
"""Games that are left to `make check`."""


def test_every_game_is_kept() -> None:
    """Every game that is to be kept is there, the samples too, and each bundle is small."""
    assert {path.stem for path in KEPT} == {*GAMES, *SAMPLES}
    assert all(path.stat().st_size < 1_000_000 for path in KEPT)


@pytest.mark.parametrize(
    "bundle",
    [pytest.param(path, id=path.stem, marks=pytest.mark.slow if path.stem in LONG else ()) for path in KEPT],
)
def test_a_kept_game_comes_out_the_same(bundle: Path) -> None:
    """If this fails, what a game comes to has changed: that is another format, and `FORMAT` must count up.

    Rules may change as long as these games come out the same. Where a sample does not because its rules have changed,
    it is made anew (`python -m tests.support.samples`, then `python -m tests.support.kept`).
    """
    commits, found = differences(bundle)
    assert commits > 10
    assert found == []

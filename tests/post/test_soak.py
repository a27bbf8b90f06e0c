"""The soak of the post from maildir to maildir; `tests/real/test_soak.py` has one with a mail server and a database."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from shutil import copytree

import pytest

from pbem.post.desk.backup import Places, back_up_all, restore_all
from tests.support.post_soak import GAMES, KILLS, LARGEST, LETTERS, PostSoak
from tests.support.seasons import Season, until

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.soak
def test_no_letter_is_lost_or_comes_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half as long as the one with real servers."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")]))
    soak = PostSoak(Season(tmp_path / "season"), GAMES, Random(16))
    try:
        soak.play(LETTERS // 2, [soak.kill] * (KILLS // 2))
        until(lambda: not list((soak.season.path / "in" / "new").iterdir()) or _marked(soak.season), 120)
        memory = soak.memory()
    finally:
        soak.stop()
    soak.check()
    assert memory <= LARGEST
    _check_backup(soak, tmp_path)


def _marked(season: Season) -> bool:
    """Tell whether all letters of players are marked as read."""
    return not season.tables().to_mark(lambda source: True)


def _check_backup(soak: PostSoak, tmp_path: Path) -> None:
    """Restore a backup beside the season, and let it go on there."""
    season = soak.season
    places = Places(season.games, season.path / "keys", season.config.tables_file, season.file)
    made = back_up_all(places, tmp_path / "backups", passphrase="of the soak")
    second = Season(tmp_path / "second")
    second.count = season.count
    copytree(season.path / "in", second.path / "in", dirs_exist_ok=True)
    to = Places(second.games, second.path / "keys", second.config.tables_file)
    assert all(each.good for each in restore_all(made.folder, to, passphrase="of the soak").keys)
    soak.season, names = second, soak.playing[:2]
    before = {name: _head(second, name) for name in soak.names}
    soak.service = second.start()
    try:
        for name in names:
            second.order(name)
        until(lambda: all(_head(second, name) != before[name] or soak.over(name) for name in names), 120)
        soak.settle()
    finally:
        soak.stop()
    others = [name for name in soak.names if name not in names]
    assert {name: _head(second, name) for name in others} == {name: before[name] for name in others}


def _head(season: Season, name: str) -> str:
    with season.open(name) as game:
        return game.ledger.repo.head

"""Backups of the whole post, and back: while letters come, onto an empty machine, and never over anything."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.crypto.seal import identities_in, new_identity, recipient_of
from pbem.post.desk.backup import NoBackup, Places, back_up_all, drop_old_backups, last_backup, restore_all
from pbem.post.service.service import Post, run_once
from pbem.post.tables.sqlite_tables import SqliteTables
from pbem.referee.acts.ending import bring_back
from tests.support.boxes import Box, Way
from tests.support.seasons import Season

IDENTITY = new_identity()


@pytest.fixture
def season(tmp_path: Path) -> Season:
    made = Season(tmp_path / "first")
    made.create("punica", begin=True)
    return made


def places(season: Season) -> Places:
    return Places(season.games, season.path / "keys", season.config.tables_file, season.file)


def opened(season: Season, box: Box, way: Way) -> Post:
    return Post(season.config, season.tables(), [box], way, season.said.append)


def commits(season: Season) -> list[str]:
    with season.open("punica") as game:
        return [each.sha for each in game.ledger.repo.history()]


def test_season_goes_on_where_the_backup_was_made(season: Season, tmp_path: Path) -> None:
    box, way = Box(), Way()
    for side, sheet in season.asked("punica"):
        box.put(season.letter("punica", side, sheet), datetime.now(UTC))
    run_once(opened(season, box, way))
    made = back_up_all(places(season), tmp_path / "backups", [recipient_of(IDENTITY)])
    assert made.games == ["punica"]
    assert b"chain" not in (made.folder / "keys.age").read_bytes()
    sent = len(way.given)

    second = Season(tmp_path / "second")
    second.count = season.count
    (second.path / "games").rmdir()
    back = restore_all(made.folder, places(second), identities_in(IDENTITY))
    assert [each.good for each in back.keys] == [True]
    assert back.keys[0].text.endswith(f"they fit {made.folder}/games/punica.git")
    assert commits(second) == commits(season)
    run_once(opened(second, box, way))
    assert len(way.given) == sent
    for side, sheet in second.asked("punica"):
        box.put(second.letter("punica", side, sheet), datetime.now(UTC))
    run_once(opened(second, box, way))
    assert len(commits(second)) > len(commits(season))
    assert len(way.given) > sent


def test_letter_during_the_backup_is_not_lost_and_not_doubled(
    season: Season, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes after the tables were copied and before the game is: the copy of the game has it, the tables do not."""
    box, way = Box(), Way(wrong="down")
    post = opened(season, box, way)
    for side, sheet in season.asked("punica"):
        box.put(season.letter("punica", side, sheet), datetime.now(UTC))
    post.sweeps[0].look()
    copy = SqliteTables.copy

    def copied(tables: SqliteTables, file: Path) -> None:
        copy(tables, file)
        run_once(post)

    monkeypatch.setattr(SqliteTables, "copy", copied)
    made = back_up_all(places(season), tmp_path / "backups")
    second = Season(tmp_path / "second")
    restore_all(made.folder, places(second))
    assert commits(second) == commits(season)
    way.wrong = ""
    run_once(opened(second, box, way))
    assert commits(second) == commits(season)
    assert len(way.given) == 3
    assert len({content.partition(b"Message-ID: ")[2].partition(b"\r")[0] for _, content in way.given}) == 3


def test_nothing_is_overwritten(season: Season, tmp_path: Path) -> None:
    made = back_up_all(places(season), tmp_path / "backups")
    with pytest.raises(NoBackup, match="nothing is overwritten"):
        restore_all(made.folder, places(season))
    with pytest.raises(NoBackup, match="is no backup"):
        restore_all(tmp_path, places(Season(tmp_path / "second")))


def test_backup_that_fails_leaves_nothing_behind(season: Season, tmp_path: Path) -> None:
    (season.path / "keys" / "punica.yaml").unlink()
    with pytest.raises(Exception, match="there are no secrets"):
        back_up_all(places(season), tmp_path / "backups")
    assert list((tmp_path / "backups").iterdir()) == []


def test_newest_backups_are_kept(season: Season, tmp_path: Path) -> None:
    made = [back_up_all(places(season), tmp_path / "backups").folder for _ in range(3)]
    found = last_backup(tmp_path / "backups")
    assert found is not None
    assert found[0] == made[-1]
    assert abs(found[1] - datetime.now(UTC).timestamp()) < 120
    assert drop_old_backups(tmp_path / "backups", 2) == made[:1]
    assert sorted((tmp_path / "backups").iterdir()) == made[1:]
    assert last_backup(tmp_path / "none") is None


def test_games_that_were_put_away_are_copied_too(season: Season, tmp_path: Path) -> None:
    (season.games / "archive").mkdir()
    (season.games / "punica.git").rename(season.games / "archive" / "punica.git")
    made = back_up_all(places(season), tmp_path / "backups", [recipient_of(IDENTITY)])
    assert made.games == []
    second = Season(tmp_path / "second")
    (second.path / "games").rmdir()
    back = restore_all(made.folder, places(second), identities_in(IDENTITY))
    assert back.games == []
    bring_back(second.games, "punica")
    assert commits(second)

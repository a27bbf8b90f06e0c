"""The doctor finds what is wrong, and what to do; and what waits is told by health line and status."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from time import time
from unittest.mock import patch

import pytest

from pbem.post.desk.backup import Places, back_up_all
from pbem.post.desk.doctor import Diagnosis, examine
from pbem.post.service.health import BEAT, RAN_ONCE, REACHED, STOPPED, health, waiting
from pbem.post.service.sending import FULL
from pbem.post.settings import PostConfig, load_config
from pbem.post.tables.tables import NewLetter, ToSend, Urgency
from tests.support.seasons import Season


@pytest.fixture
def season(tmp_path: Path) -> Season:
    made = Season(tmp_path)
    made.create("punica", begin=True)
    return made


@pytest.fixture
def config(season: Season) -> PostConfig:
    season.file.write_text(season.file.read_text() + "backup: backups\n")
    found = load_config(season.file)
    assert found.backup is not None
    back_up_all(Places(found.games, found.keys, found.tables_file, found.file), found.backup)
    season.tables().note(BEAT, "", time())
    return found


def wrong(config: PostConfig) -> list[Diagnosis]:
    return [found for found in examine(config) if not found.well]


def test_season_that_is_well_has_no_finding(config: PostConfig) -> None:
    assert wrong(config) == []
    assert {"games", "keys", "disk", "post", "backup"} <= {found.what for found in examine(config)}


def test_damaged_game_is_found(config: PostConfig) -> None:
    for pack in (config.games / "punica.git" / "objects" / "pack").glob("*.pack"):
        pack.write_bytes(b"PACK" + b"x" * 100)
    assert next(found.what for found in wrong(config)) == "punica"


def test_game_with_other_rules_is_found(config: PostConfig) -> None:
    with patch("pbem.referee.game.open_game.OpenGame.differs", "code"):
        (found,) = wrong(config)
    assert "the code differs" in found.text
    assert "pbem migrate punica" in found.text


def test_open_keys_are_found(config: PostConfig) -> None:
    (config.keys / "punica.yaml").chmod(0o644)
    assert any(found.what == "keys" and "chmod 600" in found.text for found in wrong(config))


def test_full_disk_is_found(config: PostConfig) -> None:
    with patch("pbem.post.desk.doctor._LEAST_ROOM", 10**18):
        assert {found.what for found in wrong(config)} == {"disk"}


def test_old_backup_is_found(config: PostConfig) -> None:
    with patch("pbem.post.desk.doctor._OLDEST_BACKUP", -1.0):
        (found,) = wrong(config)
    assert found.text.startswith("the last one is 0 days old")


def test_backup_in_a_folder_that_is_not_named_is_found(config: PostConfig) -> None:
    assert config.backup is not None
    back_up_all(Places(config.games, config.keys, config.tables_file, config.file), config.backup)
    unnamed = replace(config, backup=None)
    found = next(each for each in examine(unnamed) if each.what == "backup")
    assert (found.well, found.warning) == (True, False)
    assert found.text.startswith(f"the last one is 0 days old: {config.backup}/pbem-")
    shutil.rmtree(config.backup)
    found = next(each for each in examine(unnamed) if each.what == "backup")
    assert found.text.startswith("no folder of backups is named (`backup:` in the config): pbem backup FOLDER")


def test_missing_backup_is_a_warning_until_it_is_due(config: PostConfig) -> None:
    assert config.backup is not None
    shutil.rmtree(config.backup)
    (found,) = [each for each in examine(config) if each.warning]
    assert found.well
    assert found.text == f"there is none: pbem backup {config.backup} --to age1..."
    head = config.games / "punica.git" / "HEAD"
    os.utime(head, (time() - 9 * 86400,) * 2)
    assert [(each.what, each.warning) for each in wrong(config)] == [("backup", False)]


def test_mailbox_that_is_not_there_is_found(config: PostConfig, season: Season) -> None:
    season.file.write_text(season.file.read_text().replace("folder: in", "folder: nowhere"))
    assert any(found.what.endswith("nowhere") for found in wrong(load_config(season.file)))


def test_service_that_has_stopped_or_is_stuck_is_not_well(season: Season) -> None:
    tables = season.tables()
    assert health(tables, 1000.0).line.startswith("NOT well: no service runs.")
    tables.note(BEAT, "", 1000.0)
    assert health(tables, 1030.0) == (True, "well. 0 letters to take in, 0 to send, 0 taken in, 0 not ours.")
    assert "has given no sign since" in health(tables, 1200.0).line
    tables.note(BEAT, STOPPED, 1200.0)
    assert "no service runs since 1970-01-01 00:20 UTC" in health(tables, 1200.0).line
    tables.note(BEAT, RAN_ONCE, 1200.0)
    assert health(tables, 4800.0).well
    assert "`pbem post --once` last ran at 1970-01-01 00:20 UTC" in health(tables, 4801.0).line
    tables.note(BEAT, "", 1300.0)
    tables.note(f"{REACHED}imap.example.org", "connection refused", 1000.0)
    assert health(tables, 1300.0).line.startswith(
        "NOT well: imap.example.org cannot be reached since 1970-01-01 00:16 UTC: connection refused."
    )


def test_what_waits_is_told_with_its_reason(season: Season) -> None:
    tables = season.tables()
    assert list(waiting(tables)) == []
    tables.add("box", "1", NewLetter("d", "ann@example.org", 0, b"x", ["punica"]), {})
    tables.put([ToSend("a", "ann@example.org", b"x", Urgency.NEWS, "", 0, 0)])
    assert list(waiting(tables)) == ["1 letter to take in.", "1 letter to send."]
    tables.postpone("punica", time() + 60, "the disk is full")
    tables.note(FULL, "As many have gone as may: 60 letters an hour, 400 a day", 0)
    assert list(waiting(tables)) == [
        "1 letter of punica cannot be taken in: the disk is full",
        "1 letter to take in.",
        "1 letter to send. As many have gone as may: 60 letters an hour, 400 a day (`send:` in the config).",
    ]
    assert list(waiting(tables, "punica")) == ["1 letter of punica cannot be taken in: the disk is full"]
    assert list(waiting(tables, "zama")) == []

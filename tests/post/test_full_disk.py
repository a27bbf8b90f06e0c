"""A disk that fills while letters are taken in: nothing is lost, nothing comes twice, and one sentence says it."""

from __future__ import annotations

import os
import resource
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from typer.testing import CliRunner, Result

from pbem.cli.verbs import app
from tests.support.seasons import Season


def once(season: Season, blocks: int | None = None) -> Result:
    """Run the post once; with a limit no file may become longer than so many blocks of 512 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if blocks is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (blocks * 512, before[1]))
    try:
        ran = CliRunner().invoke(app, ["post", "--once", "--config", str(season.file)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran


def check(season: Season, before: int) -> None:
    """Check that all letters were carried out once, and that each answer has left once."""
    with season.open("punica") as game:
        assert game.adjudication == before + 1
    ids = Counter(season.ids())
    assert len(ids) == 3
    assert set(ids.values()) == {1}
    assert season.tables().counts()[:2] == (0, None)


def ordered(season: Season) -> int:
    with season.open("punica") as game:
        before = game.adjudication
    assert season.order("punica") == 2
    return before


def test_file_that_may_not_grow_is_told_and_tried_again(tmp_path: Path) -> None:
    season = Season(tmp_path)
    season.create("punica", begin=True)
    before = ordered(season)
    said = []
    for blocks in (1, 8, 40, 80, 160, 240):
        said.append(once(season, blocks).output)
    assert any("too large" in text or "disk I/O" in text or "full" in text for text in said), said
    season.tables().resume("punica")
    assert once(season).exit_code == 0
    check(season, before)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a disk of its own with one MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.name != "posix" or os.geteuid() != 0 or which("mount") is None:
        pytest.skip("only root can mount a small disk")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_full_disk_is_told_and_letters_wait_for_room(small_disk: Path) -> None:
    season = Season(small_disk)
    season.create("punica", begin=True)
    before = ordered(season)
    stuffing = small_disk / "stuffing"
    for room in (0, 4, 40, 90, 140):  # KiB that are free
        stuffing.unlink(missing_ok=True)
        left = os.statvfs(small_disk)
        stuffing.write_bytes(b"x" * max(0, left.f_bavail * left.f_frsize - room * 1024))
        once(season)
    stuffing.unlink()
    if season.config.tables_file.exists():
        season.tables().resume("punica")
    assert once(season).exit_code == 0
    check(season, before)

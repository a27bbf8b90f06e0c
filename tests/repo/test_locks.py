"""The lock on the ref of a game: who holds it, who clears it away, and who finds that it is gone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pbem.repo.git import Busy, GameRepo, Moved
from pbem.repo.git.locks import RefLock

FOREIGN = "pbem, process 1 on elsewhere\n"


@pytest.fixture
def repo(tmp_path: Path) -> GameRepo:
    with GameRepo.create(tmp_path / "punica.git", {"game.yaml": b"a"}, "begin") as made:
        return made


@pytest.fixture
def held(repo: GameRepo) -> Path:
    return repo.path / "refs" / "heads" / "main.lock"


def test_lock_of_another_host_is_waited_for_and_named(repo: GameRepo, held: Path) -> None:
    held.write_text(FOREIGN)
    with pytest.raises(Busy, match=r"pbem, process 1 on elsewhere holds .*main\.lock; nothing was committed"):
        repo.commit({"a": b"b"}, "turn")
    assert held.read_text() == FOREIGN


def test_lock_of_a_dead_process_elsewhere_goes_after_a_while(repo: GameRepo, held: Path) -> None:
    held.write_text(FOREIGN)
    os.utime(held, (time.time() - 31,) * 2)
    repo.commit({"a": b"b"}, "turn")
    assert not held.exists()


def test_holder_of_the_game_leaves_locks_of_other_hosts(repo: GameRepo, held: Path) -> None:
    """Without common file locks, the game's lock of a dead process here says nothing about a living one there."""
    (repo.path / "pbem.lock").write_text("process 1 on this host")
    held.write_text(FOREIGN)
    with repo.lock(0):
        assert held.read_text() == FOREIGN
    (repo.path / "pbem.lock").write_text("process 1 on this host")
    held.write_text(f"pbem, process 1 on {os.uname().nodename}\n")
    with repo.lock(0):
        assert not held.exists()


def test_writer_whose_lock_was_taken_over_commits_nothing(repo: GameRepo, held: Path, monkeypatch) -> None:
    head = repo.head
    take = RefLock.take

    def lose(lock: RefLock, patience: float) -> None:
        take(lock, patience)
        held.write_text(FOREIGN)

    with monkeypatch.context() as losing:
        losing.setattr(RefLock, "take", lose)
        with pytest.raises(Moved, match="was taken over meanwhile; nothing was committed"):
            repo.commit({"a": b"b"}, "turn")
    assert held.read_text() == FOREIGN
    held.unlink()
    with GameRepo.open(repo.path) as again:
        assert again.head == head
        again.commit({"a": b"b"}, "turn")


def test_full_disk_leaves_no_ref_lock(repo: GameRepo, held: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pwrite = os.pwrite

    def full(fd: int, content: bytes, at: int) -> int:
        if content.startswith(b"pbem, process"):
            raise OSError(28, "No space left on device")
        return pwrite(fd, content, at)

    with monkeypatch.context() as broken:
        broken.setattr(os, "pwrite", full)
        with pytest.raises(OSError, match=r"main\.lock"):
            repo.commit({"a": b"b"}, "turn")
    assert not held.exists()
    repo.commit({"a": b"b"}, "turn")

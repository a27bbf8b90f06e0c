"""Repos that are opened again and again: what was read is kept, and what others commit is seen."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.repo.git import MOST_KEPT, GameRepo, KeptRepos, NoSuchGame
from pbem.repo.git.objects import CatFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with GameRepo.create(tmp_path / "punica.git", {"a.txt": b"first", "b/c.txt": b"other"}, "made"):
        return tmp_path / "punica.git"


def test_repo_that_is_opened_again_reads_nothing_twice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repos = KeptRepos()
    with repos.open(path) as repo:
        assert repo.read("b/c.txt") == b"other"
        repo.commit({"b/d.txt": b"new"}, "more")
    monkeypatch.setattr(CatFile, "_ask", None)  # git could not be asked
    with repos.open(path) as again:
        assert [again.read("b/c.txt"), again.read("b/d.txt"), again.read("x")] == [b"other", b"new", None]
        assert [each.message for each in again.history(1)] == ["more"]


def test_repo_that_is_opened_again_stands_where_others_left_it(path: Path) -> None:
    repos = KeptRepos()
    with repos.open(path) as repo:
        repo.sign, repo.letter_time = bytes, datetime(2026, 12, 1, tzinfo=UTC)
    with GameRepo.open(path) as other:
        head = other.commit({"a.txt": b"second"}, "by another")
    with repos.open(path) as again:
        assert (again.head, again.read("a.txt")) == (head, b"second")
        assert (again.sign, again.letter_time) == (None, None)
    path.rename(path.with_name("gone.git"))
    with pytest.raises(NoSuchGame):
        repos.open(path)


def test_repo_is_lent_to_one_at_a_time(path: Path) -> None:
    repos = KeptRepos()
    with repos.open(path) as one, repos.open(path) as other:
        assert one is not other
        one.commit({"a.txt": b"second"}, "by one")
        assert other.read("a.txt") == b"first"
        with other.lock():
            assert other.read("a.txt") == b"second"


def test_only_the_repos_used_last_are_kept(path: Path) -> None:
    repos = KeptRepos()
    with repos.open(path) as first:
        pass
    for number in range(MOST_KEPT):
        with GameRepo.create(path.with_name(f"{number}.git"), {"a.txt": b""}, "made"):
            pass
        repos.open(path.with_name(f"{number}.git")).close()
    with repos.open(path) as again:
        assert again is not first

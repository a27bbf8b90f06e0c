"""A game's repo and its secrets survive the death of the process between any two calls to the system."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto.keys import Keys
from pbem.repo.git import GameRepo, numbered
from tests.support.crash import dies, points, recorded
from tests.support.live import SECRETS

BEGIN = {"game.yaml": b"rules: toy\n", "position.yaml": b"turn: 0\n"}
TURN = {
    "position.yaml": b"turn: 1\n" * 200,
    numbered("turns", 1): b"adjudication: 1\n" * 100,
    "sheets/rome/000/0001.yaml": None,
}
every_point = pytest.mark.parametrize(
    "whole", [pytest.param(False, id="some"), pytest.param(True, id="all", marks=pytest.mark.slow)]
)
NEXT = {"position.yaml": b"turn: 2\n", numbered("turns", 2): b"adjudication: 2\n"}


def begin(path: Path) -> None:
    GameRepo.create(path, BEGIN, "the game begins").close()


def take_turn(path: Path) -> None:
    with GameRepo.open(path) as repo, repo.lock():
        repo.commit({"sheets/rome/000/0001.yaml": b"side: rome\n"}, "a sheet of rome")
        repo.commit(TURN, "turn 1")


def take_turn_at_once(path: Path) -> None:
    with GameRepo.open(path) as repo, repo.transaction():
        repo.commit({"sheets/rome/000/0001.yaml": b"side: rome\n"}, "a sheet of rome")
        repo.commit(TURN, "turn 1")


def fsck(path: Path) -> str:
    ran = subprocess.run(["git", "fsck", "--strict", "--full"], cwd=path, capture_output=True, text=True)
    return f"{ran.returncode} {ran.stderr}"


def states_after_take_turn(path: Path) -> dict[str, dict[str, bytes]]:
    """Return all files by the commits that stand one after another."""
    take_turn(path)
    with GameRepo.open(path) as repo:
        return {commit.sha: all_files(repo, commit.sha) for commit in repo.history()}


def all_files(repo: GameRepo, at: str | None = None, folder: str = "") -> dict[str, bytes]:
    found = {}
    for name in repo.listdir(folder, at):
        path = f"{folder}/{name}" if folder else name
        content = repo.read(path, at)
        found.update(all_files(repo, at, path) if content is None else {path: content})
    return found


@every_point
def test_a_commit_that_dies_leaves_the_old_commit_or_the_new_one(tmp_path: Path, whole: bool) -> None:
    begin(tmp_path / "start.git")
    for name in ("whole.git", "counted.git"):
        shutil.copytree(tmp_path / "start.git", tmp_path / name)
    states = states_after_take_turn(tmp_path / "whole.git")
    calls = points(partial(take_turn, tmp_path / "counted.git"), whole=whole)
    assert calls[-1] > 50, "the hook saw too few calls to mean anything"
    seen = set()
    for at in calls:
        path = tmp_path / f"{at}.git"
        shutil.copytree(tmp_path / "start.git", path)
        assert dies(partial(take_turn, path), at, torn=at % 2 == 0) == (at != calls[-1])
        assert fsck(path) == "0 ", at
        with GameRepo.open(path) as repo:
            seen.add(repo.head)
            assert all_files(repo) == states[repo.head], at
            with repo.lock(timeout=0):
                repo.commit(NEXT, "the next turn")
            assert all_files(repo) == {**states[next(iter(list(repo.history(2))[1:])).sha], **NEXT}, at
        assert fsck(path) == "0 ", at
        assert not list((path / "refs" / "heads").glob("*.lock"))
        shutil.rmtree(path)
    assert seen == states.keys()


@every_point
def test_of_commits_made_together_all_or_none_outlive_a_death(tmp_path: Path, whole: bool) -> None:
    begin(tmp_path / "start.git")
    for name in ("whole.git", "counted.git"):
        shutil.copytree(tmp_path / "start.git", tmp_path / name)
    last, _, first = states_after_take_turn(tmp_path / "whole.git")
    seen = set()
    for at in points(partial(take_turn_at_once, tmp_path / "counted.git"), whole=whole):
        path = tmp_path / f"{at}.git"
        shutil.copytree(tmp_path / "start.git", path)
        dies(partial(take_turn_at_once, path), at)
        with GameRepo.open(path) as repo:
            seen.add(repo.head)
        assert fsck(path) == "0 ", at
        shutil.rmtree(path)
    assert seen == {first, last}


def test_a_turn_taken_again_after_a_crash_has_the_same_id(tmp_path: Path) -> None:
    begin(tmp_path / "start.git")
    shutil.copytree(tmp_path / "start.git", tmp_path / "whole.git")
    *_, last = reversed(states_after_take_turn(tmp_path / "whole.git"))
    for at in (10, 14, 18, 22):
        path = tmp_path / f"{at}.git"
        shutil.copytree(tmp_path / "start.git", path)
        assert dies(partial(take_turn, path), at)
        with GameRepo.open(path) as repo:
            first = len(list(repo.history())) == 1
        if first:
            take_turn(path)
            with GameRepo.open(path) as repo:
                assert repo.head == last


@every_point
def test_a_repo_whose_making_dies_is_whole_or_not_there(tmp_path: Path, whole: bool) -> None:
    calls = points(partial(begin, tmp_path / "counted" / "toy.git"), whole=whole)
    assert calls[-1] > 30
    for at in calls:
        path = tmp_path / str(at) / "toy.git"
        dies(partial(begin, path), at)
        if path.exists():
            assert fsck(path) == "0 "
            with GameRepo.open(path) as repo:
                assert all_files(repo) == BEGIN
        else:
            begin(path)


def make_keys(folder: Path) -> None:
    Keys.create(folder, "toy", SECRETS)


@pytest.mark.parametrize("torn", [False, True])
def test_secrets_whose_writing_dies_are_whole_or_not_there(tmp_path: Path, torn: bool) -> None:
    calls = points(partial(make_keys, tmp_path / "counted"), whole=True)
    assert calls[-1] > 6
    for at in calls:
        folder = tmp_path / str(at)
        dies(partial(make_keys, folder), at, torn=torn)
        if not (folder / "toy.yaml").exists():
            make_keys(folder)
        assert Keys.load(folder, "toy").secrets == SECRETS


def test_what_a_ref_needs_is_on_the_disk_before_the_ref(tmp_path: Path) -> None:
    """A killed process leaves the system's cache alone, a power cut does not: so look at the order of the syncs."""
    begin(tmp_path / "toy.git")
    with GameRepo.open(tmp_path / "toy.git") as repo, repo.lock(), recorded() as calls:
        repo.commit(TURN, "turn 1")
    assert synced_before(calls, "main")
    assert [name for name, _, _ in calls].count("fsync") == 5


def test_secrets_are_on_the_disk_before_they_are_used(tmp_path: Path) -> None:
    with recorded() as calls:
        make_keys(tmp_path / "keys")
    assert synced_before(calls, "toy.yaml")


def synced_before(calls: list[tuple[str, tuple[Any, ...], Any]], published: str) -> bool:
    """Tell whether a name appeared; fail if anything was not yet synced then, or in the end."""
    opened: dict[int, Path] = {}
    unsynced: set[Path] = set()
    appeared = False
    for name, args, result in calls:
        if name == "open" and isinstance(result, int):
            opened[result] = Path(args[0])
        elif name == "write":
            unsynced.add(opened[args[0]])
        elif name == "fsync":
            unsynced.discard(opened[args[0]])
        elif name in ("rename", "link"):
            if Path(args[1]).name == published:
                assert not unsynced, f"not yet on the disk: {unsynced}"
                appeared = True
            assert Path(args[0]) not in unsynced
            unsynced.add(Path(args[1]).parent)
    assert not unsynced, f"never synced: {unsynced}"
    return appeared


def test_a_death_is_told_from_a_failure(tmp_path: Path) -> None:
    assert dies(partial(make_keys, tmp_path / "keys"), 1)
    assert not dies(partial(os.getpid), 1)
    with pytest.raises(AssertionError, match="failed instead of dying"):
        dies(partial(begin, Path("/dev/null/toy.git")), 1000)

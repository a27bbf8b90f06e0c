"""A game's git repo: what is committed can be read, by us and by git; what may not stand in it is refused."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.repo.git import BadPath, Busy, GameExists, GameRepo, Logged, Moved, NoSuchGame, StoreError, numbered, objects
from pbem.repo.git import objects as cat_file
from pbem.repo.git.objects import CatFile
from tests.support.chance import examples

BEGIN = {"game.yaml": b"rules: toy\n", "position.yaml": b"turn: 0\n"}
TURN = {"position.yaml": b"turn: 1\n", "turns/000/0001.yaml": b"adjudication: 1\n"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games" / "punica.git"


@pytest.fixture
def repo(path: Path) -> Iterator[GameRepo]:
    with GameRepo.create(path, BEGIN, "the game begins") as repo:
        yield repo


def read_many(repo: GameRepo, paths: Iterable[str], at: str | None = None) -> dict[str, bytes | None]:
    return {path: repo.read(path, at) for path in paths}


def git(path: Path, *args: str) -> str:
    ran = subprocess.run(["git", "--git-dir", str(path), *args], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


# ---------------------------------------------------------------------------------------------- reading and writing


def test_what_is_committed_can_be_read(repo: GameRepo) -> None:
    assert repo.read("game.yaml") == b"rules: toy\n"
    assert repo.read("turns/000/0001.yaml") is None
    sha = repo.commit(TURN, "turn 1")
    assert repo.head == sha
    assert read_many(repo, ["position.yaml", "turns/000/0001.yaml", "x"]) == {**TURN, "x": None}
    assert repo.listdir() == ["game.yaml", "position.yaml", "turns"]
    assert repo.listdir("turns/000") == ["0001.yaml"]
    assert repo.listdir("none") == repo.listdir("game.yaml") == repo.listdir("game.yaml/none") == []
    assert repo.read("turns") is repo.read("game.yaml/none") is None


def test_a_repo_opened_again_reads_the_same(repo: GameRepo, path: Path) -> None:
    repo.commit(TURN, "turn 1")
    with GameRepo.open(path) as again:
        assert again.head == repo.head
        assert again.read("turns/000/0001.yaml") == b"adjudication: 1\n"
        again.commit({"turns/000/0002.yaml": b"adjudication: 2\n"}, "turn 2")
        assert again.listdir("turns/000") == ["0001.yaml", "0002.yaml"]


def test_files_can_be_taken_out(repo: GameRepo) -> None:
    repo.commit({"standing/rome.yaml": b"- x\n", "standing/carthage.yaml": b"- y\n"}, "standing orders")
    repo.commit({"standing/rome.yaml": None, "standing/none.yaml": None, "a/b/c": None}, "out")
    assert repo.listdir("standing") == ["carthage.yaml"]
    repo.commit({"standing/carthage.yaml": None}, "out")
    assert repo.listdir() == ["game.yaml", "position.yaml"]
    repo.commit({"game.yaml": None, "position.yaml": None}, "all out")
    assert repo.listdir() == []
    assert "missing" not in git(repo.path, "fsck", "--strict")


def test_the_past_can_be_read(repo: GameRepo) -> None:
    first = repo.head
    repo.commit(TURN, "turn 1")
    assert repo.read("position.yaml", first) == b"turn: 0\n"
    assert repo.listdir("", first) == ["game.yaml", "position.yaml"]
    assert read_many(repo, TURN, first) == {"position.yaml": b"turn: 0\n", "turns/000/0001.yaml": None}
    for wrong in ("HEAD", "main", first[:10], f"{first}\n", "--all"):
        with pytest.raises(StoreError, match="no commit id"):
            repo.read("position.yaml", wrong)
    with pytest.raises(StoreError, match="cannot be read"):
        repo.read("position.yaml", "0" * 40)


def test_history_goes_back(repo: GameRepo) -> None:
    first = repo.head
    second = repo.commit(TURN, "turn 1\n\nHannibal marches: from Arpi")
    third = repo.commit({}, "  nothing happened\0\n")
    assert list(repo.history()) == [
        Logged(third, "nothing happened", 2),
        Logged(second, "turn 1\n\nHannibal marches: from Arpi", 1),
        Logged(first, "the game begins", 0),
    ]
    assert [commit.sha for commit in repo.history(2)] == [third, second]
    assert list(repo.history(0)) == []


@pytest.mark.parametrize(
    ("n", "path"), [(1, "turns/000/0001.yaml"), (42, "turns/000/0042.yaml"), (4096, "turns/040/4096.yaml")]
)
def test_numbered_files_are_spread_over_folders(n: int, path: str) -> None:
    assert numbered("turns", n) == path


FILES = st.dictionaries(
    st.sampled_from(["a", "b.yaml", "b/c", "b/d", "b-c", "b.c/x", "e/f/g", "e/f/h", "e/i"]),
    st.none() | st.binary(max_size=40),
    max_size=5,
)


@settings(max_examples=examples(30))
@given(st.lists(FILES, max_size=6))
def test_a_repo_is_a_mapping_with_a_past(tmp_path_factory: pytest.TempPathFactory, steps) -> None:
    path = tmp_path_factory.mktemp("any") / "any.git"
    model: dict[str, bytes] = {}
    past = []
    with GameRepo.create(path, {}, "empty") as repo:
        for changes in steps:
            repo.commit(changes, "step")
            merged = {**model, **changes}
            model = {name: content for name, content in merged.items() if content is not None}
            past.append((repo.head, model))
    with GameRepo.open(path) as repo:
        for head, model in past:
            listed = git(path, "ls-tree", "-r", "--name-only", head).split()
            assert sorted(listed) == sorted(model)
            assert read_many(repo, model, head) == model
    assert git(path, "fsck", "--strict") == ""


# ---------------------------------------------------------------------------------------------- git's view


def test_the_same_turns_have_the_same_ids(repo: GameRepo) -> None:
    """Never to change: published games name their commits."""
    assert repo.head == "8d3ffc0243f119114b034f1c0debc7e9a30c2195"
    assert repo.commit(TURN, "turn 1") == "9dd4757588415921f45c9c99919df47af27adc07"


def test_commits_made_together_are_those_made_apart(repo: GameRepo, path: Path, tmp_path: Path) -> None:
    with GameRepo.create(tmp_path / "other.git", BEGIN, "the game begins") as other, other.transaction():
        for each in (repo, other):
            each.commit({"sheets/rome/000/0001.yaml": b"side: rome\n"}, "a sheet of rome")
            each.commit(TURN, "turn 1")
        assert other.read("sheets/rome/000/0001.yaml") == b"side: rome\n"
        assert list(other.history()) == list(repo.history())
        with GameRepo.open(tmp_path / "other.git") as observer:
            assert observer.read("position.yaml") == b"turn: 0\n"
    with GameRepo.open(tmp_path / "other.git") as observer:
        assert list(observer.history()) == list(repo.history())
    assert "error" not in git(tmp_path / "other.git", "fsck", "--strict", "--full")
    assert len(list((tmp_path / "other.git").rglob("*.pack"))) == len(list(path.rglob("*.pack"))) - 1


def test_of_commits_made_together_none_stays_if_one_fails(repo: GameRepo, path: Path) -> None:
    head = repo.head
    with suppress(BadPath), repo.transaction():
        repo.commit(TURN, "turn 1")
        with repo.transaction():
            repo.commit({"../up": b""}, "no such path")
    assert repo.head == head
    assert repo.read("turns/000/0001.yaml") is None
    repo.commit(TURN, "turn 1")
    with GameRepo.open(path) as observer:
        assert observer.read("turns/000/0001.yaml") == b"adjudication: 1\n"


def test_git_finds_nothing_wrong(repo: GameRepo, path: Path, tmp_path: Path) -> None:
    for n in range(1, 8):
        repo.commit({numbered("turns", n): b"x" * n * 1000, "position.yaml": b"turn: %d\n" % n}, f"turn {n}")
    assert git(path, "fsck", "--strict", "--full") == ""
    assert git(path, "rev-parse", "main") == f"{repo.head}\n"
    assert git(path, "log", "-1", "--format=%an %ae %cn %ce %at %ct %s") == (
        "pbem pbem@localhost pbem pbem@localhost 7 7 turn 7\n"
    )
    assert git(path, "show", "main:turns/000/0003.yaml") == "x" * 3000
    subprocess.run(["git", "clone", "-q", str(path), str(tmp_path / "clone")], check=True)
    assert (tmp_path / "clone" / "position.yaml").read_text() == "turn: 7\n"


def packed(path: Path) -> int:
    return int(git(path, "count-objects", "-v").split("in-pack: ")[1].split()[0])


def test_a_turn_writes_only_what_it_changes(repo: GameRepo, path: Path) -> None:
    for n in range(100, 160):
        before = packed(path)
        repo.commit({numbered("turns", n): b"%d\n" % n, "game.yaml": b"rules: toy\n"}, f"turn {n}")
        assert packed(path) == before + 5
    new = git(path, "rev-list", "--objects", "HEAD^..HEAD").splitlines()
    assert [line[41:] for line in new] == ["", "", "turns", "turns/001", "turns/001/0159.yaml"]


def test_what_git_does_to_the_repo_does_no_harm(repo: GameRepo, path: Path) -> None:
    head = repo.commit(TURN, "turn 1")
    git(path, "gc", "-q", "--prune=now")
    assert not (path / "refs" / "heads" / "main").exists()
    assert repo.read("position.yaml") == b"turn: 1\n"
    with GameRepo.open(path) as again:
        assert again.head == head
        again.commit({"position.yaml": b"turn: 2\n"}, "turn 2")
    assert git(path, "log", "--format=%s").split("\n")[0] == "turn 2"


def test_many_packs_become_few(repo: GameRepo, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.repo.git.TIDY_EVERY", 10)
    for n in range(1, 31):
        with repo.lock():
            repo.commit({numbered("turns", n): b"%d\n" % n}, f"turn {n}")
    assert len(list((path / "objects" / "pack").glob("*.pack"))) < 12
    assert read_many(repo, (numbered("turns", n) for n in range(1, 31))) == {
        numbered("turns", n): b"%d\n" % n for n in range(1, 31)
    }
    assert git(path, "fsck", "--strict") == ""


def test_git_keeps_the_lock_until_its_repack_is_done(repo: GameRepo, path: Path, monkeypatch) -> None:
    """A repack that outlives the adjudicator who began it still holds the game's lock."""
    repo.commit(TURN, "turn 1")
    started: list[subprocess.Popen[bytes]] = []

    def begin(self: Any, words: list[str], *, pass_fds: tuple[int, ...]) -> None:
        assert words[1] == "repack"
        started.append(subprocess.Popen(["sleep", "60"], pass_fds=pass_fds))

    monkeypatch.setattr("git.cmd.Git.execute", begin)
    with repo.lock():
        repo.tidy()
    try:
        with GameRepo.open(path) as again, pytest.raises(Busy), again.lock(timeout=0.1):
            pass
    finally:
        started[0].kill()
        started[0].wait()
    with GameRepo.open(path) as again, again.lock(timeout=1):
        assert again.read("position.yaml") == b"turn: 1\n"


def test_nobody_elses_git_settings_count(repo: GameRepo, path: Path, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "gitconfig").write_text("[safe]\nbareRepository = explicit\n[core]\nbad")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "elsewhere"))
    repo.commit(TURN, "turn 1")
    with GameRepo.open(path) as again:
        assert again.read("position.yaml") == b"turn: 1\n"
        with again.lock():
            again.tidy()
        assert again.read("game.yaml") == b"rules: toy\n"


# ---------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "name",
    [
        *("", "/", "a/", "/a", "a//b", ".", "..", "../x", "a/../b", ".git", ".git/config", ".gitmodules", "a/.x", "-x"),
        *("A", "a b", "a\n", "a\0", "ä", "a\\b", "git~1", "a:b", "x" * 65, "/".join("abcdefghi")),
    ],
)
def test_paths_that_do_not_belong_are_refused(repo: GameRepo, name: str) -> None:
    head = repo.head
    for use in (lambda: repo.commit({name: b"x"}, "x"), lambda: repo.read(name), lambda: repo.listdir(name or "/")):
        with pytest.raises(BadPath, match="cannot stand in a game's repo"):
            use()
    assert repo.head == head


@pytest.mark.parametrize(
    "files",
    [
        {"a": b"", "a/b": b""},
        {"a/b": b"", "a": b""},
        {"game.yaml/x": b""},
        {"standing": b""},
        {"a/b": b"", "a": None},
        {"standing": None},
    ],
)
def test_nothing_is_a_file_and_a_folder(repo: GameRepo, files: dict[str, bytes | None]) -> None:
    repo.commit({"standing/rome.yaml": b"x"}, "x")
    head = repo.head
    with pytest.raises(BadPath, match=r"file and a folder at once|folder in this game|file in this game"):
        repo.commit(files, "x")
    assert repo.head == head
    with repo.lock(timeout=0):
        repo.commit(TURN, "and on it goes")


def test_a_game_takes_nobodys_place(repo: GameRepo, path: Path) -> None:
    head = repo.head
    with pytest.raises(GameExists, match="a new game needs another name"):
        GameRepo.create(path, TURN, "mine")
    with GameRepo.open(path) as again:
        assert again.head == head


def test_what_a_dead_maker_left_is_not_in_the_way(path: Path) -> None:
    (path.parent / f".punica.git.{os.getpid()}" / "objects").mkdir(parents=True)
    GameRepo.create(path, BEGIN, "the game begins").close()
    assert [found.name for found in path.parent.iterdir()] == ["punica.git"]


def test_a_game_that_cannot_be_made_leaves_nothing(path: Path) -> None:
    with pytest.raises(BadPath):
        GameRepo.create(path, {"../x": b""}, "x")
    with pytest.raises(TypeError):
        GameRepo.create(path, {"x": "text"}, "x")  # type: ignore[dict-item]
    assert not path.parent.exists() or list(path.parent.iterdir()) == []


def test_no_game_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(NoSuchGame, match=r"there is no game at .*none"):
        GameRepo.open(tmp_path / "none.git")
    with pytest.raises(NoSuchGame):
        GameRepo.open(tmp_path)


def test_damage_is_told(repo: GameRepo, path: Path) -> None:
    shutil.rmtree(path / "objects" / "pack")
    (path / "objects" / "pack").mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        GameRepo.open(path)
    (path / "refs" / "heads" / "main").unlink()
    with GameRepo.open(path) as empty, pytest.raises(StoreError, match="holds no commit on refs/heads/main"):
        empty.read("game.yaml")


# ---------------------------------------------------------------------------------------------- one at a time


def test_who_comes_second_waits_and_is_told_for_whom(repo: GameRepo, path: Path) -> None:
    with GameRepo.open(path) as other, repo.lock():
        started = time.monotonic()
        told = rf"punica is being worked on by process {os.getpid()} on .* since 20.* UTC"
        with pytest.raises(Busy, match=told), other.lock(timeout=0.1):
            pass
        assert 0.1 <= time.monotonic() - started < 2
        with repo.lock():
            repo.commit(TURN, "turn 1")
    with repo.lock(timeout=0):
        pass


def test_who_waited_sees_what_was_done_meanwhile(repo: GameRepo, path: Path) -> None:
    with GameRepo.open(path) as other:
        repo.commit(TURN, "turn 1")
        assert other.read("position.yaml") == b"turn: 0\n"
        with other.lock():
            assert other.read("position.yaml") == b"turn: 1\n"


def test_what_rests_on_an_old_position_is_not_committed(repo: GameRepo, path: Path) -> None:
    with GameRepo.open(path) as other:
        head = repo.commit(TURN, "turn 1")
        with pytest.raises(Moved, match="punica has moved on since it was read; nothing was committed"):
            other.commit({"position.yaml": b"turn: 9\n"}, "stale")
        with other.lock():
            assert other.head == head
            other.commit({"position.yaml": b"turn: 2\n"}, "turn 2")


def add_turns(path: Path, side: str) -> None:
    with GameRepo.open(path) as repo:
        for _ in range(10):
            with repo.lock():
                repo.commit({numbered("turns", len(list(repo.history()))): side.encode()}, side)


def test_two_at_work_lose_nothing(repo: GameRepo, path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    workers = [context.Process(target=add_turns, args=(path, side)) for side in ("rome", "carthage")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    with repo.lock():
        written = read_many(repo, (numbered("turns", n) for n in range(1, 21)))
    assert sorted(content or b"" for content in written.values()) == [b"carthage"] * 10 + [b"rome"] * 10
    assert git(path, "fsck", "--strict") == ""


def test_another_git_at_work_is_waited_for_and_named(repo: GameRepo, path: Path, monkeypatch) -> None:
    monkeypatch.setattr("pbem.repo.git.PATIENCE", 0.5)
    lock = path / "refs" / "heads" / "main.lock"
    lock.touch()
    with pytest.raises(Busy, match=r"another git program holds .*main\.lock; nothing was committed"):
        repo.commit(TURN, "turn 1")
    assert lock.exists()
    os.utime(lock, (time.time() - 7200,) * 2)
    repo.commit(TURN, "turn 1")
    assert not lock.exists()


def test_what_a_dead_holder_left_is_cleared_away_at_once(repo: GameRepo, path: Path) -> None:
    (path / "pbem.lock").write_text("process 1 on elsewhere since then")
    (path / "refs" / "heads" / "main.lock").touch()
    with repo.lock(timeout=0):
        repo.commit(TURN, "turn 1")
    assert (path / "pbem.lock").read_text() == ""


def test_a_failed_commit_leaves_no_lock(repo: GameRepo, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = repo.head

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            repo.commit(TURN, "turn 1")
    assert repo.head == head
    assert not (path / "refs" / "heads" / "main.lock").exists()
    repo.commit(TURN, "turn 1")
    assert git(path, "fsck", "--strict") == ""


# ---------------------------------------------------------------------------------------------- the git process


def children() -> list[int]:
    found = Path(f"/proc/self/task/{os.getpid()}/children")
    if not found.exists():
        pytest.skip("this system does not list child processes")
    return [int(pid) for pid in found.read_text().split() if b"cat-file" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_closing_leaves_no_process(path: Path) -> None:
    before = children()
    with GameRepo.create(path, BEGIN, "x") as repo:
        repo.read("game.yaml")
        assert len(children()) == len(before) + 1
    assert children() == before


def test_a_git_that_answers_one_question_a_process(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As before version 2.36: it ends when it is asked for what it does not know."""
    monkeypatch.setattr(cat_file, "_BOTH", "--no-such-option")
    monkeypatch.setattr(CatFile, "_answers_both", True)
    before = children()
    with GameRepo.create(path, BEGIN, "x") as repo:
        assert repo.read("position.yaml") == BEGIN["position.yaml"]
        assert len(children()) == len(before) + 2
    with GameRepo.open(path) as again:
        assert again.read("position.yaml") == BEGIN["position.yaml"]
    assert children() == before


def test_a_killed_git_process_is_replaced(repo: GameRepo) -> None:
    repo.read("game.yaml")
    for pid in children():
        os.kill(pid, signal.SIGKILL)
    assert repo.read("position.yaml") == b"turn: 0\n"


def test_small_file_is_kept_and_one_among_too_many_is_read_again(
    repo: GameRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that are kept need not be asked for; there is room for so many bytes of them."""
    monkeypatch.setattr(objects, "_ROOM_FOR_BLOBS", 5000)
    with repo.transaction():
        repo.commit({f"{n}.yaml": b"%d" % n * 2000 for n in range(1, 4)}, "three files")
    repo.close()
    with GameRepo.open(repo.path) as again:
        asked: list[str] = []
        read = CatFile.read

        def noted(reader: CatFile, oid: str) -> tuple[str, bytes]:
            asked.append(oid)
            return read(reader, oid)

        monkeypatch.setattr(CatFile, "read", noted)
        again.read("1.yaml"), again.read("2.yaml")
        asked.clear()
        assert (again.read("1.yaml"), again.read("2.yaml")) == (b"1" * 2000, b"2" * 2000)
        assert not asked
        assert again.read("3.yaml") == b"3" * 2000
        assert again.read("1.yaml") == b"1" * 2000
        assert len(asked) == 2


def test_a_file_that_was_damaged_on_the_disk_is_refused(path: Path, repo: GameRepo) -> None:
    repo.close()
    named = {name: git(path, "rev-parse", f"HEAD:{name}").strip() for name in BEGIN}
    packs = [pack.read_bytes() for pack in (path / "objects" / "pack").glob("*.pack")]
    shutil.rmtree(path / "objects" / "pack")
    for pack in packs:
        subprocess.run(["git", "--git-dir", str(path), "unpack-objects", "-q"], input=pack, check=True)
    right, wrong = (path / "objects" / named[name][:2] / named[name][2:] for name in ("game.yaml", "position.yaml"))
    right.chmod(0o644)
    right.write_bytes(wrong.read_bytes())
    with GameRepo.open(path) as damaged:
        assert damaged.read("position.yaml") == BEGIN["position.yaml"]
        with pytest.raises(StoreError, match="is damaged"):
            damaged.read("game.yaml")

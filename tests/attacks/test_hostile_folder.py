"""A repo that a stranger hands over as a folder: what is in it neither hangs the program nor breaks it off."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.cli.runtime import FAULTS, WORLD
from pbem.referee.opening import open_to_read
from pbem.repo.git import StoreError
from pbem.repo.git.formats import GitObject, git_object, pack_objects
from pbem.repo.git.locks import LOCK
from tests.support.command_line import pbem
from tests.support.forging import told
from tests.support.live import Folder, git
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes and devices here")
MAIN = Path("refs") / "heads" / "main"


@pytest.fixture(scope="module")
def true(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("true"))
    told(folder, most=4).close()
    return folder


@pytest.fixture
def clone(true: Folder, tmp_path: Path) -> Path:
    """Return a bare clone, to be made hostile."""
    path = tmp_path / "punica.git"
    git(true.repo("punica"), "clone", "-q", "--bare", str(true.repo("punica")), str(path))
    return path


def put(path: Path, make: Callable[[Path], object]) -> None:
    """Put something in the place of a file."""
    path.unlink(missing_ok=True)
    make(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", quick_first([os.mkfifo, endless]), ids=["pipe", "endless"])
@pytest.mark.parametrize("name", ["HEAD", str(MAIN), "packed-refs", LOCK, "config", "info/grafts", "shallow"])
def test_a_file_that_never_ends_is_not_waited_for(clone: Path, name: str, make: Callable[[Path], object]) -> None:
    """What the repo needs is named; what only settings would need does not count."""
    (clone / name).parent.mkdir(exist_ok=True)
    put(clone / name, make)
    if name == "packed-refs":
        (clone / MAIN).unlink(missing_ok=True)
    ended = pbem("verify", str(clone), "--rules-dir", FOLDERS[0])
    if name in (LOCK, "config", "info/grafts", "shallow"):
        assert ended.exit_code == 0, ended.output
    else:
        assert ended.exit_code in (FAULTS, WORLD), ended.output
        missing = "there is no repo of a game at" if name == "HEAD" else f"{clone / name} is no plain file"
        assert missing in ended.output


@pytest.mark.parametrize("name", ["info/alternates", "info/commit-graph", "pack/pack-1.idx", "12/34"])
def test_no_pipe_is_waited_for_among_the_objects(clone: Path, name: str) -> None:
    path = clone / "objects" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, os.mkfifo)
    found = verify(clone, folders=FOLDERS).findings.sorted
    assert [str(each) for each in found] == [f"the repo: {path} is no plain file"]


def test_objects_from_elsewhere_are_refused(clone: Path, true: Folder) -> None:
    path = clone / "objects" / "info" / "alternates"
    path.write_text(f"{true.repo('punica') / 'objects'}\n", "utf-8")
    (found,) = verify(clone, folders=FOLDERS).findings.sorted
    assert str(found) == f"the repo: {path}: the repo borrows objects from elsewhere"


def test_a_ref_that_never_ends_is_not_waited_for(clone: Path, true: Folder) -> None:
    put(clone / MAIN, os.mkfifo)
    with pytest.raises(StoreError, match="refs/heads/main is damaged"):
        open_to_read(clone.parent, true.keys, "punica", folders=FOLDERS)


def test_its_settings_silence_nothing(clone: Path) -> None:
    """Git itself leaves out of a check what the settings of a repo call harmless."""
    content = b"tree " + git(clone, "rev-parse", "main^{tree}").strip().encode() + b"\n"
    odd = git_object("commit", content + b"author nobody 1 +0000\ncommitter nobody 1 +0000\n\nodd\n")
    write_objects(clone, [odd])
    for word in ("missingEmail", "badName", "missingNameBeforeEmail", "missingSpaceBeforeDate", "badDate"):
        git(clone, "config", f"fsck.{word}", "ignore")
    checked = verify(clone, folders=FOLDERS).findings.sorted
    assert any("missingEmail" in str(each) for each in checked), list(map(str, checked))


def test_folders_in_folders_end_in_a_sentence(clone: Path) -> None:
    objects = [git_object("blob", b"deep")]
    objects.append(tree_of("file", objects[-1], b"100644"))
    for _ in range(1200):
        objects.append(tree_of("d", objects[-1], b"40000"))
    commit_on(clone, objects)
    (found,) = verify(clone, folders=FOLDERS).findings.sorted
    assert "folders lie deeper in each other than those of a game" in str(found)


def test_a_name_that_is_no_text_ends_in_a_sentence(clone: Path) -> None:
    blob = git_object("blob", b"odd")
    tree = git_object("tree", b"100644 \xff\xfe\0" + blob.oid)
    commit_on(clone, [blob, tree])
    ended = pbem("verify", str(clone), "--rules-dir", FOLDERS[0])
    assert ended.exit_code == FAULTS
    assert "cannot be read: " in ended.output


def tree_of(name: str, child: GitObject, mode: bytes) -> GitObject:
    return git_object("tree", mode + b" " + name.encode() + b"\0" + child.oid)


def commit_on(repo: Path, objects: list[GitObject]) -> None:
    """Write objects, and a commit on main whose tree is the last of them."""
    parent = git(repo, "rev-parse", "main").strip()
    head = f"tree {objects[-1].oid.hex()}\nparent {parent}\nauthor x <x@y> 1 +0000\ncommitter x <x@y> 1 +0000\n\nx\n"
    commit = git_object("commit", head.encode())
    write_objects(repo, [*objects, commit])
    git(repo, "update-ref", "refs/heads/main", commit.oid.hex())


def write_objects(repo: Path, objects: list[GitObject]) -> None:
    packed = pack_objects(objects)
    folder = repo / "objects" / "pack"
    (folder / f"{packed.name}.pack").write_bytes(packed.pack)
    (folder / f"{packed.name}.idx").write_bytes(packed.index)


def test_locks_and_talk_are_closed_to_others(true: Folder) -> None:
    """Who can open a lock can hold it, and stop a game."""
    with true.open("punica") as game, game.lock():
        pass
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in true.repo("punica").iterdir() if each.is_file()}
    assert modes[LOCK] == 0o600
    assert all(mode == 0o600 for name, mode in modes.items() if name not in ("HEAD", "config", "packed-refs")), modes

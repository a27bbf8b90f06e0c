"""Packs that are read without git: whatever git has made of a repo, the same is read as by git itself."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from pbem.repo.git import GameRepo
from pbem.repo.git.cat_file import CatFile
from pbem.repo.git.formats import git_object, pack_objects
from pbem.repo.git.objects import LARGEST, TooLarge
from pbem.repo.git.packs import Packs


def git(path: Path, *words: str) -> bytes:
    return subprocess.run(["git", "--git-dir", str(path), *words], check=True, capture_output=True).stdout


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a repo with files that change a little from commit to commit."""
    random, lines = Random(3), [f"line {n}" for n in range(300)]
    with GameRepo.create(tmp_path / "punica.git", {"big.txt": "\n".join(lines).encode(), "empty": b""}, "0") as repo:
        for n in range(1, 25):
            lines[random.randrange(300)] = f"changed in {n}"
            repo.commit({"big.txt": "\n".join(lines).encode(), f"turns/{n}.yaml": b"turn: %d\n" % n}, str(n))
        return repo.path


def objects(path: Path) -> dict[bytes, tuple[str, bytes]]:
    """Return all objects as git reads them."""
    reader = CatFile(path, {"GIT_DIR": str(path)})
    return {bytes.fromhex(found.oid): (found.kind, content) for found, content in reader.contents()}


def differences(path: Path) -> int:
    """Return how many objects are stored as the difference from another."""
    indices = [str(each) for each in (path / "objects" / "pack").glob("*.idx")]
    return sum(len(line.split()) == 7 for line in git(path, "verify-pack", "-v", *indices).decode().splitlines())


@pytest.mark.parametrize("words", [(), ("repack", "-adfq", "--depth=50"), ("repack", "-adfq", "--window=0")])
def test_all_objects_are_read_as_git_reads_them(path: Path, words: tuple[str, ...]) -> None:
    if words:
        git(path, "-c", "repack.useDeltaBaseOffset=true", *words)
    assert bool(differences(path)) == ("--depth=50" in words)
    packs, found = Packs(path / "objects" / "pack", LARGEST), objects(path)
    assert len(found) > 70
    assert {oid: packs.read(oid) for oid in found} == found
    assert packs.read(bytes(20)) is None


def test_differences_from_an_object_by_its_id_are_read(path: Path) -> None:
    git(path, "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")
    assert differences(path)
    packs, found = Packs(path / "objects" / "pack", LARGEST), objects(path)
    assert {oid: packs.read(oid) for oid in found} == found


def test_a_repo_that_is_repacked_meanwhile_is_read_on(path: Path) -> None:
    packs, found = Packs(path / "objects" / "pack", LARGEST), objects(path)
    first, *others = found
    assert packs.read(first) == found[first]
    git(path, "repack", "-adq")
    assert [packs.read(oid) for oid in others] == [found[oid] for oid in others]
    with GameRepo.open(path) as repo:
        repo.commit({"new.txt": b"new"}, "new")
    assert packs.read(git_object("blob", b"new").oid) == ("blob", b"new")


def test_damaged_packs_are_left_to_git(path: Path) -> None:
    """No damage makes a reader of packs fail, or return another content without git noticing the id."""
    git(path, "repack", "-adfq")
    (pack,), found, random = (path / "objects" / "pack").glob("*.pack"), objects(path), Random(11)
    whole = pack.read_bytes()
    pack.chmod(0o644)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(40):
            damaged[random.randrange(12, len(whole))] = random.randrange(256)
        pack.write_bytes(damaged[: random.choice((len(whole), random.randrange(len(whole))))])
        packs = Packs(path / "objects" / "pack", LARGEST)
        for oid in found:
            read = packs.read(oid)
            assert read is None or isinstance(read[1], bytes)


def test_nothing_above_the_limit_is_unpacked(path: Path) -> None:
    huge = git_object("blob", bytes(LARGEST + 1))
    packed = pack_objects([huge])
    for ending, content in (("pack", packed.pack), ("idx", packed.index)):
        (path / "objects" / "pack" / f"{packed.name}.{ending}").write_bytes(content)
    assert Packs(path / "objects" / "pack", LARGEST).read(huge.oid) is None
    assert Packs(path / "objects" / "pack", LARGEST + 1).read(huge.oid) == ("blob", huge.content)
    with GameRepo.open(path) as repo, pytest.raises(TooLarge):
        repo._objects.blob(huge.oid)

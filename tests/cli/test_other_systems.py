"""The command line where players are: systems without file locks, or whose terminals know no Unicode.

Windows itself runs this file, too. No game can be made there, so this one is cloned from a bundle.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

from pbem import atomic
from pbem.cli.runtime import DONE, FAULTS, NOT_PROVEN, WORLD
from pbem.crypto import keys as key_store
from pbem.crypto.keys import BadKeys, Keys
from pbem.referee.game.home_check import take_home
from pbem.repo.git.locks import LOCK
from tests.support.live import SECRETS, Folder, letter, pick, sheet
from tests.support.running import BUNDLE, ROLLED
from tests.support.soak import quick_and_whole, quick_first

ROOT = Path(atomic.__file__).parent.parent
GREEK = "\u1f00\u03bd\u03bd\u03af\u03b2\u03b1\u03c2 \u00eb"
UNIX_ONLY = ("fcntl", "pwd", "grp", "resource", "termios")
CALLS_OF_UNIX = (
    "O_DIRECTORY",
    "fchmod",
    "fork",
    "forkpty",
    "getgid",
    "getuid",
    "geteuid",
    "posix_fadvise",
    "pread",
    "pwrite",
    "sync",
    "uname",
)
"""Names of `os` that Windows lacks."""
CHILD = f"""
import contextlib, io, json, os, sys
sys.modules.update(dict.fromkeys({UNIX_ONLY}))
for name in {CALLS_OF_UNIX}:
    if hasattr(os, name):
        delattr(os, name)
from pbem.cli import main
ended = []
for words in json.load(sys.stdin):
    sys.argv, said, complaint, code = ["pbem", *words], io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    ended.append([code, said.getvalue(), complaint.getvalue()])
json.dump(ended, sys.stdout)
"""
"""Runs commands in a process that lacks what Windows lacks; in and out comes JSON."""

READING = {
    "shelf": ["shelf"],
    "rules": ["rules", "rome_carthage"],
    "odds": ["odds", "rome_carthage", "siege", "--games", "2"],
    "status": ["status", "running"],
    "report": ["report", "running", "--side", "carthage"],
    "map": ["map", "running", "-o", "map.png", "--side", "carthage"],
    "form": ["form", "running", "--side", "carthage"],
    "check": ["check", "running", "orders.yaml", "--side", "carthage"],
    "check at home": ["check", "position.json", "orders.yaml"],
    "forecast": ["forecast", "running", "orders.yaml", "--side", "carthage"],
    "forecast at home": ["forecast", "position.json", "orders.yaml"],
    "seal-orders": ["seal-orders", "running", "orders.yaml", "--side", "carthage"],
    "seal-orders at home": ["seal-orders", "position.json", "orders.yaml"],
    "thread": ["thread", "running", "--format", "markdown"],
    "log": ["log", "running", "--dice"],
    "explain": ["explain", "running", str(ROLLED), "1"],
    "verify": ["verify", "running"],
    "my-chain": ["my-chain", "next", "chain.txt"],
}
WRITING = {
    "new": ["new", "other", "--rules", "rome_carthage", "--begin"],
    "letter": ["letter", "letter.eml"],
    "submit": ["submit", "running", "orders.yaml", "--side", "carthage"],
    "adjudicate": ["adjudicate", "running"],
    "rollback": ["rollback", "running", "--to", "3", "--by-game-master", "--reason", "so it is"],
    "ruling": ["ruling", "running", "--end", "--reason", "so it is"],
    "migrate": ["migrate", "running"],
    "demo": ["demo", "shown"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game, an order sheet, a letter, and what came with a report."""
    folder = Folder(tmp_path_factory.mktemp("elsewhere"))
    folder.games.mkdir()
    subprocess.run(["git", "clone", "-q", "--bare", "-b", "main", str(BUNDLE), str(folder.repo("running"))], check=True)
    (folder.repo("running") / LOCK).touch()  # as in a game that is played here
    Keys.create(folder.keys, "running", SECRETS)
    with folder.open("running") as game:
        text = sheet(game, "carthage", pick(game, game.asked("carthage")[0], Random(3)))
        home = take_home(game, "carthage") | {"box": game.box.digest}  # as if it had been moved to the rules here
        (folder.path / "position.json").write_text(json.dumps(home), "utf-8")
    (folder.path / "orders.yaml").write_bytes(text.replace(b"\n", b"\r\n"))
    (folder.path / "letter.eml").write_bytes(letter("carthage", text))
    (folder.path / "greek.yaml").write_text(
        f"game: running\nside: carthage\norders:\n- {GREEK}: {{card: 1}}\n", "utf-8"
    )
    return folder


def environment(folder: Folder) -> dict[str, str]:
    """Return what a command needs to find pbem, and the games of a folder."""
    own = {"PBEM_GAMES": str(folder.games), "PBEM_KEYS": str(folder.keys), "PYTHONPATH": str(ROOT)}
    return {**os.environ, **own}


def without_locks(folder: Folder, words: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, str, str]]:
    """Run commands in one process where there are no locks; return code, output and complaint of each."""
    before = content(folder)
    ran = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps([*words.values()]),
        capture_output=True,
        text=True,
        cwd=folder.path,
        env=environment(folder),
    )
    assert ran.returncode == 0, ran.stderr
    assert content(folder) == before
    return dict(zip(words, map(tuple, json.loads(ran.stdout)), strict=True))


def content(folder: Folder) -> dict[str, bytes]:
    """Return every file of the games and their keys."""
    found = [path for below in (folder.games, folder.keys) for path in below.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in found}


def test_some_reading_verbs_need_no_locks(folder: Folder) -> None:
    ended = without_locks(folder, {verb: READING[verb] for verb in ("status", "check at home")})
    assert {verb: end[0] for verb, end in ended.items()} == dict.fromkeys(ended, DONE)


@pytest.mark.slow
def test_no_reading_verb_needs_locks(folder: Folder) -> None:
    ended = without_locks(folder, {"a chain": ["my-chain", "new", "chain.txt"], **READING})
    beside = {verb: end[2] for verb, end in ended.items() if end[2]}
    with folder.open("running") as game:
        others = game.differs is not None  # it was played by an earlier version's rules, which are not here
    expected = dict.fromkeys(ended, DONE) | {"verify": NOT_PROVEN if others else DONE}
    assert {verb: end[0] for verb, end in ended.items()} == expected
    assert beside.keys() == {"seal-orders", "seal-orders at home"}  # the output itself shows nothing of the orders
    assert [verb for verb, (_, said, _) in ended.items() if said == ""] == []
    # What they say is what they say elsewhere.
    assert (": not proven, " if others else ": proven, ") in ended["verify"][1]
    assert "no faults" in ended["check at home"][1]
    assert ended["forecast"][1] == ended["forecast at home"][1]
    assert (folder.path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert ended["my-chain"][1].startswith("link: ")


def test_writing_verbs_say_that_there_are_no_locks(folder: Folder) -> None:
    ended = without_locks(folder, WRITING)
    sentence = "games cannot be changed on this system, because it has no file locks (fcntl); use Linux, macOS or WSL"
    assert ended == dict.fromkeys(WRITING, (WORLD, "", f"pbem: {sentence}\n"))


@pytest.mark.skipif(os.name == "nt", reason="a mode of a file tells nothing there")
def test_a_mode_says_nothing_where_modes_tell_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.keys.chmod(0o755)
    with pytest.raises(BadKeys, match="open to others"):
        Keys.load(folder.keys, "running")
    monkeypatch.setattr(key_store, "_MODES_TELL", False)
    assert Keys.load(folder.keys, "running").game == "running"
    folder.keys.chmod(0o700)


def test_folder_is_renamed_over_an_empty_one_as_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.rename

    def as_on_windows(source: Path, target: Path) -> None:
        if os.path.lexists(target):
            raise FileExistsError(183, "Cannot create a file when that file already exists")
        rename(source, target)

    monkeypatch.setattr(os, "rename", as_on_windows)
    (tmp_path / "draft").mkdir()
    (tmp_path / "draft" / "HEAD").touch()
    (tmp_path / "mirror").mkdir()
    atomic.rename_folder(tmp_path / "draft", tmp_path / "mirror")
    assert [path.name for path in tmp_path.rglob("*")] == ["mirror", "HEAD"]
    (tmp_path / "draft").mkdir()
    with pytest.raises(OSError, match="not empty"):
        atomic.rename_folder(tmp_path / "draft", tmp_path / "mirror")


# ---- terminals


def pbem(folder: Folder, *words: str, encoding: str = "ascii") -> subprocess.CompletedProcess[bytes]:
    """Run the command line on a terminal with some encoding."""
    run = [sys.executable, "-c", "from pbem.cli import main; main()", *words]
    world = {**environment(folder), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    return subprocess.run(run, capture_output=True, cwd=folder.path, env=world)


@pytest.mark.parametrize(("encoding", "shown"), quick_first([("ascii", b"??????? ?:"), ("cp1252", b"??????? \xeb:")]))
@pytest.mark.parametrize(
    "further", quick_and_whole(["shelf"], ["report running", "form running --side carthage", "log running", "shelf"])
)
def test_characters_the_terminal_lacks_become_question_marks(
    folder: Folder, encoding: str, shown: bytes, further: list[str]
) -> None:
    ran = pbem(folder, "check", "running", "greek.yaml", "--side", "carthage", encoding=encoding)
    assert (ran.returncode, ran.stderr) == (FAULTS, b"")
    assert shown in ran.stdout
    for words in further:
        ran = pbem(folder, *words.split(), encoding=encoding)
        assert (ran.returncode, ran.stderr) == (DONE, b""), words


@pytest.mark.parametrize("encoding", quick_first(["ascii", "cp1252", "utf-8"]))
def test_json_loses_no_letter(folder: Folder, encoding: str) -> None:
    ran = pbem(folder, "check", "running", "greek.yaml", "--side", "carthage", "--json", encoding=encoding)
    assert ran.returncode == FAULTS
    assert any(GREEK in str(row) for row in json.loads(ran.stdout))
    assert (GREEK.encode() in ran.stdout) == (encoding == "utf-8")


def test_full_standard_output_is_told_in_one_sentence(folder: Folder) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no disk that is always full")
    run = [sys.executable, "-c", "from pbem.cli import main; main()", "status", "running"]
    world = {name: value for name, value in environment(folder).items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, env=world)
    assert (ran.returncode, ran.stderr) == (WORLD, b"pbem: standard output: No space left on device\n")

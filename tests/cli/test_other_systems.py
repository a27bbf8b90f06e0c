"""The command line where players are: systems without file locks, or whose terminals know no Unicode.

Windows itself runs this file, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from pbem import atomic
from pbem.cli.runtime import DONE, WORLD
from pbem.crypto import keys as key_store
from pbem.crypto.keys import BadKeys, Keys
from tests.support.disputed import assaulted
from tests.support.live import Folder, letter, pick, sheet
from tests.support.walks import FOLDERS, TOY

ROOT = Path(atomic.__file__).parent.parent
UNIX_ONLY = ("fcntl", "pwd", "grp", "resource", "termios")
CALLS_OF_UNIX = (
    "O_DIRECTORY", "fchmod", "fork", "forkpty", "getgid", "getuid", "geteuid", "posix_fadvise", "pread",
    "pwrite", "sync", "uname",
)  # fmt: skip
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
    "status": ["status", "punica"],
    "report": ["report", "punica", "--side", "red"],
    "map": ["map", "punica", "-o", "red.png", "--side", "red"],
    "form": ["form", "punica", "--side", "red"],
    "check": ["check", "punica", "red.yaml", "--side", "red"],
    "check at home": ["check", "position.json", "red.yaml"],
    "forecast": ["forecast", "punica", "red.yaml", "--side", "red"],
    "forecast at home": ["forecast", "position.json", "red.yaml"],
    "log": ["log", "punica", "--dice"],
    "explain": ["explain", "punica", "5", "1"],
    "verify": ["verify", "punica"],
    "my-chain": ["my-chain", "next", "chain.txt"],
}
WRITING = {
    "new": ["new", "other", "--rules", "toy", "--begin"],
    "letter": ["letter", "red.eml"],
    "submit": ["submit", "punica", "red.yaml", "--side", "red"],
    "adjudicate": ["adjudicate", "punica"],
    "rollback": ["rollback", "punica", "--to", "3", "--by-game-master", "--reason", "so it is"],
    "ruling": ["ruling", "punica", "--end", "--reason", "so it is"],
    "migrate": ["migrate", "punica"],
    "demo": ["demo", "shown"],
}


@contextmanager
def locked_by_nothing() -> Iterator[None]:
    """Let the tests make a game where there are no locks, since nobody else is at work on it."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("fcntl") is None:
            nothing = SimpleNamespace(LOCK_SH=1, LOCK_EX=2, LOCK_NB=4, LOCK_UN=8, flock=lambda file, how: None)
            patch.setitem(sys.modules, "fcntl", nothing)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game, an order sheet, a letter, and what came with a report."""
    folder = Folder(tmp_path_factory.mktemp("elsewhere"))
    with locked_by_nothing():
        assaulted(folder)
    with folder.open() as game:
        text = sheet(game, "red", pick(game, game.asked("red")[0], Random(1)))
        (folder.path / "position.json").write_text(json.dumps(game.take_home("red")), "utf-8")
    (folder.path / "red.yaml").write_bytes(text.replace(b"\n", b"\r\n"))
    (folder.path / "red.eml").write_bytes(letter("red", text))
    return folder


def environment(folder: Folder) -> dict[str, str]:
    """Return what a command needs to find pbem, the code of Three Hills, and the games of a folder."""
    own = {"PBEM_GAMES": str(folder.games), "PBEM_KEYS": str(folder.keys), "PBEM_RULES": FOLDERS[0]}
    return {**os.environ, **own, "PYTHONPATH": os.pathsep.join([str(ROOT), str(TOY)])}


@pytest.fixture(scope="module")
def ended(folder: Folder) -> dict[str, tuple[int, str, str]]:
    """Return code, output and complaint of each command, run where there are no locks."""
    words = {**WRITING, "a chain": ["my-chain", "new", "chain.txt"], **READING}
    before = content(folder)
    ran = subprocess.run(
        [sys.executable, "-c", CHILD], input=json.dumps([*words.values()]), capture_output=True, text=True,
        cwd=folder.path, env=environment(folder),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert content(folder) == before
    return dict(zip(words, map(tuple, json.loads(ran.stdout)), strict=True))


def content(folder: Folder) -> dict[str, bytes]:
    """Return every file of the games and their keys."""
    found = [path for below in (folder.games, folder.keys) for path in below.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in found}


@pytest.mark.parametrize("verb", READING)
def test_reading_verbs_need_no_locks(ended: dict[str, tuple[int, str, str]], verb: str) -> None:
    code, said, complaint = ended[verb]
    assert (code, complaint) == (DONE, "")
    assert said != ""


def test_reading_verbs_say_what_they_say_elsewhere(ended: dict[str, tuple[int, str, str]], folder: Folder) -> None:
    assert "All that was checked is as it must be." in ended["verify"][1]
    assert "nothing is wrong with it" in ended["check at home"][1]
    assert ended["forecast"][1] == ended["forecast at home"][1]
    assert (folder.path / "red.png").read_bytes().startswith(b"\x89PNG")
    assert ended["my-chain"][1].startswith("link: ")


@pytest.mark.parametrize("verb", WRITING)
def test_writing_verbs_say_that_there_are_no_locks(ended: dict[str, tuple[int, str, str]], verb: str) -> None:
    sentence = "games cannot be changed on this system, because it has no file locks (fcntl); use Linux, macOS or WSL"
    assert ended[verb] == (WORLD, "", f"pbem: {sentence}\n")


@pytest.mark.skipif(os.name == "nt", reason="a mode of a file tells nothing there")
def test_a_mode_says_nothing_where_modes_tell_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.keys.chmod(0o755)
    with pytest.raises(BadKeys, match="open to others"):
        Keys.load(folder.keys, "punica")
    monkeypatch.setattr(key_store, "_MODES_TELL", False)
    assert Keys.load(folder.keys, "punica").game == "punica"
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


@pytest.fixture(scope="module")
def zoe(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game of a player whose name takes more than ASCII."""
    folder = Folder(tmp_path_factory.mktemp("terminals"))
    with locked_by_nothing():
        folder.create(players={"red": "Zoë Łuk", "blue": "Ἀννίβας"}).close()
    return folder


@pytest.mark.parametrize(("encoding", "name"), [("ascii", b"Zo? ?uk"), ("cp1252", b"Zo\xeb ?uk")])
def test_characters_the_terminal_lacks_become_question_marks(zoe: Folder, encoding: str, name: bytes) -> None:
    for words in (["status", "punica"], ["report", "punica", "--side", "red"], ["log", "punica"]):
        ran = pbem(zoe, *words, encoding=encoding)
        assert (ran.returncode, ran.stderr) == (DONE, b""), words
    assert name in pbem(zoe, "status", "punica", encoding=encoding).stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_loses_no_letter(zoe: Folder, encoding: str) -> None:
    ran = pbem(zoe, "status", "punica", "--json", encoding=encoding)
    assert json.loads(ran.stdout)["players"] == {"red": "Zoë Łuk", "blue": "Ἀννίβας"}
    assert ("Zoë".encode() in ran.stdout) == (encoding == "utf-8")


def test_full_standard_output_is_told_in_one_sentence(zoe: Folder) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no disk that is always full")
    run = [sys.executable, "-c", "from pbem.cli import main; main()", "status", "punica"]
    world = {name: value for name, value in environment(zoe).items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, env=world)
    assert (ran.returncode, ran.stderr) == (WORLD, b"pbem: standard output: No space left on device\n")

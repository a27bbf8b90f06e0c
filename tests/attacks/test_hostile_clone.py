"""A stranger's clone or attachment runs no code, fills no memory, and plays no tricks on a terminal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from json import dumps, loads
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner, Result

from pbem.audit.verify import verify
from pbem.cli.verbs import app
from pbem.crypto.signing import sign
from pbem.game import yaml as yamlio
from pbem.game.boxes.box import open_box
from pbem.game.boxes.box_file import BrokenBox, Correction
from pbem.referee.game.home_check import take_home
from tests.support.forging import FALSE_KEY, Tale, told
from tests.support.live import Folder, git, pick, sheet
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS

TOY = Path(FOLDERS[0]) / "toy"
EVIL = "evil.rules"
"""To look for it, Python must import the package above it."""


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game that is over and has revealed its secrets, so that a clone needs no key."""
    folder = Folder(tmp_path_factory.mktemp("over"))
    told(folder).close()
    return folder


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that appears when the stranger's package is imported; Python could find it."""
    package, mark = tmp_path / "path" / "evil" / "rules", tmp_path / "it ran"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text(f"open({str(mark)!r}, 'w').close()\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path / "path")
    return mark


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the command line find the shelf, but no game and no key; return where clones can lie."""
    for word in ("GAMES", "KEYS"):
        monkeypatch.setenv(f"PBEM_{word}", str(tmp_path / word))
    monkeypatch.setenv("PBEM_RULES", FOLDERS[0])
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def evil_game() -> bytes:
    """Return the `game.yaml` of Three Hills with the stranger's package."""
    text = (TOY / "game.yaml").read_text("utf-8")
    assert "package: toy_game" in text
    return text.replace("package: toy_game", f"package: {EVIL}").encode()


def hostile(folder: Folder, path: Path, at: int = 0) -> Path:
    """Return a clone, well signed, that brings a `game.yaml` of its own with one of its commits."""
    tale = Tale.of(folder.repo("punica"))
    tale.commits[at][1]["box/game.yaml"] = evil_game()
    return tale.tell(path, partial(sign, folder_key(folder)))


def folder_key(folder: Folder) -> bytes:
    with folder.open() as game:
        return game.ledger.keys.signing


# ---- code


@pytest.mark.parametrize(
    "words",
    quick_first(
        [
            ("verify", "CLONE"),
            ("replay", "CLONE"),
            ("log", "CLONE", "--dice"),
            ("rules", "CLONE"),
            ("explain", "CLONE", "3"),
            ("what-if", "CLONE", "--turn", "2"),
        ],
        3,
        alone=True,
    ),
    ids=lambda words: str(words[0]),
)
def test_package_named_in_a_clone_is_not_imported(over: Folder, home: Path, mark: Path, words: tuple[str, ...]) -> None:
    clone = hostile(over, home / "clone")
    result = run(*(clone if word == "CLONE" else word for word in words))
    assert not mark.exists()
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output


def test_package_named_in_an_attachment_is_not_imported(over: Folder, home: Path, mark: Path) -> None:
    """A `position.json` whose corrected game.yaml names code is used with the rules of the shelf."""
    with over.create(name="second") as game:
        here = take_home(game, "red")
        (decision,) = [each for each in game.open_decisions if each.side == "red"]
        (home / "orders.yaml").write_bytes(sheet(game, "red", pick(game, decision, Random(1))))
    here["corrected"] = {"game": evil_game().decode()}
    here["box"] = open_box("toy", FOLDERS, {"game": Correction("game.yaml", evil_game())}).digest
    (home / "position.json").write_text(dumps(here), "utf-8")
    result = run("check", home / "position.json", home / "orders.yaml")
    assert result.exit_code == 0, result.output
    assert not mark.exists()


def test_new_correction_of_game_yaml_is_refused(home: Path, mark: Path) -> None:
    (home / "game.yaml").write_bytes(evil_game())
    new = ("new", "punica", "--rules", "toy", "--player", "red=Ann", "--player", "blue=Bob")
    refused = run(*new, "--correct", home / "game.yaml")
    assert "game.yaml cannot be corrected" in refused.output
    assert run(*new).exit_code == 0
    refused = run("migrate", "punica", "--correct", home / "game.yaml", "--reason", "mine")
    assert "game.yaml cannot be corrected" in refused.output
    assert not mark.exists()


def test_verify_blames_a_game_yaml_that_comes_after_the_start(over: Folder, home: Path) -> None:
    found = verify(hostile(over, home / "clone", at=3), folders=FOLDERS).findings.sorted
    assert "box/game.yaml: it is changed after the start; a game.yaml must stay" in map(str, found)


def test_game_begun_with_a_corrected_game_yaml_is_read(over: Folder, home: Path) -> None:
    """An earlier version let a game keep one; but for its package it counts."""
    verdict = verify(hostile(over, home / "clone"), folders=FOLDERS)
    assert verdict.opened
    assert not [each for each in verdict.findings.sorted if "box/" in str(each)]
    with pytest.raises(BrokenBox, match="no file gane"):
        open_box("toy", FOLDERS, {"gane": Correction("gane.yaml", b"")})


# ---- memory


HUGE, MOST = 900, 300
"""Megabytes: of a file of zeros in a clone, and of the memory that any command may take."""
MEASURED = """
import resource, sys
from pbem.cli import main
try:
    main()
finally:
    # What the system counts of a process begins before its program: with the memory of the process that started it.
    try:
        with open("/proc/self/status") as status:
            own = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except OSError:
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    print(f"peak: {peak // 1024}", file=sys.stderr)
"""


def measured(*words: object) -> tuple[int, str]:
    """Run a command in a process of its own; return its peak of memory in MB, git included, and what it says."""
    ran = subprocess.run([sys.executable, "-c", MEASURED, *map(str, words)], capture_output=True, text=True)
    said, _, peak = (ran.stdout + ran.stderr).rpartition("peak: ")
    assert "Traceback" not in said, said
    return int(peak), said


@pytest.fixture(scope="module")
def filled(over: Folder, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what makes a clone in which a file holds 900 MB of zeros, packed in one or two."""
    away = tmp_path_factory.mktemp("filled")
    zeros = away / "zeros"
    with zeros.open("wb") as file:
        file.truncate(HUGE * 1024 * 1024)
    bare = away / "clone.git"
    git(over.repo("punica"), "clone", "-q", "--bare", str(over.repo("punica")), str(bare))
    oid = git(bare, "hash-object", "-w", "--no-filters", str(zeros)).strip()
    zeros.unlink()

    def make(path: str) -> Path:
        git(bare, "read-tree", "main")
        git(bare, "update-index", "--add", "--cacheinfo", f"100644,{oid},{path}")
        tree = git(bare, "write-tree").strip()
        author = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        commit = git(bare, *author, "commit-tree", "-p", "main", "-m", "more", tree).strip()
        git(bare, "update-ref", "refs/heads/main", commit)
        return bare

    return make


@pytest.mark.soak
@pytest.mark.parametrize("path", ["turns/000/0002.yaml", "game.yaml"])
def test_file_of_900_mb_in_a_clone_is_not_read(home: Path, filled: Callable[[str], Path], path: str) -> None:
    clone = filled(path)
    assert sum(file.stat().st_size for file in clone.rglob("*")) < 8 * 1024 * 1024
    for words in (["verify"], ["log"], ["log", "--dice"], ["replay"], ["rules"], ["publish", home / "observers.git"]):
        peak, said = measured(words[0], clone, *words[1:])
        if path == "game.yaml" or words[0] in ("verify", "log", "publish"):
            assert f"{path} has 900 MB, and more than 4 MB is never read" in said, words
        assert peak < MOST, words
    assert not (home / "observers.git").exists()


@pytest.mark.slow
def test_many_files_below_the_limit_do_not_fill_the_memory(over: Folder, home: Path) -> None:
    clone, size = home / "clone.git", 4 * 1024 * 1024 - 8
    git(over.repo("punica"), "clone", "-q", "--bare", str(over.repo("punica")), str(clone))
    words = ["git", "--git-dir", str(clone), "fast-import", "--quiet", "--force"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as importing:
        assert importing.stdin is not None
        for n in range(100):
            head = b"from refs/heads/main^0\n" if n == 0 else b""
            author = b"committer x <x@example.org> %d +0000\ndata 0\n" % n
            importing.stdin.write(b"commit refs/heads/main\n" + author + head)
            importing.stdin.write(b"M 644 inline position.yaml\ndata %d\n%08d" % (size, n) + bytes(size - 8) + b"\n")
    assert importing.returncode == 0
    peak, said = measured("verify", clone, "--json")
    assert "no commit of a game changes just these: position.yaml" in said
    assert peak < MOST


# ---- terminals


CONTROLS = "\x1b]0;owned\x07\x1b[2J\x9b1m\x7f\u202eno\rok"
"""A title, a cleared screen, bold type, and a line that reads backwards."""
ESCAPES = r"\x1b]0;owned\x07\x1b[2J\x9b1m\x7f\u202eno\x0dok"


def steering(text: str) -> list[str]:
    """Return the characters of an output that could steer a terminal."""
    return [char for char in text if not char.isprintable() and char not in "\n\t"]


@pytest.fixture
def shouting(over: Folder, home: Path) -> Path:
    """Return a clone with control characters in messages, texts of turn files, names, and names of files."""
    tale = Tale.of(over.repo("punica"))
    charter = yamlio.read(tale.content("game.yaml"), name="game").value
    charter["players"]["red"] = charter["game"] = CONTROLS
    tale.put("game.yaml", yamlio.dump(charter).encode())
    turn = tale.turn(4)
    turn["events"][0]["text"] = CONTROLS
    for roll in turn.get("rolls", ()):
        roll["name"] += CONTROLS
    tale.put_turn(4, turn)
    tale.commits[2] = (f"a commit {CONTROLS}", tale.commits[2][1])
    return tale.tell(home / "clone", FALSE_KEY)


@pytest.mark.parametrize(
    "words",
    quick_first([["verify"], ["log"], ["log", "--dice"], ["log", "--csv", "-"], ["replay"], ["rules"]], 2, alone=True),
    ids=str,
)
@pytest.mark.parametrize("json", [False, True], ids=["text", "json"])
def test_no_output_about_a_clone_steers_a_terminal(shouting: Path, words: list[str], json: bool) -> None:
    if json and "--csv" in words:
        return
    result = run(words[0], shouting, *words[1:], *["--json"] * json)
    assert result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert steering(result.output) == []
    if json and result.stdout.startswith("{"):
        loads(result.stdout)


@pytest.mark.slow
def test_what_is_printed_shows_the_escapes(shouting: Path) -> None:
    assert f"a commit {ESCAPES}" in run("verify", shouting).output
    assert loads(run("verify", shouting, "--json").stdout)["game"] == CONTROLS
    ran = subprocess.run(
        [sys.executable, "-c", "from pbem.cli import main; main()", "status", CONTROLS], capture_output=True
    )
    assert steering(ran.stderr.decode()) == []


def test_traceback_of_a_bug_is_escaped() -> None:
    code = (
        "import sys; from pbem.cli.escaped import print_bug; sys.excepthook = print_bug; raise ValueError(sys.argv[1])"
    )
    ran = subprocess.run([sys.executable, "-c", code, CONTROLS], capture_output=True, text=True)
    assert f"ValueError: {ESCAPES}" in ran.stderr


# ---- digests


def test_log_says_that_digests_were_not_checked(over: Folder, home: Path) -> None:
    """The clone is forged: a turn file says other dice, and every later digest fits no more."""
    tale = Tale.of(over.repo("punica"))
    turn = tale.turn(3)
    tale.put_turn(3, {**turn, "previous": "0" * 64})
    clone = tale.tell(home / "clone", FALSE_KEY)
    sentence = "digests were not checked"
    assert loads(run("log", clone, "--json").stdout)["digests"] == "not checked"
    assert loads(run("log", clone, "--dice", "--json").stdout)["digests"] == "not checked"
    for words in ([], ["--dice"], ["--csv", "-"]):
        assert sentence in run("log", clone, *words).stdout
    assert run("log", clone, "--csv", home / "dice.csv").exit_code == 0
    assert sentence in (home / "dice.csv").read_text("utf-8")

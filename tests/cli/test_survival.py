"""What goes wrong outside: one clear sentence, exit code 1, nothing lost; later the same command succeeds."""

from __future__ import annotations

import builtins
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from errno import EACCES, EIO, ENOSPC, EROFS
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import pbem.repo.git as pbem_store
from pbem.audit.explain.replay import replay
from pbem.crypto.keys import Keys
from pbem.game.boxes import shelf
from pbem.mail.intake import take_in
from pbem.mail.notes.correspondence import note_reported
from pbem.repo.git import GameRepo
from tests.support.crash import NURSERY, refuse_writing
from tests.support.live import NOON, Folder, git, give, letter, order, pick, readable, sheet
from tests.support.sent import sent
from tests.support.soak import quick_and_whole, quick_first, stride
from tests.support.walks import FOLDERS
from tests.support.ward import Ward

GAME = "punica"
COMMANDS: dict[str, list[str]] = {
    "letter": ["letter", "red.eml"],
    "submit": ["submit", GAME, "red.yaml", "--side", "red"],
    "adjudicate": ["adjudicate", GAME],
}
"""Each ends in the same adjudication of the same game, and in letters to both sides."""
SENTENCE = re.compile(r"pbem: .+\n")


def pbem(path: Path, *words: str) -> None:
    """Run a command where the folders of a game lie, and end as it does."""
    from pbem.cli.verbs import app

    own = {"PBEM_KEYS": "keys", "PBEM_GAMES": "games", "PBEM_CACHE": "cache"}
    os.environ.update({name: str(path / folder) for name, folder in own.items()}, PBEM_RULES=FOLDERS[0])
    os.chdir(path)
    app(list(words))


def watched(path: Path, words: list[str], errors: Path) -> None:
    """Run a command; what it complains of goes to a file."""
    complain_to(errors)
    pbem(path, *words)


def complain_to(file: Path) -> None:
    """Let stderr be a file from now on."""
    sys.stderr = open(file, "w", buffering=1)  # noqa: SIM115


def hindered(path: Path, words: list[str], at: int, error: int, lasting: bool, errors: Path) -> None:
    """Run a command whose `at`-th writing call fails; the last line of `errors` tells how many have."""
    complain_to(errors)
    refusals = refuse_writing(at, error, lasting=lasting)
    try:
        pbem(path, *words)
    finally:
        print(refusals(), file=sys.stderr)


@dataclass
class Scene:
    """Folders by command: in `start` it is still to be given, in `whole` nothing hindered it."""

    start: dict[str, Path]
    whole: dict[str, Path]
    ward: Ward
    errors: Path

    def copy(self, command: str, path: Path) -> Path:
        shutil.copytree(self.start[command], path)
        return path

    def ends(self, path: Path, words: list[str]) -> tuple[int, str]:
        """Run a command; return its exit code and what it complained of."""
        return self.ward.ends(partial(watched, path, words, self.errors)), self.errors.read_text()

    def ends_by(self, work: Callable[..., None], path: Path, *words: Any) -> tuple[int, str]:
        """Run other work on a path, which is told last where to complain; return the same."""
        return self.ward.ends(partial(work, path, *words, self.errors)), self.errors.read_text()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = Folder(tmp_path_factory.mktemp("scene") / "start")
    received = folder.path.with_name("received")
    with folder.create() as game:
        note_reported(game.ledger.repo.path, game.adjudication)
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        text = sheet(game, "red", order("bury", card=game.view("red").hands["red"][0]))
        (folder.path / "red.eml").write_bytes(letter("red", text))
        (folder.path / "red.yaml").write_bytes(text)
        shutil.copytree(folder.path, received)
    with Folder(received).open() as game:
        assert game.receive("red", text).number == 1
    warm = folder.path.with_name("warm")
    shutil.copytree(folder.path, warm)
    with Ward(partial(pbem_and_stay, warm, *COMMANDS["letter"])) as ward:
        start = {"letter": folder.path, "submit": folder.path, "adjudicate": received}
        scene = Scene(start, {}, ward, folder.path.with_name("errors"))
        for path in {folder.path, received}:  # the printed board is not to be drawn again each time
            shutil.copytree(warm / "cache", path / "cache")
        for command, words in COMMANDS.items():
            scene.whole[command] = scene.copy(command, folder.path.with_name(f"whole-{command}"))
            assert scene.ends(scene.whole[command], words) == (0, "")
            assert len(sent(scene.whole[command])) == 2
        yield scene


def pbem_and_stay(path: Path, *words: str) -> None:
    """Run a command, so that everything is in memory that it needs."""
    with pytest.raises(SystemExit):
        pbem(path, *words)


def standing(path: Path) -> list[tuple[str, dict[str, bytes]]]:
    """Return message and what anybody can read of each commit, youngest first; notes on letters have secret names."""
    with GameRepo.open(path / "games" / f"{GAME}.git") as repo:
        return [(commit.message, readable(repo, commit.sha)) for commit in repo.history()]


# ---- the disk


REFUSALS = [(ENOSPC, True), (ENOSPC, False), (EROFS, True), (EACCES, True), (EIO, False)]
EVERY = 47
"""In the quick test, so many calls lie between two that fail."""


@pytest.mark.parametrize("command", quick_first(COMMANDS))
def test_a_disk_that_refuses_to_be_written_loses_nothing(scene: Scene, tmp_path: Path, command: str) -> None:
    for number, (error, lasting) in enumerate(REFUSALS):
        first = 1 + (number + len(command)) % EVERY
        refuse(scene, tmp_path / str(number), command, error, lasting, range(first, 999, EVERY))


@pytest.mark.soak
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("error", "lasting"), REFUSALS)
def test_a_disk_that_refuses_anywhere_loses_nothing(
    scene: Scene, tmp_path: Path, command: str, error: int, lasting: bool
) -> None:
    refuse(scene, tmp_path, command, error, lasting, range(1, 999, stride(EVERY)))


def refuse(scene: Scene, tmp_path: Path, command: str, error: int, lasting: bool, calls: range) -> None:
    """Let a command fail at each of some calls; look at what is left, and give it again."""
    before, after = standing(scene.start[command]), standing(scene.whole[command])
    letters = sent(scene.whole[command])
    for at in calls:
        path = scene.copy(command, tmp_path / str(at))
        code, told = scene.ends_by(hindered, path, COMMANDS[command], at, error, lasting)
        *complaints, refusals = told.splitlines(keepends=True)
        if int(refusals) == 0:
            break
        left = standing(path)
        assert left in (before, after), at
        assert sent(path).items() <= letters.items(), at
        if code == 0:  # what could not be written was not needed
            assert (complaints, left, sent(path)) == ([], after, letters), at
            continue
        assert code == 1, (at, complaints)
        (sentence,) = complaints
        assert SENTENCE.fullmatch(sentence), at
        assert os.strerror(error) in sentence, at
        assert "the same command again" in sentence, at
        if left == before:
            assert sent(path) == {}, at
        code, told = scene.ends(path, COMMANDS[command])
        assert code == 0, (at, complaints, told)
        assert (standing(path), sent(path)) == (after, letters), at
        assert not list((path / "games" / "outbox" / "tmp").iterdir()), at
        shutil.rmtree(path)
    assert at > 10, "too few calls failed to mean anything"


def test_a_disk_that_is_really_full_loses_nothing(scene: Scene, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "pbem-test", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no disk may be mounted here: run as root to see a full one")
    try:
        path = scene.copy("letter", disk / "game")
        full, room = path / "full", 0
        with suppress(OSError), open(full, "ab", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        while (ended := scene.ends(path, COMMANDS["letter"])) != (0, ""):
            code, complaints = ended
            assert (code, complaints.count("\n")) == (1, 1), complaints
            assert "No space left on device. Make room on the disk" in complaints
            assert standing(path) in (standing(scene.start["letter"]), standing(scene.whole["letter"]))
            room += 3
            os.truncate(full, full.stat().st_size - 3 * 4096)
        assert room > 4, "it was never full"
        assert standing(path) == standing(scene.whole["letter"])
        assert sent(path) == sent(scene.whole["letter"])
    finally:
        subprocess.run(["umount", str(disk)], check=True)


NEW = ["new", "gallia", "--rules", "toy", "--player", "red=Ann <a@x.org>", "--player", "blue=Bob <b@x.org>"]


@pytest.mark.parametrize("begin", [True, False])
def test_game_whose_making_broke_off_is_made_by_the_same_command(scene: Scene, tmp_path: Path, begin: bool) -> None:
    """A game whose making broke off is made by the same command."""
    words = [*NEW, "--begin"] if begin else NEW
    whole = tmp_path / "whole"
    whole.mkdir()
    assert scene.ends(whole, words) == (0, "")
    assert len(sent(whole)) == 2
    for at in range(1, 999, 23):
        path = tmp_path / str(at)
        shutil.copytree(scene.start["letter"] / "cache", path / "cache")
        code, told = scene.ends_by(hindered, path, words, at, ENOSPC, True)
        if int(told.splitlines()[-1]) == 0:
            break
        if code == 0:  # what could not be written was not needed
            assert len(sent(path)) == 2, at
            continue
        assert code == 1
        assert "Make room on the disk" in told
        assert scene.ends(path, words) == (0, ""), at
        assert list(sent(path)) == list(sent(whole))
        code, complaints = scene.ends(path, words)
        assert code == 1
        assert "exists already; a new game needs another name" in complaints
    assert at > 40


def test_other_game_of_the_same_name_is_not_one_that_broke_off(scene: Scene, tmp_path: Path) -> None:
    """Another game of the same name is not taken for one whose making broke off."""
    assert scene.ends(tmp_path, NEW) == (0, "")
    (tmp_path / "games" / "gallia.git" / "pbem.told").unlink()
    for other in (NEW[:-2], [*NEW[:-1], "blue=Eve <b@x.org>"], [*NEW[:-1], "blue=Bob <e@x.org>"]):
        code, complaints = scene.ends(tmp_path, other)
        assert code == 1, other
        assert "exists already" in complaints
    assert scene.ends(tmp_path, NEW) == (0, "")


# ---- the keys


def take_away(keys: Path) -> None:
    (keys / f"{GAME}.yaml").unlink()


def open_to_others(keys: Path) -> None:
    (keys / f"{GAME}.yaml").chmod(0o640)


def open_folder(keys: Path) -> None:
    keys.chmod(0o755)


def no_file(keys: Path) -> None:
    (keys / f"{GAME}.yaml").unlink()
    (keys / f"{GAME}.yaml").mkdir(mode=0o700)


def half(keys: Path) -> None:
    file = keys / f"{GAME}.yaml"
    file.write_bytes(file.read_bytes()[:300])


def no_text(keys: Path) -> None:
    (keys / f"{GAME}.yaml").write_bytes(b"\xff\xfe" * 99)


def flipped(keys: Path) -> None:
    file = keys / f"{GAME}.yaml"
    file.write_bytes(file.read_bytes().replace(b"chain: 63", b"chain: 62"))


def of_another_game(keys: Path) -> None:
    (keys / f"{GAME}.yaml").unlink()
    Keys.create(keys, "gallia")
    (keys / "gallia.yaml").rename(keys / f"{GAME}.yaml")


def of_a_game_of_the_same_name(keys: Path) -> None:
    (keys / f"{GAME}.yaml").unlink()
    Keys.create(keys, GAME)


@pytest.mark.parametrize(
    ("harm", "said"),
    quick_first(
        [
            (take_away, "punica.yaml is missing. Bring them back from a backup"),
            (shutil.rmtree, "punica.yaml is missing. Bring them back from a backup"),
            (open_to_others, "punica.yaml is open to others (mode 640); close it with: chmod 600"),
            (open_folder, "keys is open to others (mode 755); close it with: chmod 700"),
            (no_file, "the secrets of punica cannot be read"),
            (half, "punica.yaml is damaged"),
            (no_text, "the secrets of punica cannot be read"),
            (flipped, "these are not the secrets that punica was begun with; find the right ones"),
            (of_another_game, "holds the secrets of gallia, not of punica"),
            (of_a_game_of_the_same_name, "these are not the secrets that punica was begun with; find the right ones"),
        ],
        3,
    ),
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_bad_keys_are_reported_and_nothing_is_lost(
    scene: Scene, tmp_path: Path, harm: Callable[[Path], None], said: str
) -> None:
    """Keys that are not as they must be are reported, and nothing is lost."""
    path = scene.copy("letter", tmp_path / "game")
    harm(path / "keys")
    code, complaints = scene.ends(path, COMMANDS["letter"])
    assert code == 1
    assert SENTENCE.fullmatch(complaints), complaints
    assert said in complaints
    assert standing(path) == standing(scene.start["letter"])
    assert sent(path) == {}
    shutil.rmtree(path / "keys", ignore_errors=True)
    shutil.copytree(scene.start["letter"] / "keys", path / "keys")
    assert scene.ends(path, COMMANDS["letter"]) == (0, "")
    assert (standing(path), sent(path)) == (standing(scene.whole["letter"]), sent(scene.whole["letter"]))


@pytest.mark.parametrize("error", [EACCES, EIO])
def test_keys_that_the_system_does_not_give_are_told(scene: Scene, tmp_path: Path, error: int) -> None:
    path = scene.copy("letter", tmp_path / "game")
    code, complaints = scene.ends_by(kept_from, path, f"{GAME}.yaml", error)
    assert code == 1
    assert SENTENCE.fullmatch(complaints), complaints
    assert f"the secrets of punica cannot be read: {path}/keys/punica.yaml: " in complaints
    assert os.strerror(error) in complaints
    assert standing(path) == standing(scene.start["letter"])
    assert scene.ends(path, COMMANDS["letter"]) == (0, "")


def kept_from(path: Path, name: str, error: int, errors: Path) -> None:
    """Take in the letter while the system refuses to open a file."""
    complain_to(errors)
    real = io.open

    def refusing(file: Any, *args: Any, **options: Any) -> Any:
        if Path(str(file)).name == name:
            raise OSError(error, os.strerror(error), str(file))
        return real(file, *args, **options)

    io.open = builtins.open = refusing
    pbem(path, *COMMANDS["letter"])


def test_letter_waits_while_games_or_their_rules_are_missing(scene: Scene, tmp_path: Path) -> None:
    """A letter waits while the games or their rules are not there."""
    path = scene.copy("letter", tmp_path / "game")
    (path / "games").rename(path / "unmounted")
    code, complaints = scene.ends(path, COMMANDS["letter"])
    assert (code, complaints) == (
        1,
        f"pbem: {path}/games: the folder of the games does not exist; PBEM_GAMES names it\n",
    )
    (path / "unmounted").rename(path / "games")
    code, complaints = scene.ends_by(other_rules, path)
    assert code == 1
    assert SENTENCE.fullmatch(complaints), complaints
    assert "punica is played with other rules than those here: the code differs" in complaints
    assert standing(path) == standing(scene.start["letter"])
    assert sent(path) == {}
    assert scene.ends(path, COMMANDS["letter"]) == (0, "")
    assert (standing(path), sent(path)) == (standing(scene.whole["letter"]), sent(scene.whole["letter"]))


def other_rules(path: Path, errors: Path) -> None:
    """Take in the letter with rules that have been changed."""
    complain_to(errors)
    shelf.Loaded.code = "0" * 64  # type: ignore[method-assign, assignment]
    pbem(path, *COMMANDS["letter"])


# ---- the clock


@pytest.mark.parametrize("most", quick_and_whole(7, 40))
def test_a_clock_that_goes_backwards_changes_nothing(scene: Scene, tmp_path: Path, most: int) -> None:
    """What is written is the same whether the clock goes on or back; the day on record never goes back.

    But for the author's dates: they say when each letter came.
    """
    stories, inputs = [], []
    hours_of = {"forwards": range(40), "backwards": range(-1, -999999, -25000), "by weeks": range(0, 9999, 168)}
    for name, hours in hours_of.items():
        folder = Folder(scene.copy("letter", tmp_path / name))
        raws = [(folder.path / "red.eml").read_bytes()]
        for hour in hours:
            passed = timedelta(minutes=hour) if name == "forwards" else timedelta(hours=hour)
            office = replace(folder.office, now=NOON + passed)
            handled = take_in(raws[-1], office)
            assert handled.accepted, handled.notes
            with folder.open() as game:
                if len(raws) == most or not game.open_decisions:
                    break
                side = game.open_decisions[0].side
                text = sheet(game, side, *[pick(game, each, Random(len(raws))) for each in game.asked(side)])
                raws.append(letter(side, text, number=len(raws)))
        stories.append((raws, standing(folder.path), git(folder.repo(GAME), "log", "--format=%ct")))
        with folder.open() as game:
            turns = [game.ledger.public_turn(n) for n in range(1, game.adjudication + 1)]
        days = [turn["day"] for turn in turns]
        assert days == sorted(days)
        assert (len(set(days)) > min(5, most // 3)) == (name == "by weeks")
        inputs.append([turn["inputs"] for turn in turns])
    assert len(stories[0][0]) > min(10, most - 1)
    assert stories[0] == stories[1]
    assert inputs[0] == inputs[1] == inputs[2], "no day turns the dice"


# ---- two at once


def test_of_two_at_work_on_a_game_one_waits_for_the_other(scene: Scene, tmp_path: Path) -> None:
    path = scene.copy("letter", tmp_path / "game")
    with GameRepo.open(path / "games" / f"{GAME}.git") as repo, repo.lock():
        code, complaints = scene.ends_by(impatient, path)
    assert code == 1
    assert SENTENCE.fullmatch(complaints), complaints
    assert f"punica is being worked on by process {os.getpid()} on " in complaints
    assert "Try again; nothing was changed." in complaints
    assert standing(path) == standing(scene.start["letter"])
    assert scene.ends(path, COMMANDS["letter"]) == (0, "")
    assert standing(path) == standing(scene.whole["letter"])


def impatient(path: Path, errors: Path) -> None:
    """Take in the letter without waiting for locks."""
    complain_to(errors)
    pbem_store.PATIENCE = 0.1  # type: ignore[misc]
    for waits in (GameRepo.lock, GameRepo.transaction):
        waits.__wrapped__.__defaults__ = (0.1,)  # type: ignore[attr-defined]
    pbem(path, *COMMANDS["letter"])


@pytest.mark.parametrize("same", [True, False])
def test_letters_that_come_together_are_all_carried_out_once(scene: Scene, tmp_path: Path, same: bool) -> None:
    """Letters that come at the same time are all carried out once."""
    folder = Folder(scene.copy("letter", tmp_path / "game"))
    for round in range(3):
        with folder.open() as game:
            letters = []
            for side in ("red", "blue") if game.adjudication > 1 else ("red",):
                if game.asked(side):
                    text = sheet(game, side, *[pick(game, each, Random(round)) for each in game.asked(side)])
                    letters.append(letter(side, text, number=round))
            before = {side: game.sheets(side) for side in ("red", "blue")}
        files = [folder.path / f"{round}-{n}.eml" for n in range(len(letters))]
        for file, raw in zip(files, letters, strict=True):
            file.write_bytes(raw)
        crowd = [file for file in files for _ in range(3 if same else 1)]
        running = [NURSERY.Process(target=pbem, args=(folder.path, "letter", file.name)) for file in crowd]
        for each in running:
            each.start()
        for each in running:
            each.join(60)
        assert [each.exitcode for each in running] == [0] * len(running)
        with folder.open() as game:
            assert game.sheets("red") + game.sheets("blue") == sum(before.values()) + len(letters)
            assert list(replay(game)) == []
            over = not game.open_decisions
        sent(folder.path)
        if over:
            break
    assert git(folder.repo(GAME), "fsck", "--strict", "--full", "--no-dangling") == ""


# ---- locks, refs, the outbox


def test_the_lock_of_a_dead_adjudicator_is_taken_over(scene: Scene, tmp_path: Path) -> None:
    path = scene.copy("letter", tmp_path / "game")
    repo = path / "games" / f"{GAME}.git"
    (repo / "pbem.lock").write_text("process 1 on nowhere since 1970-01-01 00:00:00 UTC")
    (repo / "refs" / "heads" / "main.lock").write_text("half a commit id")
    (repo / "objects" / "pack" / "tmp_pbem_pack").write_bytes(b"PACK")
    assert scene.ends(path, COMMANDS["letter"]) == (0, "")
    assert standing(path) == standing(scene.whole["letter"])


def test_a_git_program_that_holds_the_ref_is_told(scene: Scene, tmp_path: Path) -> None:
    path = scene.copy("letter", tmp_path / "game")
    held = path / "games" / f"{GAME}.git" / "refs" / "heads" / "main.lock"
    held.touch()
    code, complaints = scene.ends_by(impatient, path)
    assert code == 1
    assert SENTENCE.fullmatch(complaints), complaints
    assert f"another git program holds {held}; nothing was committed. If none is running, delete that" in complaints
    assert standing(path) == standing(scene.start["letter"])
    held.unlink()
    assert scene.ends(path, COMMANDS["letter"]) == (0, "")
    assert standing(path) == standing(scene.whole["letter"])


@pytest.mark.parametrize("harm", ["a file", "a file in new", "gone"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_outbox_that_takes_no_letters_is_told(scene: Scene, tmp_path: Path, command: str, harm: str) -> None:
    path = scene.copy(command, tmp_path / "game")
    outbox = path / "games" / "outbox"
    shutil.rmtree(outbox, ignore_errors=True)
    wrong = {"a file": outbox, "a file in new": outbox / "new", "gone": None}[harm]
    if wrong is not None:
        wrong.parent.mkdir(exist_ok=True)
        wrong.write_text("in the way")
        code, complaints = scene.ends(path, COMMANDS[command])
        assert code == 1
        assert SENTENCE.fullmatch(complaints), complaints
        assert str(wrong) in complaints
        wrong.unlink()
    assert scene.ends(path, COMMANDS[command])[0] == 0
    assert (standing(path), sent(path)) == (standing(scene.whole[command]), sent(scene.whole[command]))


def test_late_command_given_again_sends_letters_not_another_turn(scene: Scene, tmp_path: Path) -> None:
    """An `adjudicate --late` that is given again sends the letters and plays no second turn."""
    path = scene.copy("letter", tmp_path / "game")
    assert scene.ends(path, COMMANDS["letter"]) == (0, "")
    outbox, late = path / "games" / "outbox", ["adjudicate", GAME, "--late", "red", "--late", "blue"]
    outbox.rename(path / "full")
    outbox.write_text("in the way")
    before = len(standing(path))
    code, complaints = scene.ends(path, late)
    assert (code, complaints.count("\n")) == (1, 1), complaints
    assert len(standing(path)) == before + 1
    outbox.unlink()
    for more in (0, 1):
        assert scene.ends(path, late) == (0, "")
        assert len(standing(path)) == before + 1 + more
        assert len(sent(path)) == 2 * (1 + more)

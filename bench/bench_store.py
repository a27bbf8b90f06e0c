"""What a game's repo adds to writing the same files plainly, whether a long game makes it slower, and what one weighs.

The weight is that of whole games between bots, after `git gc`.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

from bench import Figure, alternating, seconds
from pbem.audit.verify import verify
from pbem.referee.opening import create_game, open_game
from pbem.referee.play.new_game import NewGame
from pbem.repo.derived import DERIVED
from pbem.repo.files.layout import sealed_path
from pbem.repo.git import GameRepo, numbered

ROUNDS = 60
EARLY, LATE = 10, 1000

NAME = "whole"
WHOLE = {"rome_carthage": "Rome vs. Carthage", "hannibal_italy": "HANNIBAL", "sword_of_rome": "The Sword of Rome"}
LINES = {"rome_carthage": 80, "hannibal_italy": 90, "sword_of_rome": 100}
VERIFIED = {"rome_carthage": 2.6, "hannibal_italy": 2.5, "sword_of_rome": 5}

Files = dict[str, bytes]


def figures() -> Iterator[Figure]:
    """Yield the cost of a commit against plain files, of a late one against an early one, and of a read."""
    with ExitStack() as kept:
        folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
        turns = iter(list(make_turns(LATE + 2 * ROUNDS)))
        game = kept.enter_context(GameRepo.create(folder / "punica.git", next(turns), "begin"))
        plain = folder / "plain"
        plain.mkdir()

        committed, written = alternating(ROUNDS, lambda: commit(game, next(turns)), lambda: write(plain, next(turns)))
        yield Figure("store: commit / plain files synced", committed / written, "times", 2.0)
        yield Figure("store: commit of a turn", 1000 * committed, "ms")

        rest = [seconds(lambda: commit(game, next(turns))) for _ in range(LATE - 2 * ROUNDS - 3)]
        yield Figure("store: commit with its share of tidying", 1000 * statistics.mean(rest), "ms")

        fresh = kept.enter_context(GameRepo.create(folder / "gallica.git", next(turns), "begin"))
        early_turns = iter(list(make_turns(EARLY + ROUNDS)))
        for _ in range(EARLY):
            commit(fresh, next(early_turns))
        late, early = alternating(
            ROUNDS // 2, lambda: commit(game, next(turns)), lambda: commit(fresh, next(early_turns))
        )
        yield Figure(f"store: commit {LATE:,} / commit {EARLY}", late / early, "times", 1.05)

        read = statistics.median(seconds(lambda: game.read(numbered("turns", 1))) for _ in range(500))
        yield Figure("store: reading an old turn", 1000 * read, "ms")
    for rules, word in WHOLE.items():
        yield from whole_game(rules, word)


def whole_game(rules: str, word: str) -> Iterator[Figure]:
    """Yield the weight of a game that bots have played to its end, how its log reads, and how quickly it opens anew."""
    with tempfile.TemporaryDirectory() as home:
        games, keys = Path(home) / "games", Path(home) / "keys"
        with create_game(games, keys, NewGame(NAME, rules, players={})) as game:
            while game.result is None:
                game.adjudicate(absent=[each.side for each in game.open_decisions])
            n, path = game.adjudication, game.path
        git(path, "gc", "-q")
        derived = weight(path / DERIVED)
        yield Figure(f"store: {word}, an adjudication", (weight(path) - derived) / n, "kB", 6)
        yield Figure(f"store: {word}, what is derived", derived, "kB", 2048)
        turns = git(path, "log", "--format=%H", "--grep=adjudication").split()
        lines = [git(path, "show", sha).count("\n") for sha in turns]
        yield Figure(f"store: {word}, lines of a turn in the log", statistics.median(lines), "lines", LINES[rules])
        spent = seconds(lambda: verify(path))
        yield Figure(f"store: {word}, verified after the reveal", spent, "s", VERIFIED[rules])
        shutil.rmtree(path / DERIVED)
        with open_game(games, keys, NAME) as game:
            middle = game.ledger.commits()[min(400, n - 1)]
            yield Figure(f"store: {word}, opened without a cache", seconds(lambda: game.ledger.state(middle)), "s", 1.5)


def weight(folder: Path) -> float:
    """Return how much the files in a folder hold, in kB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1000


def git(path: Path, *words: str) -> str:
    """Run git on a repo, and return what it prints."""
    ran = subprocess.run(["git", "-C", str(path), *words], capture_output=True, check=True)
    return ran.stdout.decode("utf-8", "replace")


def make_turns(count: int) -> Iterator[Files]:
    """Yield the files of turns, named and sized like real ones: the position, the turn file, and a sheet."""
    chance = Random(218)
    position = [f"u{n:04}: {{at: s{n:03}, cu: {n}}}\n" for n in range(100)]
    for n in range(count):
        for _ in range(10):
            position[chance.randrange(len(position))] = f"u{n:04}: {{at: s{chance.randrange(100):03}, cu: {n}}}\n"
        turn = numbered("turns", n)
        yield {
            "position.yaml": "".join(position).encode(),
            turn: f"adjudication: {n}\nlink: {chance.randbytes(32).hex()}\n".encode() * 16,
            sealed_path(numbered("sheets/rome", n)): chance.randbytes(2300),
        }


def commit(game: GameRepo, files: Files) -> None:
    with game.lock():
        game.commit(files, "a turn")


def write(folder: Path, files: Files) -> None:
    """Write the files and sync them, and the folders with new names, so that a power cut leaves them."""
    grown = set()
    for name, content in files.items():
        path = folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            grown.add(path.parent)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.write(fd, content)
        os.fsync(fd)
        os.close(fd)
    for parent in grown:
        fd = os.open(parent, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)

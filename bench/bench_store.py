"""What a game's repo adds to writing the same files plainly, and whether a long game makes it slower."""

from __future__ import annotations

import os
import statistics
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

from bench import Figure, alternating, seconds
from pbem.repo.git import GameRepo, numbered

ROUNDS = 60
EARLY, LATE = 10, 1000

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


def make_turns(count: int) -> Iterator[Files]:
    """Yield the files of turns, named and sized like real ones: the position, the sealed state, both turn files."""
    chance = Random(218)
    position = [f"u{n:04}: {{at: s{n:03}, cu: {n}}}\n" for n in range(100)]
    for n in range(count):
        for _ in range(10):
            position[chance.randrange(len(position))] = f"u{n:04}: {{at: s{chance.randrange(100):03}, cu: {n}}}\n"
        turn = numbered("turns", n)
        yield {
            "position.yaml": "".join(position).encode(),
            "sealed/state.age": b64encode(chance.randbytes(4200)),
            turn: f"adjudication: {n}\nlink: {chance.randbytes(32).hex()}\n".encode() * 8,
            turn.replace(".yaml", ".age"): b64encode(chance.randbytes(1100)),
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

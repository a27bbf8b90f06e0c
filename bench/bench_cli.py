"""How long a player waits for the command line, in times of what importing typer alone costs.

Whole processes, with bytecode caches as an installed program has them, and a cache of boxes that has been filled once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from bench import Figure, alternating
from bench.bench_letter import GAME, NOW, PLAYERS, begin
from pbem.mail.write.outgoing import MailSettings

ROUNDS = 21


def figures() -> Iterator[Figure]:
    """Yield the times of a verb that reads and of a letter that is answered without a picture, as whole processes."""
    with tempfile.TemporaryDirectory() as folder:
        path, numbers = Path(folder), count(1)
        begin(MailSettings(path / "games", path / "keys", "pbem <pbem@localhost>", NOW))
        world = surroundings(path)
        bare, helped, status, letter = alternating(
            ROUNDS,
            lambda: python(world, "-c", "import typer"),
            lambda: python(world, "-m", "pbem", "--help"),
            lambda: python(world, "-m", "pbem", "status", GAME),
            lambda: python(world, "-m", "pbem", "letter", str(asking(path / "letter.eml", next(numbers)))),
        )
    yield Figure("pbem --help / import typer", helped / bare, "times", 2.0)
    yield Figure("pbem status / import typer", status / bare, "times", 3.0)
    yield Figure("pbem letter (STATUS) / import typer", letter / bare, "times", 5.0)
    yield Figure("import typer", 1000 * bare, "ms")


def surroundings(path: Path) -> dict[str, str]:
    """Return an environment in which games, keys and caches lie in a folder."""
    world = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    own = {"GAMES": "games", "KEYS": "keys", "CACHE": "cache"}
    world |= {f"PBEM_{key}": str(path / name) for key, name in own.items()}
    return world | {"PYTHONPYCACHEPREFIX": str(path / "bytecode")}


def asking(path: Path, number: int) -> Path:
    """Write a letter of a player who asks how the game stands."""
    path.write_text(
        f"From: {PLAYERS['rome']}\nTo: pbem@localhost\nSubject: Re: {GAME}\nMessage-ID: <{number}@example.org>\n"
        "Content-Type: text/plain; charset=utf-8\n\nSTATUS\n"
    )
    return path


def python(world: Mapping[str, str], *words: str) -> None:
    """Run a fresh interpreter to its end."""
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, env=world)

"""How long a player waits for `pbem --help`, in times of what importing typer alone costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from bench import Figure, alternating

HELP = "import sys; sys.argv = ['pbem', '--help']; from pbem.cli import main; main()"
ROUNDS = 21


def figures() -> Iterator[Figure]:
    """Yield the start-up time of the command line."""
    helped, bare = alternating(ROUNDS, lambda: python(HELP), lambda: python("import typer"))
    yield Figure("pbem --help / import typer", helped / bare, "times", 2.5)
    yield Figure("pbem --help", 1000 * helped, "ms")


def python(code: str) -> None:
    """Run a fresh interpreter to its end."""
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)

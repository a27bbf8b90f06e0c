"""A running game, as a bundle for the systems on which no game can be made.

`python -m tests.support.running` plays it again.
"""

from __future__ import annotations

import subprocess
import tempfile
from itertools import count
from pathlib import Path
from typing import Final

from tests.support.live import Folder, play

BUNDLE: Final = Path(__file__).parent / "running.bundle"
NAME: Final = "running"
SHEETS: Final = 5
ROLLED: Final = 4
"""An adjudication with a roll."""
ASKED: Final = "carthage"
"""The side that is asked after the last sheet."""


def make() -> None:
    """Play games at random until one is as the tests need it, and write its bundle."""
    for seed in count():
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(Path(path))
            with folder.create("hannibal_italy", NAME) as game:
                list(play(game, seed, SHEETS))
                fits = "rolls" in game.ledger.public_turn(ROLLED) and game.asked(ASKED)
            if fits:
                subprocess.run(["git", "-C", folder.repo(NAME), "bundle", "create", "-q", BUNDLE, "main"], check=True)
                return


if __name__ == "__main__":
    make()

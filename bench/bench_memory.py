"""How much memory the post takes, and whether it grows: 40 games of all kinds, 5,000 letters, nothing killed.

It takes some minutes: `python -m bench memory`. What happens meanwhile goes to standard error.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from typing import Final
from unittest.mock import patch

from bench import Figure
from tests.support.post_soak import PostSoak
from tests.support.seasons import Season

ROOT: Final = Path(__file__).resolve().parent.parent
GAMES: Final = 40
RULES: Final = ("rome_carthage", "hannibal_italy", "sword_of_rome", "toy")
EARLY: Final = 500
"""The letters after which memory is measured first."""
LETTERS: Final = 5000


def figures() -> Iterator[Figure]:
    """Yield the memory of the largest process of the post after 5,000 letters, and how much it grew."""
    shelf = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")])
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, PYTHONPATH=shelf):
        soak = PostSoak(Season(Path(folder)), GAMES, Random(1), RULES)
        try:
            with redirect_stdout(sys.stderr):
                soak.play(EARLY, [])
                early = soak.memory()
                soak.play(LETTERS, [])
                late = soak.memory()
        finally:
            soak.stop()
        soak.check()
    yield Figure("post: memory of the largest process after 5,000 letters", late / 1e6, "MB", 150.0)
    yield Figure("post: the same / after 500 letters", late / early, "times", 1.1)

"""Seeds of random tests. `PBEM_SEED`, any word such as the date, gives others, so that many runs look at more than one.

Golden files, kept games and tests that need a certain course keep theirs.
"""

from __future__ import annotations

import os
from zlib import crc32

from hypothesis import HealthCheck, core, settings
from hypothesis.internal import charmap
from hypothesis.internal.conjecture import providers

VARIABLE = "PBEM_SEED"
USUAL = "2026-11-27"
"""The word where none is given: no run may fail because of the day."""
_share = 1
"""A run looks at one example in so many."""


def settle() -> str:
    """Return the word that all seeds of this run follow from; let the processes that it starts have the same."""
    return os.environ.setdefault(VARIABLE, USUAL)


def seed_of(*what: object) -> int:
    """Return a seed of this run: another one for whatever else is named."""
    return crc32(" ".join(map(str, (settle(), *what))).encode()) % 1_000_000


def load_profile(share: int = 1) -> None:
    """Let hypothesis look at examples of this run, at one in some; a busy machine must not fail a test."""
    global _share
    _share = share
    settings.register_profile(
        "of this run",
        max_examples=examples(100),
        deadline=None,
        database=None,
        print_blob=False,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("of this run")
    core.global_force_seed = seed_of("hypothesis")  # type: ignore[assignment]
    # Else it reads all our modules for constants: five seconds a process, and what it tries hangs on what is loaded.
    providers._get_local_constants = lambda: providers._local_constants


def list_characters() -> None:
    """Let hypothesis list all characters: on a fresh clone that takes seconds, which no test is to be charged with."""
    charmap.charmap()


def examples(most: int) -> int:
    """Return how many examples of hypothesis this run looks at: `make check` at all, `make test` at some."""
    return max(10, most // _share)

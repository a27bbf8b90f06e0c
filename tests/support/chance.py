"""Seeds of random tests: other ones each day, so that a year of runs looks at more than one run does.

`PBEM_SEED` gives a day's seeds again. Golden files, kept games and tests that need a certain course keep theirs.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from zlib import crc32

from hypothesis import HealthCheck, core, settings

VARIABLE = "PBEM_SEED"


def settle() -> str:
    """Return the word that all seeds of this run follow from; let the processes that it starts have the same."""
    return os.environ.setdefault(VARIABLE, f"{datetime.now(UTC):%Y-%m-%d}")


def today(*what: object) -> int:
    """Return a seed of the day: another one for whatever else is named."""
    return crc32(" ".join(map(str, (settle(), *what))).encode()) % 1_000_000


def load_profile() -> None:
    """Let hypothesis look at examples of the day; a busy machine must not fail a test."""
    settings.register_profile(
        "today", deadline=None, database=None, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("today")
    core.global_force_seed = today("hypothesis")  # type: ignore[assignment]

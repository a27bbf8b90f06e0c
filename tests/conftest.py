"""What every test may rely on: steady random examples, and folders that are nobody's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

# The same examples on every run, and no clock: a busy machine must not fail a test.
settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.load_profile("steady")


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the keys and games of whoever runs them."""
    away = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PBEM_RULES", raising=False)
        patch.setenv("PBEM_KEYS", str(away / "keys"))
        patch.setenv("PBEM_GAMES", str(away / "games"))
        yield

"""One database server for the tests of the post; without one they are skipped, and one line says why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.postgres import Server, missing, running


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if why := missing():
        pytest.skip(why)
    with running() as started:
        yield started

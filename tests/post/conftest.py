"""What the tests of the post share: a mailbox, a way out, and a database server.

Without a server the tests that need one are skipped, and one line says why.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.boxes import Box, Way
from tests.support.postgres import Server, missing, running


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if why := missing():
        pytest.skip(why)
    with running() as started:
        yield started


@pytest.fixture
def box() -> Box:
    return Box()


@pytest.fixture
def way() -> Way:
    return Way()

"""One mail host for all tests of this folder; without one a single test is skipped, which says why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.real.mailhost import USERS, MailHost, missing

collect_ignore_glob = ["test_[!s]*.py", "test_s[!e]*.py", "test_se[!r]*.py"] if missing() else []
"""Without the servers only `test_servers.py` is left, whose one test is skipped and says why."""


@pytest.fixture(scope="session")
def running_host() -> Iterator[MailHost]:
    """Start a mail host for the session."""
    host = MailHost()
    try:
        yield host
    finally:
        host.close()


@pytest.fixture
def host(running_host: MailHost, monkeypatch: pytest.MonkeyPatch) -> MailHost:
    """Return the mail host with empty boxes, and let the password of the referee stand in the environment."""
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "secret-referee")
    running_host.empty(*USERS[:3])
    return running_host

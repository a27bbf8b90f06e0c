"""One mail host for all tests of this folder; without one they are skipped, and one line says why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.real.mailhost import USERS, MailHost, missing


@pytest.fixture(scope="session")
def running_host() -> Iterator[MailHost]:
    """Start a mail host for the session."""
    if why := missing():
        pytest.skip(why)
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

"""Whether the real mail servers are here: the one test of this folder that is skipped where they are not."""

from __future__ import annotations

import pytest

from tests.real.mailhost import missing


def test_real_mail_servers_are_here() -> None:
    if why := missing():
        pytest.skip(why)

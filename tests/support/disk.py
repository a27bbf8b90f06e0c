"""The disk, which no test waits for: half of the time of a live game would go into it.

No test cuts the power, so what the system has taken is as good as written. That files are synced, and in which order,
`tests/repo/test_crash.py` sees by the calls. Programs that tests start by their command line sync as they always do.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

GIT: Final[Mapping[str, str]] = {"GIT_TEST_FSYNC": "0"}
"""What keeps git from syncing."""


def unsynced(fd: FileDescriptorLike) -> None:
    """Do as `os.fsync` does, but for the disk: fail if the file is not open."""
    os.fstat(fd if isinstance(fd, int) else fd.fileno())

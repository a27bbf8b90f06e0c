"""Messages to systemd: that the service is ready, what it is doing, that it stops. Without systemd nothing happens."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress


def notify(*words: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Send words such as `READY=1` to the socket of the service manager; return whether there is one."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    if address.startswith("@"):  # a name in the abstract namespace
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.connect(address)
        channel.sendall("\n".join(words).encode())
        return True
    return False

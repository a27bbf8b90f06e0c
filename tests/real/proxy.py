"""A TCP proxy that cuts, stalls or delays a connection after its n-th line, counted over both directions."""

from __future__ import annotations

import select
import socket
import threading
import time
from typing import Literal, Self

Trick = Literal["cut", "stall", "delay"]


class Proxy:
    """Stands before a port of loopback. It plays its trick on one connection; the later ones pass unharmed."""

    def __init__(self, port: int, trick: Trick = "cut", after: int = 0, again: int = 1, pause: float = 1.0) -> None:
        self._to, self._trick, self._after, self._pause = port, trick, after, pause
        self.left = again
        """On how many more connections the trick is played."""
        self.lines = 0
        """How many lines went through all connections."""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open = True
        self._stalled: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while self._open:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=[client], daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._to), 5)
        except OSError:
            client.close()
            return
        count, sides = 0, {client: server, server: client}
        try:
            while self._open:
                for side in select.select([*sides], [], [], 0.2)[0]:
                    heard = side.recv(65536)
                    if not heard:
                        return
                    for line in heard.splitlines(keepends=True):
                        sides[side].sendall(line)
                        count, self.lines = count + 1, self.lines + 1
                        if count == self._after and self.left > 0:
                            self.left -= 1
                            if self._trick == "cut":
                                return
                            if self._trick == "stall":
                                self._stalled += [client, server]
                                sides.clear()
                                return
                            time.sleep(self._pause)
        except OSError:
            return
        finally:
            for side in sides:
                side.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False
        for each in (self._listening, *self._stalled):
            each.close()

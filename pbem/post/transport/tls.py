"""Encrypted connections: whose certificates are believed."""

from __future__ import annotations

import ssl

from pbem.post.config import BadConfig, Tls


def context(tls: Tls) -> ssl.SSLContext:
    """Return how certificates are checked: as the system does, and by the file that the config names."""
    made = ssl.create_default_context()
    if tls.ca is not None:
        try:
            made.load_verify_locations(tls.ca)
        except OSError as wrong:  # also ssl.SSLError
            raise BadConfig(f"{tls.ca} is to hold certificates (tls: ca): {wrong.strerror or wrong}") from None
    return made

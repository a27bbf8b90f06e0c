"""Logins: the password, and whose certificates are believed.

What is wrong with either is `Unreachable`: a person has to mend it. The server is not asked until they have, so it does
no harm to try often, and the post goes on soon after.
"""

from __future__ import annotations

import ssl

from pbem.post.settings import BadConfig, Secret, Tls
from pbem.post.transport.base import Unreachable


def password(secret: Secret) -> str:
    """Return a password as it stands now in the environment or its file. Raises Unreachable."""
    try:
        return secret.read()
    except BadConfig as wrong:
        raise Unreachable(str(wrong)) from None


def context(tls: Tls) -> ssl.SSLContext:
    """Return how certificates are checked: as the system does, and by the file that the config names.

    Raises Unreachable if that holds no certificates.
    """
    made = ssl.create_default_context()
    if tls.ca is not None:
        try:
            made.load_verify_locations(tls.ca)
        except OSError as wrong:  # also ssl.SSLError
            raise Unreachable(f"{tls.ca} should hold certificates (tls: ca): {wrong.strerror or wrong}") from None
    return made

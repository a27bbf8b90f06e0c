"""Logins: the password, and whose certificates are believed.

What is wrong with either is `LoginRefused`: a person has to mend it, and the post goes on as soon as they have.
"""

from __future__ import annotations

import ssl

from pbem.post.settings import BadConfig, Secret, Tls
from pbem.post.transport.base import LoginRefused


def password(secret: Secret) -> str:
    """Return a password as it stands now in the environment or its file. Raises LoginRefused."""
    try:
        return secret.read()
    except BadConfig as wrong:
        raise LoginRefused(str(wrong)) from None


def context(tls: Tls) -> ssl.SSLContext:
    """Return how certificates are checked: as the system does, and by the file that the config names.

    Raises LoginRefused if that holds no certificates.
    """
    made = ssl.create_default_context()
    if tls.ca is not None:
        try:
            made.load_verify_locations(tls.ca)
        except OSError as wrong:  # also ssl.SSLError
            raise LoginRefused(f"{tls.ca} should hold certificates (tls: ca): {wrong.strerror or wrong}") from None
    return made

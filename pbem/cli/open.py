"""`pbem open`: the content of a sealed file, for anybody who has the key."""

from __future__ import annotations

import sys
from pathlib import Path

from pbem.cli.runtime import read


def open_sealed(file: Path, identity: Path) -> None:
    """Print the content of a sealed file; a key file of age or of ssh-ed25519 opens it."""
    from pbem.crypto.seal import CannotOpen, identities_in, open_with

    try:
        keys = identities_in(identity.read_text("utf-8"))
    except UnicodeDecodeError:
        raise CannotOpen(f"{identity} is not a key file of age or ssh") from None
    _, content = open_with(keys, read(file))
    if sys.stdout.isatty():  # a file or a pipe gets the bytes as they are
        print(content.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n"))
        return
    sys.stdout.buffer.write(content)
    if not content.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")

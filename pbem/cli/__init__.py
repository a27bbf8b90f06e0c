"""The command line. Each verb parses its arguments, calls one function and prints; heavy imports come last."""

from __future__ import annotations

import gc
import os
import sys
from errno import EINVAL, EPIPE
from io import TextIOWrapper
from typing import Final

from pbem.cli.escaped import print_bug

_BETWEEN_COLLECTIONS: Final = 50_000
"""New objects between two searches for garbage: modules that are imported leave none, and 700 take a sixth longer."""


def main() -> None:
    """Run the command line.

    Exit codes: 0 success, 1 environment error, 2 wrong usage, 3 faults in what was checked. If the reader of the output
    stops early, as in `pbem log GAME | head`, nothing is printed and the code is 1. Where the terminal's
    encoding lacks a letter, a question mark stands for it. Control characters are printed as escapes.
    """
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")
    sys.excepthook = print_bug
    try:
        try:
            from pbem.cli.verbs import app

            app()
        finally:
            sys.stdout.flush()
    except OSError as wrong:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard the rest of the output
        if wrong.errno not in (EPIPE, EINVAL):  # EINVAL is how Windows reports a broken pipe
            print(f"pbem: standard output: {wrong.strerror}", file=sys.stderr)
        sys.exit(1)

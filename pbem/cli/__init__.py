"""The command line. Each verb parses its words, calls one function and prints; nothing heavy is imported before."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 something outside is wrong, 2 wrong usage, 3 what was looked at has faults. Nothing is said
    of a reader who has read enough, as in `pbem log GAME | head`; the code is 1 then.
    """
    try:
        try:
            _run()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes nowhere at exit
        sys.exit(1)


def _run() -> None:
    from pbem.cli.verbs import app

    app()

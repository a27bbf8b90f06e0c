"""The command line. Each verb parses its arguments, calls one function and prints; heavy imports come last."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line.

    Exit codes: 0 success, 1 environment error, 2 wrong usage, 3 faults in what was checked. If the reader of the output
    stops early, as in `pbem log GAME | head`, nothing is printed and the code is 1.
    """
    try:
        try:
            _run()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard the rest of the output
        sys.exit(1)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:
        from importlib.metadata import version

        print(f"pbem {version('pbem')}")
        return
    from pbem.cli.verbs import app

    app()

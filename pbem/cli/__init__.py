"""The command line. Each verb parses its words, calls one function and prints; nothing heavy is imported before."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 something outside is wrong, 2 wrong usage, 3 what was looked at has faults.
    """
    if sys.argv[1:] == ["--version"]:
        from importlib.metadata import version

        print(f"pbem {version('pbem')}")
        return
    from pbem.cli.verbs import app

    app()

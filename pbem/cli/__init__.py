"""The command line. Each verb parses its arguments, calls one function and prints; heavy imports come last."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from copy import copy
from errno import EINVAL, EPIPE
from io import TextIOWrapper
from typing import Any

from pbem.cli.escaped import print_bug


def main() -> None:
    """Run the command line.

    Exit codes: 0 success, 1 environment error, 2 wrong usage, 3 faults in what was checked. If the reader of the output
    stops early, as in `pbem log GAME | head`, nothing is printed and the code is 1. Where the terminal's
    encoding lacks a letter, a question mark stands for it. Control characters are printed as escapes.
    """
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")
    sys.excepthook = print_bug
    try:
        try:
            _run()
        finally:
            sys.stdout.flush()
    except OSError as wrong:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard the rest of the output
        if wrong.errno not in (EPIPE, EINVAL):  # EINVAL is how Windows reports a broken pipe
            print(f"pbem: standard output: {wrong.strerror}", file=sys.stderr)
        sys.exit(1)


def _run() -> None:
    from pbem.cli.verbs import app

    # To describe all verbs to click takes longer than to carry out one that is named first, as nearly all are.
    called = [each for each in app.registered_commands if sys.argv[1:2] == [each.name or _verb(each.callback)]]
    alone = copy(app)
    if called:
        alone.registered_commands, alone.registered_groups = called, []
    alone()


def _verb(function: Callable[..., Any] | None) -> str:
    return getattr(function, "__name__", "").replace("_", "-")

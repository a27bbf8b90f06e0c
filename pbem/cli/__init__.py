"""The command line. Each verb parses its words, calls one function and prints; nothing heavy is imported before."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from copy import copy
from errno import EINVAL, EPIPE
from io import TextIOWrapper
from typing import Any


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 something outside is wrong, 2 wrong usage, 3 what was looked at has faults. Nothing is said
    of a reader who has read enough, as in `pbem log GAME | head`; the code is 1 then. Where the terminal's encoding
    lacks a letter, a question mark stands for it.
    """
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")
    try:
        try:
            _run()
        finally:
            sys.stdout.flush()
    except OSError as wrong:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes nowhere at exit
        if wrong.errno not in (EPIPE, EINVAL):  # by the second Windows tells of a broken pipe
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

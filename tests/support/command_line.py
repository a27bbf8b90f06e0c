"""The command line as the tests give it: run in this process, with its exit code and all that it prints."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner, Result

from pbem.cli.runtime import USAGE, WORLD
from pbem.cli.verbs import app
from tests.support.walks import FOLDERS

OF_TOY = ["new", "gallia", "--rules", "toy", "--rules-dir", FOLDERS[0]]
"""The words that begin a game of the toy."""


def pbem(*words: object, stdin: bytes | None = None) -> Result:
    """Run the command line; anything but an exit with a code is a failure."""
    result = CliRunner().invoke(app, [*map(str, words)], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert "Traceback" not in result.output
    return result


def said(code: int, *words: object, stdin: bytes | None = None) -> str:
    """Run the command line and return what it printed; it must end with a code, and complain only if that is not 0."""
    result = pbem(*words, stdin=stdin)
    assert result.exit_code == code, result.output
    assert (result.stderr != "") == (code in (WORLD, USAGE)), result.stderr
    return result.output


def told(code: int, *words: object, stdin: bytes | None = None) -> Any:
    """Run the command line with --json and return what it printed."""
    result = pbem(*words, "--json", stdin=stdin)
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)

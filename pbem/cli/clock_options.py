"""The options of `pbem new` about the clock: a file with its terms, and what is said in place of it or beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from re import compile as pattern
from typing import Any, Final, NamedTuple

from pbem.cli.runtime import misuse

_PACE: Final = pattern(r"(?P<bank>[^+/]+)(?:\+(?P<bonus>[^+/]+))?(?:/(?P<most>[^+/]+))?")


class ClockOptions(NamedTuple):
    """The terms of the clock: a file with them, and what is said in place of it or beside it."""

    file: Path | None
    pace: str | None
    deadlines: list[str]
    zone: str | None


def terms_of(options: ClockOptions, sides: Sequence[str]) -> dict[str, Any] | None:
    """Return the terms of a clock as the options say; None: the game has none."""
    from pbem.game import yaml as yamlio
    from pbem.referee.clock.terms import BadTerms, terms_of_new_game

    said: dict[str, Any] = {}
    if options.file is not None:
        try:
            found = yamlio.read(options.file.read_bytes(), name=options.file.name).value
        except yamlio.Unreadable as wrong:
            misuse(str(wrong))
        terms = found.get("clock", found) if isinstance(found, dict) else found
        if not isinstance(terms, dict):
            misuse(f"--clock {options.file}: write a mapping, such as `pace: {{bank: 3d, bonus: 12h, most: 14d}}`")
        said = terms
    if options.pace is not None:
        pace = _PACE.fullmatch(options.pace)
        if pace is None:
            misuse(f"--pace {options.pace}: write a bank, a bonus and the most, such as 3d+12h/14d")
        said["pace"] = {word: text.strip() for word, text in pace.groupdict().items() if text is not None}
    if options.deadlines:
        said["deadlines"] = options.deadlines
    if options.zone is not None:
        said["zone"] = options.zone
    if not said:
        return None
    try:
        return terms_of_new_game(said, sides).record()
    except BadTerms as wrong:
        misuse(f"the clock: {wrong}")

"""The last report: a note of the last adjudication that a game's players were written to. Later letters are owed.

A note that is ahead of the game, because it is damaged or the game was restored from a copy, is set back to it.
Otherwise no report would be written until the game has caught up with it.

The note lies in the folder of the game's repo, beside its lock and not in its history, for it is about the outbox of
this machine. It is written once all letters are in the outbox: who finds it behind the game writes what is missing.
A second note says for which round of the beacon they were told that the sheets are closed. Beside them lies a note for
each side (`correspondence`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from pbem.atomic import sync_folder, write

_NOTE: Final = "pbem.told"
CLOSED: Final = "pbem.told-closed"
SIDE_NOTE: Final = "pbem.told."
"""The name of the note of a side begins so, and ends with the side."""


def reported(repo: Path, note: str = _NOTE) -> int | None:
    """Return the adjudication up to which the players have been written to; None: nothing was noted here.

    By the note CLOSED: the round of the beacon for which they were told that the sheets are closed.
    """
    try:
        return int((repo / note).read_text("ascii"))
    except (FileNotFoundError, ValueError):
        return None


def note_reported(repo: Path, number: int, note: str = _NOTE) -> None:
    """Note that all letters up to an adjudication, or of a closing, are in the outbox.

    The note of adjudications does not go back; see `set_back`.
    """
    put_notes(repo, reported_note(repo, number, note), lasting=False)


def reported_note(repo: Path, number: int, note: str = _NOTE) -> dict[str, bytes]:
    """Return what `note_reported` writes: a note by its name, or nothing where it says so already."""
    known = reported(repo, note)
    if known == number or (known is not None and known > number and note == _NOTE):
        return {}
    return {note: b"%d\n" % number}


def set_back(repo: Path, adjudication: int) -> str | None:
    """Set notes that are ahead of the game back to its last adjudication, and return a sentence about it.

    None: it is not ahead. Call it with the game's lock held.
    """
    for path in sorted(repo.glob(f"{SIDE_NOTE}*")):
        with suppress(OSError, ValueError, TypeError, LookupError):  # one that cannot be read tells nothing
            note = json.loads(path.read_text("utf-8"))
            if note["told"] is not None and note["told"] > adjudication:
                put_note(repo, path.name, json.dumps({**note, "told": adjudication}, sort_keys=True).encode())
    known = reported(repo)
    if known is None or known <= adjudication:
        return None
    put_note(repo, _NOTE, b"%d\n" % adjudication)
    return (
        f"{repo.stem}: the note of what was reported to the players said adjudication {known}, but the game stands at "
        f"{adjudication}. It was set back; reports go on from there"
    )


def put_note(repo: Path, note: str, content: bytes) -> None:
    """Write a note beside the repo of a game: all of it or nothing."""
    put_notes(repo, {note: content})


def put_notes(repo: Path, notes: Mapping[str, bytes], *, lasting: bool = True) -> None:
    """Write notes beside the repo of a game, in order: of each all or nothing. Nobody else on the machine reads them.

    Those of what was told need not be `lasting`: where a power cut brings the ones before them back, letters are
    written again that lie there already.
    """
    drafts = {repo / f".{note}.{os.getpid()}": repo / note for note in notes}
    try:
        write(dict(zip(drafts, notes.values(), strict=True)), mode=0o600)
        for draft, path in drafts.items():
            os.replace(draft, path)
    except BaseException:
        for draft in drafts:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        raise
    if lasting and notes:
        with suppress(OSError):
            sync_folder(repo)

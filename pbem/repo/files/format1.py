"""Format 1: games that versions before 0.2 began, read in today's words.

Such a game is read, reported, replayed and revealed, but not played on: what went into its dice was another list. Each
function takes a record as a file has it and returns it in the words of today; a record of today comes back as it is.
"""

from __future__ import annotations

from typing import Any, Final

from pbem.game.plain import Record

FORMAT: Final = 1
VERIFIED_BY: Final = "0.1"
"""The versions of pbem that verify games of format 1 and play them on."""
_EVENTS: Final = {"order_lapsed": "order_expired", "standing_over": "standing_expired"}
_BY: Final = {"stand-in": "bot", "game master": "the game master"}


def charter(record: Record) -> Record:
    """Return the record of a charter."""
    if "preset" not in record:
        return record
    words = {"edition" if word == "preset" else word: value for word, value in record.items()}
    return {"format": FORMAT, "made_by": f"pbem {VERIFIED_BY}", **words, "by_mail": list(record["players"])}


def turn(record: Record) -> Record:
    """Return the record of a turn file."""
    if "waiting" not in record:
        return record
    words = _renamed(record, {"waiting": "open_decisions", "shares": "player_chains"})
    words["events"] = [_event(event) for event in record["events"]]
    if "answers" in record:
        words["answers"] = [_by(answer) for answer in record["answers"]]
    if "act" in record:
        words["act"] = _renamed(record["act"], {"rest": "to"})
    return words


def sealed_record(record: Record) -> Record:
    """Return the record of the sealed file beside a turn file."""
    if not record:
        return record
    return {
        **record,
        "events": [_event(event) for event in record["events"]],
        "answers": [_by(answer) for answer in record["answers"]],
    }


def state(record: Record) -> Record:
    """Return the record of a sealed state."""
    if "asked" not in record:
        return record
    words = _renamed(record, {"asked": "open_decisions", "shares": "new_links"})
    words |= {"inputs": "", "day": "", "handed_in": []}
    words["steps"] = [{**step, "answers": [_by(answer) for answer in step["answers"]]} for step in record["steps"]]
    return words


def _renamed(record: Record, names: Record) -> dict[str, Any]:
    return {names.get(word, word): value for word, value in record.items()}


def _event(record: Record) -> Record:
    words = dict(record)
    words["kind"] = _EVENTS.get(words["kind"], words["kind"])
    return _renamed(words, {"rest": "to"}) if words["kind"] == "ruled_patch" else words


def _by(record: Record) -> Record:
    return {**record, "by": _BY.get(record["by"], record["by"])}

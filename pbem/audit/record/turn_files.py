"""Checks what the turn files say of themselves and of each other: their numbers, digests, sheets, acts, questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final

from pbem.audit.record.commit_check import Historian
from pbem.audit.record.evidence import Books, Evidence, History, Read
from pbem.audit.record.findings import Findings, Place, listed
from pbem.audit.record.schemas import (
    DEPUTY_SHAPE,
    JOINED_SHAPE,
    REQUEST_SHAPE,
    TURN_SHAPE,
    misfit,
    misfit_act,
    not_canonical,
    said_in,
)
from pbem.crypto.dice import inputs_digest
from pbem.crypto.seal import BadRecipient, check_recipient
from pbem.game import yaml as yamlio
from pbem.game.wording import counted
from pbem.protocol import Record, Side
from pbem.referee import ALL_SIDES, GAME_MASTER, QUORUM
from pbem.repo.files.charter import Charter
from pbem.repo.files.layout import (
    CHARTER,
    MIGRATION,
    POSITION,
    deputy_path,
    joined_path,
    request_path,
    standing_path,
    turn_path,
)
from pbem.repo.git.history import Past

_COUNTED: Final = 10**8
"""The date of a commit that no letter has made counts commits; a later one is a time, in seconds since 1970."""
_NO_ACT: Final = {"kind": "ruling", "reason": "none", "what": "end"}
"""An act with nothing wrong in it, for turns without one."""


def gather(charter: Charter, commits: Sequence[Past], read: Read, findings: Findings) -> Evidence:
    """Return the evidence of a game, having checked its commits and the shape of its turn files."""
    history = Historian(charter, commits, read, findings).tell()
    return Evidence(charter, history, _read_turns(history, read, findings), read, findings)


def _read_turns(history: History, read: Read, findings: Findings) -> Books:
    """Return the turn files, each read once; one that is not of their shape is blamed and left out."""
    books = Books()
    charter = history.latest(CHARTER)
    assert charter is not None
    books.digests[0] = sha256(read(charter)).hexdigest()
    for n in range(1, history.last + 1):
        place = history.place(n)
        oid = history.latest(turn_path(n))
        if oid is None:
            findings.blame(place, "there is no turn file")
            continue
        content = read(oid)
        books.digests[n] = sha256(content).hexdigest()
        try:
            turn = yamlio.read(content, name=turn_path(n)).value
        except yamlio.Unreadable as wrong:
            findings.blame(place, f"the turn file cannot be read: {wrong}")
            continue
        if wrong_shape := misfit(turn, TURN_SHAPE) or misfit_act(turn.get("act", _NO_ACT)):
            findings.blame(place, f"the turn file is not written as they are: {wrong_shape}")
            continue
        books.turns[n] = turn
        findings.blame(place, *not_canonical(turn, content))
    return books


def check_turn_files(evidence: Evidence) -> None:
    """Check every turn file against the one before it, and against what was committed."""
    history, books, findings = evidence.history, evidence.books, evidence.findings
    for n, turn in books.turns.items():
        place = history.place(n)
        findings.blame(place, *_misfit_digests(n, turn, books), *_misfit_position(n, turn, evidence))
        findings.blame(place, *_misfit_sides(turn, evidence.sides), *_misfit_events(turn), *_misfit_act(n, turn, books))
        findings.blame(place, *_misfit_consents(n, turn, evidence))
        if n > 1:
            findings.blame(place, *_misfit_newcomers(n, turn, evidence))
        before, commit = books.turns.get(n - 1), history.commits[history.turns[n]]
        findings.blame(
            place,
            *_misfit_move(turn, before),
            *_misfit_day(turn, before, commit),
            *_circumstances(turn),
            *_sources(n, turn, history),
        )
    findings.check("turns", f"{counted(len(books.turns), 'turn file')}, each naming the one before by its digest")
    for n, turn in books.turns.items():
        findings.blame(history.place(n), *_misfit_sheets(n, turn, history), *_misfit_standing(n, turn, evidence))
    sheets = sum(len(paths) for by_side in history.sheets.values() for paths in by_side.values())
    waiting = sum(len(paths) for paths in history.sheets.get(history.last, {}).values())
    text = f"{counted(sheets, 'sheet')}, each committed before the turn that used it" + (
        f"; {counted(waiting, 'sheet')} not used yet" if waiting else ""
    )
    findings.check("sheets", text)
    if 1 in books.turns:
        _check_joined(books.turns[1], evidence)
    if books.undone:
        findings.check("undone", f"turns {listed(sorted(books.undone))}; their dice never come again")


def _misfit_digests(n: int, turn: Record, books: Books) -> Iterator[str]:
    """Yield what is wrong with number, digest of the turn file before, and digest of all that went in."""
    if turn["adjudication"] != n:
        yield f"the turn file calls itself adjudication {turn['adjudication']}"
    before = books.digests.get(n - 1)
    if before is not None and turn["previous"] != before:
        what = f"turn file {n - 1}" if n > 1 else CHARTER
        yield f"it goes on from another {what} than the one that is there: that was altered, or this"
    earlier = before if n == 1 else books.turns.get(n - 1, {}).get("inputs")
    if earlier is None:
        return
    try:
        stated = inputs_digest(earlier, turn)
    except TypeError as wrong:
        yield f"what went in cannot go into dice: {wrong}"
        return
    if turn["inputs"] != stated:
        yield f"`inputs` is not the digest of what went in: the turn file says {turn['inputs']}, it is {stated}"


def _misfit_sheets(n: int, turn: Record, history: History) -> Iterator[str]:
    """Yield where the sheets that a turn file names are not those committed before it and after the turn before."""
    named = {side: list(paths) for side, paths in turn.get("sheets", {}).items()}
    there = history.sheets.get(n - 1, {})
    for side in sorted(named.keys() | there.keys()):
        for path in named.get(side, ()):
            if path in there.get(side, ()):
                continue
            versions = history.files.get(path)
            when = (
                f"was committed after turn {_turn_before(history, versions[0].at)}"
                if versions
                else "was never committed"
            )
            yield f"it uses {path}, which {when}"
        for path in there.get(side, ()):
            if path not in named.get(side, ()):
                yield f"it passes over {path}, which was committed before it"
    if {side: list(paths) for side, paths in turn.get("texts", {}).items()} != named:
        yield "the sheets whose texts it names are not those that it used"


def _turn_before(history: History, at: int) -> int:
    """Return the last adjudication before a commit."""
    return max((n for n, when in history.turns.items() if when < at), default=0)


def _misfit_standing(n: int, turn: Record, evidence: Evidence) -> Iterator[str]:
    """Yield where standing orders are left out or made up, or another digest is named without another file."""
    history, named = evidence.history, turn.get("standing", {})
    earlier = evidence.books.turns.get(n - 1, {}).get("standing", {})
    for side in evidence.sides:
        file = history.before(standing_path(side), history.turns[n])
        if (file is None) != (side not in named):
            yield (
                f"it names standing orders of {side}, which has filed none"
                if file is None
                else f"it leaves out the digest of the standing orders of {side}, which are on file"
            )
        elif side in named and side in earlier and n - 1 in history.turns:
            same = file == history.before(standing_path(side), history.turns[n - 1])
            if same and named[side] != earlier[side]:
                yield f"it names other standing orders of {side} than turn {n - 1}, but none were filed between"


def _misfit_day(turn: Record, before: Record | None, commit: Past) -> Iterator[str]:
    """Yield what is wrong with the day, by which standing orders expire.

    A letter that came late leaves the day as it was in the turn before.
    """
    day, earlier = turn["day"], "" if before is None else before["day"]
    if day < earlier:
        yield f"its day, {day}, is before that of the turn before, {earlier}"
    if commit.author > _COUNTED and day > max(earlier, _last_day(datetime.fromtimestamp(commit.author, UTC))):
        yield f"its day, {day}, is after the time of its own commit"
    elif day > _last_day(now()):
        yield f"its day, {day}, is still to come"


def now() -> datetime:
    """Return the time at which the game is verified."""
    return datetime.now(UTC)


def _last_day(moment: datetime) -> str:
    """Return the day that it is at a moment where it is latest on earth."""
    return (moment + timedelta(hours=14)).date().isoformat()


def _circumstances(turn: Record) -> Iterator[str]:
    """Yield what is wrong with who is late or absent."""
    for word in ("late", "absent"):
        if turn.get(word, []) != sorted(set(turn.get(word, []))):
            yield f"the sides that are {word} do not stand in their order"
        if "act" in turn and word in turn:
            yield f"somebody is {word} where the game master acts"


def _sources(n: int, turn: Record, history: History) -> Iterator[str]:
    """Yield which answers come out of sheets that had not come."""
    for answer in turn.get("answers", ()):
        word, _, written = answer["by"].partition(" ")
        if word == "sheet":
            came = sum(len(by_side.get(answer["side"], ())) for k, by_side in history.sheets.items() if k < n)
            if int(written) > came:
                yield f"{answer['by']} of {answer['side']} answers, which had not come by then"


def _misfit_position(n: int, turn: Record, evidence: Evidence) -> Iterator[str]:
    file = evidence.history.before(POSITION, evidence.history.turns[n] + 1)
    if file is None:
        yield f"there is no {POSITION} after it"
    elif (digest := sha256(evidence.read(file)).hexdigest()) != turn["position"]:
        yield f"{POSITION} after it is not the one that it names: {digest}, not {turn['position']}"


def _misfit_move(turn: Record, before: Record | None) -> Iterator[str]:
    """Yield what a move to other rules changes besides the rules, and does not say that the game master accepts it."""
    act = turn.get("act", {})
    if act.get("kind") != MIGRATION or before is None or "accepted" in act:
        return
    changed = [word for word in ("position", "open_decisions") if turn[word] != before[word]]
    if changed:
        yield f"it moves the game to other rules, and the {' and the '.join(changed).replace('_', ' ')} with it"


def _misfit_sides(turn: Record, sides: Sequence[Side]) -> Iterator[str]:
    """Yield the sides that do not play, wherever they are named."""
    named = {side for word in ("joined", "sheets", "standing", "player_chains") for side in turn.get(word, ())}
    named |= {side for word in ("late", "absent") for side in turn.get(word, ())}
    named |= {each["side"] for word in ("answers", "open_decisions") for each in turn.get(word, ())}
    named |= {turn["act"]["side"]} if "side" in turn.get("act", ()) else set()
    for side in sorted(named - set(sides)):
        yield f"it names {side}, who does not play"
    for word in ("joined", "sheets", "standing", "player_chains"):
        if list(turn.get(word, ())) != sorted(turn.get(word, ())):
            yield f"the sides of {word} do not stand in their order"
    if any(list(paths) != sorted(paths) for paths in turn.get("sheets", {}).values()):
        yield "the sheets of a side do not stand in their order"
    if turn.get("result") is not None and turn["open_decisions"]:
        yield "it says how the game ended, and that it waits for answers"


def _misfit_events(turn: Record) -> Iterator[str]:
    """Yield where the events do not tell each roll once, in order."""
    if any(type(event.get("kind")) is not str for event in turn["events"]):
        yield "an event is of no kind"
    if any(list(event)[: len(head)] != head for event in turn["events"] for head in [_first_words(event)]):
        yield "the words of an event do not stand in their order: kind first, then roll or rule"
    told = [event["roll"] for event in turn["events"] if "roll" in event]
    rolled = [roll["number"] for roll in turn.get("rolls", ())]
    if told != rolled:
        yield f"its events tell of rolls {listed(told) or 'none'}, its list of rolls has {listed(rolled) or 'none'}"


def _first_words(event: Record) -> list[str]:
    return [word for word in ("kind", "roll", "rule") if word in event]


def _misfit_act(n: int, turn: Record, books: Books) -> Iterator[str]:
    """Put on record what the game master did; yield what is wrong with it."""
    act = turn.get("act")
    if act is None:
        return
    if not act["reason"].strip():
        yield "the game master did something without a reason"
    if (back := act.get("to")) is None:
        return
    if not isinstance(back, int) or not 0 < back < n or back in books.undone:
        yield f"it goes back to turn {back}, which is none to go back to"
        return
    expected = [each for each in range(back + 1, n) if each not in books.undone]
    if act.get("undone") != expected:
        yield f"going back to turn {back} undoes turns {listed(expected) or 'none'}; it says {act.get('undone')}"
    books.undone |= set(expected)


def _misfit_consents(n: int, turn: Record, evidence: Evidence) -> Iterator[str]:
    """Yield what is wrong with the consents to an act, which stand in the file of the request."""
    act = turn.get("act", {})
    if act.get("by") in (None, GAME_MASTER):
        if {"request", "consents"} & set(act):
            yield "the game master acts alone, and it names consents"
        return
    if act["by"] not in (ALL_SIDES, QUORUM, act.get("side")):
        yield f"it is by {act['by']}, who cannot do that alone"
    oid = evidence.history.before(request_path(act.get("request", 0)), evidence.history.turns[n])
    try:
        request = {} if oid is None else yamlio.read(evidence.read(oid), name="request").value
    except yamlio.Unreadable:  # blamed where the history is told
        return
    asked = not misfit(request, REQUEST_SHAPE) and request["kind"] == act["kind"] and "outcome" not in request
    asked = asked and request.get("to") == act.get("to") and act.get("side") in (None, request.get("side"))
    asked = asked and request.get("winners") == act.get("winners")
    if not asked or request.get("consents", []) != act.get("consents") or not _enough(request):
        yield "it says that the sides consented, and no request says so"


def _enough(request: Record) -> bool:
    """Tell whether as many sides have consented to a request as it needs."""
    needed = set(request["needed"])
    enough: int = request.get("quorum", len(needed))
    return len(needed & set(request["consents"])) >= enough


def _check_joined(turn: Record, evidence: Evidence) -> None:
    """Check what the sides mailed for themselves: phrase and chain are as they went into the first turn."""
    history, read, findings = evidence.history, evidence.read, evidence.findings
    joined, phrases = turn.get("joined", {}), 0
    for side in evidence.sides:
        before: Record = {}
        for version in history.files.get(joined_path(side), ()):
            if version.oid is None:
                continue
            place = Place(version.at, file=joined_path(side))
            said = said_in(read(version.oid), JOINED_SHAPE, place, findings)
            if said is None:
                continue
            findings.blame(place, *_misfit_key(said))
            first = history.turns.get(1, 0)
            if version.oid == history.before(joined_path(side), first) and said != joined.get(side):
                findings.blame(history.place(1), f"what {side} mailed before the first shuffle is not what went in")
            if version.at > first:
                findings.blame(place, *_changed_late(side, before, said))
            before = said
        for number, version in enumerate(history.files.get(deputy_path(side), ()), 1):
            place = Place(version.at, file=deputy_path(side))
            deputy = said_in(read(version.oid or b""), DEPUTY_SHAPE, place, findings) if version.oid else None
            if deputy is not None and deputy["named"] != number:
                findings.blame(place, f"it counts {deputy['named']} deputies, and there were {number}")
        phrases += "phrase" in joined.get(side, {})
        if side in joined and history.before(joined_path(side), history.turns.get(1, 0)) is None:
            findings.blame(history.place(1), f"something of {side} went in that it had not mailed")
    findings.check(
        "phrases", f"{phrases} of {counted(len(evidence.sides), 'side')} mailed a phrase before the first shuffle"
    )


def _changed_late(side: Side, before: Record, said: Record) -> Iterator[str]:
    """Yield what is wrong with a change of what a side has mailed, after the first shuffle."""
    if said.get("player", 1) == before.get("player", 1) + 1:
        if left := {"phrase", "chain", "key"} & set(said):
            yield f"{side} has a new player, who begins with a {listed(sorted(left))}"
        return
    if said.get("player", 1) != before.get("player", 1):
        yield f"{side} has player {said.get('player', 1)} after player {before.get('player', 1)}"
    promised = "chain" in said and "chain" not in before and said.get("player", 1) > 1
    if said.get("phrase") != before.get("phrase") or (said.get("chain") != before.get("chain") and not promised):
        yield f"phrase and chain of {side} are changed after the first shuffle"


def _misfit_newcomers(n: int, turn: Record, evidence: Evidence) -> Iterator[str]:
    """Yield where a turn after the first does not state what new players have mailed since the turn before."""
    expected: dict[Side, Record] = {}
    for side in evidence.sides:
        try:
            now, before = (_mailed(side, evidence, at) for at in (n, n - 1))
        except (yamlio.Unreadable, AttributeError):  # blamed where it was mailed
            return
        if now != before:
            expected[side] = now
    if turn.get("joined", {}) != expected:
        yield "what it states of new players is not what is on file of them"


def _mailed(side: Side, evidence: Evidence, n: int) -> Record:
    """Return which player a side had before turn n, and the chain that they had promised."""
    oid = evidence.history.before(joined_path(side), evidence.history.turns.get(n, 0))
    said: Record = {} if oid is None else yamlio.read(evidence.read(oid), name=joined_path(side)).value
    return {word: said[word] for word in ("chain", "player") if word in said}


def _misfit_key(said: Record) -> Iterator[str]:
    try:
        if "key" in said and check_recipient(said["key"]) != said["key"]:
            yield "its key is not written as keys are"
    except BadRecipient as wrong:
        yield str(wrong)

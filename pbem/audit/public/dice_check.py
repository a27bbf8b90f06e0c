"""Checks the dice without any key: the chains, the beacon, and every roll that stands in clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pbem.audit.record.evidence import Books, Evidence
from pbem.audit.record.findings import Place
from pbem.audit.record.schemas import not_canonical
from pbem.crypto.beacon import BadBeacon, NoBeaconLibrary, check_signatures
from pbem.crypto.closing import Circumstances, Closing, closed_digest, closing_round
from pbem.crypto.dice import MAX_SIDES, SCHEME, ChainDice, check_link, inputs_digest, step_key
from pbem.crypto.player_chains import MOST_LINKS, BadContribution, last_links, links_given
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.wording import counted
from pbem.protocol import Record, Side
from pbem.repo.files.layout import BEACON

_USUAL: Final = 6
"""The sides of a die that names none."""
_MOST_DICE: Final = 10_000
"""The dice of one roll that are still made again."""


def check_chain(evidence: Evidence) -> None:
    """Check every link that was opened, from the tip on, and every renewal of the chain."""
    history, books, findings = evidence.history, evidence.books, evidence.findings
    dice = evidence.charter.dice
    if dice.scheme != SCHEME or dice.length < 1:
        findings.blame(Place(), f"dice of the scheme {dice.scheme}, length {dice.length}: only {SCHEME} is known")
        return
    previous: str | None = dice.tip
    renewals = 0
    for n in range(1, history.last + 1):
        turn = books.turns.get(n)
        if turn is None:
            previous = None
            continue
        findings.blame(history.place(n), *_misplaced_link(n, turn, previous, dice.length))
        renewals += "renewal" in turn
        previous = turn.get("renewal", turn["link"])
    renewed = f", {counted(renewals, 'renewal')}" if renewals else ""
    findings.check("links", f"{counted(len(books.turns), 'link')} opened, from the tip on{renewed}")


def _misplaced_link(n: int, turn: Record, previous: str | None, length: int) -> Iterator[str]:
    if previous is not None and not check_link(turn["link"], previous):
        before = (
            "the tip" if n == 1 else f"what turn {n - 1} promises" if (n - 1) % length == 0 else f"that of turn {n - 1}"
        )
        yield f"the link opened, {turn['link']}, does not follow {before}, {previous}"
    if ("renewal" in turn) != (n % length == 0):
        yield "it names another chain" if "renewal" in turn else "it opens the last link, and names no other chain"


def check_player_chains(evidence: Evidence) -> None:
    """Check what the sides with chains of their own gave to each turn: one link for each sheet that it names."""
    history, findings = evidence.history, evidence.findings
    lasts: dict[Side, str] = {}
    chains = dict[Side, None]()
    opened = missing = 0
    for n, turn in evidence.books.turns.items():
        joined = turn.get("joined", {})
        for side in joined:  # the chain of the player before has ended
            lasts.pop(side, None)
        given = turn.get("player_chains", {})
        sheets = {side: len(paths) for side, paths in turn.get("sheets", {}).items()}
        if n == 1 and given:
            findings.blame(history.place(n), "a link of a side's own is opened before the first shuffle")
        opened += sum(sheets.get(side, 0) for side, each in given.items() if "link" in each)
        missing += sum("link" not in each for each in given.values())
        try:
            lasts = links_given(given, lasts, n, sheets) if n > 1 else {}
        except BadContribution as wrong:
            findings.blame(history.place(n), str(wrong))
            lasts = last_links(given, lasts)
        for side, chain in ((side, said["chain"]) for side, said in joined.items() if "chain" in said):
            if not 1 <= chain["length"] <= MOST_LINKS:
                findings.blame(history.place(n), f"the chain of {side} has {chain['length']} links")
            lasts[side] = chain["tip"]
            chains[side] = None
    if chains:
        text = f"{', '.join(chains)}: {counted(opened, 'link')} opened, one for each sheet; {missing:,} turns without"
        findings.check("player chains", text)


def check_beacon(evidence: Evidence) -> None:
    """Check the rounds of the public beacon, what was closed before each, and their signatures."""
    history, books, findings = evidence.history, evidence.books, evidence.findings
    closings = list(_closings(evidence))
    if evidence.charter.dice.beacon is None:
        for n, turn in books.turns.items():
            if "beacon" in turn:
                findings.blame(history.place(n), "a round of a beacon decides it, but the charter names none")
        if closings:
            findings.blame(history.place_of(BEACON), "sheets are closed for a beacon, but the charter names none")
        return
    before, signatures, where = 0, dict[int, str](), dict[int, int]()
    for n, turn in books.turns.items():
        try:
            before, signature = closing_round(turn, before)
        except BadBeacon as wrong:
            findings.blame(history.place(n), str(wrong))
            continue
        if signature is not None:
            if signatures.setdefault(before, signature) != signature:
                findings.blame(history.place(n), f"round {before} has another signature than before")
            where.setdefault(before, n)
    _check_closed(evidence, closings)
    missing = sum("missing" in turn.get("beacon", {}) for turn in books.turns.values())
    try:
        check_signatures(signatures)
    except NoBeaconLibrary as lacking:
        findings.leave_open("beacon", f"signatures not checked: {lacking}")
    except BadBeacon as wrong:
        found = next((n for round, n in where.items() if str(wrong).endswith(f"round {round}")), None)
        findings.blame(history.place(found) if found else Place(), str(wrong))
    findings.check("beacon", f"{counted(len(signatures), 'round')} of drand, {counted(missing, 'turn')} without")


def _closings(evidence: Evidence) -> Iterator[tuple[int, Closing]]:
    """Yield every version of the file in which sheets are closed, with the number of its commit."""
    findings = evidence.findings
    for version in evidence.history.files.get(BEACON, ()):
        if version.oid is None:
            continue
        content = evidence.read(version.oid)
        try:
            said = yamlio.read(content, name=BEACON).value
            closing = plain.decode(Closing, said)
        except (yamlio.Unreadable, ValueError, TypeError, AttributeError, KeyError) as wrong:
            findings.blame(Place(version.at, file=BEACON), f"it cannot be read: {wrong}")
            continue
        findings.blame(Place(version.at, file=BEACON), *not_canonical(said, content))
        yield version.at, closing


def _check_closed(evidence: Evidence, closings: list[tuple[int, Closing]]) -> None:
    """Check that rounds are named one after another, and that what each decides was closed before it was put in."""
    history, books, findings = evidence.history, evidence.books, evidence.findings
    named: dict[int, tuple[int, Closing]] = {}
    put_in: dict[int, tuple[int, Closing]] = {}
    before: Closing | None = None
    for at, closing in closings:
        findings.blame(Place(at, file=BEACON), *_follows(before, closing))
        (put_in if closing.come else named).setdefault(closing.round, (at, closing))
        before = closing
    for n, turn in books.turns.items():
        if "beacon" in turn:
            found = (rounds.get(turn["beacon"]["round"], (history.turns[n], None)) for rounds in (named, put_in))
            closed, come = (closing if at < history.turns[n] else None for at, closing in found)
            findings.blame(history.place(n), *_decided(n, books, closed, come))


def _follows(before: Closing | None, closing: Closing) -> Iterator[str]:
    """Yield what is wrong with a version of the file, given the version before it."""
    if closing.come:
        if before is None or before.come:
            yield f"round {closing.round} is put in, and no round is named that has not come"
        elif replace(closing, signature=None, missing=None) != before:
            yield "with the round something else is changed: only its signature is put in, or why it is missing"
        return
    if before is not None and not before.come:
        yield f"round {closing.round} is named before round {before.round} has come or is known to be missing"
    if before is not None and closing.round <= before.round:
        yield f"round {closing.round} is named after round {before.round}"


def _decided(n: int, books: Books, closing: Closing | None, come: Closing | None) -> Iterator[str]:
    """Yield what is wrong with a turn that a round decides.

    `closing` is what was closed when the round was named, `come` what was put on record when it had come.
    """
    turn, before = books.turns[n], books.turns.get(n - 1, {})
    number = turn["beacon"]["round"]
    if closing is None or closing.adjudication > n:
        yield f"round {number} of the beacon decides it, and was not named before"
        return
    if come is None or come.stated != turn["beacon"]:
        yield f"what it says of round {number} is not what was put in before it"
    if closing.adjudication == n:
        earlier = books.digests.get(0) if n == 1 else before.get("inputs")
        without = {word: value for word, value in turn.items() if word != "beacon"}
        inputs = inputs_digest(str(earlier), without)
        if closed_digest(inputs, Circumstances.of(turn)) != closing.closed:
            yield "what went into it is not what was closed before its round was known"
    elif "sheets" in turn or "joined" in turn or "act" in before:
        what = "sheets" if "sheets" in turn else "a new player" if "joined" in turn else "what the game master did"
        yield f"{what} went into it when round {number} of the beacon was known"
    elif (turn["day"], turn.get("late", []), turn.get("absent", [])) != (closing.day, [], closing.absent):
        yield f"its day, or who is late or absent, is not what was closed before round {number} was known"


def check_rolls(evidence: Evidence) -> None:
    """Make every roll again and check what is said of it; check every draw, as far as it is public."""
    history, findings, game = evidence.history, evidence.findings, evidence.charter.game
    rolls = dice = draws = 0
    chain_dice = ChainDice(b"", b"")
    for n, turn in evidence.books.turns.items():
        chain_dice.reseed(step_key(turn["link"], game, n, turn["inputs"]))
        names: set[str] = set()
        for at, roll in enumerate(turn.get("rolls", ()), 1):
            reasons = [*_misnumbered(at, roll, names), *roll_faults(roll, chain_dice)]
            if reasons:
                findings.blame(history.place(n, at, roll["name"]), *reasons)
            rolls, dice = rolls + 1, dice + len(roll["faces"])
        for at, draw in enumerate(turn.get("draws", ()), 1):
            reasons = list(_misnumbered(at, draw, names))
            if draw["of"] < 0:
                reasons.append(f"{draw['of']} things cannot be shuffled")
            findings.blame(history.place(n, at, draw["name"], "draw"), *reasons)
            draws += 1
    made = f"{counted(rolls, 'roll')} of {counted(dice, 'die', 'dice')}"
    findings.check("rolls", f"{made} made again, with sums and needs")
    findings.check("draws", f"{counted(draws, 'hidden draw')}, numbered and named")


def _misnumbered(at: int, said: Record, names: set[str]) -> Iterator[str]:
    """Yield what is wrong with running number and name; put the name on record."""
    if said["number"] != at:
        yield f"it is numbered {said['number']}; the {at}. in the list has number {at}"
    if said["name"] in names:
        yield "its name is used twice in this turn"
    names.add(said["name"])


def roll_faults(roll: Record, dice: ChainDice) -> Iterator[str]:
    """Yield what is wrong with a roll, by dice that are turned to its adjudication."""
    faces, sides = roll["faces"], roll.get("sides", _USUAL)
    if not (2 <= sides <= MAX_SIDES and len(faces) <= _MOST_DICE):
        yield f"nobody rolls {len(faces)} dice of {sides} sides"
        return
    if roll.get("sides") == _USUAL:
        yield f"it says that its dice have {_USUAL} sides, which goes without saying"
    rolled = dice.faces(roll["name"], len(faces), sides)
    if rolled != faces:
        yield f"the turn file says {_faces_said(faces)}, the dice say {_faces_said(rolled)}"
    modifiers = roll.get("modifiers", {})
    total = sum(faces) + sum(modifiers.values())
    if total != roll["total"]:
        yield f"the turn file says a total of {roll['total']}; the faces and modifiers come to {total}"
    need = roll.get("need")
    if need is None:
        if "success" in roll:
            yield "it says whether it was a success, and not what was needed"
    elif "success" not in roll:
        yield f"it says that {need} was needed, and not whether that was reached"
    elif reaches(roll["total"], need) != roll["success"]:
        verdict = "a success" if roll["success"] else "a failure"
        yield f"the turn file calls it {verdict}: needed {need}, total {roll['total']}"


def reaches(total: int, need: str) -> bool:
    """Tell whether a total is what was needed, such as `>= 5`."""
    sense, number = _sense_and_bound(need)
    return total <= number if sense == "<=" else total >= number


@lru_cache(maxsize=256)
def _sense_and_bound(need: str) -> tuple[str, int]:
    sense, number = need.split(" ")
    return sense, int(number)


def _faces_said(faces: list[int]) -> str:
    return " ".join(map(str, faces)) or "nothing"

"""Checks what turns the dice: the links of the chains, the renewals, the sides' own links, the public beacon."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.audit.findings import Findings, Place, number
from pbem.audit.history import History
from pbem.audit.schemas import Record, not_canonical
from pbem.audit.turn_files import Books
from pbem.crypto.beacon import BadBeacon, NoBeaconLibrary, check_signatures
from pbem.crypto.closing import Closing, check_closed, follow
from pbem.crypto.dice import SCHEME, check_link
from pbem.crypto.player_chains import MOST_LINKS, BadShare, last_links
from pbem.crypto.player_chains import follow as follow_shares
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.protocol import Side
from pbem.repo.charter import Charter
from pbem.repo.layout import BEACON


def check_chain(history: History, books: Books, charter: Charter, findings: Findings) -> None:
    """Check every link that was opened, from the tip on, and every renewal of the chain."""
    dice = charter.dice
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
        findings.blame(history.place(n), *_link(n, turn, previous, dice.length))
        renewals += "renewal" in turn
        previous = turn.get("renewal", turn["link"])
    renewed = f", {number(renewals, 'renewal')}" if renewals else ""
    findings.check("links", f"{number(len(books.turns), 'link')} opened, from the tip on{renewed}")


def _link(n: int, turn: Record, previous: str | None, length: int) -> Iterator[str]:
    if previous is not None and not check_link(turn["link"], previous):
        before = (
            "the tip" if n == 1 else f"what turn {n - 1} promises" if (n - 1) % length == 0 else f"that of turn {n - 1}"
        )
        yield f"the link opened, {turn['link']}, does not follow {before}, {previous}"
    if ("renewal" in turn) != (n % length == 0):
        yield "it names another chain" if "renewal" in turn else "it opens the last link, and names no other chain"


def check_shares(history: History, books: Books, findings: Findings) -> None:
    """Check what the sides with chains of their own gave to each turn."""
    first = books.turns.get(1, {})
    chains = {side: said["chain"] for side, said in first.get("joined", {}).items() if "chain" in said}
    for side, chain in chains.items():
        if not 1 <= chain["length"] <= MOST_LINKS:
            findings.blame(history.place(1), f"the chain of {side} has {chain['length']} links")
    lasts: dict[Side, str] = {side: chain["tip"] for side, chain in chains.items()}
    opened = missing = 0
    for n, turn in books.turns.items():
        shares = turn.get("shares", {})
        if n == 1:
            if shares:
                findings.blame(history.place(n), "a side gives a share before the first shuffle")
            continue
        opened += sum("link" in share for share in shares.values())
        missing += sum("link" not in share for share in shares.values())
        try:
            lasts = follow_shares(shares, lasts, n)
        except BadShare as wrong:
            findings.blame(history.place(n), str(wrong))
            lasts = last_links(shares, lasts)
    if chains:
        text = f"{', '.join(chains)}: {number(opened, 'link')} opened, {missing:,} missing"
        findings.check("own chains", text)


def check_beacon(
    history: History, books: Books, charter: Charter, read: Callable[[bytes], bytes], findings: Findings
) -> None:
    """Check the rounds of the public beacon, what was closed before each, and their signatures."""
    closings = list(_closings(history, read, findings))
    if charter.dice.beacon is None:
        for n, turn in books.turns.items():
            if "beacon" in turn:
                findings.blame(history.place(n), "a round of a beacon decides it, but the charter names none")
        if closings:
            findings.blame(history.place_of(BEACON), "sheets are closed for a beacon, but the charter names none")
        return
    before, signatures, where = 0, dict[int, str](), dict[int, int]()
    for n, turn in books.turns.items():
        try:
            before, signature = follow(turn, before)
        except BadBeacon as wrong:
            findings.blame(history.place(n), str(wrong))
            continue
        if signature is not None:
            if signatures.setdefault(before, signature) != signature:
                findings.blame(history.place(n), f"round {before} has another signature than before")
            where.setdefault(before, n)
    _closed(history, books, closings, findings)
    missing = sum("missing" in turn.get("beacon", {}) for turn in books.turns.values())
    try:
        check_signatures(signatures)
    except NoBeaconLibrary as lacking:
        findings.leave("beacon", f"signatures not checked: {lacking}")
    except BadBeacon as wrong:
        found = next((n for round, n in where.items() if str(wrong).endswith(f"round {round}")), None)
        findings.blame(history.place(found) if found else Place(), str(wrong))
    findings.check("beacon", f"{number(len(signatures), 'round')} of drand, {number(missing, 'turn')} without")


def _closings(history: History, read: Callable[[bytes], bytes], findings: Findings) -> Iterator[tuple[int, Closing]]:
    """Yield every version of the file in which sheets are closed, with the number of its commit."""
    for version in history.files.get(BEACON, ()):
        if version.oid is None:
            continue
        content = read(version.oid)
        try:
            said = yamlio.read(content, name=BEACON).value
            closing = plain.decode(Closing, said)
        except (yamlio.Unreadable, ValueError, TypeError, AttributeError, KeyError) as wrong:
            findings.blame(Place(version.at, file=BEACON), f"it cannot be read: {wrong}")
            continue
        findings.blame(Place(version.at, file=BEACON), *not_canonical(said, content))
        yield version.at, closing


def _closed(history: History, books: Books, closings: list[tuple[int, Closing]], findings: Findings) -> None:
    """Check that rounds are named one after another, and that what each decides was closed before it was put in."""
    named: dict[int, tuple[int, Closing]] = {}
    for at, closing in closings:
        last = max(named, default=0)
        if not closing.come:
            if closing.round <= last:
                findings.blame(Place(at, file=BEACON), f"round {closing.round} is named after round {last}")
            named.setdefault(closing.round, (at, closing))
        elif closing.round != last:
            findings.blame(Place(at, file=BEACON), f"round {closing.round} has come; named was {last or 'none'}")
    for n, turn in books.turns.items():
        if "beacon" in turn:
            found = named.get(turn["beacon"].get("round"))
            closed = found[1] if found is not None and found[0] < history.turns[n] else None
            ruled = "act" in books.turns.get(n - 1, {})
            findings.blame(history.place(n), *_decided(n, turn, closed, ruled))


def _decided(n: int, turn: Record, closing: Closing | None, ruled: bool) -> Iterator[str]:
    """Yield what is wrong with a turn that a round decides; `closing` is what was closed when it was named.

    `ruled`: the game master did something in the turn before.
    """
    number = turn["beacon"].get("round")
    if closing is None or closing.adjudication > n:
        yield f"round {number} of the beacon decides it, and was not named before"
    elif closing.adjudication == n:
        try:
            check_closed(turn, closing.closed)
        except BadBeacon as wrong:
            yield str(wrong)
    elif "sheets" in turn or ruled:
        what = "sheets" if "sheets" in turn else "what the game master did"
        yield f"{what} went into it when round {number} of the beacon was known"

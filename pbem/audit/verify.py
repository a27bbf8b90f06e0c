"""The verification of a game: everything that can be checked without trusting the referee (`pbem verify`).

Without any key: the repo is sound, every commit is signed by the key of the charter and is of a known kind, nothing was
changed after it was committed, every link follows, what went into the dice is what history demands, every roll is what
the dice say. With the secrets, from the key store or once they are revealed, everything is derived again: each commit
is made once more from what was handed in, and must come out the same (`pbem.audit.derive`).

A repo alone cannot show that it was not made again from scratch, or cut off at an earlier commit. Compare it with the
tip in the first letter, the digests in the others, and the clones of other people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pbem.audit.derive.derivation import Derivation, Progress
from pbem.audit.letters.mailbox_check import Compared, compare_letters, summed_up
from pbem.audit.letters.talk_check import OpenedTalk, check_talk, check_talk_files
from pbem.audit.letters.witnesses import KeptLetters
from pbem.audit.public.clock_check import check_clock
from pbem.audit.public.dice_check import check_beacon, check_chain, check_player_chains, check_rolls
from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Findings, Place
from pbem.audit.record.rules_pinned import RulesHere, check_rules
from pbem.audit.record.schemas import CHARTER_SHAPE, said_in
from pbem.audit.record.sealed import SealedFiles, check_sealed, sealed_text, secrets_of
from pbem.audit.record.turn_files import check_turn_files, gather
from pbem.crypto.keys import Keys
from pbem.game import yaml as yamlio
from pbem.render.text.receipt import KeptLetter
from pbem.repo.files.adjudication import charter_message
from pbem.repo.files.charter import Charter, OtherFormat, read_charter
from pbem.repo.files.layout import CHARTER
from pbem.repo.git import NoSuchGame, StoreError
from pbem.repo.git.history import Past, PastRepo


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of it: which game, how far it has come, whether its secrets were at hand, and what was found."""

    game: str
    findings: Findings
    adjudications: int = 0
    head: str = ""
    tip: str = ""
    """The tip of the dice chain, which the first letter to each side has as well."""
    signed_by: str = ""
    opened: bool = False
    compared: Compared | None = None
    """How much there was to compare with letters, if there are any."""


def verify(
    path: Path,
    *,
    keys: Callable[[str], Keys] | None = None,
    folders: Iterable[str | Path] = (),
    letters: Sequence[KeptLetter] | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Verify the game whose repo is at a path: its own, a clone, bare or not.

    `keys` returns the secrets of a game by its name; without it those are used that the game has revealed, if it has.
    `folders` hold more boxes. `letters` are those of a player, to be compared with it. `progress` is told how many
    commits were derived again. Raises NoSuchGame if there is no
    game, OtherFormat for one that cannot be read here, BadKeys if `keys` has not the right ones.
    """
    findings = Findings()
    with PastRepo(path) as repo:
        try:
            with repo.undisturbed():
                damage = list(repo.damage())
                findings.blame(Place(), *(f"the repo is damaged: {line}" for line in damage))
                findings.check("repo", "objects, packs and indices (git fsck)")
                commits = repo.commits()
            charter = _charter(repo, commits[0], findings)
            if charter is None:
                return _unread(repo.name, findings, letters)
            evidence = _checked(repo, commits, charter, findings)
            rules = check_rules(evidence, folders)
            files = _sealed_files(evidence, keys)
            talk = None if files is None else _derive(evidence, files, rules, progress)
            kept = None if letters is None else KeptLetters(charter.game, letters)
            compared = None if kept is None else compare_letters(evidence, kept, talk)
        except (NoSuchGame, OtherFormat):
            raise
        except StoreError as wrong:
            findings.blame(Place(), str(wrong))
            return _unread(repo.name, findings, letters)
    last, head, tip = evidence.history.last, commits[-1].sha, charter.dice.tip
    return Verdict(charter.game, findings, last, head, tip, charter.signed_by, files is not None, compared)


def _unread(name: str, findings: Findings, letters: Sequence[KeptLetter] | None) -> Verdict:
    """Return the verdict on a game of which too little can be read."""
    if letters is None:
        return Verdict(name, findings)
    findings.leave_open("letters", "they cannot be compared: the charter of the game cannot be read")
    return Verdict(name, findings, compared=summed_up(KeptLetters(name, letters), findings))


def _checked(repo: PastRepo, commits: list[Past], charter: Charter, findings: Findings) -> Evidence:
    """Check all that needs no key."""
    if commits[0].message != charter_message(charter.game):
        findings.blame(Place(), f"the message of its first commit is not {charter_message(charter.game)!r}")
    evidence = gather(charter, commits, repo.blob, findings)
    for path in repo.strays():
        findings.blame(Place(len(commits), file=path), "the checked out file is not the one that is committed")
    check_turn_files(evidence)
    check_chain(evidence)
    check_player_chains(evidence)
    check_beacon(evidence)
    check_clock(evidence)
    check_rolls(evidence)
    check_talk_files(evidence)
    return evidence


def _sealed_files(evidence: Evidence, keys: Callable[[str], Keys] | None) -> SealedFiles | None:
    """Return the sealed files, if the secrets are at hand."""
    secrets = secrets_of(evidence, keys)
    if secrets is None:
        evidence.findings.beyond("sealed", sealed_text(evidence.history))
        return None
    return SealedFiles(evidence.charter, secrets, evidence.read)


def _derive(evidence: Evidence, files: SealedFiles, rules: RulesHere | None, progress: Progress | None) -> OpenedTalk:
    """Check what was sealed, and derive the game again; return the talk that can be opened."""
    check_sealed(evidence, files)
    sides = [] if rules is None else rules.box.sides
    names = {each["id"]: each["name"] for each in sides}
    talk = OpenedTalk(check_talk(evidence, files), names, evidence.charter.press_opened)
    if rules is None:
        evidence.findings.leave_open("derived", "no commit was made again, for the rules of the game are not here")
    else:
        Derivation(evidence, files, rules).run(progress)
    return talk


def _charter(repo: PastRepo, first: Past, findings: Findings) -> Charter | None:
    """Return the charter as it was at first; blame it if it cannot be read.

    Raises NoSuchGame if the first commit brings none: then this is something else.
    """
    oid = next((change.new for change in first.changes if change.path == CHARTER), None)
    if oid is None:
        raise NoSuchGame(f"{repo.name} holds no game: its first commit has no {CHARTER}")
    content, place = repo.blob(oid), Place(file=CHARTER)
    try:
        charter = read_charter(yamlio.read(content, name=CHARTER).value)
    except (yamlio.Unreadable, ValueError, TypeError, KeyError, AttributeError) as wrong:
        findings.blame(place, f"it cannot be read: {wrong}")
        return None
    return None if said_in(content, CHARTER_SHAPE, place, findings) is None else charter

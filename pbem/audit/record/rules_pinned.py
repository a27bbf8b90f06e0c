"""Says whether a game was played with the rules that are here, by the digests that it pins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Place, listed
from pbem.audit.record.schemas import PINS_SHAPE, said_in
from pbem.game.boxes import shelf
from pbem.game.boxes.box import GAME, Box, NotInTheBox
from pbem.game.boxes.box_file import SUFFIX, BrokenBox
from pbem.game.boxes.shelf import Loaded
from pbem.protocol import Record
from pbem.repo.files.layout import BOX, PINS, box_path

_WORDS: Final = ("box", "code")


class RulesHere(NamedTuple):
    """The rules of a game that are here: for each span of commits those that made it, or would make it the same."""

    spans: list[tuple[range, Loaded]]

    def of(self, at: int) -> Loaded | None:
        """Return the rules that made a commit; None: they are not here."""
        return next((loaded for span, loaded in self.spans if at in span), None)

    @property
    def box(self) -> Box:
        """The box of the last of them."""
        return self.spans[-1][1].box


class _Span(NamedTuple):
    """The commits between two moves to other rules: what the game pins in them, and whether the move changed turns."""

    commits: range
    pins: dict[str, str]
    changed: bool


def check_rules(evidence: Evidence, folders: Iterable[str | Path]) -> RulesHere | None:
    """Put on record whether box and code here are those that the game is played with; return them if they ever were.

    That they differ is no fault of the game: a newer version of the rules does.
    """
    charter, findings = evidence.charter, evidence.findings
    _check_corrections(evidence)
    spans = _pinned_spans(evidence)
    if not spans:
        return None
    moved = f" (moved to other rules {len(spans) - 1} times, each with its reason)" if len(spans) > 1 else ""
    here = [_Installed.of(evidence, folders, span) for span in spans]
    if (last := here[-1]).loaded is None:
        findings.leave_open("rules", f"not compared: {last.lacking}{moved}")
        return None
    same = {word: last.digests[word] == spans[-1].pins[word] for word in _WORDS}
    said = ", ".join(f"{word} {'the same' if same[word] else 'differs'}" for word in _WORDS)
    findings.check("rules", f"{charter.rules} here, and as the game pins it: {said}{last.corrected}{moved}")
    found = _made_by(here, spans)
    for span, loaded in zip(spans, found, strict=True):
        if loaded is None:
            findings.leave_open("rules", _unknown_rules(span, evidence))
    made = [(span.commits, loaded) for span, loaded in zip(spans, found, strict=True) if loaded is not None]
    return RulesHere(made) if made else None


@dataclass(frozen=True, slots=True)
class _Installed:
    """What is here of the rules of a game, with the corrected files that the game keeps in one of its spans."""

    loaded: Loaded | None
    digests: Record
    kept: Collection[str] = ()
    lacking: str = ""
    """Why there is nothing."""

    @classmethod
    def of(cls, evidence: Evidence, folders: Iterable[str | Path], span: _Span) -> _Installed:
        """Look for them."""
        charter, options = evidence.charter, evidence.charter.options
        kept = evidence.history.corrections(evidence.read, span.commits.start)
        try:
            digests = shelf.digests(charter.rules, folders, kept, edition=charter.edition)
            loaded = shelf.load(charter.rules, edition=charter.edition, options=options, folders=folders, kept=kept)
        except (NotInTheBox, BrokenBox, OSError, ModuleNotFoundError) as lacking:
            return cls(None, {}, lacking=str(lacking).splitlines()[0])
        return cls(loaded, digests, kept)

    @property
    def corrected(self) -> str:
        """The corrected files, as the end of a sentence."""
        names = listed(f"{name}{SUFFIX}" for name in sorted(self.kept))
        return f"; instead of the shelf's files the game has {names}" if self.kept else ""


def _unknown_rules(span: _Span, evidence: Evidence) -> str:
    """Say which turns were made by rules that are not here, and what would check them."""
    turns = [n for n, at in evidence.history.turns.items() if at in span.commits]
    which = f"turns {min(turns)} to {max(turns)}" if turns else "the beginning"
    begun = f"; the game was begun with {evidence.charter.made_by}" if span.commits.start == 0 else ""
    digests = ", ".join(f"{word} {span.pins[word][:12]}" for word in _WORDS)
    return f"{which}: made by rules that are not here ({digests}), so nobody knows whether there are any{begun}"


def _pinned_spans(evidence: Evidence) -> list[_Span]:
    """Return the spans of a game between its moves to other rules; nothing if its first pins cannot be read."""
    history, pins = evidence.history, _pinned_at_first(evidence)
    if pins is None:
        return []
    spans, first, changed = list[_Span](), 0, False
    for n, turn in evidence.books.turns.items():
        act = turn.get("act", {})
        if act.get("kind") == "migration":
            spans.append(_Span(range(first, history.turns[n]), pins, changed))
            moved_to = {word: act[word] for word in _WORDS}
            if moved_to == pins:  # each act opens a link: who may make some for nothing chooses among dice
                evidence.findings.blame(history.place(n), "it moves the game to the rules that it is played with")
            pins = moved_to
            first, changed = history.turns[n], "changed" in act
    return [*spans, _Span(range(first, len(history.commits)), pins, changed)]


def _made_by(here: Sequence[_Installed], spans: Sequence[_Span]) -> list[Loaded | None]:
    """Return the rules of each span, or those beyond a move that changed no turn; None: neither is here."""
    found = [each.loaded if each.digests == span.pins else None for each, span in zip(here, spans, strict=True)]
    for at in range(len(spans) - 2, -1, -1):
        found[at] = found[at] or (None if spans[at + 1].changed else found[at + 1])
    for at in range(1, len(spans)):
        found[at] = found[at] or (None if spans[at].changed else found[at - 1])
    return found


def _check_corrections(evidence: Evidence) -> None:
    """Blame a corrected file that came otherwise than with the charter, or with a migration, which gives a reason.

    Nothing excuses a `game.yaml` that comes later.
    """
    history, findings = evidence.history, evidence.findings
    turns = evidence.books.turns.items()
    moves = {history.turns[n] for n, turn in turns if turn.get("act", {}).get("kind") == "migration"}
    for path, versions in history.files.items():
        for version in versions if path.startswith(BOX) else ():
            if path == box_path(GAME) and version.at:
                findings.blame(Place(version.at, file=path), "it is changed after the start; a game.yaml must stay")
            elif version.at not in {0, *moves}:
                findings.blame(Place(version.at, file=path), "it is changed, and no migration says why")


def _pinned_at_first(evidence: Evidence) -> dict[str, str] | None:
    """Return the digests that the game was begun with; blame their file if it cannot be read."""
    oid, place = evidence.history.latest(PINS), evidence.history.place_of(PINS)
    if oid is None:
        evidence.findings.blame(place, "it is missing: it says which rules the game was begun with")
        return None
    return said_in(evidence.read(oid), PINS_SHAPE, place, evidence.findings)

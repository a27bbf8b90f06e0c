"""Coverage: the paragraphs of the rulebooks that the cases of a box cite, and those that none cites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from pbem.engine.cases.case import Case, sound_cases
from pbem.game.boxes.box import PARAGRAPHS, Box, NotInTheBox


@dataclass(frozen=True, slots=True)
class CitedParagraph:
    """A paragraph of a rulebook: its number, what it is about, how many cases cite it, and why it may need none."""

    source: str
    id: str
    """Its number as cases cite it: below the prefix of its book, if that has one."""
    title: str
    rulings: int
    no_rule: str | None = None

    @property
    def uncited(self) -> bool:
        """Whether a case is missing."""
        return not self.rulings and self.no_rule is None


@dataclass(frozen=True, slots=True)
class Coverage:
    """All paragraphs of a box in their order, and the citations of paragraphs that it does not list."""

    paragraphs: tuple[CitedParagraph, ...]
    unknown: tuple[str, ...]
    """Each with the place of the case: `file:line: citation`."""
    twice: tuple[str, ...] = ()
    """The numbers that stand for several paragraphs: a case that cites one does not say which it is about."""

    @property
    def uncited(self) -> list[str]:
        """The paragraphs without a case."""
        return [paragraph.id for paragraph in self.paragraphs if paragraph.uncited]


def coverage_of(box: Box) -> Coverage:
    """Compare the cases of a box with its paragraphs; a citation counts for exactly that paragraph.

    Raises NotInTheBox if the box lists no paragraphs, BrokenBox if that list or a file of cases cannot be read.
    """
    if not (box.folder / f"{PARAGRAPHS}.yaml").exists():
        raise NotInTheBox(f"the box of {box.id} lists no paragraphs ({PARAGRAPHS}.yaml)")
    cases = [case for path in box.cases() for case in sound_cases(path)]
    counts = Counter(cited for case in cases for cited in citations(case))
    paragraphs = tuple(
        CitedParagraph(book["source"], id, one["title"], counts[id], one.get("no_rule"))
        for book in box.table(PARAGRAPHS)
        for one in book["paragraphs"]
        for id in [f"{book['prefix']} {one['id']}" if "prefix" in book else one["id"]]
    )
    listed = Counter(paragraph.id for paragraph in paragraphs)
    twice = tuple(id for id, count in listed.items() if count > 1)
    return Coverage(paragraphs, tuple(_unlisted(cases, listed.keys())), twice)


def citations(case: Case) -> set[str]:
    """Return the paragraphs that a case cites: the one that it is about, and others that it is based on."""
    return {case.rule, *case.told.get("cites", ())}


def _unlisted(cases: Iterable[Case], known: Set[str]) -> Iterator[str]:
    """Yield the citations of paragraphs that are not in the list, with their places."""
    for case in cases:
        for cited in sorted(citations(case) - known):
            yield f"{case.where('rule' if cited == case.rule else 'cites')} {cited}"

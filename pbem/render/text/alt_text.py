"""The alternative text of a picture: what a reader who does not see it misses, in at most 400 characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from pbem.game.board.scene import Counter, Scene
from pbem.game.wording import listing

LONGEST: Final = 400
_MORE: Final = " …"


def alt_text(scene: Scene, *, shown: Sequence[str] | None = None) -> str:
    """Return what a picture of a scene shows: all of it, or the places `shown`.

    Sentences come in the order of their weight; the first that has no room ends it.
    """
    text = ""
    for sentence in _sentences(scene, None if shown is None else frozenset(shown)):
        longer = f"{text} {sentence}".strip()
        if len(longer) > LONGEST:
            return _cut(longer)
        text = longer
    return text


def to_move(scene: Scene) -> str:
    """Return the line that says whose move it is, and until when."""
    if not scene.to_move:
        return ""
    return f"To move: {listing(scene.to_move)}{f', until {scene.until}' if scene.until else ''}"


def _cut(text: str) -> str:
    """Return a text that is too long up to the end of a word."""
    return text[: LONGEST - len(_MORE)].rpartition(" ")[0].rstrip(",;:") + _MORE


def _sentences(scene: Scene, shown: frozenset[str] | None) -> Iterator[str]:
    title = ", ".join(part for part in (scene.title, scene.subtitle) if part)
    yield f"{'Map' if shown is None else 'Part of the map'}: {title}."
    if scene.to_move:
        yield f"{to_move(scene)}."
    if scene.focus:
        yield f"Asked about: {listing([_name(scene, place) for place in scene.focus])}."
    for marker in scene.markers:
        if marker.kind != "note" and (shown is None or marker.place in shown):
            text = marker.text if marker.kind == "siege" or marker.text == "battle" else f"battle, {marker.text}"
            yield f"{_name(scene, marker.place)}: {text.strip(', ')}."
    for arrow in scene.arrows:
        if shown is None or set(arrow.places) & shown:
            verb = {"march": "to", "sea": "by sea to", "retreat": "back to"}[arrow.style]
            who = arrow.name or _owner(scene, arrow.side)
            yield f"{who}: {_name(scene, arrow.places[0])} {verb} {_name(scene, arrow.places[-1])}."
    yield from _armies(scene, shown)


def _armies(scene: Scene, shown: frozenset[str] | None) -> Iterator[str]:
    """Yield who stands where, owner by owner, the reader's own first."""
    order = sorted(scene.sides, key=lambda side: not side.is_of(scene.reader))
    for side in order:
        there = [each for each in scene.counters if each.side == side.id and (shown is None or each.place in shown)]
        if there:
            groups = groupby(sorted(there, key=lambda each: each.place), key=lambda each: each.place)
            armies = (f"{_name(scene, place)} {', '.join(map(_army, each))}" for place, each in groups)
            yield f"{side.name}: {'; '.join(armies)}."


def _army(counter: Counter) -> str:
    strength = counter.strength or ("?" if counter.hidden else "")
    return " ".join(part for part in (strength, counter.label) if part) or counter.sublabel


def _name(scene: Scene, place: str) -> str:
    return scene.base.places[place].name or place


def _owner(scene: Scene, side: str) -> str:
    return next((each.name for each in scene.sides if each.id == side), side)

r"""The pictures of a scene as letters and pages show them, and what has changed between two scenes.

window, board = pictures(scene)
window.name, window.alt, window.content     # "close-up.png", "Turn 3 ...", b"\x89PNG..."

Pillow and all that draws with it is imported by the first picture: most letters of a day have none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pbem.game.board.scene import Scene

# ---- The differences of two scenes of a game: the places to be ringed on a picture, or lit up on a page


def changed_places(before: Scene, after: Scene) -> tuple[str, ...]:
    """Return the places where a counter, a marker or the holder is another, in the order of the board."""
    if before.base != after.base:
        return ()
    then, now = _lies(before), _lies(after)
    return tuple(place for place in after.base.places if then.get(place) != now.get(place))


def _lies(scene: Scene) -> Mapping[str, set[object]]:
    """Return what there is at each place that may change. Badges and lines may come and go without it: they do not."""
    lies: dict[str, set[object]] = defaultdict(set)
    for counter in scene.counters:
        lies[counter.place].add((counter.side, counter.strength, counter.label, counter.sublabel, counter.inside))
    for marker in scene.markers:
        lies[marker.place].add((marker.kind, marker.text, marker.side))
    for place, side in scene.control.items():
        if side is not None:
            lies[place].add(side)
    return lies


# ---- The pictures of a scene as letters and pages show them: the part where it plays, the whole board, the legend


WINDOW: Final = "close-up.png"
"""The file name of the part of the board where it plays."""
BOARD: Final = "map.png"
"""The file name of the whole board."""
LEGEND: Final = "legend.png"
"""The file name of the meanings of the signs."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a letter encloses it or a page shows it: its file name, its PNG, and its words for who sees none."""

    name: str
    content: bytes
    alt: str


def pictures(scene: Scene, *, cache_folder: Path | None = None) -> tuple[Picture, Picture]:
    """Return the window picture and the whole board of a scene, 780 pixels wide each."""
    from pbem.render.map.picture import render_board, render_window

    part, whole = alt_texts(scene)
    return (
        Picture(WINDOW, render_window(scene, cache_folder=cache_folder), part),
        Picture(BOARD, render_board(scene, cache_folder=cache_folder), whole),
    )


def alt_texts(scene: Scene) -> tuple[str, str]:
    """Return the alternative texts of the window picture and of the whole board."""
    from pbem.render.map.window import places_in, window
    from pbem.render.text.alt_text import alt_text

    return alt_text(scene, shown=places_in(scene, window(scene))), alt_text(scene)


def legend_picture(scene: Scene) -> Picture:
    """Return what the signs on the board of a scene mean."""
    from pbem.render.map.picture import render_legend

    return Picture(LEGEND, render_legend(scene), f"The signs on the map of {scene.title}.")

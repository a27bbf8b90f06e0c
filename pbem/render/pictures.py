"""The pictures of a scene as letters and pages show them: the part where it plays, the whole board, the legend.

window, board = pictures(scene)
window.name, window.alt, window.content     # "close-up.png", "Turn 3 ...", b"\\x89PNG..."
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pbem.game.scene import Scene
from pbem.render.alt_text import alt_text
from pbem.render.picture import render_board, render_legend, render_window
from pbem.render.window import places_in, window

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
    part, whole = alt_texts(scene)
    return (
        Picture(WINDOW, render_window(scene, cache_folder=cache_folder), part),
        Picture(BOARD, render_board(scene, cache_folder=cache_folder), whole),
    )


def alt_texts(scene: Scene) -> tuple[str, str]:
    """Return the alternative texts of the window picture and of the whole board."""
    return alt_text(scene, shown=places_in(scene, window(scene))), alt_text(scene)


def legend_picture(scene: Scene) -> Picture:
    """Return what the signs on the board of a scene mean."""
    return Picture(LEGEND, render_legend(scene), f"The signs on the map of {scene.title}.")

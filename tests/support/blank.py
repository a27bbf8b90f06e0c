"""Pictures that are not drawn, for tests of letters: they cost nothing, and say what is on them where that matters."""

from __future__ import annotations

from pbem.game.board.scene import Scene
from pbem.render.map.pictures import BOARD, LEGEND, WINDOW, Picture


def blank_pictures(scene: Scene, **_: object) -> tuple[Picture, ...]:
    """Return pictures with nothing on them."""
    return Picture(WINDOW, b"part", "A part."), Picture(BOARD, b"map", "A map.")


def large_pictures(scene: Scene, **_: object) -> tuple[Picture, ...]:
    """Return pictures of the size that drawn ones may have."""
    return Picture(WINDOW, b"part" * 75_000, "A part."), Picture(BOARD, b"map" * 100_000, "A map.")


def spelled_pictures(scene: Scene, **_: object) -> tuple[Picture, ...]:
    """Return pictures that are all that their scene says."""
    return Picture(WINDOW, b"part", "A part."), Picture(BOARD, repr(scene).encode(), "A map.")


def blank_legend(scene: Scene) -> Picture:
    """Return a legend with nothing on it."""
    return Picture(LEGEND, b"legend", "A legend.")

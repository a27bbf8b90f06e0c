"""The maps that go out with letters, each as the reader of the letter may see it."""

from __future__ import annotations

from pathlib import Path

from pbem.game.scene import Scene
from pbem.protocol import Side
from pbem.referee.open_game import OpenGame
from pbem.render.picture import render
from pbem.render.pictures import Picture


class Maps:
    """The maps of one round of letters: where sides see the same, one picture is drawn for them all."""

    def __init__(self, drawings: Path | None = None) -> None:
        self._drawings = drawings
        self._drawn: list[tuple[Scene, bytes]] = []

    def picture(self, game: OpenGame, side: Side | None, since: int) -> bytes:
        """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
        return self._png(_scene(game, side, since))

    def new_pictures(self, game: OpenGame, side: Side, since: int, last: str) -> tuple[tuple[Picture, ...], str]:
        """Return the map and the digest of what lies on it; no map if it shows nothing new since the `last` digest.

        Something is new if a piece, a marker or the holder of a place is another, or if there are arrows.
        """
        scene = _scene(game, side, since)
        lies = [scene.counters, scene.markers, sorted(scene.control.items()), sorted(scene.tints.items())]
        digest = game.ledger.salted(f"picture/{side}", repr(lies).encode())
        if digest == last and not scene.arrows:
            return (), digest
        return (Picture("map.png", self._png(scene), "The map"),), digest

    def _png(self, scene: Scene) -> bytes:
        for other, picture in self._drawn:
            if other == scene:
                return picture
        self._drawn.append((scene, render(scene, cache_folder=self._drawings)))
        return self._drawn[-1][1]


def _scene(game: OpenGame, side: Side | None, since: int) -> Scene:
    return game.rules.scene(game.view(side), [told.event for told in game.told(side, since)])


def map_picture(game: OpenGame, side: Side | None, since: int, drawings: Path | None = None) -> bytes:
    """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
    return Maps(drawings).picture(game, side, since)

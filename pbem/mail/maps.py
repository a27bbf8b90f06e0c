"""The maps that go out with letters, each as the reader of the letter may see it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pbem.game.scene import Scene
from pbem.mail.deadlines import deadline_of
from pbem.protocol import Decision, Side
from pbem.referee.open_game import OpenGame
from pbem.referee.past import position_at
from pbem.render.changes import changed_places
from pbem.render.picture import render
from pbem.render.pictures import Picture, legend_picture, pictures

_LOG: Final = logging.getLogger(__name__)


class Maps:
    """The maps of one round of letters: where sides see the same, a picture is drawn once for them all."""

    def __init__(self, drawings: Path | None = None) -> None:
        self._drawings = drawings
        self._drawn: list[tuple[Scene, tuple[Picture, ...]]] = []
        self._before: dict[int, object | None] = {}
        """The positions after adjudications that were looked at: those who are told the same need it once."""

    def pictures(self, game: OpenGame, side: Side | None, since: int, *, legend: bool = False) -> tuple[Picture, ...]:
        """Return what a letter shows a side of what happened after an adjudication: the window, then the whole board.

        Each has a file name, an alternative text and its PNG; with `legend` the meanings of the signs come last. There
        are none if they cannot be drawn: the log says why, and the letter goes without.
        """
        try:
            scene = self._scene(game, side, since)
            return self._of(scene, legend=legend)
        except Exception as wrong:  # a slip in a drawing must not hold a letter back
            self._failed(game, side, wrong)
            return ()

    def new_pictures(
        self, game: OpenGame, side: Side, since: int, last: str, *, legend: bool = False
    ) -> tuple[tuple[Picture, ...], str]:
        """Return the pictures and the digest of what they show; none if they show nothing new since the `last` digest.

        Something is new if a piece, a marker, the holder of a place or what is asked about is another, or if there are
        arrows. The digest is empty if they cannot be drawn.
        """
        try:
            scene = self._scene(game, side, since)
            lies = [scene.counters, scene.markers, sorted(scene.control.items()), sorted(scene.tints.items())]
            digest = game.ledger.salted(f"picture/{side}", repr([*lies, scene.focus]).encode())
            if digest == last and not scene.arrows:
                return (), digest
            return self._of(scene, legend=legend), digest
        except Exception as wrong:  # a slip in a drawing must not hold a letter back
            self._failed(game, side, wrong)
            return (), ""

    def of_the_past(self, game: OpenGame, scene: Scene) -> tuple[Picture, ...]:
        """Return the pictures of what an observer may know by now; none if they cannot be drawn."""
        try:
            return self._of(scene, legend=False)
        except Exception as wrong:  # a slip in a drawing must not hold a letter back
            self._failed(game, None, wrong)
            return ()

    def _scene(self, game: OpenGame, side: Side | None, since: int) -> Scene:
        if since not in self._before:
            self._before[since] = _position_before(game, since)
        return scene_of(game, side, since, self._before[since])

    def _failed(self, game: OpenGame, side: Side | None, wrong: Exception) -> None:
        whose = "an observer" if side is None else side
        words = "%s: the pictures for %s cannot be drawn; the letter goes without them"
        _LOG.error(words, game.name, whose, exc_info=wrong)

    def _of(self, scene: Scene, *, legend: bool) -> tuple[Picture, ...]:
        drawn = next((made for other, made in self._drawn if other == scene), None)
        if drawn is None:
            drawn = pictures(scene, cache_folder=self._drawings)
            self._drawn.append((scene, drawn))
        return (*drawn, legend_picture(scene)) if legend else drawn


def scene_of(game: OpenGame, side: Side | None, since: int, before: object | None) -> Scene:
    """Return what there is to draw for a side: what it may see, is asked, and what is new after an adjudication.

    `before` is the position after that adjudication (None: it is not known).
    """
    view = game.view(side)
    asked: Sequence[Decision] = [each for each in game.open_decisions if each.side == side]
    scene = game.rules.scene(view, [told.event for told in game.told(side, since)])
    changed = () if before is None else changed_places(game.rules.scene(game.rules.view(before, side)), scene)
    focus = tuple(dict.fromkeys(place for each in asked for place in game.rules.places(view, each)))
    until = deadline_of(game, side) if asked and side is not None else ""
    return replace(scene, reader=side or "", focus=focus, changed=changed, to_move=_to_move(game), until=until)


def _position_before(game: OpenGame, since: int) -> object | None:
    return position_at(game, since) if 0 < since < game.adjudication else None


def _to_move(game: OpenGame) -> tuple[str, ...]:
    """Return the names of the sides that the game waits for."""
    waits = {each.side for each in game.open_decisions}
    return tuple(each["name"] for each in game.box.sides if each["id"] in waits)


def map_picture(game: OpenGame, side: Side | None, since: int, drawings: Path | None = None) -> bytes:
    """Return the whole board as a side may see it, large and with its legend, as PNG.

    It has arrows for what happened after an adjudication.
    """
    return render(scene_of(game, side, since, _position_before(game, since)), cache_folder=drawings)

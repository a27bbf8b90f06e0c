"""Scenes of random games as letters show them: to the side that is asked, with what has happened since the last one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice

from pbem.game.board.scene import Scene
from pbem.protocol import Event
from pbem.render.map.pictures import changed_places
from tests.support.walks import loaded, walk

EVERY = 11
"""Of so many questions of a game one is shown."""
FROM_ONE_GAME = 40
"""At most so many scenes come from one game."""


def scenes(game: str, most: int) -> Iterator[Scene]:
    """Yield scenes of random games, for as many readers as are asked in them."""
    found = (scene for seed in count(1) for scene in islice(_of_one(game, seed), FROM_ONE_GAME))
    yield from islice(found, most)


def _of_one(game: str, seed: int) -> Iterator[Scene]:
    rules, box = loaded(game).rules, loaded(game).box
    names = {side["id"]: side["name"] for side in box.sides}
    before: dict[str, Scene] = {}
    events: list[Event] = []
    told: dict[str, int] = {}
    session = None
    for number, at in enumerate(walk(rules, loaded(game).scenarios[0], seed, usual=True)):
        if at.session is not session:  # its table begins anew
            events += session.table.events if session is not None else []
            session = at.session
        if number % EVERY or not at.open_decisions:
            continue
        side = at.open_decisions[0].side
        all_events = [*events, *session.table.events]
        news = [event for event in all_events[told.get(side, 0) :] if event.to is None or side in event.to]
        told[side] = len(all_events)
        view = at.view(side)
        scene = rules.scene(view, news)
        asked = [each for each in at.open_decisions if each.side == side]
        yield replace(
            scene,
            reader=side,
            focus=tuple(dict.fromkeys(place for each in asked for place in rules.places(view, each))),
            changed=changed_places(before[side], scene) if side in before else (),
            to_move=tuple(dict.fromkeys(names[each.side] for each in at.open_decisions)),
        )
        before[side] = scene

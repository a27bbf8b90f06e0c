"""Boards and scenes that tests draw: Italy, and a board of two places."""

from __future__ import annotations

from functools import cache
from typing import Any

from pbem.game.board.board_map import BaseMap, base_map
from pbem.game.board.scene import DrawnSide, Scene
from pbem.game.boxes.box import open_box

ROME = DrawnSide("rome", "Rome", "#b3282d")
CARTHAGE = DrawnSide("carthage", "Carthage", "#2456a4")
SIDES = (ROME, CARTHAGE)


@cache
def italy() -> BaseMap:
    """Return the board of Hannibal: Rome vs. Carthage."""
    box = open_box("rome_carthage")
    graph = box.table("map")
    connections = [(a, b, rest[0] if rest else "land") for a, b, *rest in graph["connections"]]
    return base_map(box.table("layout"), box.table("coast"), graph["spaces"], connections)


def scene(**parts: Any) -> Scene:
    return Scene(italy(), "Punica", "Turn 3", SIDES, **parts)


def small(**changes: Any) -> BaseMap:
    """Return a board of two places, with some of its layout changed."""
    kind = {"form": "round", "size": 24, "empty": "#ffffff", "legend": "Town"}
    road = {"stroke": "solid", "width": 3, "ink": "#000000", "peaks": 0, "legend": "Road"}
    layout = {
        "id": "small",
        "size": [200, 100],
        "place_kinds": {"town": kind},
        "path_kinds": {"road": road},
        "places": {"a": {"at": [50, 50]}, "b": {"at": [150, 50], "hangs": "n"}},
        **changes,
    }
    spaces: list[dict[str, Any]] = [
        {"id": "a", "name": "Alba", "kind": "town", "port": 0},
        {"id": "b", "name": "Bari", "kind": "town"},
    ]
    return base_map(layout, {"land": ["100,100 1900,100 1000,900"]}, spaces, [("a", "b", "road")])

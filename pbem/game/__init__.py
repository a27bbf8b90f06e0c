"""What a game is written with: the table, legal orders, scenes, hexes, the box, the codec of positions.

A game imports this package and `pbem.protocol`, nothing else of ours. The names below are found in the modules of
this package when they are first asked for, so that a game without a map never loads what draws one.

>>> from pbem.game import percent
>>> percent.__module__
'pbem.game.prospects'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pbem.game import plain
    from pbem.game.board.board_map import BaseMap, base_map
    from pbem.game.board.hexes import HexCoordinate, cheapest, direction, distance, hex_map, way
    from pbem.game.board.scene import (
        Arrow,
        Cell,
        Counter,
        DrawnSide,
        Grid,
        Marker,
        Panel,
        Row,
        Scene,
        Track,
        drawn_sides,
    )
    from pbem.game.board.summary import Line, Section, Summary
    from pbem.game.boxes.box import Box
    from pbem.game.boxes.printed import as_printed
    from pbem.game.choices.legal_orders import (
        Answers,
        LegalOrders,
    )
    from pbem.game.choices.parts import (
        NONE,
        NOTHING,
        UNTOLD,
        AllOf,
        Among,
        Assign,
        Fixed,
        Follow,
        Gathered,
        Lazy,
        Nested,
        OneOf,
        Part,
        Plain,
        Share,
        Some,
        Value,
        listed,
        option,
    )
    from pbem.game.choices.walks import MARK, Edge, Graph, Walk, Ways, place_of
    from pbem.game.contract import Rules
    from pbem.game.decision_kinds import (
        Check,
        ChoicesOf,
        Kind,
        Refusal,
        by_name,
        each_of,
        legal,
        once,
        one_of,
        yes_or_no,
    )
    from pbem.game.prospects import Chances, Number, Odds, histogram, percent, play_through, share, turn_by_turn
    from pbem.game.table import Table, Throw
    from pbem.game.wording import counted, did_you_mean, listing, name_and_id, some
    from pbem.game.words import Vocabulary

_HOMES: Final = {
    "boxes.box": ("Box",),
    "choices.legal_orders": (
        "Answers",
        "LegalOrders",
    ),
    "choices.parts": (
        *(
            "AllOf",
            "Among",
            "Assign",
            "Fixed",
            "Follow",
            "Gathered",
            "Lazy",
            "NONE",
            "NOTHING",
            "Nested",
            "OneOf",
            "Part",
        ),
        *("Plain", "Share", "Some", "UNTOLD", "Value", "listed", "option"),
    ),
    "choices.walks": ("MARK", "Graph", "Edge", "Walk", "Ways", "place_of"),
    "decision_kinds": (
        *("Refusal", "Check", "Kind", "by_name", "once", "ChoicesOf"),
        *("each_of", "legal", "one_of", "yes_or_no"),
    ),
    "board.hexes": ("hex_map", "HexCoordinate", "cheapest", "direction", "distance", "way"),
    "prospects": ("Chances", "Number", "Odds", "histogram", "percent", "play_through", "share", "turn_by_turn"),
    "contract": ("Rules",),
    "boxes.printed": ("as_printed",),
    "board.board_map": ("BaseMap", "base_map"),
    "board.scene": (
        *("Arrow", "Cell", "Counter", "DrawnSide", "Grid", "Marker", "Panel", "Row", "Scene", "Track"),
        "drawn_sides",
    ),
    "board.summary": ("Line", "Section", "Summary"),
    "table": ("Table", "Throw"),
    "wording": ("counted", "did_you_mean", "listing", "name_and_id", "some"),
    "words": ("Vocabulary",),
}
"""The modules of this package, and the names that each gives to games."""
_HOME_OF: Final = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "MARK",
    "NONE",
    "NOTHING",
    "UNTOLD",
    "AllOf",
    "Among",
    "Answers",
    "Arrow",
    "Assign",
    "BaseMap",
    "Box",
    "Cell",
    "Chances",
    "Check",
    "ChoicesOf",
    "Counter",
    "DrawnSide",
    "Edge",
    "Fixed",
    "Follow",
    "Gathered",
    "Graph",
    "Grid",
    "HexCoordinate",
    "Kind",
    "Lazy",
    "LegalOrders",
    "Line",
    "Marker",
    "Nested",
    "Number",
    "Odds",
    "OneOf",
    "Panel",
    "Part",
    "Plain",
    "Refusal",
    "Row",
    "Rules",
    "Scene",
    "Section",
    "Share",
    "Some",
    "Summary",
    "Table",
    "Throw",
    "Track",
    "Value",
    "Vocabulary",
    "Walk",
    "Ways",
    "as_printed",
    "base_map",
    "by_name",
    "cheapest",
    "counted",
    "did_you_mean",
    "direction",
    "distance",
    "drawn_sides",
    "each_of",
    "hex_map",
    "histogram",
    "legal",
    "listed",
    "listing",
    "name_and_id",
    "once",
    "one_of",
    "option",
    "percent",
    "place_of",
    "plain",
    "play_through",
    "share",
    "some",
    "turn_by_turn",
    "way",
    "yes_or_no",
]


def __getattr__(name: str) -> Any:
    """Import the module that defines a name, and remember what it is (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    return value

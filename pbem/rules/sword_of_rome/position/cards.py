"""The proofreader of cards: names of powers, spaces, leaders and events in them that the box does not have (7.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.game import did_you_mean
from pbem.protocol import Path

Finding: TypeAlias = tuple[str, Path, str]
"""File of the box, where in it, and what is wrong there."""
WHOM: Final = ("own", "ally", "other")
"""The words that name a power by who plays a card."""
LIST: Final = "cards"
BASE_LIST: Final = "base_cards"
"""The cards of the base game that the expansion takes out."""
PLACED: Final = "insurrection"
"""An event in effect that comes with an effect of its own, not with a marker."""


class Known(NamedTuple):
    """The names that the box has."""

    spaces: Collection[str]
    powers: Collection[str]
    leaders: Collection[str]
    regions: Collection[str]


def unknown_in_cards(table: Mapping[str, Any], known: Known) -> Iterator[Finding]:
    """Yield every name in a condition, an effect or a named event that the box does not have."""
    cards = table["cards"]
    lists = {LIST: cards, BASE_LIST: table.get(BASE_LIST, ())}
    every = [(list_, i, card) for list_, records in lists.items() for i, card in enumerate(records)]
    markers = {each["marker"]["name"] for _, _, card in every for each in card["do"] if "marker" in each} | {PLACED}
    for list_, i, card in every:
        for part in ("if", "do"):
            for j, words in enumerate(card.get(part, ())):
                for word, told in words.items():
                    for path, what, name, names in _names(word, told, known, markers):
                        if name not in names:
                            reason = f"there is no {what} {name}{did_you_mean(name, sorted(names))}"
                            yield "cards", (list_, i, part, j, word, *path), reason
    decks = {card["id"]: card["deck"] for card in cards}
    for side, ids in table["named_events"].items():
        for i, id in enumerate(ids):
            if decks.get(id) != side:
                yield "cards", ("named_events", side, i), f"{side} has no card {id} in its deck"


def _names(
    word: str, told: Any, known: Known, markers: Collection[str]
) -> Iterator[tuple[Path, str, str, Collection[str]]]:
    """Yield the names in one condition or effect: where they stand, what they are, and which there are."""
    whom = [*WHOM, *known.powers]
    if word in ("active", "army_of", "attacker", "besieger", "mover", "near", "winner") and isinstance(told, str):
        yield (), "power", told, whom
    elif word == "nonplayer":
        yield from (((i,), "power", power, known.powers) for i, power in enumerate(told))
    elif word == "treaty":
        yield (), "power", told, known.powers
    elif word == "region":
        yield from (((i,), "region", region, known.regions) for i, region in enumerate(told))
    elif word == "marker" and isinstance(told, str):
        yield (), "event in effect called", told, markers
    elif isinstance(told, Mapping):
        for key in ("of", "by", "power"):
            if isinstance(told.get(key), str):
                yield (key,), "power", told[key], whom if word not in ("sail", "ambush", "plunder") else known.powers
        if "space" in told:
            yield ("space",), "space", told["space"], known.spaces
        for i, leader in enumerate(told.get("one_of", ())):
            yield ("one_of", i), "leader", leader, known.leaders

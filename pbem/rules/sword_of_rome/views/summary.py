"""The summary of a position in a report: VP, alliances, armies, cities, off the map, and what the reader holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.game import Line, Section, Summary, listing
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.naming import event_named
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game


def summary(view: Game, names: Mapping[str, str]) -> Summary:
    """Return where things stand; what is in the reader's hand stands apart."""
    board = view.board
    headline = f"Turn {view.turn} ({board.years[view.turn]})" + (f", round {view.round}" if view.round else "")
    sections = (
        Section("Victory points", tuple(_standing(view, names))),
        Section(
            "Alliances", tuple(Line(" and ".join(names[power] for power in pair.split("+"))) for pair in view.alliances)
        ),
        Section("Forces", tuple(_forces(view, names))),
        Section("Sieges", tuple(_sieges(view, names))),
        Section("Off the map", tuple(_off_map(view, names))),
    )
    return Summary(headline, tuple(section for section in sections if section.lines), tuple(hand(view, names)))


def _standing(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for side in view.board.sides:
        cards = f"{len(view.hands[side])} cards, {view.desperate_times[side]} Desperate Times"
        yield Line(names[side], (f"{view.vp[side]} VP", "out of the game" if side in view.out else cards))
    yield Line("Automatic victory", (f"{view.board.levels[view.turn]} VP",))
    yield Line("Plunder", (str(view.plunder),))
    yield Line("Unrest of Carthage", (str(view.unrest),))


def _forces(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for power in view.board.powers:
        for space, force in sorted(view.forces[power].items()):
            yield Line(names[power], (names[space], strength(force, names)))
    for space, force in sorted(view.inside.items()):
        yield Line(names[view.control[space]], (f"inside {names[space]}", strength(force, names)))


def strength(force: Force, names: Mapping[str, str]) -> str:
    """Return a force in words."""
    mercenaries = f" ({force.mercenaries} mercenaries)" if force.mercenaries else ""
    leaders = f", {listing((names[leader] for leader in force.leaders), 'and')}" if force.leaders else ""
    return f"{force.cu} CU{mercenaries}{leaders}"


def _sieges(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for space, siege in sorted(view.sieges.items()):
        tribe = space in view.tribes
        needed = view.board.spaces[space].subjugation if tribe else view.loyalty[space]
        yield Line(names[space], (f"{siege.level} of {needed}", f"by {names[siege.by]}"))


def _off_map(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for label, leaders in (("Displaced", view.displaced), ("To come", view.reserve), ("In the cup", sorted(view.cup))):
        if leaders:
            yield Line(f"{label}: {listing((names[leader] for leader in leaders), 'and')}")
    for mark in view.marks:
        yield Line(f"In effect: {event_named(view, mark.name)}" + (f" on {names[mark.on]}" if mark.on else ""))


def hand(view: Game, names: Mapping[str, str]) -> Iterator[Section]:
    """Yield the hand that the viewer sees."""
    for side, held in view.hands.items():
        if held and UNSEEN not in held:
            cards = [view.board.cards[card] for card in held]
            lines = tuple(Line(card.name, (card.id, f"value {card.value}")) for card in cards)
            yield Section(f"Hand of the {names[side]}", lines)

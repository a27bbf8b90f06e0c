"""The summary of a position, and the facts and the part of the board that a report shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import Line, Section, Summary, counted, listing
from pbem.protocol import Decision, Side
from pbem.rules.sword_of_rome.position.board import CARTHAGE, ETRUSCANS, TRIBE, WALLED
from pbem.rules.sword_of_rome.position.naming import event_named, named
from pbem.rules.sword_of_rome.position.state import UNSEEN, Force, Game
from pbem.rules.sword_of_rome.siege.unrest import cap
from pbem.rules.sword_of_rome.turn.scoring import gains, losses, total

# ---- The summary of a position in a report: VP, alliances, armies, cities, off the map, and what the reader holds


def summary(view: Game, names: Mapping[str, str]) -> Summary:
    """Return where things stand; what is in the reader's hand stands apart."""
    board = view.board
    headline = f"Turn {view.turn} ({board.years[view.turn]}), {under_way(view)}"
    sections = (
        Section("Victory points", tuple(_standing(view, names))),
        Section("Tracks", tuple(_tracks(view, names))),
        Section("The round", tuple(_round(view, names)), passing=True),
        Section("Cards", tuple(_cards(view, names))),
        Section("Desperate Times", tuple(_desperate_times(view, names))),
        Section("Alliances", tuple(_alliances(view, names))),
        *(Section(f"Forces: {names[power]}", tuple(_forces(view, power, names))) for power in board.powers),
        Section("Sieges", tuple(_sieges(view, names))),
        Section("Away from home", tuple(_away(view, names))),
        Section("Loyalty of the cities", tuple(_cities(view, names))),
        Section("Tribes", tuple(_tribes(view, names))),
        Section("Off the map", tuple(_off_map(view, names))),
        Section("Discards", tuple(_discards(view, names)), passing=True),
    )
    return Summary(headline, tuple(section for section in sections if section.lines), tuple(hand(view, names)))


def under_way(view: Game) -> str:
    """Return what is under way."""
    board = view.board
    if view.result is not None:
        return "the game is over"
    if view.battle is not None:
        return f"battle at {board.spaces[view.battle.space].name}"
    if view.march is not None:
        return f"{board.leaders[view.march.leader].name} is on the march"
    if view.activation is not None:
        names = " and ".join(board.powers[power].name for power in board.powers_of[view.activation.side])
        return f"round {view.round}: {names}"
    return f"round {view.round}" if view.round else f"{view.phase.replace('_', ' ')} phase"


def short(side: Side, view: Game, names: Mapping[str, str]) -> str:
    """Return a name of a side by which columns have room beside it: both of its powers, if it leads two."""
    powers = view.board.powers_of[side]
    return names[side] if len(powers) == 1 else "/".join(names[power] for power in powers)


def _standing(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield VP, and what each side would win and lose if it were scored now (5.8.1)."""
    for side in view.board.sides:
        now = f"+{gains(view, side)} -{losses(view, side)} now"
        yield Line(short(side, view, names), (f"{view.vp[side]} VP", "out" if side in view.out else now))
    yield Line("Automatic victory", (f"{view.board.levels[view.turn]} VP",))
    for sides in view.board.seats.persons:
        if len(sides) > 1:
            yield Line(f"Together {total(view, sides)} VP: {listing((names[side] for side in sides), 'and')}.")


def _tracks(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield plunder and unrest, or the militia of Carthage in Africa (14.1, 17.1.2, S 20)."""
    holder = "gauls" if view.plunder > 0 else "transalpine_gauls"
    plunder = f"{abs(view.plunder)} of {view.board.tables['plunder']['track']}"
    if any(power.raids for power in view.board.powers.values()):
        yield Line("Plunder", (plunder, names[holder]) if view.plunder else (plunder,))
    if view.board.powers[CARTHAGE].side is not None:
        yield Line("Unrest of Carthage", (f"{view.unrest}", f"cap {cap(view)}"))
    elif view.militia:
        yield Line("Citizen militia", (f"{view.militia} CU", "in Africa"))


def _round(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield who is still to act in the round, and which powers without a player have been activated (5.4, 16.1.1)."""
    if view.to_act:
        yield Line(f"To act: {listing((names[side] for side in view.to_act), 'then')}")
    if view.activated:
        yield Line(f"Activated: {listing((names[power] for power in view.activated), 'and')}")
    if view.event_due:
        yield Line("A Gallic event is still to come in this round.")
    if view.unrest_raised:
        yield Line("A card has raised the unrest.")


def _cards(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield the sizes of hands and decks (6.1)."""
    for side in view.board.sides:
        yield Line(short(side, view, names), (f"{len(view.hands[side])} held", f"deck {len(view.decks[side])}"))


def _desperate_times(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield how many Desperate Times each side has left (7.4)."""
    for side in view.board.sides:
        yield Line(short(side, view, names), (f"{view.desperate_times[side]} left",))


def _alliances(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield the alliances, those of the reader first and so called (15)."""
    own = view.board.powers_of.get(view.reader or "", ())
    permanent = ["+".join(pair) for pair in view.board.permanent]
    for pair in sorted(view.alliances, key=lambda each: (each in permanent, not {*each.split("+")} & {*own})):
        notes = (["yours"] if {*pair.split("+")} & {*own} else []) + (["for ever"] if pair in permanent else [])
        yield Line("/".join(names[power] for power in pair.split("+")), (", ".join(notes),))


def _forces(view: Game, power: str, names: Mapping[str, str]) -> Iterator[Line]:
    for space, force in sorted(view.forces[power].items()):
        yield Line(names[space], (strength(force, names),))
    march = view.march
    if march is not None and march.power == power and not march.force.empty:
        yield Line(names[march.at], (f"{strength(march.force, names)}, on the march",))
    for space, force in sorted(view.inside.items()):
        if view.control[space] == power:
            yield Line(names[space], (f"{strength(force, names)}, inside the city",))


def _away(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield the spaces that somebody else holds than at the start, by holder, and which of them score (4.1.1)."""
    held: dict[str, list[str]] = {power: [] for power in (*view.board.powers, "")}
    for space in view.board.spaces.values():
        holder = view.control.get(space.id)
        if holder != space.home:
            held[holder or ""].append(names[space.id] + (" (scores)" if space.victory else ""))
    for power, spaces in held.items():
        if spaces:
            yield Line(f"{names.get(power, 'Independent')}: {', '.join(spaces)}")


def _cities(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield the loyalty of the cities, by power (7.3.1); a capital overseas has none (17)."""
    for power in view.board.powers:
        cities = [
            f"{names[city]} {view.loyalty[city]}" + (" (colony)" if city in view.colonies else "")
            for city in sorted(view.cities(power))
            if not view.board.is_capital(city)
        ]
        if cities:
            yield Line(f"{names[power]}: {', '.join(cities)}")


def _tribes(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield the tribes that are not subjugated, by power, and their factors (13)."""
    for power in (*view.board.powers, None):
        tribes = [space for space in sorted(view.tribes) if view.control.get(space) == power]
        if tribes:
            factors = (f"{names[space]} {view.board.spaces[space].subjugation}" for space in tribes)
            yield Line(f"{'Independent' if power is None else names[power]}: {', '.join(factors)}")


def strength(force: Force, names: Mapping[str, str]) -> str:
    """Return a force in words."""
    mercenaries = f" ({counted(force.mercenaries, 'mercenary', 'mercenaries')})" if force.mercenaries else ""
    leaders = f", {listing((names[leader] for leader in force.leaders), 'and')}" if force.leaders else ""
    return f"{force.cu} CU{mercenaries}{leaders}"


def _sieges(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for space, siege in sorted(view.sieges.items()):
        tribe = space in view.tribes
        needed = view.board.spaces[space].subjugation if tribe else view.loyalty[space]
        yield Line(names[space], (f"{min(siege.level, needed)} of {needed}", f"by {names[siege.by]}"))


def _off_map(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for label, leaders in (("Displaced", view.displaced), ("To come", view.reserve), ("In the cup", sorted(view.cup))):
        if leaders:
            yield Line(f"{label}: {', '.join(names[leader] for leader in leaders)}")
    for mark in view.marks:
        yield Line(f"In effect: {event_named(view, mark.name)}" + (f" on {names[mark.on]}" if mark.on else ""))


def _discards(view: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield the cards that anybody may look at: discards, and what is out of the game (6.1, 7.1.3)."""
    cards = view.board.cards
    for side in view.board.sides:
        if view.discards[side]:
            listed = ", ".join(cards[card].name for card in view.discards[side])
            yield Line(f"{short(side, view, names)}: {listed}")
    if view.removed:
        yield Line(f"Out of the game: {', '.join(cards[card].name for card in view.removed)}")


def hand(view: Game, names: Mapping[str, str]) -> Iterator[Section]:
    """Yield the hand that the viewer sees."""
    for side, held in view.hands.items():
        if held and UNSEEN not in held:
            cards = [view.board.cards[card] for card in held]
            lines = tuple(Line(card.id, (f"value {card.value}", card.name)) for card in cards)
            yield Section(f"Hand of {named(side, names[side])}", lines)


# ---- Facts that conditions of standing orders may test, besides those of the decision itself


MOST_ODDS: Final = 1000


def periods(game: Game) -> Mapping[str, object]:
    """Return the turn and the round that a game is in, for standing orders that end with one (5.4)."""
    return {"turn": game.turn, "round": f"{game.turn}/{game.round}"}


def facts(view: Game, decision: Decision) -> Mapping[str, object]:
    """Return what conditions of standing orders may go by for any decision."""
    own = view.board.powers_of[decision.side]
    found = {
        "turn": view.turn,
        "round": view.round,
        "vp": view.vp.get(decision.side, 0),
        "hand": list(view.hands.get(decision.side, ())),
        "active": view.activation.side if view.activation is not None else None,
        "leader_in_vp": max(view.in_play, key=lambda side: (view.vp[side], -view.board.side_rank(side))),
        "allies": [
            each for each in view.board.powers if each not in own and any(view.allied(one, each) for one in own)
        ],
    }
    strengths = _strengths(view, own, decision)
    return found if strengths is None else {**found, "odds": _odds(*strengths)}


def _strengths(view: Game, own: Sequence[str], decision: Decision) -> tuple[int, int] | None:
    """Return the own CU and the enemy's; None: the decision is not about both.

    Of several armies that can intercept it is the largest.
    """
    facts = decision.facts
    if "own_cu" in facts:
        return facts["own_cu"], facts["enemy_cu"]
    if decision.kind == "intercept":
        return max(view.outside(facts["power"], space) for space in facts["from"]), facts["enemy_cu"]
    if decision.kind == "bribe":
        return view.outside(ETRUSCANS, facts["space"]), facts["enemy_cu"]
    space, one, other = facts.get("space", facts.get("at")), facts.get("power"), facts.get("other")
    if decision.kind not in ("let_go", "respond") or not (space and one and other) or not {one, other} & {*own}:
        return None
    ours, theirs = (one, other) if one in own else (other, one)
    return view.outside(ours, space), view.outside(theirs, space)


def _odds(own: int, enemy: int) -> int:
    """Return the own CU in percent of the enemy's; 1000 if the enemy has none."""
    return MOST_ODDS if not enemy else min(MOST_ODDS, 100 * own // enemy)


# ---- The part of a position that a question is about: its space and the next ones, who stands there, the hand (3)


_PLACES: Final = ("space", "at", "from")
"""The facts that name the space of a question."""


def close_up(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield the space that a question is about, who stands there and next to it, and what the side holds."""
    yield from place_and_neighbours(view, decision)
    yield from hand(view, view.board.names)


def close_up_of_action(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield the same without the hand where the form says of each card what it does."""
    yield from place_and_neighbours(view, decision)
    if view.the_activation.played or view.the_activation.desperate:
        yield from hand(view, view.board.names)


def place_and_neighbours(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield the space that a question is about, and who stands there and next to it."""
    names = view.board.names
    space = place_of(view, decision)
    if space is not None:
        yield Section(names[space], tuple(_space(view, space, names)))
        near = [line for to in view.board.neighbours[space] for line in _headed(view, to, names)]
        if near:
            yield Section("Next to it", tuple(near))


def place_of(view: Game, decision: Decision) -> str | None:
    """Return the space that a question is about; None: it is about none in particular."""
    found = (decision.facts.get(word) for word in _PLACES)
    return next((space for space in found if isinstance(space, str) and space in view.board.spaces), None)


def places(view: Game, decision: Decision) -> Iterator[str]:
    """Yield the space that a question is about, if there is one."""
    space = place_of(view, decision)
    if space is not None:
        yield space


def _headed(view: Game, space: str, names: Mapping[str, str]) -> Iterator[Line]:
    lines = list(_forces_shown(view, space, names))
    if lines:
        yield Line(names[space])
        yield from (Line(line.label, line.cells, 1) for line in lines)


def _space(view: Game, space: str, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield whose a space is, its loyalty and siege, and who stands there."""
    holder = view.control.get(space)
    kind = view.kind(space)
    words = [names[holder] if holder is not None else "independent", kind]
    if kind == WALLED and not view.board.is_capital(space):  # a capital overseas has none (17)
        words.append(f"loyalty {view.loyalty[space]}")
    if kind == TRIBE:
        words.append(f"subjugation factor {view.board.spaces[space].subjugation}")
    siege = view.sieges.get(space)
    if siege is not None:
        words.append(f"besieged by {names[siege.by]}, level {siege.level}")
    yield Line("Control", (", ".join(words),))
    yield from _forces_shown(view, space, names)


def _forces_shown(view: Game, space: str, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield what each power has in a space, on the march and inside its city too."""
    for power in view.board.powers:
        force = view.forces[power].get(space)
        if force is not None:
            yield Line(names[power], (strength(force, names),))
    march = view.march
    if march is not None and march.at == space and not march.force.empty:
        yield Line(f"{names[march.power]}, on the march", (strength(march.force, names),))
    inside = view.inside.get(space)
    if inside is not None:
        yield Line(f"{names[view.control[space]]}, inside", (strength(inside, names),))

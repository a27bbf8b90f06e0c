"""Ships: which card carries how many CU over the sea, from which harbour to which (8.8, 8.8.1, 8.8.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.protocol import Fault, Path, Side
from pbem.rules.rome_carthage.movement.card_play import CAMPAIGN, march_type
from pbem.rules.rome_carthage.movement.march_cards import free, why_barred
from pbem.rules.rome_carthage.orders import CITY, CardUse, Step, Written, illegal
from pbem.rules.rome_carthage.position.board import SEA
from pbem.rules.rome_carthage.position.naming import no_such_space
from pbem.rules.rome_carthage.position.state import ROME, Game
from pbem.rules.rome_carthage.position.under_way import March, Stack
from pbem.rules.rome_carthage.siege.walls import room


def carries(game: Game, side: Side, card: int, kind: str) -> int:
    """Return how many CU a card carries over the sea in one army; 0: nobody sails on it (8.8, 8.8.2).

    `kind` is what makes the army march: operations, a campaign or a force march. After a Carthaginian Naval Victory
    Rome sails on Campaign cards alone (card 29).
    """
    record = game.board.cards[card]
    if not record.ship or (side == ROME and game.naval_victory and record.type != CAMPAIGN):
        return 0
    return game.board.movement.sea_cu[kind]


def hold(game: Game, side: Side, play: CardUse | None) -> int:
    """Return how many CU may sail on the card that an order is for; 0: nobody, or another army has (8.8.2)."""
    card = game.the_card.card if play is None else play.card
    return 0 if has_sailed(game) else carries(game, side, card, march_type(game, play))


def has_sailed(game: Game) -> bool:
    """Tell whether another army than the one on the march has sailed on this card already (8.8.2)."""
    if game.card is None or not game.card.sailed:
        return False
    march = game.march
    return march is None or march.force.empty or march.came_by != SEA


def harbours(game: Game, side: Side, space: str, army: bool, points: int) -> list[str]:
    """List the ports that a force may sail to from a space, whoever carries it (8.8, 8.8.1)."""
    board = game.board
    if not board.spaces[space].port or points < board.movement.cost[SEA]:
        return []
    ports = [port for port in board.ports if port != space]
    return ports if free(game) else [port for port in ports if why_barred(game, side, army, space, port) is None]


def sailings(
    game: Game, side: Side, ports: Sequence[str], forces: Sequence[tuple[int, int]]
) -> Iterator[tuple[list[tuple[int, int]], list[Written]]]:
    """Yield forces (CU, elephants) with the steps by which they sail to ports, or into the own city there (8.8.1)."""
    if not ports or not forces:
        return
    yield list(forces), [{"to": port, "by": SEA} for port in ports]
    for port in ports:
        fits = room(game, side, port)
        inside = [force for force in forces if fits is not None and force[0] <= fits]
        if inside:
            yield inside, [{"to": port, "by": SEA, "into": CITY}]


def check_fleet(view: Game, side: Side, play: CardUse | None, path: Path, force: Stack) -> Iterator[Fault]:
    """Yield why a force may not sail on the card at all: no ship, too large, another army sailed (8.8, 8.8.2)."""
    card = view.the_card.card if play is None else play.card
    record, most = view.board.cards[card], carries(view, side, card, march_type(view, play))
    name = f"{record.name} ({card})"
    if not most and record.ship and view.naval_victory and side == ROME:
        reason = f"after a Carthaginian Naval Victory Rome sails on Campaign cards only this turn, not on {name}"
        yield illegal(path, reason, rule="card 29")
    elif not most:
        yield illegal(path, f"{name} has no ship; an army sails only on a card with one", rule="8.8")
    elif has_sailed(view):
        yield illegal(path, "one army has sailed on this card already; no other may", rule="8.8.2")
    elif force.cu > most:
        yield illegal(path, f"at most {most} CU sail on {name}, not {force.cu}", rule="8.8.2")


def check_harbours(view: Game, path: Path, here: str, to: str) -> Iterator[Fault]:
    """Yield what is wrong with both ends of a voyage: they are two ports (8.8)."""
    spaces = view.board.spaces
    if to not in spaces:
        yield illegal((*path, "to"), no_such_space(view, to), rule="8.8")
        return
    if not spaces[here].port:
        yield illegal((*path, "by"), f"{spaces[here].name} is no port to sail from", rule="8.8")
    if not spaces[to].port:
        yield illegal((*path, "to"), f"{spaces[to].name} is no port to land in", rule="8.8")
    elif here == to:
        yield illegal((*path, "to"), f"the force is in {spaces[to].name} already", rule="8.8")


def check_into_city(view: Game, side: Side, at: int, step: Step, cu: int) -> Iterator[Fault]:
    """Yield what is wrong with landing straight inside a city: own, not besieged, with room, and the end (8.8.1)."""
    path, space = ("path", at, "into"), step.to
    name, fits = view.board.spaces[space].name, room(view, side, space)
    if not step.by_sea:
        yield illegal(path, "only a voyage leads straight into a city; write by: sea too", rule="8.8.1")
    elif fits is None:
        why = "is besieged" if view.besieged(space) else "is no walled city of yours"
        yield illegal(path, f"{name} {why}; without into the force lands before the walls", rule="8.8.1")
    elif cu > fits:
        yield illegal(path, f"{fits} CU fit into {name}, not {cu}", rule="16.2")
    for word, change in (("drop", step.drop), ("take", step.take)):
        if change is not None:
            reason = f"who lands inside a city stays there whole; leave out {word}"
            yield illegal(("path", at, word), reason, rule="8.8.1")


def may_sail(game: Game, march: March) -> bool:
    """Tell whether the force on the march may sail on the card on the table (8.8, 8.8.2)."""
    card, force = game.card, march.force
    if card is None or not game.board.cards[card.card].ship or force.empty or has_sailed(game):
        return False
    most = carries(game, march.side, card.card, march_type(game))
    return bool(most) and force.cu <= most

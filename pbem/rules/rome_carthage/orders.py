"""Orders as typed values: each is read once from what a player has written, and then checked, played and forecast.

What a player left out is None (or empty, where that means the same). A typed order is never written down: the record
keeps the mapping as the player wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from pbem.protocol import ILLEGAL, Fault, Order, Path, Record
from pbem.rules.rome_carthage.position.board import SEA

Body: TypeAlias = Record
"""What an order, or a part of one, says: plain data in the shape that `orders.yaml` gives it."""
Written: TypeAlias = str | Body
"""A step of a path as it is written: the space alone, or a mapping."""

CITY: Final = "city"
"""Where a voyage may lead into: straight behind the walls."""
ALL: Final = "all"
NONE: Final = "none"


def illegal(path: Path, reason: str, *, rule: str) -> Fault:
    """Return the fault of an order that breaks a rule; `path` is within the body of the order."""
    return Fault(ILLEGAL, path, reason, rule)


# ---- parts of armies


class ArmyPart(NamedTuple):
    """Part of an army: combat units, elephants among them, and generals (16.2)."""

    cu: int
    elephants: int | None = None
    generals: tuple[str, ...] = ()

    @classmethod
    def read(cls, body: Body) -> ArmyPart:
        """Return the part that an order names by `cu`, `elephants` and `generals`."""
        return cls(body["cu"], body.get("elephants"), tuple(body.get("generals", ())))


class Force(NamedTuple):
    """The force that a general is to lead: companions, units and elephants; None is left to the rules (8.2, 8.7)."""

    general: str
    cu: int | None = None
    elephants: int | None = None
    companions: tuple[str, ...] | None = None

    @classmethod
    def read(cls, body: Body) -> Force:
        """Return the force that an order, or an attempt to intercept, names."""
        companions = tuple(body["with"]) if "with" in body else None
        return cls(body["general"], body.get("cu"), body.get("elephants"), companions)


# ---- marches (8)


class Exchange(NamedTuple):
    """What a force drops or takes on its way (8.2, 8.7)."""

    cu: int = 0
    elephants: int = 0
    generals: tuple[str, ...] = ()
    inside: bool = False
    """What is dropped goes inside the city there."""

    @classmethod
    def read(cls, body: Body) -> Exchange:
        """Return what a step drops or takes."""
        return cls(body.get("cu", 0), body.get("elephants", 0), tuple(body.get("generals", ())), "inside" in body)


class Step(NamedTuple):
    """A step of a path: where it leads, whether by sea, and what is dropped and taken there (8.2, 8.8)."""

    to: str
    by_sea: bool = False
    into_city: bool = False
    """The voyage leads straight inside the city there (8.8.1)."""
    drop: Exchange | None = None
    take: Exchange | None = None
    bare: bool = False
    """Written as the name of the space alone."""

    @classmethod
    def read(cls, written: Written) -> Step:
        """Return a step of a path."""
        if isinstance(written, str):
            return _to(written)
        drop, take = (Exchange.read(written[word]) if word in written else None for word in ("drop", "take"))
        return cls(written["to"], written.get("by") == SEA, "into" in written, drop, take)

    @property
    def voyage(self) -> Body:
        """The step as legal orders write it, if it goes by sea."""
        way = {"to": self.to, "by": SEA}
        return {**way, "into": CITY} if self.into_city else way


@lru_cache(maxsize=256)
def _to(space: str) -> Step:
    """Return the step that is written as the name of a space alone; most steps are."""
    return Step(space, bare=True)


class CardUse(NamedTuple):
    """The card that an order names, and its use: operations, event or discard (7.2)."""

    card: int
    use: str

    @classmethod
    def read(cls, order: Order) -> CardUse | None:
        """Return the card that an order names; None: it goes on with the card on the table."""
        return cls(order["card"], order["as"]) if "card" in order.body else None


class PlayOrder(NamedTuple):
    """A card play: the card, its use, and which of the three operations it is for; None: not that one (7.2, 7.3)."""

    play: CardUse
    general: str | None = None
    """Who marches, or whom an event is for."""
    place: tuple[str, ...] | None = None
    """Spaces for control markers."""
    raise_with: str | None = None
    """The general with whom a unit is raised."""

    @classmethod
    def read(cls, order: Order) -> PlayOrder:
        """Return the card play that an order makes."""
        place = tuple(order["place"]) if "place" in order.body else None
        return cls(CardUse(order["card"], order["as"]), order.get("general"), place, order.get("raise"))


class WayOrder(NamedTuple):
    """The path of a march, what follows at its end, and what to do if the enemy reacts (8.2, 9.3, 10.3)."""

    path: tuple[Step, ...] = ()
    written: tuple[Written, ...] = ()
    """The path as the player wrote it."""
    then: str = ""
    if_intercepted: str | None = None
    if_avoided: str | None = None
    charm: str | tuple[str, ...] | None = None
    """Spaces whose markers Hannibal takes off, all or none; None: the order does not say (card 28)."""
    stop: bool = False
    play: CardUse | None = None
    """The card that the order names; None: the card on the table."""

    @classmethod
    def read(cls, order: Order) -> WayOrder:
        """Return the way that an order to march, or to march on, gives."""
        body = order.body
        written, charm = tuple(body.get("path", ())), body.get("charm")
        return cls(
            path=tuple(map(Step.read, written)),
            written=written,
            then=body.get("then", ""),
            if_intercepted=body.get("if_intercepted"),
            if_avoided=body.get("if_avoided"),
            charm=tuple(charm) if isinstance(charm, list) else charm,
            stop=bool(body.get("stop")),
            play=CardUse.read(order),
        )

    @property
    def sets_sail(self) -> bool:
        """Tell whether the march begins with a voyage (8.8)."""
        return bool(self.path) and self.path[0].by_sea


class MarchOrder(NamedTuple):
    """An order to march with a general, or to sally out with him (8.1, 16.4.4)."""

    force: Force
    way: WayOrder
    sortie: bool = False
    train: bool = True
    """The siege train may come along (card 30)."""

    @classmethod
    def read(cls, order: Order) -> MarchOrder:
        """Return the march that a card play, or the next part of a campaign, orders."""
        return cls(
            Force.read(order.body), WayOrder.read(order), bool(order.get("sortie")), bool(order.get("train", True))
        )


class EventOrder(NamedTuple):
    """What the event of a card is aimed at; empty where the order names no such target (7.4)."""

    general: str = ""
    space: str = ""
    spaces: tuple[str, ...] = ()
    province: str = ""
    cu: int | None = None
    """How many units come; None: all that the card brings."""

    @classmethod
    def read(cls, order: Order) -> EventOrder:
        """Return the targets that a card play names for its event."""
        named = {word: order.get(word, "") for word in ("general", "space", "province")}
        return cls(**named, spaces=tuple(order.get("spaces", ())), cu=order.get("cu"))


# ---- reactions (9, 10, 16.2)


class InterceptOrder(NamedTuple):
    """The interceptions that a side declares, one force each (9.4, 9.5)."""

    attempts: tuple[Force, ...]
    command: str | None = None
    """Who commands, of equals who meet in the space; None: the better in battle (8.6, 9.4)."""

    @classmethod
    def read(cls, order: Order) -> InterceptOrder:
        """Return the interceptions that an order declares."""
        return cls(tuple(map(Force.read, order["with"])), order.get("command"))


class AvoidOrder(NamedTuple):
    """An attempt to avoid battle: where to, and with what force (10.1)."""

    to: str
    force: Force
    """Its general is empty where the order leaves it to the commander."""

    @classmethod
    def read(cls, order: Order) -> AvoidOrder:
        """Return the attempt that an order makes, or that it makes none."""
        return cls(order["to"], Force.read({"general": "", **order.body}))

    @property
    def stands(self) -> bool:
        """Tell whether nobody tries to avoid battle."""
        return self.to == NONE

    def led_by(self, commander: str | None) -> Force:
        """Return the force that goes, led by the commander unless the order names another general."""
        return self.force if self.force.general else self.force._replace(general=commander or "")


class InterceptedOrder(NamedTuple):
    """What an intercepted army does: fight, back up, or go into the city, all of it or a part (9.3)."""

    choice: str
    cu: int | None = None
    elephants: int | None = None
    generals: tuple[str, ...] = ()

    @classmethod
    def read(cls, order: Order) -> InterceptedOrder:
        """Return what an intercepted army is ordered to do."""
        return cls(order["choice"], order.get("cu"), order.get("elephants"), tuple(order.get("generals", ())))


# ---- battles and sieges (11 to 16)


class BattleCardOrder(NamedTuple):
    """The battle card that the attacker leads, under its own or another name; or a withdrawal (11.4, 11.11)."""

    card: str | None = None
    name: str | None = None
    withdraw: bool = False

    @classmethod
    def read(cls, order: Order) -> BattleCardOrder:
        """Return what the attacker leads."""
        return cls(order.get("card"), order.get("as"), bool(order.get("withdraw")))


class RoundEventsOrder(NamedTuple):
    """Ally Deserts, played before a round: the card, any or none, and the open battle card to take (card 59)."""

    card: int | str
    take: str | None = None
    """None: one is drawn blind."""

    @classmethod
    def read(cls, order: Order) -> RoundEventsOrder:
        """Return what is played before a round."""
        return cls(order["card"], order.get("take"))


class LossesOrder(NamedTuple):
    """How many of the combat units lost are elephants (13.2)."""

    elephants: int

    @classmethod
    def read(cls, order: Order) -> LossesOrder:
        """Return how many elephants are lost."""
        return cls(order["elephants"])


class RetreatOrder(NamedTuple):
    """A retreat: by road, into the city with all, or both with a part in the city (12.1, 16.2)."""

    city: ArmyPart | str | None = None
    """The part that goes into the city, or all; None: nobody does."""
    path: tuple[str, ...] | None = None

    @classmethod
    def read(cls, order: Order) -> RetreatOrder:
        """Return the retreat that an order names."""
        city = order.get("city")
        part = ArmyPart.read(city) if isinstance(city, Mapping) else city
        return cls(part, tuple(order["path"]) if "path" in order.body else None)


class BesiegeOrder(NamedTuple):
    """Whether a siege or a subjugation is attempted, and by whom; None: by who marched there (16.4)."""

    attempt: bool
    by: str | None = None

    @classmethod
    def read(cls, order: Order) -> BesiegeOrder:
        """Return the attempt that an order makes, or that it makes none."""
        return cls(order["attempt"], order.get("by"))


# ---- reinforcements and offices (6)


class ReinforceOrder(NamedTuple):
    """Where new units and generals come to the map, and who is proconsul (6)."""

    units: Mapping[str, int]
    """Space -> CU."""
    generals: Mapping[str, str]
    """General -> space."""
    proconsul: str | None = None

    @classmethod
    def read(cls, order: Order) -> ReinforceOrder:
        """Return the reinforcements that an order places."""
        return cls(order.get("units", {}), order.get("generals", {}), order.get("proconsul"))


class ConsulsOrder(NamedTuple):
    """Where the new consuls take up their commands, and who commands among equals (6.4.2, 8.6)."""

    at: Mapping[str, str]
    """Consul -> space."""
    commands: tuple[str, ...] = ()

    @classmethod
    def read(cls, order: Order) -> ConsulsOrder:
        """Return the places that an order gives the consuls."""
        return cls(order["at"], tuple(order.get("commands", ())))

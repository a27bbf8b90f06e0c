"""The kinds of requests: what each asks of the other sides, who must consent, what is done then, and its words.

A new kind is its name in `pbem.repo.files.requests`, a field of `Request` for what it is about, and one class here, in
`KINDS`. Nothing else asks of which kind a request is. `pbem.referee.acts.consents` puts requests on record and carries
them out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import ClassVar, Final, Protocol

from pbem.game.wording import listing
from pbem.protocol import Side
from pbem.referee import GAME_MASTER
from pbem.referee.acts.ending import end_by_request, left_by, require_in_play, winners_of
from pbem.referee.acts.players import PlayerChange, change_of
from pbem.referee.acts.preconditions import asked_by_mail
from pbem.referee.acts.rollback import roll_back, would_undo
from pbem.referee.acts.timekeeping import extend_time, fact_time, pause_game, require_clock
from pbem.referee.game.calendar import read_instant, stamp, to_second
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.game.terms import duration_text
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import DRAW, EXTENSION, PAUSE, REPLACEMENT, RESIGNATION, ROLLBACK, STAYING, Request
from pbem.repo.files.seats import Person

_COMMON: Final = ("request", "kind", "at", "reason", "needed", "consents", "outcome", "quorum", "refusals")
"""The fields of a request that every kind has."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What somebody proposes."""

    kind: str
    until: datetime | None = None
    """Until when the game is to be paused."""
    extended: Mapping[Side, datetime] = field(default_factory=dict)
    """Side -> until when it is to have time."""
    replaced: Side = ""
    """The side that is to have another player."""
    person: Person | None = None
    """Who that is to be; it stays sealed. None where the game is derived again."""
    to: int = 0
    """The adjudication that the game is to go back to."""
    winners: Collection[Side] = ()
    """The sides that would win a draw together."""
    resigns: Side = ""
    """The side that resigns."""


class Names(Protocol):
    """How a letter names sides and times."""

    def side(self, side: Side) -> str:
        """Return the name of a side."""

    def time(self, written: str) -> str:
        """Return a time that is on record, in the zone of the reader."""


class RequestKind(ABC):
    """What differs from one kind of request to another."""

    name: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]
    """The fields of `Request` that the kind has besides those that all have."""
    letter: ClassVar[str] = "request"
    """The template of the letter that asks for consent."""
    subject: ClassVar[str] = ""
    """The subject of that letter, if it is no part of the template."""
    gives_reason: ClassVar[bool] = True
    """Whether that letter gives the reason of a player, too, and not only that of the game master."""

    @property
    def stays(self) -> bool:
        """Whether it stays open while the game goes on."""
        return self.name in STAYING

    def require(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> None:  # noqa: B027 most require nothing
        """Raise CannotPlay if it could not be carried out even if all consented at once."""

    @abstractmethod
    def needed(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> list[Side]:
        """Return the sides that must consent. Raises CannotPlay if one cannot be asked by letter."""

    def usual_reason(self, by: str, proposal: Proposal) -> str:
        """Return the reason on record where none is given."""
        return f"{by} proposes it"

    @abstractmethod
    def fill(self, game: Adjudicator, request: Request, proposal: Proposal) -> None:
        """Fill in what the request is about."""

    def log(self, request: Request) -> str:
        """Return what the log says of it."""
        return self.name

    def by(self, request: Request) -> Side | None:
        """Return the side that has made a request; None: the game master has."""
        return None if request.side == GAME_MASTER else request.side

    @abstractmethod
    def carry_out(self, game: Adjudicator, request: Request) -> int | None:
        """Do what was agreed, and return the adjudication that does it; None: it needed none.

        Raises CannotPlay if it has become impossible.
        """

    @abstractmethod
    def asks(self, game: OpenGame, request: Request, names: Names) -> str:
        """Return the sentences that ask for it."""

    @abstractmethod
    def asked_for(self, request: Request, names: Names) -> str:
        """Return what it asks for, as a part of a sentence behind `Request 3,`."""

    def refused(self, game: OpenGame, request: Request) -> str:
        """Return what does not happen because it was refused; empty for one that stays: the game goes on anyway."""
        return ""

    def record(self, request: Request) -> dict[str, object]:
        """Return a request for `--json`."""
        return {key: value for key, value in asdict(request).items() if key in {*_COMMON, *self.fields}}


class Rollback(RequestKind):
    """To go back to an earlier adjudication; the game master asks."""

    name = ROLLBACK
    fields = ("to", "undone", "dice", "shuffles")
    letter = "rollback"

    def require(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> None:
        would_undo(game, proposal.to)

    def needed(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> list[Side]:
        if not (needed := asked_by_mail(game)):
            raise CannotPlay(
                f"no side of {game.name} has an address to ask; `--by-game-master` rolls back with a reason"
            )
        return needed

    def fill(self, game: Adjudicator, request: Request, proposal: Proposal) -> None:
        request.side = ""
        request.to, request.undone = proposal.to, would_undo(game, proposal.to)
        turns = [(n, game.public_turn(n)) for n in request.undone]
        request.dice = [
            f"{n}.{roll['number']} {roll['name']}: {' + '.join(map(str, roll['faces']))}"
            for n, turn in turns
            for roll in turn.get("rolls", ())
        ]
        request.shuffles = [
            f"{n}.{draw['number']} {draw['name']}: of {draw['of']}"
            for n, turn in turns
            for draw in turn.get("draws", ())
        ]

    def log(self, request: Request) -> str:
        return f"to go back to adjudication {request.to}"

    def by(self, request: Request) -> Side | None:
        return None

    def carry_out(self, game: Adjudicator, request: Request) -> int | None:
        return roll_back(game, request.to, request.reason, request=request)

    def asks(self, game: OpenGame, request: Request, names: Names) -> str:
        place = f"where it stood after adjudication {request.to}"
        return f"The game master asks whether {game.name} should go back to {place}."

    def asked_for(self, request: Request, names: Names) -> str:
        return f"to go back to adjudication {request.to}"

    def refused(self, game: OpenGame, request: Request) -> str:
        return f"{game.name} does not go back to adjudication {request.to}"


class DrawOffer(RequestKind):
    """To end the game in a draw: every side that is still in the game must agree, or as many as the charter says."""

    name = DRAW
    fields = ("side", "winners")
    subject = "end the game in a draw?"
    gives_reason = False

    def require(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> None:
        winners_of(game, proposal.winners)
        if by is not None:
            require_in_play(game, by)

    def needed(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> list[Side]:
        by_mail = asked_by_mail(game)
        if by is None:
            if not by_mail:
                raise CannotPlay(
                    f"no side of {game.name} has an address to ask; `--by-game-master` ends it with a reason"
                )
            return by_mail
        missing = [side for side in game.in_play if side not in by_mail and side != by]
        if missing:
            raise CannotPlay(
                f"a draw needs the consent of {listing(missing)}, who {'have' if len(missing) > 1 else 'has'} no "
                "address here. Write to your game master, who can end the game"
            )
        return game.in_play

    def fill(self, game: Adjudicator, request: Request, proposal: Proposal) -> None:
        request.winners = winners_of(game, proposal.winners)

    def log(self, request: Request) -> str:
        return "to end the game in a draw"

    def carry_out(self, game: Adjudicator, request: Request) -> int | None:
        return end_by_request(game, request)

    def asks(self, game: OpenGame, request: Request, names: Names) -> str:
        winners = [names.side(side) for side in request.winners]
        together = f": {listing(winners)} would win{' together' if len(winners) > 1 else ''}" if winners else ""
        return f"{_proposer(game, request, names)} proposes to end {game.name} in a draw{together}."

    def asked_for(self, request: Request, names: Names) -> str:
        won = f" that {listing([names.side(side) for side in request.winners])} win" if request.winners else ""
        return f"to end the game in a draw{won}"

    def refused(self, game: OpenGame, request: Request) -> str:
        return f"{game.name} does not end in a draw"


class Resignation(RequestKind):
    """That a side resigns: it says so itself, or the game master asks it."""

    name = RESIGNATION
    fields = ("side", "winners")
    subject = "do you resign?"
    gives_reason = False

    def require(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> None:
        require_in_play(game, proposal.resigns)
        if by is None and proposal.resigns not in game.by_mail:
            raise CannotPlay(
                f"{proposal.resigns} has no address to ask; `--by-game-master` records what was said elsewhere"
            )

    def needed(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> list[Side]:
        return [proposal.resigns]

    def usual_reason(self, by: str, proposal: Proposal) -> str:
        return f"{proposal.resigns} resigns"

    def fill(self, game: Adjudicator, request: Request, proposal: Proposal) -> None:
        request.side = proposal.resigns

    def log(self, request: Request) -> str:
        return f"{request.side} resigns"

    def by(self, request: Request) -> Side | None:
        return request.side if request.side in request.consents else None

    def carry_out(self, game: Adjudicator, request: Request) -> int | None:
        return end_by_request(game, request)

    def asks(self, game: OpenGame, request: Request, names: Names) -> str:
        left = [names.side(side) for side in left_by(game, request.side)]
        asked = f"The game master asks whether you resign in {game.name}."
        if len(left) > 1:
            return f"{asked} The game would go on: {listing(left)} would play on."
        return f"{asked} The game would end, and {listing(left)} would win."

    def asked_for(self, request: Request, names: Names) -> str:
        return f"by which {names.side(request.side)} resigns"

    def refused(self, game: OpenGame, request: Request) -> str:
        return f"{game.name} does not end"


class Motion(RequestKind):
    """What does not depend on the position: the others must consent, and the game goes on meanwhile.

    A player may propose a pause or another player for a side. A game master who plays a side needs consent for all
    three kinds.
    """

    fields = ("side", "until", "extended", "replaced")

    def needed(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> list[Side]:
        """Return all sides in the game but the one to be replaced.

        If the game master asks, it is those with an address, without the side that the game master plays.
        """
        terms = game.clock.terms
        own = None if terms is None or by is not None else terms.master
        by_mail = asked_by_mail(game)
        asked = [side for side in game.in_play if side not in (own, proposal.replaced)]
        if by is None:
            asked = [side for side in asked if side in by_mail]
        elif missing := [side for side in asked if side not in by_mail and side != by]:
            raise CannotPlay(f"{listing(missing)} cannot be asked by letter. Write to your game master")
        if not asked or asked == [by]:
            raise CannotPlay(f"there is nobody in {game.name} who could be asked")
        return asked

    def asks(self, game: OpenGame, request: Request, names: Names) -> str:
        return f"{_proposer(game, request, names)} proposes {self.moved(request, names)} in {game.name}."

    def asked_for(self, request: Request, names: Names) -> str:
        return f"for {self.moved(request, names)}"

    @abstractmethod
    def moved(self, request: Request, names: Names) -> str:
        """Return what is proposed, as a part of a sentence."""


class Pause(Motion):
    """To pause the game until a time."""

    name = PAUSE
    subject = "pause the game?"

    def require(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> None:
        terms, clocks = require_clock(game)
        now, until = fact_time(game, clocks), proposal.until
        if until is None or not now < to_second(until) <= now + terms.pause:
            raise CannotPlay(f"a pause of {game.name} is {duration_text(terms.pause)} at most, and ends in the future")
        if (paused := clocks.paused(now)) is not None:
            raise CannotPlay(f"{game.name} is paused already, until {stamp(paused.until)}")

    def fill(self, game: Adjudicator, request: Request, proposal: Proposal) -> None:
        request.until = "" if proposal.until is None else stamp(proposal.until)

    def carry_out(self, game: Adjudicator, request: Request) -> int | None:
        pause_game(game, read_instant(request.until), request.reason, request=request.request)
        return None

    def moved(self, request: Request, names: Names) -> str:
        return f"a pause until {names.time(request.until)}"


class Extension(Motion):
    """To give sides more time."""

    name = EXTENSION
    subject = "more time?"

    def require(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> None:
        require_clock(game)

    def fill(self, game: Adjudicator, request: Request, proposal: Proposal) -> None:
        request.extended = {side: stamp(at) for side, at in sorted(proposal.extended.items())}

    def carry_out(self, game: Adjudicator, request: Request) -> int | None:
        until = {side: read_instant(at) for side, at in request.extended.items()}
        extend_time(game, until, request.reason, request=request.request)
        return None

    def moved(self, request: Request, names: Names) -> str:
        times = (f"{names.side(side)} until {names.time(at)}" for side, at in sorted(request.extended.items()))
        return f"time for {listing([*times])}"


class Replacement(Motion):
    """To give a side another player, whose name stays sealed. That side hears of the vote, and has none."""

    name = REPLACEMENT
    subject = "another player?"

    def require(self, game: Adjudicator, by: Side | None, proposal: Proposal) -> None:
        if proposal.replaced in game.out:
            raise CannotPlay(f"{proposal.replaced} is out of the game")
        if proposal.person is not None:
            _change(game, proposal.replaced, proposal.person)
        if by == proposal.replaced:
            raise CannotPlay("you cannot vote about your own side; RESIGN gives it up, DEPUTY names a deputy")

    def fill(self, game: Adjudicator, request: Request, proposal: Proposal) -> None:
        request.replaced = proposal.replaced

    def carry_out(self, game: Adjudicator, request: Request) -> int | None:
        person = game.ledger.proposed(request.replaced)
        if person is None:
            raise CannotPlay(f"nobody is proposed for {request.replaced}")
        change = _change(game, request.replaced, person)
        game.change_player(request.replaced, change.name, change.address, replaced=True)
        return None

    def asks(self, game: OpenGame, request: Request, names: Names) -> str:
        asked, person = super().asks(game, request, names), game.ledger.proposed(request.replaced)
        if person is None:
            return asked
        return f"{asked} {person.name} would take it over from {game.player(request.replaced)}."

    def moved(self, request: Request, names: Names) -> str:
        return f"another player for {names.side(request.replaced)}"


KINDS: Final[dict[str, RequestKind]] = {
    kind.name: kind for kind in (Rollback(), DrawOffer(), Resignation(), Pause(), Extension(), Replacement())
}


def proposal_of(request: Request) -> tuple[Side | None, Proposal]:
    """Return the side that has made a request, None for the game master, and what it proposed."""
    until = read_instant(request.until) if request.until else None
    extended = {side: read_instant(at) for side, at in request.extended.items()}
    kind, side = request.kind, request.side
    proposal = Proposal(kind, until, extended, request.replaced, None, request.to, request.winners, side)
    return KINDS[kind].by(request), proposal


def _proposer(game: OpenGame, request: Request, names: Names) -> str:
    return names.side(request.side) if request.side in game.rules.sides else GAME_MASTER.capitalize()


def _change(game: Adjudicator, side: Side, person: Person) -> PlayerChange:
    """Return the change by which somebody would take a side over. Raises CannotPlay if that cannot be."""
    change = change_of(game, side, person.name, person.address)
    if not change.replaced:
        raise CannotPlay(f"{person.name} plays {side} already; write the name of another player")
    return change

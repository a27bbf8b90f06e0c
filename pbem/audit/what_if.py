"""What-if: plays a branch of the game with other orders or other dice, and says how it differs.

A side, or an observer, is told only what it may know of its own game. In the branch of a running game it is told less:
neither what the rules would reveal there, nor answers that only the branch brings to light. What happens in a branch
may still follow from hidden things, such as standing orders. So until the game is over, what-if is for the game
master.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from pbem.audit.branch import Branch, window_of
from pbem.audit.differences import different, shortly
from pbem.audit.playback import Playback
from pbem.crypto.dice import BadLoad
from pbem.engine.session import BY_BOT, Answer, RulesDiffer
from pbem.game.plain import Record
from pbem.game.wording import listing
from pbem.orders.check import Receipt
from pbem.protocol import Event, Order, Side
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.referee.told import Told
from pbem.render.form import order_lines
from pbem.render.messages import Sentences, sentences
from pbem.repo.adjudication import Adjudication
from pbem.repo.records import as_plain

MOST_PLACES = 12
"""So many places of the position are listed."""
THEN, NOW = "- ", "+ "


@dataclass(slots=True)
class WhatIf:
    """The result of a what-if: the adjudications compared, and the differences line by line, under headings.

    `refused` are sheets with faults; nothing was played then.
    """

    n: int
    then: list[int] = field(default_factory=list)
    now: list[int] = field(default_factory=list)
    sections: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    refused: list[Receipt] = field(default_factory=list)


def what_if(
    game: OpenGame,
    n: int,
    folder: Path,
    *,
    sheets: Mapping[Side, tuple[str, bytes]] | None = None,
    dice: Mapping[str, Sequence[int]] | None = None,
    viewer: Side | None = None,
) -> WhatIf:
    """Play a branch of a game from before adjudication n with other sheets or dice, and compare.

    The game itself is not touched. The scratch repo is made in `folder`, which must be empty. `sheets` are a name and
    a text by side. `dice` are faces by the names of rolls. Raises CannotPlay where that is impossible.
    """
    playback = Playback(game)
    if not 1 < n <= playback.last:
        raise CannotPlay(f"{game.name} can be branched before adjudications 2 to {playback.last}, not {n}")
    window = window_of(playback, n)
    try:
        with Branch.of(game, n, folder, faces=dice or {}, window=window) as branch:
            receipts = [branch.put_in(side, raw, name) for side, (name, raw) in (sheets or {}).items()]
            refused = [receipt for receipt in receipts if receipt.number is None]
            if refused:
                return WhatIf(n, refused=refused)
            made = branch.play_on()
            given = {(receipt.side, f"sheet {receipt.number}") for receipt in receipts}
            found = WhatIf(n, [turn.n for turn in window], made)
            playback.take_up(window[-1].n)
            _compare(found, playback, window, branch, viewer, given)
            return found
    except BadLoad as wrong:
        raise CannotPlay(str(wrong)) from None
    except RulesDiffer as differs:
        raise CannotPlay(
            f"the rules here cannot resume the game before adjudication {n}: {differs.difference}"
        ) from None


def _compare(
    found: WhatIf,
    playback: Playback,
    window: Sequence[Adjudication],
    branch: Branch,
    viewer: Side | None,
    given: Set[tuple[Side, str]],
) -> None:
    """Fill in how the branch differs from what happened; `given` are the sheets that were put into it."""
    say = sentences(playback.game.box)
    played = Playback(branch)
    turns = [played.turn(n) for n in found.now]
    then, now = _Telling(playback, window, say, viewer), _Telling(played, turns, say, viewer)
    if playback.game.result is None:
        now.given, now.reveals = given, playback.rules.reveals
        now.on_record = [event for turn in window for event in turn.events]
    answers = list(then.answers())
    found.sections["answers"] = list(_runs(answers, list(now.answers(answers))))
    found.sections["rolls"] = list(_runs(list(then.rolls()), list(now.rolls())))
    found.sections["events"] = list(_runs(list(then.events()), list(now.events())))
    rules, before = playback.rules, playback.session
    assert before is not None
    reader = None if now.keeps_back else viewer  # a hand that is dealt in the branch may be dealt in the game yet
    seen = [as_plain(rules.encode(rules.view(each, reader))) for each in (before.position, branch.position)]
    found.sections["position"] = list(_places(say, *seen))
    waited = [
        _questions(say, branch, window[-1].open_decisions),
        _questions(say, branch, turns[-1].open_decisions if turns else None),
    ]
    if waited[0] != waited[1]:
        found.sections["the game waits"] = [f"{THEN}{waited[0]}", f"{NOW}{waited[1]}"]
    found.sections = {name: lines for name, lines in found.sections.items() if lines}
    found.remarks = list(_remarks(playback, branch, now))


def _remarks(playback: Playback, branch: Branch, now: _Telling) -> Iterator[str]:
    """Yield what a reader must know about the dice and the rules of a branch."""
    if unused := branch.dice.unused():
        rolled = [roll.name for turn in now.turns for roll in turn.rolls]
        made = ", ".join(rolled) or "none"
        yield f"Dice were given for {listing(unused)}, but there was no such roll. The rolls were: {made}."
    rolled_now = {roll.name for turn in now.turns for roll in turn.rolls}
    if fresh := [name for name in branch.recorded_window.fresh if name in rolled_now]:
        yield f"Not rolled in the game, so the dice are made up for this branch: {listing(fresh)}."
    if now.keeps_back:
        yield "The branch would reveal hidden things. They are not shown while the game goes on."
    acts = [playback.public(later).get("act", {}) for later in range(branch.branched_before, playback.last + 1)]
    moved = any(act.get("kind") == "migration" for act in acts)
    if moved or playback.game.differs is not None:
        yield "The rules here are not those that the game was played with. They may cause some of the differences."


@dataclass(slots=True)
class _Telling:
    """Some turns of one playback, as a viewer may see them."""

    playback: Playback
    turns: Sequence[Adjudication]
    say: Sentences
    viewer: Side | None
    given: Set[tuple[Side, str]] | None = None
    """Side and source of the answers that may be told though they are published only here; None: of all."""
    reveals: Set[str] = frozenset()
    """Kinds of events that are told only if they are on record."""
    on_record: Sequence[Event] = ()

    @property
    def keeps_back(self) -> bool:
        """Whether anything is kept back that would be shown once the game is over."""
        return any(self._kept_back(event) for turn in self.turns for event in turn.events if self._is_for_me(event))

    def _is_for_me(self, event: Event) -> bool:
        return event.to is None or self.viewer in event.to

    def _kept_back(self, event: Event) -> bool:
        return event.kind in self.reveals and event not in self.on_record

    def answers(self, view: Sequence[str] = ()) -> Iterator[str]:
        """Yield the answers that are published or the viewer's own; the lines in `view` are no secret either."""
        for turn in self.turns:
            published = published_in(self.playback, turn.n) is not None
            for answer in turn.answers:
                line = f"{self.say.name(answer.side)} {shown_by(answer, self.viewer)}: {shown_order(answer)}"
                public = published and not answer.secret
                if self.given is not None:
                    public = public and (answer.side, answer.by) in self.given
                if answer.side == self.viewer or public or line in view:
                    yield line

    def rolls(self) -> Iterator[str]:
        for turn in self.turns:
            for event in turn.events:
                if event.roll is not None:
                    yield self.say.dice(event.roll, event.facts)

    def events(self) -> Iterator[str]:
        told = [
            Told(turn.n, event)
            for turn in self.turns
            for event in turn.events
            if event.roll is None and self._is_for_me(event) and not self._kept_back(event)
        ]
        for said in self.say.tell(told):
            yield said.text


def published_in(playback: Playback, n: int) -> int | None:
    """Return the adjudication whose turn file publishes the answers of adjudication n; None: not yet."""
    for later in range(n, playback.last + 1):
        public = playback.public(later)
        if "answers" in public:
            return later
        if n in public.get("act", {}).get("undone", ()):
            return None
    return None


def shown_by(answer: Answer, viewer: Side | None) -> str:
    """Return the source of an answer, in brackets; which standing order it was is for its side alone."""
    if answer.by == BY_BOT:
        return "(bot)"
    hidden = answer.by.startswith("standing ") and answer.side != viewer
    return f"({'standing order' if hidden else answer.by})"


def shown_order(answer: Answer) -> str:
    """Return an answer as a sheet would have it, on one line."""
    return order_lines(answer.kind, written(answer), 10_000)[0].removeprefix("- ")


def written(answer: Answer) -> Record:
    """Return the order of an answer as a sheet would have it: with `for`, where that tells it from its like."""
    return Order(answer.kind, answer.order, answer.about).written


def _runs(then: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """Yield the lines in which two accounts differ, the recorded ones before those of the branch."""
    for what, a, b, c, d in SequenceMatcher(None, then, now, autojunk=False).get_opcodes():
        if what != "equal":
            yield from (f"{THEN}{line}" for line in then[a:b])
            yield from (f"{NOW}{line}" for line in now[c:d])


def _places(say: Sentences, then: object, now: object) -> Iterator[str]:
    """Yield where two positions differ."""
    places = list(different(then, now))
    for path, was, here in places[:MOST_PLACES]:
        where = ", ".join(say.name(word) for word in path)
        yield f"{where}: then {shortly(was)}, now {shortly(here)}"
    if len(places) > MOST_PLACES:
        yield f"... and {len(places) - MOST_PLACES} more"


def _questions(say: Sentences, game: OpenGame, waiting: Iterable[Mapping[str, str]] | None) -> str:
    if waiting is None:
        return "as before: nothing could be adjudicated"
    titles = [f"for {say.name(each['side'])}: {game.box.forms[each['kind']].title}" for each in waiting]
    return "; ".join(titles) or "for nobody: the game is over"

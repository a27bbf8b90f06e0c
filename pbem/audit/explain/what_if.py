"""What-if: plays a branch of the game with other orders or other dice, and says how it differs.

A branch opens no link of the game's chain and needs none of the secrets that make dice. A roll falls as given, if dice
were given for its name. Otherwise it falls as it did on record. Rolls that are neither given nor on record use dice
that are made for the branch and are the same each time.

A side, or an observer, is told only what it may know of its own game. In the branch of a running game it is told less:
neither what the rules would reveal there, nor answers that only the branch brings to light. What happens in a branch
may still follow from hidden things, such as standing orders. So until the game is over, what-if is for the game
master.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem.audit.explain.playback import Playback
from pbem.audit.explain.replay import different, shortly
from pbem.crypto.dice import BadLoad, Dice, LoadedDice, SeededDice
from pbem.crypto.keys import Keys
from pbem.crypto.seal import recipient_of
from pbem.crypto.signing import public_key
from pbem.engine.session import BY_BOT, BY_DEFAULT, Answer, RulesDiffer, Session, resume
from pbem.game.wording import listing
from pbem.orders.check import Receipt
from pbem.protocol import Event, Order, Record, Side
from pbem.referee.game.open_game import CannotPlay, Now, OpenGame, Told
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import SheetOrigin
from pbem.render.text.form import order_lines
from pbem.render.text.messages import Sentences, sentences
from pbem.repo.files.adjudication import Adjudication
from pbem.repo.files.charter import Pins, promise
from pbem.repo.files.layout import POSITION, turn_path
from pbem.repo.files.records import as_plain
from pbem.repo.files.state import State
from pbem.repo.ledger import Ledger

MOST_PLACES: Final = 12
"""The most places of the position that are listed."""
THEN, NOW = "- ", "+ "
_LINK: Final = re.compile(rb"(?m)^link:.*$")


class RecordedWindow:
    """Dice that fall as in some recorded turns, roll by roll name, and otherwise as other dice do."""

    def __init__(self, turns: Sequence[Adjudication], otherwise: Dice) -> None:
        self._rolls = {roll.name: roll for turn in reversed(turns) for roll in turn.rolls}
        self._draws = {draw.name: draw for turn in reversed(turns) for draw in turn.draws}
        self._otherwise = otherwise
        self._adjudications = 0
        self.fresh: list[str] = []
        """The names of the rolls that are not on record, or were made with other dice."""

    def reseed(self, step_key: bytes) -> None:
        """Reseed the dice that are not on record, by the number of adjudications and without any key."""
        self._adjudications += 1
        self._otherwise.reseed(b"%d" % self._adjudications)

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        """Return the faces on record, once; after that, and for other dice, new ones."""
        then = self._rolls.pop(name, None)
        if then is not None and (len(then.faces), then.sides) == (count, sides):
            return list(then.faces)
        self.fresh.append(name)
        return self._otherwise.faces(name, count, sides)

    def shuffled(self, name: str, items: Sequence[Any]) -> list[Any]:
        """Return the order on record if the same items are shuffled; otherwise a new one."""
        then = self._draws.pop(name, None)
        if then is not None and list(then.items) == list(items):
            return list(then.order)
        return self._otherwise.shuffled(name, items)


class Branch(Adjudicator):
    """A game in a scratch repo that starts where another stood before one of its adjudications."""

    branched_before: int
    window: Sequence[Adjudication]
    """The turns whose dice fall as they did."""
    dice: LoadedDice
    recorded_window: RecordedWindow
    late: frozenset[Side] = frozenset()
    absent: frozenset[Side] = frozenset()

    @classmethod
    def of(
        cls, game: OpenGame, n: int, folder: Path, *, faces: Mapping[str, Sequence[int]], window: Sequence[Adjudication]
    ) -> Branch:
        """Make the branch of a game before adjudication n in an empty folder; the caller closes it.

        `faces` are dice by the names of rolls, `window` the turns whose dice fall as they did. Raises CannotPlay for
        an adjudication that was not made, or in which nothing was played.
        """
        playback = Playback(game)
        if not 1 < n <= playback.last:
            raise CannotPlay(f"{game.name} can be branched before adjudications 2 to {playback.last}, not {n}")
        if (act := playback.public(n).get("act")) is not None:
            raise CannotPlay(f"adjudication {n} is a {act['kind']} of the game master; choose one that was played")
        state = _state_before(playback, n)
        try:
            position = game.rules.decode(state.checkpoint)
        except (ValueError, TypeError, LookupError) as wrong:
            raise CannotPlay(f"the rules here cannot read the position on record: {wrong}") from wrong
        then = resume(game.rules, position, state.steps, playback.dice)
        branch = cls(_scratch(game, playback, n, state, folder), game.loaded)
        branch.branched_before, branch.window = n, window
        branch.today = date.min  # the standing orders in force were in force then, whatever day it was
        branch.recorded_window = RecordedWindow(window, SeededDice(f"what if, {game.name}, {n}"))
        branch.dice = then.table.dice = LoadedDice(faces, None, branch.recorded_window)
        branch.late, branch.absent = _late_and_absent(then, window[0])
        branch.take_up(Now(branch.ledger.repo.head, branch.ledger.state(), then, branch.dice))
        return branch

    @property
    def position(self) -> Any:
        """The whole current position. Do not change it."""
        return self.session.position

    def put_in(self, side: Side, raw: bytes, name: str) -> Receipt:
        """Check a sheet and, if it has no faults, let it replace the side's sheet on record."""
        self.late, self.absent = self.late - {side}, self.absent - {side}
        sheet = _LINK.sub(b"", raw)  # a branch has no chains of the sides' own
        return self.receive(side, sheet, origin=SheetOrigin(name))

    def play_on(self) -> list[int]:
        """Play on as far as the answers allow; return the numbers of the adjudications."""
        return self.adjudicate(self.late, self.absent)


def window_of(playback: Playback, n: int) -> list[Adjudication]:
    """Return an adjudication and those that followed without another sheet or an act of the game master."""
    turns = [playback.turn(n)]
    for later in range(n + 1, playback.last + 1):
        public = playback.public(later)
        if "sheets" in public or "act" in public:
            break
        turns.append(playback.turn(later))
    return turns


def _state_before(playback: Playback, n: int) -> State:
    """Return the state of a game just before an adjudication."""
    made, found = playback.commits[n], False
    for commit in playback.ledger.repo.history():
        if found:
            state = playback.ledger.state(commit.sha)
            assert state is not None
            return state
        found = commit.sha == made
    raise CannotPlay(f"the history of {playback.game.name} does not reach back to adjudication {n}")


def _scratch(game: OpenGame, playback: Playback, n: int, state: State, folder: Path) -> Ledger:
    """Make the repo of a branch, with secrets of its own: the turn files so far, the position, the state."""
    keys = Keys.create(folder / "keys", game.charter.game)
    charter = replace(
        game.charter,
        dice=promise(keys),
        sealed_to=recipient_of(keys.identity),
        signed_by=public_key(keys.signing),
        clock=None,  # time stands still in a branch
    )
    pins = Pins(game.box.digest, game.loaded.code)
    ledger = Ledger.create(folder / f"{game.charter.game}.git", keys, charter, pins, {})
    state = replace(state, pins=None, links={}, new_links={}, requests={})
    paths = [turn_path(k) for k in range(1, n)]
    files = {path: game.ledger.repo.read(path) or b"" for path in paths}
    files[POSITION] = game.ledger.repo.read(POSITION, playback.commits[n - 1]) or b""
    ledger.commit(files, f"{game.name}: branched before adjudication {n}", state)
    return ledger


def _late_and_absent(session: Session[Any], turn: Adjudication) -> tuple[frozenset[Side], frozenset[Side]]:
    """Return the sides that were late, and those that the bot played for, when an adjudication was made."""
    by = {(answer.side, answer.kind, answer.about): answer.by for answer in reversed(turn.answers)}
    asked = [decision for decision in session.open_decisions if decision.waits and not decision.on_request]
    late = {each.side for each in asked if by.get((each.side, each.kind, each.about)) == BY_DEFAULT}
    absent = {each.side for each in asked if by.get((each.side, each.kind, each.about)) == BY_BOT}
    return frozenset(late), frozenset(absent)


class Otherwise(NamedTuple):
    """What is otherwise in a branch: sheets, a name and a text by side, and faces by the names of rolls."""

    sheets: Mapping[Side, tuple[str, bytes]] = {}
    dice: Mapping[str, Sequence[int]] = {}


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
    otherwise: Otherwise,
    viewer: Side | None = None,
) -> WhatIf:
    """Play a branch of a game from before adjudication n with other sheets or dice, and compare.

    The game itself is not touched. The scratch repo is made in `folder`, which must be empty. Raises CannotPlay where
    that is impossible.
    """
    playback = Playback(game)
    if not 1 < n <= playback.last:
        raise CannotPlay(f"{game.name} can be branched before adjudications 2 to {playback.last}, not {n}")
    window = window_of(playback, n)
    try:
        with Branch.of(game, n, folder, faces=otherwise.dice, window=window) as branch:
            receipts = [branch.put_in(side, raw, name) for side, (name, raw) in otherwise.sheets.items()]
            refused = [receipt for receipt in receipts if receipt.number is None]
            if refused:
                return WhatIf(n, refused=refused)
            made = branch.play_on()
            given = {(receipt.side, f"sheet {receipt.number}") for receipt in receipts}
            found = WhatIf(n, [turn.n for turn in window], made)
            playback.take_up(window[-1].n)
            _fill_in(found, playback, branch, viewer, given)
            return found
    except BadLoad as wrong:
        raise CannotPlay(str(wrong)) from None
    except RulesDiffer as differs:
        raise CannotPlay(
            f"the rules here cannot resume the game before adjudication {n}: {differs.difference}"
        ) from None


def _fill_in(
    found: WhatIf, playback: Playback, branch: Branch, viewer: Side | None, given: Set[tuple[Side, str]]
) -> None:
    """Fill in how the branch differs from what happened; `given` are the sheets that were put into it."""
    say, window = sentences(playback.game.box), branch.window
    played = Playback(branch)
    turns = [played.turn(n) for n in found.now]
    then, now = _Telling(playback, window, say, viewer), _Telling(played, turns, say, viewer)
    if playback.game.result is None:
        now.given, now.reveals = given, playback.rules.reveals
        now.on_record = [event for turn in window for event in turn.events]
    answers = list(then.answers())
    found.sections["answers"] = list(_changed_runs(answers, list(now.answers(answers))))
    found.sections["rolls"] = list(_changed_runs(list(then.rolls()), list(now.rolls())))
    found.sections["events"] = list(_changed_runs(list(then.events()), list(now.events())))
    rules, before = playback.rules, playback.session
    assert before is not None
    reader = None if now.keeps_back else viewer  # a hand that is dealt in the branch may be dealt in the game yet
    seen = [as_plain(rules.encode(rules.view(each, reader))) for each in (before.position, branch.position)]
    found.sections["position"] = list(_changed_places(say, *seen))
    waited = [
        _waiting_for(say, branch, window[-1].open_decisions),
        _waiting_for(say, branch, turns[-1].open_decisions if turns else None),
    ]
    if waited[0] != waited[1]:
        found.sections["the game waits"] = [f"{THEN}{waited[0]}", f"{NOW}{waited[1]}"]
    found.sections = {name: lines for name, lines in found.sections.items() if lines}
    found.remarks = list(_branch_remarks(playback, branch, now))


def _branch_remarks(playback: Playback, branch: Branch, now: _Telling) -> Iterator[str]:
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
            published = self.playback.publishes(turn.n)
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


def shown_by(answer: Answer, viewer: Side | None) -> str:
    """Return the source of an answer, in brackets; which standing order it was is for its side alone."""
    if answer.by == BY_BOT:
        return "(bot)"
    hidden = answer.by.startswith("standing ") and answer.side != viewer
    return f"({'standing order' if hidden else answer.by})"


def shown_order(answer: Answer) -> str:
    """Return an answer as a sheet would have it, on one line."""
    return order_lines(answer.kind, answer_as_written(answer), 10_000)[0].removeprefix("- ")


def answer_as_written(answer: Answer) -> Record:
    """Return the order of an answer as a sheet would have it: with `for`, where that tells it from its like."""
    return Order(answer.kind, answer.order, answer.about).written


def _changed_runs(then: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    """Yield the lines in which two accounts differ, the recorded ones before those of the branch."""
    for what, a, b, c, d in SequenceMatcher(None, then, now, autojunk=False).get_opcodes():
        if what != "equal":
            yield from (f"{THEN}{line}" for line in then[a:b])
            yield from (f"{NOW}{line}" for line in now[c:d])


def _changed_places(say: Sentences, then: object, now: object) -> Iterator[str]:
    """Yield where two positions differ."""
    places = list(different(then, now))
    for path, was, here in places[:MOST_PLACES]:
        where = ", ".join(say.name(word) for word in path)
        yield f"{where}: then {shortly(was)}, now {shortly(here)}"
    if len(places) > MOST_PLACES:
        yield f"... and {len(places) - MOST_PLACES} more"


def _waiting_for(say: Sentences, game: OpenGame, waiting: Iterable[Mapping[str, str]] | None) -> str:
    if waiting is None:
        return "as before: nothing could be adjudicated"
    titles = [f"for {say.name(each['side'])}: {game.box.forms[each['kind']].title}" for each in waiting]
    return "; ".join(titles) or "for nobody: the game is over"

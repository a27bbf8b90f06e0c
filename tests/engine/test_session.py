"""The engine: where answers come from, how far an adjudication goes, and what a resume refuses."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.advance import advance, begin, play_on
from pbem.engine.answers import Recorded, Sources, has_order_for
from pbem.engine.session import Alike, Answer, Queued, RulesDiffer, Session, Step, Stuck, resume
from pbem.game import UNTOLD, OneOf, Part, Value
from pbem.game.contract import Rules
from pbem.game.decision_kinds import Kind, by_name
from pbem.game.plain import decode
from pbem.game.table import NameReused, Table
from pbem.protocol import Checkpoint, Decision, Event, Fault, Order, Result, Side
from tests.support.standing import Standing

Play = Callable[["Count", Table], Generator[Any, Any, None]]


@dataclass(slots=True)
class Count:
    """A position: what was said so far, and a number that only its owner may know."""

    said: list[str] = field(default_factory=list)
    hidden: int = 1


class Talk(Rules[Count]):
    """A game that is one generator: `say` answers any question, a word of three letters at most."""

    id = "talk"
    sides: tuple[Side, ...] = ("north", "south")

    def __init__(self, play: Play, words: Sequence[str] = ("yes", "no"), told: bool = True) -> None:
        self._play, self.words, self.told = play, words, told
        self.kinds = by_name(Kind("say", self._words, self._too_long))

    def setup(self, scenario: str, table: Table) -> Count:
        table.tell("set_up", scenario=scenario)
        return Count()

    def play(self, position: Count, table: Table) -> Generator[Any, Any, Mapping[str, Any]]:
        game = table.lay(position)
        yield from self._play(game, table)
        return {"winner": None, "reason": "talked_out"}

    def view(self, position: Count, side: Side | None) -> Count:
        return position if side else replace(position, hidden=0)

    def _words(self, view: Count, decision: Decision) -> Part:
        if not view.hidden and not self.told:
            return UNTOLD
        return OneOf("word", [Value(word) for word in self.words])

    def _too_long(self, view: Count, decision: Decision, order: Order) -> Iterable[Fault]:
        if len(order["word"]) > 3:
            yield order.fault(("word",), "too long", rule="1")

    def scene(self, view: Count, told: Sequence[Event] = ()) -> Any:
        return None

    def resample_hidden(self, position: Count, side: Side | None, table: Table) -> Count:
        return position

    def audit(self, position: Count) -> Iterable[str]:
        return ()

    def decode(self, data: Mapping[str, Any]) -> Count:
        return decode(Count, data)


def one_a_day(game: Count, table: Table) -> Generator[Any, Any, None]:
    """North, then south; then a rest; for ever."""
    while len(game.said) < 6:
        for side in ("north", "south"):
            order = yield from table.ask(side, "say", rule="1", default={"word": "no"}, nth=len(game.said))
            game.said.append(order["word"])
            table.tell("said", side=side, word=order["word"])
            table.roll(f"echo/{side}", rule="2")
        yield Checkpoint()


def both_at_once(game: Count, table: Table) -> Generator[Any, Any, None]:
    orders = yield from table.ask_all([Decision("say", side, "1", {}) for side in ("north", "south")])
    game.said += [order["word"] for order in orders]


def say(word: str, by: str = "sheet") -> Queued:
    return Queued(Order("say", {"word": word}), by)


def talk(play: Play = one_a_day, **more: Any) -> Session[Count]:
    return Session(Talk(play, **more), Count(), SeededDice(1))


def sources_of(answers: Iterable[Answer]) -> list[tuple[Side, str, str]]:
    return [(answer.side, answer.order["word"], answer.by) for answer in answers]


# ---- sources


def test_side_answers_from_its_queue_and_game_waits_if_empty() -> None:
    """Each side answers from its own queue, and the game waits when that is empty."""
    session = talk()
    taken = play_on(session, Sources({"south": [say("b")], "north": [say("a")]}))
    assert sources_of(taken) == [("north", "a", "sheet"), ("south", "b", "sheet")]
    assert session.at_checkpoint
    assert session.position.said == ["a", "b"]


def test_an_order_of_another_kind_stays_in_the_queue() -> None:
    sources = Sources({"north": [Queued(Order("sing", {"word": "x"}), "1"), say("a")]})
    session = talk()
    play_on(session, sources)
    assert [queued.order.kind for queued in sources.sheets["north"]] == ["sing"]
    assert session.open_decisions[0].side == "south"


def test_sheet_goes_before_standing_only_answer_and_default() -> None:
    """A sheet goes before a standing order, that before an only answer, and that before the default."""

    def found(*, sheet: bool, standing: bool, words: Sequence[str], late: bool) -> list[tuple[Side, str, str]]:
        sources = Sources(
            {"north": [say("sh")] if sheet else []},
            Standing(lambda asked, _: say("st", "standing 1") if standing and asked.side == "north" else None),
            frozenset({"north"} if late else ()),
        )
        return sources_of(play_on(talk(words=words), sources))[:1]

    assert found(sheet=True, standing=True, words=["one"], late=True) == [("north", "sh", "sheet")]
    assert found(sheet=False, standing=True, words=["one"], late=True) == [("north", "st", "standing 1")]
    assert found(sheet=False, standing=False, words=["one"], late=True) == [("north", "one", "only")]
    assert found(sheet=False, standing=False, words=["a", "b"], late=True) == [("north", "no", "default")]
    assert found(sheet=False, standing=False, words=["a", "b"], late=False) == []


def test_only_answer_is_not_given_if_an_observer_could_not_tell() -> None:
    """An only answer is not given if an observer could not tell that it is the only one."""
    assert talk(words=["one"], told=False).only_answer(talk().open_decisions[0]) is None
    assert play_on(talk(words=["one"], told=False), Sources()) == []


def test_a_question_without_default_waits_on_whoever_is_late() -> None:
    assert play_on(talk(both_at_once), Sources(late=frozenset({"north", "south"}))) == []


def test_orders_that_no_longer_fit_lapse_and_the_next_is_tried() -> None:
    sources = Sources({"north": [say("long"), say("a")]})
    taken = play_on(talk(), sources)
    assert sources_of(taken) == [("north", "a", "sheet")]
    assert [(side, queued.by, faults[0].reason) for side, queued, faults in sources.expired] == [
        ("north", "sheet", "too long"),
    ]
    assert sources.sheets["north"] == []


def test_an_order_for_a_later_question_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_for_later(rules: Talk, view: Count, decision: Decision, order: Order) -> bool:
        return bool(order["word"] == "b" and decision.facts["nth"] < 2)

    monkeypatch.setattr(Talk, "is_for_later", is_for_later)
    sources = Sources({"north": [say("b")], "south": [say("c")]})
    session = talk()
    assert play_on(session, sources) == []
    assert not has_order_for(session, sources.sheets, session.open_decisions[0])
    assert (len(sources.sheets["north"]), sources.expired) == (1, [])
    sources.sheets["north"].insert(0, say("a"))
    play_on(session, sources)
    session.go_on()
    assert sources_of(play_on(session, sources)) == [("north", "b", "sheet")]


def test_simultaneous_questions_wait_for_the_last_answer() -> None:
    session, sources = talk(both_at_once), Sources({"south": [say("b")]})
    assert play_on(session, sources) == []
    assert session.position.said == []
    assert sources.sheets["south"] == [say("b")]
    sources.sheets["north"] = [say("a")]
    assert sources_of(play_on(session, sources)) == [("north", "a", "sheet"), ("south", "b", "sheet")]
    assert session.result == Result((), "talked_out")


def test_one_order_may_answer_for_both_sides() -> None:
    """Choices that are made once, such as yes and no, are the same orders for everybody."""
    both = say("a")
    sources = Sources({"north": [both], "south": [both]})
    taken = play_on(talk(both_at_once), sources)
    assert sources_of(taken) == [("north", "a", "sheet"), ("south", "a", "sheet")]
    assert sources.sheets == {"north": [], "south": []}
    again, recorded = talk(both_at_once), Recorded(taken)
    play_on(again, recorded)
    assert again.position.said == ["a", "a"]
    assert recorded.left == []
    north, south = talk(both_at_once).open_decisions
    recorded = Recorded([*taken][::-1])
    recorded.use(north, both.order)
    assert [answer.side for answer in recorded.left] == [south.side]


def twice(game: Count, table: Table) -> Generator[Any, Any, None]:
    """Ask one side the same question twice at once."""
    asked = [Decision("say", "north", "1", {}, about=about) for about in ("own", "wild")]
    orders = yield from table.ask_all(asked)
    game.said += [order["word"] for order in orders]


def say_for(about: str, word: str) -> Queued:
    return Queued(Order("say", {"word": word}, about), "test")


def test_two_questions_of_one_kind_to_one_side_take_two_orders() -> None:
    session = talk(twice)
    assert play_on(session, Sources({"north": [say_for("wild", "a")]})) == []
    taken = play_on(session, Sources({"north": [say_for("wild", "a"), say_for("own", "b")]}))
    assert session.position.said == ["b", "a"]
    assert [answer.about for answer in taken] == ["own", "wild"]
    again = talk(twice)
    play_on(again, Recorded(taken))
    assert again.position.said == ["b", "a"]


def test_an_order_that_fits_two_questions_answers_neither() -> None:
    session = talk(twice)
    sources = Sources({"north": [say("a"), say_for("own", "b")]})
    assert play_on(session, sources) == []
    assert not has_order_for(session, {"north": [say("a")]}, session.open_decisions[0])
    assert sources.expired == []


def test_a_recorded_answer_to_another_question_is_told() -> None:
    session = talk(twice)
    other = Answer("north", "say", "1", {}, {"word": "a"}, "test", about="tame")
    with pytest.raises(RulesDiffer, match=r"asks north for say \(for: own\); recorded is say \(for: tame\)"):
        session.feed([other, other])


def test_two_questions_that_nothing_tells_apart_are_a_bug() -> None:
    def alike(game: Count, table: Table) -> Generator[Any, Any, None]:
        yield from table.ask_all([Decision("say", "north", "1", {"nth": nth}) for nth in (1, 2)])

    with pytest.raises(Alike, match="asks north for say twice at once"):
        talk(alike)


# ---- adjudications


def test_the_position_set_up_is_the_first_resting_point() -> None:
    outcome = begin(Talk(one_a_day), "short", b"0", SeededDice(1))
    assert outcome.checkpoint == Count()
    assert [event.kind for event in outcome.events] == ["set_up"]
    assert outcome.session.open_decisions[0].side == "north"
    assert outcome.answers == []


def test_adjudication_plays_one_span_and_rest_of_a_sheet_expires() -> None:
    """An adjudication plays one span, and what is left of a sheet expires."""
    dice = SeededDice(1)
    session = begin(Talk(one_a_day), "short", b"0", dice).session
    sources = Sources({"north": [say("a"), say("c")], "south": [say("b"), say("d")]})
    outcome = advance(session, b"1", dice, sources)
    assert [answer.order["word"] for answer in outcome.answers] == ["a", "b"]
    assert outcome.checkpoint == Count(["a", "b"])
    assert outcome.session.open_decisions[0].facts == {"nth": 2}
    assert [(side, queued.order["word"], faults) for side, queued, faults in sources.expired] == [
        ("north", "c", []),
        ("south", "d", []),
    ]


def test_what_is_left_of_a_sheet_is_kept_over_a_pause() -> None:
    def with_pauses(game: Count, table: Table) -> Generator[Any, Any, None]:
        while len(game.said) < 3:
            order = yield from table.ask("north", "say", rule="1", nth=len(game.said))
            game.said.append(order["word"])
            table.roll("echo/north", rule="2")
            yield Checkpoint(keep_queue=True) if len(game.said) == 1 else Checkpoint()

    dice = SeededDice(1)
    session = begin(Talk(with_pauses), "short", b"0", dice).session
    sources = Sources({"north": [say("a"), say("b"), say("c")]})
    outcome = advance(session, b"1", dice, sources)
    assert (outcome.checkpoint, sources.expired) == (Count(["a"]), [])
    outcome = advance(outcome.session, b"2", dice, sources)
    assert outcome.checkpoint == Count(["a", "b"])
    assert [queued.order["word"] for _, queued, _ in sources.expired] == ["c"]


def test_what_was_told_before_is_not_told_again() -> None:
    dice = SeededDice(1)
    outcome = begin(Talk(one_a_day), "short", b"0", dice)
    past = [Step(b"0")]
    outcome = advance(resume(Talk(one_a_day), Count(), past, dice), b"1", dice, Sources({"north": [say("a")]}))
    assert [event.kind for event in outcome.events] == ["said", "roll"]
    assert [roll.name for roll in outcome.rolls] == ["echo/north"]
    assert outcome.checkpoint is None
    past.append(Step(b"1", outcome.answers))
    outcome = advance(resume(Talk(one_a_day), Count(), past, dice), b"2", dice, Sources({"south": [say("b")]}))
    assert [event.facts.get("word") for event in outcome.events] == ["b", None]
    assert [roll.name for roll in outcome.rolls] == ["echo/south"]


def test_replayed_rolls_fall_under_their_own_adjudication() -> None:
    """The same name in the same span falls as it did, however many adjudications lie between."""
    dice, whole = SeededDice(1), SeededDice(1)
    first = advance(resume(Talk(one_a_day), Count(), [Step(b"0")], dice), b"1", dice, Sources({"north": [say("a")]}))
    session = resume(Talk(one_a_day), Count(), [Step(b"0"), Step(b"1", first.answers)], dice)
    whole.reseed(b"1")
    assert session.table.rolls[0].faces == first.rolls[0].faces == whole.faces("echo/north", 1, 6)


def test_an_adjudication_without_answers_changes_nothing() -> None:
    dice = SeededDice(1)
    session = begin(Talk(one_a_day), "short", b"0", dice).session
    outcome = advance(session, b"1", dice, Sources())
    assert (outcome.answers, outcome.events, outcome.rolls, outcome.checkpoint) == ([], [], [], None)


def test_the_end_is_reached_through_a_rest() -> None:
    def once(game: Count, table: Table) -> Generator[Any, Any, None]:
        if not game.said:
            order = yield from table.ask("north", "say", rule="1")
            game.said.append(order["word"])
            yield Checkpoint()
        table.tell("done")

    dice = SeededDice(1)
    outcome = advance(begin(Talk(once), "short", b"0", dice).session, b"1", dice, Sources({"north": [say("a")]}))
    assert outcome.session.result == Result((), "talked_out")
    assert outcome.checkpoint == Count(["a"])
    assert [event.kind for event in outcome.events] == ["done"]


def test_rules_that_rest_for_ever_are_found_out() -> None:
    def tired(game: Count, table: Table) -> Generator[Any, Any, None]:
        while True:
            yield Checkpoint()

    with pytest.raises(Stuck, match="talk reaches checkpoint after checkpoint"):
        begin(Talk(tired), "short", b"0", SeededDice(1))


# ---- recorded answers


def recorded(**changes: Any) -> list[Answer]:
    answers = [
        Answer("north", "say", "1", {"nth": 0}, {"word": "a"}, "sheet"),
        Answer("south", "say", "1", {"nth": 1}, {"word": "b"}, "sheet"),
    ]
    answers[1] = replace(answers[1], **changes)
    return answers


def test_recorded_answers_play_the_game_again() -> None:
    session = talk()
    session.feed(recorded())
    assert session.position.said == ["a", "b"]
    other = talk()
    assert play_on(other, Recorded(recorded())) == recorded()
    assert other.position == session.position


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "sing"}, "rule 1 asks south for say; recorded is sing of south"),
        ({"side": "north"}, "rule 1 asks south for say; recorded is say of north"),
        ({"facts": {"nth": 7}}, "rule 1: the facts of say differ from the recorded ones: nth"),
        ({"facts": {}}, "rule 1: the facts of say differ from the recorded ones: nth"),
        ({"facts": {"nth": 1, "more": 2}}, "rule 1: the facts of say differ from the recorded ones: more"),
    ],
)
def test_question_unlike_the_recorded_one_stops_the_engine(change: dict[str, Any], said: str) -> None:
    """A question that is not the recorded one stops the engine."""
    with pytest.raises(RulesDiffer, match=said):
        talk().feed(recorded(**change))


def test_an_answer_too_many_stops_the_engine() -> None:
    with pytest.raises(RulesDiffer, match="recorded: say of north; the rules ask no such question"):
        talk().feed([*recorded(), Answer("north", "say", "1", {"nth": 2}, {"word": "c"}, "sheet")])


def test_half_the_answers_of_a_joint_question_stop_the_engine() -> None:
    """Half the answers of a simultaneous question stop the engine."""
    with pytest.raises(RulesDiffer, match="no such question"):
        talk(both_at_once).feed([Answer("north", "say", "1", {}, {"word": "a"}, "sheet")])


# ---- names


def test_a_name_may_not_come_twice_between_rests() -> None:
    def twice(game: Count, table: Table) -> Generator[Any, Any, None]:
        for _ in range(2):
            table.roll("echo", rule="2")
            yield from table.ask("north", "say", rule="1")

    session = talk(twice)
    with pytest.raises(NameReused, match="echo"):
        session.answer([Order("say", {"word": "a"})])


def test_a_name_may_come_again_after_a_rest() -> None:
    session = talk()
    for _ in range(2):
        play_on(session, Sources({"north": [say("a")], "south": [say("b")]}))
        session.go_on()
    assert [roll.name for roll in session.table.rolls] == ["echo/north", "echo/south"] * 2


def test_the_rules_play_on_a_copy() -> None:
    position = Count()
    session = Session(Talk(one_a_day), position, SeededDice(1))
    play_on(session, Sources({"north": [say("a")]}))
    assert position == Count()
    assert session.position == Count(["a"])

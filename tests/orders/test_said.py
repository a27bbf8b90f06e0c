"""The reader of words: what is said is read as itself or asked about, never as anything else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from time import process_time
from typing import Final

import pytest

from pbem.game.choices.parts import Part, Plain
from pbem.orders.said.english import refusing_word, without_courtesies
from pbem.orders.said.words_reader import OpenQuestion, Said, WordsReader, reader_of
from pbem.protocol import Decision, Order
from tests.support.chance import seed_of
from tests.support.sayings import Sayer
from tests.support.soak import quick_and_whole, scaled
from tests.support.walks import Walk, loaded, walk

GAMES: Final = ["rome_carthage", "hannibal_italy", "sword_of_rome"]
_SAME_KIND: Final = 30
"""So many orders of one kind are said in one run of a game."""


@dataclass(frozen=True)
class Saying:
    """An order in words, at a place in a random game."""

    game: str
    decision: Decision
    choices: Part
    text: str
    body: Plain
    other: str
    """Another order, in words."""

    def read(self, text: str) -> Said:
        questions = [OpenQuestion(self.decision, self.choices)]
        return WordsReader(loaded(self.game).box.lexicon, questions).read(text.split("\n"))

    def __str__(self) -> str:
        return f"{self.game}, {self.decision.kind}: {self.text}"


def sayings(game: str, most: int, seed: int) -> Iterator[Saying]:
    """Yield orders drawn from the choices of a random game, said by the habits of many players."""
    rules, lexicon = loaded(game).rules, loaded(game).box.lexicon
    counts: Counter[str] = Counter()
    for number in range(most):
        rng = Random(f"{seed} {number}")
        for at in walk(rules, next(iter(loaded(game).box.scenarios)), rng.randrange(10**6), 300):
            for decision in at.open_decisions:
                if counts[decision.kind] > _SAME_KIND * max(1, most // 1_000) or rng.random() < 0.5:
                    continue
                choices = rules.choices(at.view(decision.side), decision)
                body, other = choices.draw(rng.random, wide=True), choices.draw(rng.random, wide=True)
                sayer = Sayer(lexicon, rng)
                one = sayer.say(choices, body) if body is not None else None
                two = sayer.say(choices, other) if other is not None else None
                if one is None or two is None:
                    continue
                counts[decision.kind] += 1
                yield Saying(game, decision, choices, one.text, one.meant, two.text)
                if counts.total() >= most:
                    return


def as_text(body: Plain) -> str:
    return json.dumps(body, sort_keys=True, default=list)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("most", [*quick_and_whole(60, 170), pytest.param(scaled(6_700), marks=pytest.mark.soak)])
def test_what_is_said_is_read_as_itself_or_asked(game: str, most: int) -> None:
    came: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    asked = []
    for each in sayings(game, most, seed_of("said", game)):
        said = each.read(each.text)
        right = len(said.orders) == 1 and as_text(dict(said.orders[0].order.body)) == as_text(each.body)
        assert right or not said.orders, f"{each} was read as {said.orders}"
        came["right" if right else "asked"] += 1
        kinds.setdefault(each.decision.kind, Counter())["right" if right else "asked"] += 1
        asked += [] if right else [f"{each}: {said.doubts}"]
    assert came["right"] >= 0.95 * came.total(), "\n".join(asked)
    few = {kind: dict(count) for kind, count in kinds.items() if count.total() >= 20}
    assert all(count["right"] >= 0.8 * sum(count.values()) for count in few.values()), few


def _with_nonsense(each: Saying, rng: Random) -> str:
    words = each.text.split()
    words.insert(rng.randrange(len(words) + 1), "gnarfle")
    return " ".join(words)


SPOILT: Final[dict[str, Callable[[Saying, Random], str]]] = {
    "a word that means nothing": _with_nonsense,
    "not": lambda each, rng: f"do not {each.text}",
    "never": lambda each, rng: f"never {each.text}",
    "a question": lambda each, rng: f"{each.text.rstrip('.')}?",
    "a condition": lambda each, rng: f"{each.text.rstrip('.')} if he is still there",
    "a doubt": lambda each, rng: f"maybe {each.text}",
    "an alternative": lambda each, rng: f"{each.text.rstrip('.')} or {each.other}",
    "another language": lambda each, rng: f"{each.text.rstrip('.')} nicht",
    "a draft": lambda each, rng: f"Draft only:\n{each.text}",
    "words above that turn it round": lambda each, rng: f"What would happen with\n\n{each.text}",
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("most", [*quick_and_whole(20, 60), pytest.param(scaled(1_700), marks=pytest.mark.soak)])
def test_a_spoilt_line_is_never_carried_out(game: str, most: int) -> None:
    for number, each in enumerate(sayings(game, most, seed_of("spoilt", game))):
        for how, spoil in SPOILT.items():
            text = spoil(each, Random(number))
            said = each.read(text)
            assert said.doubts or not said.orders, f"{how}: {text!r} was carried out"


@pytest.mark.parametrize("game", GAMES)
def test_the_word_that_means_nothing_is_the_one_that_is_named(game: str) -> None:
    named, asked = Counter[bool](), list[str]()
    for number, each in enumerate(sayings(game, 40, seed_of("nonsense", game))):
        said = each.read(_with_nonsense(each, Random(number)))
        assert said.doubts or not said.orders
        named["gnarfle" in " ".join(doubt.reason for doubt in said.doubts)] += 1
        asked += [] if "gnarfle" in str(said.doubts) else [f"{each}: {said.doubts}"]
    assert named[True] >= 0.9 * named.total(), asked


@pytest.mark.parametrize("game", GAMES)
def test_two_answers_to_one_question_are_asked_back(game: str) -> None:
    for each in sayings(game, 40, seed_of("twice", game)):
        one, other = each.read(each.text), each.read(each.other)
        if len(one.orders) != 1 or len(other.orders) != 1 or one.orders[0].order == other.orders[0].order:
            continue
        both = each.read(f"{each.text}\n{each.other}")
        assert not both.orders or both.doubts, f"{each.text!r} and {each.other!r}: {both.orders}"


def _card_play() -> tuple[Walk, Decision]:
    """Return a place in a random game where any card of a hand may be played."""
    for at in walk(loaded("rome_carthage").rules, "standard", 2):
        for decision in at.open_decisions:
            if decision.kind == "play" and at.position.must_play is None and at.position.play_next is None:
                return at, decision
    raise AssertionError


def test_a_view_that_does_not_tell_reads_nothing() -> None:
    rules = loaded("rome_carthage").rules
    at, decision = _card_play()
    other = next(side for side in rules.sides if side != decision.side)
    card = at.position.hands[decision.side][0]
    reader = reader_of(rules, loaded("rome_carthage").box, at.view(other), [decision])
    assert not reader.read([f"{card} discard"]).orders
    reader = reader_of(rules, loaded("rome_carthage").box, at.view(decision.side), [decision])
    assert [each.order.body for each in reader.read([f"{card} discard"]).orders] == [{"card": card, "as": "discard"}]


@pytest.mark.parametrize("game", GAMES)
def test_only_what_the_side_sees_is_read_against(game: str) -> None:
    """What is hidden from a side changes no word of an answer to it."""
    from pbem.crypto.dice import SeededDice
    from pbem.game import Table

    rules, box = loaded(game).rules, loaded(game).box
    looked = 0
    for at in walk(rules, next(iter(box.scenarios)), seed_of("seen", game), 40):
        for decision in at.open_decisions:
            other = rules.resample_hidden(at.position, decision.side, Table(SeededDice(f"other {looked}")))
            choices = rules.choices(at.view(decision.side), decision)
            body = choices.draw(Random(looked).random)
            if (one := Sayer(box.lexicon, Random(looked)).say(choices, body or {})) is None:
                continue
            for words in (one.text, f"{one.text} gnarfle", one.text.split()[0]):
                seen = [
                    reader_of(rules, box, view, [decision]).read([words])
                    for view in (at.view(decision.side), rules.view(other, decision.side))
                ]
                assert seen[0] == seen[1]
            looked += 1
    assert looked > 5


@pytest.mark.parametrize(
    "text", ["1 cu ", "10 cu 2 el ", "march ", "a ", "no yes none any ", "hannibal mago 1 cu dertosa "]
)
def test_words_made_to_hurt_cost_little(text: str) -> None:
    at, decision = _card_play()
    game, start = loaded("rome_carthage"), process_time()
    for lines in ([text * 60], [(text * 60)[:390]] * 20, [line for _ in range(30) for line in ((text * 40)[:200], "")]):
        reader_of(game.rules, game.box, at.view(decision.side), [decision]).read(lines)
    assert process_time() - start < 10


def test_greeting_closing_and_signature_are_taken_off() -> None:
    letter = ["Hi Bob,", "", "24 Hannibal > Narbo", "", "Many thanks", "Anna", "Sent from my phone"]
    assert [line for line in without_courtesies(letter) if line] == ["24 Hannibal > Narbo"]


@pytest.mark.parametrize("text", ["Do NOT", "Draft only", "unless he comes", "was it him?", "on hold, wait"])
def test_refusing_words_are_found(text: str) -> None:
    assert refusing_word(text)


@pytest.mark.parametrize("text", ["as we agreed", "with thanks", "the usual march"])
def test_other_words_refuse_nothing(text: str) -> None:
    assert not refusing_word(text)


def test_nothing_follows_from_an_order_that_the_rules_refuse() -> None:
    """Words beside YAML that names nobody are read, and the YAML is for the check."""
    game = loaded("hannibal_italy")
    at = next(at for at in walk(game.rules, "short", 1) if any(each.kind == "move" for each in at.open_decisions))
    decision = next(each for each in at.open_decisions if each.kind == "move")
    for leader in ("barium", "rome", ""):
        wrong = Order("move", {"leader": leader, "path": ["0421"]})
        read = reader_of(game.rules, game.box, at.view(decision.side), [decision]).read(
            ["", "and that is all"], [wrong]
        )
        assert not read.orders


def test_an_order_said_twice_is_one_order() -> None:
    rules, box = loaded("rome_carthage").rules, loaded("rome_carthage").box
    at, decision = _card_play()
    card = at.position.hands[decision.side][0]
    said = reader_of(rules, box, at.view(decision.side), [decision]).read([f"{card} discard", "", f"discard {card}"])
    assert [each.order for each in said.orders] == [Order("play", {"card": card, "as": "discard"})]

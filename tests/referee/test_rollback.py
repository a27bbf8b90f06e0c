"""A game is taken back: what comes again, what never goes back, and who must agree."""

from __future__ import annotations

import email.message
import email.policy
import shutil
from functools import partial
from itertools import count as counting
from random import Random
from typing import Any

import pytest

from pbem.audit.explain.replay import replay
from pbem.crypto.beacon import time_of
from pbem.crypto.dice import Chain, check_link
from pbem.game import yaml as yamlio
from pbem.mail.intake import take_in
from pbem.mail.tasks import Handled
from pbem.mail.write.consent_letters import request_letters
from pbem.mail.write.outgoing import Outgoing, side_report
from pbem.referee.acts import consents, rollback, ruling
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise
from pbem.repo.files.layout import request_path, turn_path
from pbem.repo.files.requests import ROLLBACK
from tests.support.crash import dies
from tests.support.crashed_letter import LETTER, outbox
from tests.support.crashed_letter import take_in as take_letter_in
from tests.support.live import Folder, files, give, letter, order, play, sheet, subjects

GAMES = pytest.mark.parametrize("rules", ["toy", "rome_carthage", "hannibal_italy"])


def played(game: Adjudicator, sheets: int = 12, seed: int = 7) -> list[tuple[str, bytes]]:
    return list(play(game, seed, sheets))


def stand(game: Adjudicator) -> dict[str, Any]:
    """Return how a game stands: the position and the questions."""
    state = game.ledger.state()
    assert state is not None
    return {
        "position": game.rules.encode(game.session.position),
        "asked": [(each.side, each.kind, dict(each.facts)) for each in game.session.open_decisions],
        "checkpoint": state.checkpoint,
    }


def stands(game: Adjudicator, sheets: int = 12) -> dict[int, dict[str, Any]]:
    """Play on at random and return how the game stood after each adjudication."""
    stood = {game.adjudication: stand(game)}
    random = Random(3)
    for _ in range(sheets):
        if not game.open_decisions:
            break
        list(play(game, random.randrange(10**6), 1))
        stood[game.adjudication] = stand(game)
    return stood


def first_roll(game: Adjudicator) -> int:
    """Play at random until a sheet has led to a roll, and return its adjudication."""
    for seed in range(500):
        before = game.adjudication
        list(play(game, seed, 1))
        for n in range(before + 1, game.adjudication + 1):
            public = game.ledger.public_turn(n)
            if "rolls" in public and sum(map(len, public.get("sheets", {}).values())) == 1:
                return n
    raise AssertionError("nobody rolls")


def buried(game: Adjudicator) -> None:
    """Let both bury their lowest card."""
    for side in ("red", "blue"):
        give(game, side, order("bury", card=game.view(side).hands[side][0]))


def undone(game: Adjudicator) -> list[int]:
    state = game.ledger.state()
    assert state is not None
    return state.undone


def record(game: Adjudicator, number: int = 1) -> Any:
    content = game.ledger.repo.read(request_path(number))
    assert content is not None
    return yamlio.read(content, name="request").value


# ---- what comes again, and what does not


@GAMES
def test_the_game_stands_as_it_stood(folder: Folder, rules: str) -> None:
    with folder.create(rules) as game:
        stood = stands(game)
        last = game.adjudication
        for to in sorted((n for n in stood if n < last), reverse=True)[1::3]:
            n = game.adjudication
            assert rollback.roll_back(game, to, "a slip") == n + 1
            assert stand(game) == stood[to]
            with folder.open() as again:
                assert stand(again) == stood[to]
                assert again.adjudication == n + 1
        assert game.adjudication > last + 1


def test_into_the_middle_of_a_span_and_on(folder: Folder, toy: Adjudicator) -> None:
    """A bid is in, the assault is asked for: in the middle of a span, whose answers stay."""
    buried(toy)
    give(toy, "red", order("bid", card="lowest"))
    give(toy, "blue", order("bid", card="lowest"))
    state = toy.ledger.state()
    assert state is not None
    to, steps = toy.adjudication, len(state.steps)
    stood = stand(toy)
    played(toy, 6)
    rollback.roll_back(toy, to, "a slip")
    assert stand(toy) == stood
    with folder.open() as again:
        state = again.ledger.state()
        assert state is not None
        assert len(state.steps) == steps + 1
        assert stand(again) == stood
        played(again, 5, seed=11)
        there = stand(again)
    with folder.open() as later:
        assert stand(later) == there


def test_to_the_set_up_and_twice_and_past_a_rollback(toy: Adjudicator) -> None:
    stood = stands(toy, 8)
    last = toy.adjudication
    first = rollback.roll_back(toy, last - 2, "once")
    assert undone(toy) == [last - 1, last]
    played(toy, 2, seed=5)
    second = rollback.roll_back(toy, 1, "to the set-up")
    assert stand(toy) == stood[1]
    act = toy.ledger.adjudication(second).act
    assert act is not None
    assert act["undone"] == [*range(2, last - 1), *range(first, second)]
    assert undone(toy) == list(range(2, second))
    played(toy, 2)
    third = rollback.roll_back(toy, 1, "and again")
    assert stand(toy) == stood[1]
    played(toy, 2)
    fourth = rollback.roll_back(toy, third, "to where it was taken back last")
    act = toy.ledger.adjudication(fourth).act
    assert act is not None
    assert act["to"] == third
    assert stand(toy) == stood[1]


def test_undone_rolls_never_come_again(toy: Adjudicator) -> None:
    """The same orders, rolled back again and again, fall as dice fall."""
    buried(toy)
    give(toy, "red", order("bid", card="lowest"))
    give(toy, "blue", order("bid", card="lowest"))
    before, lead = toy.adjudication, toy.open_decisions[0].side
    view = toy.view(lead)
    attack = order("assault", hill=view.targets(lead)[0], card=view.hands[lead][0])
    seen, links = [], set()
    for _ in range(16):
        (n,) = give(toy, lead, attack)[:1]
        (roll,) = toy.ledger.adjudication(n).rolls
        seen.append((roll.name, roll.faces[0]))
        links.add(toy.ledger.public_turn(n)["link"])
        rollback.roll_back(toy, before, "once more")
    assert len(links) == 16
    assert len({name for name, _ in seen}) == 1
    assert len({face for _, face in seen}) > 3


@pytest.mark.slow
def test_other_dice_in_a_great_game_too(folder: Folder) -> None:
    with folder.create("rome_carthage") as game:
        n = first_roll(game)
        name = game.ledger.adjudication(n).rolls[0].name
        used = [path for paths in game.ledger.public_turn(n)["sheets"].values() for path in paths]
        side, number = used[-1].split("/")[1], int(used[-1].split("/")[-1].removesuffix(".age"))
        assert len(used) == 1
        seen = [game.ledger.adjudication(n).rolls[0].faces]
        for _ in range(8):
            rollback.roll_back(game, n - 1, "once more")
            lines = game.ledger.sheet(side, number).split(b"\n")
            lines[2] = f"adjudication: {game.adjudication}".encode()
            assert game.receive(side, b"\n".join(lines)).number
            done = game.adjudicate()
            roll = game.ledger.adjudication(done[0]).rolls[0]
            assert roll.name == name
            seen.append(roll.faces)
        assert len({tuple(faces) for faces in seen}) > 1


def test_numbers_and_links_never_go_back(folder: Folder, toy: Adjudicator) -> None:
    played(toy, 8)
    counts = {side: toy.sheets(side) for side in toy.rules.sides}
    n = rollback.roll_back(toy, 2, "a slip")
    assert {side: toy.sheets(side) for side in toy.rules.sides} == counts
    link = toy.ledger.public_turn(n)["link"]
    assert check_link(link, toy.ledger.public_turn(n - 1)["link"])
    assert toy.ledger.repo.read(turn_path(n - 1)) is not None
    played(toy, 2)
    assert toy.ledger.public_turn(n + 1)["link"] != link
    assert len(set(subjects(toy))) == len(subjects(toy))


# ---- what is told


def test_reports_skip_what_is_undone_and_say_so(toy: Adjudicator) -> None:
    played(toy, 8)
    last = toy.adjudication
    rollback.roll_back(toy, 2, "Ann sent the wrong sheet")
    for side in (*toy.rules.sides, None):
        told = toy.told(side, 0)
        assert {each.adjudication for each in told} <= {1, 2, last + 1}
        (event,) = [each.event for each in told if each.event.kind == "rolled_back"]
        assert event.facts["undone"] == list(range(3, last + 1))
    text = " ".join(side_report(toy, "red", last).text.split())
    assert "ROLLBACK by the game master: the game is back at the end of adjudication 2" in text
    assert f"What happened in adjudications 3 to {last} is undone. Reason: Ann sent the wrong sheet" in text


def test_sheets_that_lie_ready_are_dropped_and_told(toy: Adjudicator) -> None:
    buried(toy)
    assert toy.receive("red", sheet(toy, "red", order("bid", card="lowest"))).number
    n = rollback.roll_back(toy, 1, "a slip")
    state = toy.ledger.state()
    assert state is not None
    assert not state.pending
    assert not state.new_sheets
    told = {
        side: [each.event.facts["order"] for each in toy.told(side, n - 1) if each.event.kind == "order_unused"]
        for side in toy.rules.sides
    }
    assert told == {"red": ["bid"], "blue": []}
    assert "red" in toy.ledger.public_turn(n)["sheets"], "what lay ready goes into the dice"


def test_standing_orders_stay_but_answer_nothing_asked_again(toy: Adjudicator) -> None:
    """Standing orders stay as they are and do not answer what is asked again."""
    buried(toy)
    to = toy.adjudication
    asked = [(each.side, each.kind) for each in toy.open_decisions]
    assert asked == [("red", "bid"), ("blue", "bid")]
    give(toy, "red", order("bid", card="lowest"))
    give(toy, "blue", order("bid", card="lowest"))
    text = b"game: punica\nside: red\nadjudication: %d\nstanding:\n- bid: default\n" % toy.adjudication
    assert toy.receive("red", text).number
    give(toy, toy.open_decisions[0].side, order("assault", hold=True))
    rollback.roll_back(toy, to, "a slip")
    assert toy.adjudicate() == []
    assert [(each.side, each.kind) for each in toy.open_decisions] == asked
    assert [each.kind for each in toy.standing("red")] == ["bid"]


# ---- where it cannot go


def test_where_it_cannot_go(toy: Adjudicator) -> None:
    with pytest.raises(CannotPlay, match="only the set-up has been made"):
        rollback.roll_back(toy, 1, "why not")
    played(toy, 8)
    last = toy.adjudication
    for to in (0, -1, last, last + 1):
        with pytest.raises(CannotPlay, match=rf"it can go back from 1 to {last - 1}, not to {to}"):
            rollback.roll_back(toy, to, "why not")
    with pytest.raises(CannotPlay, match="give a reason"):
        rollback.roll_back(toy, 2, "  \n")
    with pytest.raises(CannotPlay, match="501 letters"):
        rollback.roll_back(toy, 2, "x" * 501)
    rollback.roll_back(toy, 3, "a slip")
    with pytest.raises(CannotPlay, match="adjudication 4 was undone itself; the last one before it that stands is 3"):
        rollback.roll_back(toy, 4, "why not")
    assert toy.adjudication == last + 1


def test_not_after_the_end(toy: Adjudicator) -> None:
    played(toy, 200)
    assert toy.result is not None
    back = Proposal(ROLLBACK, to=2)
    for act in (lambda: rollback.roll_back(toy, 2, "again"), lambda: consents.propose(toy, None, back, "again")):
        with pytest.raises(CannotPlay, match="its secrets are published"):
            act()


# ---- consent


def test_all_must_consent(folder: Folder, toy: Adjudicator) -> None:
    played(toy, 8)
    last = toy.adjudication
    request = consents.propose(toy, None, Proposal(ROLLBACK, to=3), "Ann sent the wrong sheet")
    assert (request.request, request.at, request.undone) == (1, last, list(range(4, last + 1)))
    for n in range(4, last + 1):
        for k, roll in enumerate(toy.ledger.adjudication(n).rolls, 1):
            assert f"{n}.{k} {roll.name}: {roll.faces[0]}" in (request.dice or ())
    assert consents.consent(toy, "red", 1) is None
    assert consents.consent(toy, "red", 1) is None, "twice is once"
    assert toy.adjudication == last
    assert record(toy)["consents"] == ["red"]
    with folder.open() as again:
        assert consents.consent(again, "blue", 1) == last + 1
        act = again.ledger.public_turn(last + 1)["act"]
        assert act["by"] == "all sides"
        assert (act["request"], act["consents"]) == (1, ["red", "blue"])
        assert record(again)["outcome"] == f"done in adjudication {last + 1}"
        with pytest.raises(CannotPlay, match="request 1 is not open any more; none is open"):
            consents.consent(again, "blue", 1)


def test_one_refusal_ends_it(toy: Adjudicator) -> None:
    played(toy, 8)
    last = toy.adjudication
    consents.propose(toy, None, Proposal(ROLLBACK, to=3), "a slip")
    consents.consent(toy, "red", 1)
    consents.refuse_request(toy, "blue", 1)
    assert record(toy)["outcome"] == "refused by blue"
    with pytest.raises(CannotPlay, match="not open any more"):
        consents.consent(toy, "blue", 1)
    assert toy.adjudication == last
    assert "punica: blue refuses request 1" in subjects(toy)


def test_a_request_is_void_once_the_game_goes_on(toy: Adjudicator) -> None:
    played(toy, 8)
    consents.propose(toy, None, Proposal(ROLLBACK, to=3), "a slip")
    consents.consent(toy, "red", 1)
    played(toy, 2, seed=9)
    assert record(toy)["outcome"] == "void: the game went on"
    with pytest.raises(CannotPlay, match="not open any more"):
        consents.consent(toy, "blue", 1)
    assert "request" not in str([each.event for each in toy.told("blue", 0)]), "what was asked for turns no dice"


def test_a_new_request_takes_the_place_of_the_old(toy: Adjudicator) -> None:
    played(toy, 8)
    consents.propose(toy, None, Proposal(ROLLBACK, to=3), "a slip")
    consents.consent(toy, "red", 1)
    assert consents.propose(toy, None, Proposal(ROLLBACK, to=4), "less").request == 2
    assert record(toy)["outcome"] == "void: request 2 took its place"
    assert consents.consent(toy, "blue", 2) is None, "red has consented to another"
    with pytest.raises(CannotPlay, match="request 1 is not open any more; request 2 is open"):
        consents.consent(toy, "red", 1)
    with pytest.raises(CannotPlay, match="no request 3; request 2 is open"):
        consents.consent(toy, "red", 3)


def test_who_cannot_be_written_to_cannot_be_asked(folder: Folder) -> None:
    with folder.create(addresses={}) as game:
        played(game, 6)
        with pytest.raises(CannotPlay, match="no side of punica has an address"):
            consents.propose(game, None, Proposal(ROLLBACK, to=2), "a slip")
        assert rollback.roll_back(game, 2, "a slip")


def test_nothing_hidden_stands_in_what_is_public_of_it(folder: Folder) -> None:
    with folder.create("rome_carthage") as game:
        played(game, 10)
        request = consents.propose(game, None, Proposal(ROLLBACK, to=3), "a slip")
        public = files(game.ledger.repo)[request_path(1)]
        hands = [game.view(side).hands[side] for side in game.rules.sides]
        assert request.shuffles is not None
        assert all(" of " in each for each in request.shuffles)
        for hand in hands:
            assert str(hand).encode() not in public


# ---- by letter


def mailed(folder: Folder, side: str, text: str, number: int) -> Handled:
    return take_in(letter(side, text.encode(), number=number), folder.office)


def text_of(out: Outgoing) -> str:
    opened = email.message_from_bytes(out.content, policy=email.policy.default)
    body = opened.get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


@pytest.mark.slow
def test_the_letters_that_ask_say_what_would_be_undone(folder: Folder) -> None:
    with folder.create("rome_carthage") as game:
        to = first_roll(game) // 2
        played(game, 4)
        rolled = [
            (n, k) for n in range(to + 1, game.adjudication + 1) for k in range(len(game.ledger.adjudication(n).rolls))
        ]
        request = consents.propose(game, None, Proposal(ROLLBACK, to=to), "Bob sent the wrong sheet")
        letters = {out.to: text_of(out) for out in request_letters(game, request, folder.office)}
        assert set(letters) == {"rome@example.org", "carthage@example.org"}
        for side in game.rules.sides:
            text = letters[f"{side}@example.org"]
            assert "CONSENT punica 1 REFUSE punica 1" in text
            assert "Reason: Bob sent the wrong sheet" in text
            for n, k in rolled:
                assert f" {n}.{k + 1} " in text
        assert rolled


def test_consent_by_letter(folder: Folder, toy: Adjudicator) -> None:
    played(toy, 8)
    last = toy.adjudication
    consents.propose(toy, None, Proposal(ROLLBACK, to=3), "a slip")
    first = mailed(folder, "red", "CONSENT punica 1\n", 1)
    assert first.accepted
    (out,) = first.letters
    assert "CONSENT: on record for Red. Request 1, to go back to adjudication 3, waits for Blue." in text_of(out)
    second = mailed(folder, "blue", "game: punica\n\nCONSENT punica 1\n", 2)
    assert {out.to for out in second.letters} == {"red@example.org", "blue@example.org"}
    for out in second.letters:
        assert "ROLLBACK by consent of all sides: the game is back at the end of adjudication 3" in text_of(out)
    with folder.open() as game:
        assert game.adjudication == last + 1
    again = mailed(folder, "blue", "game: punica\n\nCONSENT punica 1\n", 2)
    assert [(out.to, out.name) for out in again.letters] == [(out.to, out.name) for out in second.letters]
    with folder.open() as game:
        assert game.adjudication == last + 1


def test_refusal_by_letter(folder: Folder, toy: Adjudicator) -> None:
    played(toy, 8)
    last = toy.adjudication
    consents.propose(toy, None, Proposal(ROLLBACK, to=3), "a slip")
    for _ in range(2):  # the same letter once more is answered once more
        handled = mailed(folder, "blue", "REFUSE punica 1\n", 1)
        letters = {out.to: text_of(out) for out in handled.letters}
        assert (
            "REFUSE: on record for Blue. Request 1, to go back to adjudication 3: refused by Blue."
            in (letters["blue@example.org"])
        )
        assert "Blue has refused request 1: punica does not go back to adjudication 3." in letters["red@example.org"]
    with folder.open() as game:
        assert game.adjudication == last
    late = mailed(folder, "red", "CONSENT punica 1\n", 2)
    assert not late.accepted
    assert "CONSENT was not carried out: punica: request 1 is not open any more; none is open" in text_of(
        late.letters[0]
    )


@pytest.mark.parametrize(
    "words", ["CONSENT", "CONSENT punica", "CONSENT other 1", "REFUSE punica one", "CONSENT punica 7"]
)
def test_words_that_consent_to_nothing(folder: Folder, toy: Adjudicator, words: str) -> None:
    played(toy, 8)
    consents.propose(toy, None, Proposal(ROLLBACK, to=3), "a slip")
    handled = mailed(folder, "red", f"game: punica\n\n{words}\n", 1)
    assert not handled.accepted
    assert "was not carried out" in text_of(handled.letters[0])
    assert record(toy).get("consents", []) == []


@pytest.mark.slow
def test_the_last_consent_survives_the_death_of_its_reader(folder: Folder) -> None:
    with folder.create() as game:
        played(game, 4)
        last = game.adjudication
        consents.propose(game, None, Proposal(ROLLBACK, to=1), "a slip")
        consents.consent(game, "red", 1)
        count = len(subjects(game))
    raw = letter("blue", b"CONSENT punica 1")
    (folder.path / LETTER).write_bytes(raw)
    deaths = 0
    for at in counting(1, 21):
        path = folder.path.with_name(f"{folder.path.name}-{at}")
        shutil.copytree(folder.path, path)
        died = dies(partial(take_letter_in, path), at)
        with Folder(path).open() as game:
            assert (game.adjudication, len(subjects(game))) in ((last, count), (last + 1, count + 2)), at
        take_letter_in(path)
        with Folder(path).open() as game:
            assert (game.adjudication, len(subjects(game))) == (last + 1, count + 2), at
            assert list(replay(game)) == [], at
        assert set(outbox(path)) == {f"<punica.{side}.{last + 1}@localhost>" for side in ("red", "blue")}, at
        shutil.rmtree(path)
        if not died:
            break
        deaths += 1
    assert deaths > 2


# ---- with players' chains, and the beacon


def test_links_of_a_players_chain_never_go_back(folder: Folder) -> None:
    chain = Chain(b"a chain of red's own ...........", 20)
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(chain.tip, 20))
        game.adjudicate()
        for number, side in enumerate(("red", "blue", "red"), 1):
            kind = "bury" if number < 3 else "bid"
            text = sheet(game, side, order(kind, card=game.view(side).hands[side][0]))
            link = chain.link(1 if number == 1 else 2)
            text = text.replace(b"orders:", f"link: {link}\norders:".encode()) if side == "red" else text
            receipt = game.receive(side, text)
            assert receipt.number, str(receipt)
            game.adjudicate()
        n = rollback.roll_back(game, 1, "a slip")
        assert game.ledger.public_turn(n)["player_chains"] == {"red": {"link": chain.link(2)}}, (
            "it lay ready, and is opened"
        )
        own = game.player_chain("red")
        assert own is not None
        assert own.last == chain.link(2)
        receipt, _ = ruling.answer_for_side(
            game, "red", sheet(game, "red", order("bury", card=game.view("red").hands["red"][0])), "x"
        )
        assert not receipt.complaints, "the game master has no chain of red's to open"
        assert list(replay(game)) == []


def test_not_while_the_sheets_are_closed(folder: Folder) -> None:
    with folder.create(beacon="drand") as game:
        closed = game.closed
        assert closed is not None
        game.moment = time_of(closed.round)
        assert game.miss_round(closed.round, "to test it") == [1]
        game.moment = None
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))
        closed = game.closed
        assert closed is not None
        for act in (
            lambda: ruling.break_off(game, "a slip"),
            lambda: ruling.change_position(game, {"round": 2}, "a slip"),
        ):
            with pytest.raises(CannotPlay, match=f"are closed until round {closed.round}"):
                act()
        game.moment = time_of(closed.round)
        assert game.miss_round(closed.round, "to test it") == [2]
        game.moment = None
        assert rollback.roll_back(game, 1, "a slip") == 3
        assert list(replay(game)) == []

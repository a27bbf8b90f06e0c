"""A game with the public beacon: sheets are closed, a round is named, and only when it has come is anything rolled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem import verify_one
from pbem.audit.explain.migrate import migrate
from pbem.audit.verify import verify
from pbem.cli.runtime import DONE, FAULTS, USAGE, WORLD
from pbem.crypto import beacon
from pbem.crypto.beacon import BadBeacon, check_signature, time_of
from pbem.crypto.closing import PATIENCE, Circumstances, Closing, closed_digest, closing_round
from pbem.crypto.dice import inputs_digest
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.write.outgoing import side_report
from pbem.referee.acts import rollback, ruling
from pbem.referee.game.open_game import CannotPlay, Now
from pbem.referee.play.adjudicator import Adjudicator, Call
from tests.support.beacon_rounds import PUBLISHED
from tests.support.command_line import pbem
from tests.support.live import Folder, git, give, letter, order, sheet, subjects
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS

FIRST, SECOND, THIRD, FOURTH = PUBLISHED


pytestmark = pytest.mark.usefixtures("in_the_folder")


CHECKED = cache(check_signature)
"""The true check, which takes half a second, done once for each signature."""


@pytest.fixture(autouse=True)
def checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.crypto.closing.check_signature", CHECKED)


@pytest.fixture
def toy(folder: Folder) -> Iterator[Adjudicator]:
    """Yield a game that has been set up by round FIRST; if its sheets are closed now, round SECOND decides."""
    with folder.create(begin=False, beacon="drand") as game:
        game.moment = time_of(FIRST) - PATIENCE
        assert game.adjudicate() == []
        assert game.put_in_round(FIRST, PUBLISHED[FIRST]) == [1]
        game.moment = time_of(SECOND) - PATIENCE
        yield game


def card(game: Adjudicator, side: str, at: int = 0) -> Any:
    return order(game.asked(side)[0].kind, card=game.view(side).hands[side][at])


def close(game: Adjudicator) -> Closing:
    """Hand in all sheets that are asked for, and return how they were closed."""
    for side in ("red", "blue"):
        assert give(game, side, card(game, side)) == []
    closed = game.closed
    assert closed is not None
    return closed


def closed_of(game: Adjudicator, turn: dict[str, Any]) -> str:
    """Return the digest that must have been closed for a turn, from its file."""
    before = game.ledger.public_turn(turn["adjudication"] - 1)["inputs"]
    without = {word: value for word, value in turn.items() if word != "beacon"}
    return closed_digest(inputs_digest(before, without), Circumstances.of(turn))


def head(game: Adjudicator) -> str:
    return git(game.ledger.repo.path, "rev-parse", "main")


# ---- closing


def test_without_a_beacon_nothing_is_closed(folder: Folder) -> None:
    with folder.create() as game:
        give(game, "red", card(game, "red"))
        assert give(game, "blue", card(game, "blue")) == [2]
        assert game.closed is None
        assert game.ledger.repo.read("beacon.yaml") is None
        with pytest.raises(CannotPlay, match="waits for no round"):
            game.put_in_round(FIRST, PUBLISHED[FIRST])


def test_the_set_up_waits_for_a_round_too(folder: Folder) -> None:
    with folder.create(begin=False, beacon="drand") as game:
        game.moment = time_of(FIRST) - PATIENCE
        game.join_side("red", phrase="nobody knows this yet")
        assert game.adjudicate() == game.adjudicate() == []
        assert (game.begun, game.closed and game.closed.round) == (False, FIRST)
        with pytest.raises(CannotPlay, match="closed until round 1000 of drand is put in"):
            game.join_side("blue", phrase="too late")
        assert game.put_in_round(FIRST, PUBLISHED[FIRST]) == [1]
        turn = game.ledger.public_turn(1)
        assert turn["beacon"] == {"round": FIRST, "signature": PUBLISHED[FIRST]}
        assert turn["inputs"] == inputs_digest(game.ledger.turn_digest(0), turn)


def test_sheets_are_closed_only_when_all_questions_are_answered(toy: Adjudicator) -> None:
    """Sheets are closed only when every question has its answer."""
    assert give(toy, "red", card(toy, "red")) == []
    assert toy.closed is None
    assert give(toy, "red", card(toy, "red", 1)) == []  # a sheet may still be replaced
    assert give(toy, "blue", card(toy, "blue")) == []
    assert toy.closed is not None
    assert toy.adjudication == 1
    assert subjects(toy)[-1] == f"punica: sheets closed for adjudication 2; round {SECOND} of drand decides"


@pytest.mark.parametrize(
    ("early", "number"), [(PATIENCE, SECOND), (PATIENCE + timedelta(seconds=1), SECOND), (timedelta(0), SECOND + 200)]
)
def test_the_round_is_the_first_that_is_ten_minutes_away(toy: Adjudicator, early: timedelta, number: int) -> None:
    toy.moment = time_of(SECOND) - early
    assert close(toy).round == number


def test_round_is_later_than_any_before_whatever_the_clock_says(toy: Adjudicator) -> None:
    """The round is later than any before, whatever the clock says."""
    toy.moment = time_of(1)
    assert close(toy).round == FIRST + 1


def test_closed_sheets_are_said_before_the_round_and_are_used(toy: Adjudicator) -> None:
    """What is closed is said before the round is known, and is what goes in."""
    closed = close(toy)
    assert toy.put_in_round(SECOND, PUBLISHED[SECOND]) == [2]
    turn = dict(toy.ledger.public_turn(2))
    assert closed_of(toy, turn) == closed.closed
    for other in (
        {"sheets": {"red": turn["sheets"]["red"]}},
        {"day": "2099-01-01"},
        {"late": ["red"]},
        {"absent": ["red"]},
    ):
        assert closed_of(toy, turn | other) != closed.closed, other
    assert subjects(toy)[-3:] == [
        f"punica: sheets closed for adjudication 2; round {SECOND} of drand decides",
        f"punica: round {SECOND} of drand",
        "punica: adjudication 2",
    ]


def test_a_sheet_that_comes_after_the_closing_changes_nothing(toy: Adjudicator) -> None:
    close(toy)
    before = head(toy)
    late = sheet(toy, "red", order("bury", card=toy.view("red").hands["red"][1]))
    receipt = toy.receive("red", b"\n" + late)
    (row,) = receipt.rows()
    assert (receipt.number, row["line"], row["column"]) == (None, 2, 1)
    assert str(row["reason"]).startswith(f"the sheets were closed for adjudication 2, which round {SECOND} of drand")
    assert toy.receive("red", b"\xff{[").number is None
    assert toy.receive("red", b"").number is None
    assert toy.adjudicate(late=["red", "blue"]) == []
    with pytest.raises(CannotPlay, match="closed until round"):
        toy.join_side("red", key="age1lvyvwawkr0mcnnnncaghunadrqkmuf9e6507x9y920xxpp866cnql7dp2z")
    assert head(toy) == before


# ---- the round


@pytest.mark.parametrize(
    ("number", "signature", "said"),
    quick_first(
        [
            (SECOND + 1, PUBLISHED[SECOND], f"the sheets were closed for round {SECOND}, published at 2024-10-14"),
            (FIRST, PUBLISHED[FIRST], f"the sheets were closed for round {SECOND}"),
            (SECOND, PUBLISHED[FIRST], f"this is not drand's signature of round {SECOND}"),
            (SECOND, "00", "is 96 characters"),
            (SECOND, "", "is 96 characters"),
        ],
        2,
    ),
)
def test_another_round_or_signature_changes_nothing(toy: Adjudicator, number: int, signature: str, said: str) -> None:
    close(toy)
    before = head(toy)
    with pytest.raises(BadBeacon, match=said):
        toy.put_in_round(number, signature)
    assert head(toy) == before
    assert toy.put_in_round(SECOND, PUBLISHED[SECOND]) == [2]


def test_the_signature_turns_the_dice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.crypto.closing.check_signature", lambda number, signature: None)
    hands = set()
    for signature in ("a" * 96, "b" * 96, "a" * 96):
        with Folder(tmp_path / str(len(list(tmp_path.iterdir())))).create(begin=False, beacon="drand") as game:
            game.moment = time_of(FIRST) - PATIENCE
            game.adjudicate()
            game.put_in_round(FIRST, signature)
            hands.add((*game.view("red").hands["red"], *game.view("blue").hands["blue"]))
    assert len(hands) == 2


def test_round_decides_what_follows_without_anything_new(toy: Adjudicator) -> None:
    """A round decides what follows without anything new, and no more.

    With standing orders on both sides the game plays on by itself; each round of it is one adjudication or more.
    """
    close(toy)
    toy.put_in_round(SECOND, PUBLISHED[SECOND])
    toy.moment = time_of(THIRD) - PATIENCE
    standing = b"standing:\n- bid: {card: lowest}\n- assault: {hold: true}\n- react: {card: none}\n"
    for side in ("red", "blue"):
        text = sheet(toy, side, card(toy, side)) + standing
        assert toy.receive(side, text).number is not None
        assert toy.adjudicate() == []
    numbers = toy.put_in_round(THIRD, PUBLISHED[THIRD])
    assert len(numbers) > 1
    decided = {n: toy.ledger.public_turn(n)["beacon"] for n in range(1, toy.adjudication + 1)}
    assert decided == {
        1: {"round": FIRST, "signature": PUBLISHED[FIRST]},
        2: {"round": SECOND, "signature": PUBLISHED[SECOND]},
        **{n: {"round": THIRD, "signature": PUBLISHED[THIRD]} for n in numbers},
    }
    told = [each.adjudication for each in toy.told(None, 0) if each.event.kind == "beacon_round"]
    assert told == [1, 2, numbers[0]]


def test_the_game_master_gets_no_say_once_a_round_is_known(toy: Adjudicator) -> None:
    """A deadline that is said to have passed is something new: it takes another round."""
    close(toy)
    toy.put_in_round(SECOND, PUBLISHED[SECOND])
    toy.moment = time_of(THIRD) - PATIENCE
    assert toy.adjudicate() == []
    assert toy.closed is None
    assert toy.adjudicate(late=["red"]) == []
    assert toy.closed is None  # blue is still asked
    assert toy.adjudicate(late=["red", "blue"]) == []
    closed = toy.closed
    assert closed is not None
    assert (closed.round, closed.late) == (THIRD, ["blue", "red"])
    assert toy.adjudicate() == []
    (n, *_) = toy.put_in_round(THIRD, PUBLISHED[THIRD])
    assert {answer.by for answer in toy.ledger.adjudication(n).answers} == {"default"}


def test_standing_orders_expire_by_the_day_of_the_closing(toy: Adjudicator) -> None:
    toy.today = date(2099, 11, 22)
    assert close(toy).day == "2099-11-22"
    toy.today = date(2100, 1, 1)
    assert toy.put_in_round(SECOND, PUBLISHED[SECOND]) == [2]


# ---- a round that never comes


def test_a_round_that_never_comes_is_put_on_record_and_told(toy: Adjudicator) -> None:
    close(toy)
    before = head(toy)
    with pytest.raises(BadBeacon, match=f"round {SECOND} is not missing: it is published at"):
        toy.miss_round(SECOND, "too slow for me")
    toy.moment = time_of(SECOND)
    for number, reason, said in ((SECOND, " \n", "say why"), (SECOND + 1, "gone", f"closed for round {SECOND}")):
        with pytest.raises(BadBeacon, match=said):
            toy.miss_round(number, reason)
    assert head(toy) == before
    assert toy.miss_round(SECOND, "drand stood\nstill that day") == [2]
    turn = toy.ledger.public_turn(2)
    assert turn["beacon"] == {"round": SECOND, "missing": "drand stood still that day"}
    before = toy.ledger.public_turn(1)["inputs"]
    assert turn["inputs"] == inputs_digest(before, turn)
    assert turn["inputs"] == inputs_digest(before, {**turn, "beacon": {"round": SECOND, "missing": "other words"}})
    assert turn["inputs"] != inputs_digest(before, {**turn, "beacon": {"round": THIRD, "missing": "other words"}})
    for reader in ("red", "blue", None):
        text = " ".join(side_report(toy, reader, 1).text.split())
        assert f"Round {SECOND} of drand is missing, so the dice are made without it. Reason: drand stood still" in text
    assert closing_round(turn, FIRST) == (SECOND, None)


# ---- it survives


def test_game_that_crashed_after_a_round_goes_on_with_that_round(
    toy: Adjudicator, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a crash between round and adjudication the game goes on with that round."""
    close(toy)

    def dies(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Adjudicator, "_step", dies)
        with pytest.raises(KeyboardInterrupt):
            toy.put_in_round(SECOND, PUBLISHED[SECOND])
    assert subjects(toy)[-1] == f"punica: round {SECOND} of drand"
    with folder.open() as again:
        assert again.receive("red", sheet(again, "red", card(again, "red", 1))).number is None  # the round is known
        with pytest.raises(CannotPlay, match="is on record"):
            again.miss_round(SECOND, "I do not like it")
        with pytest.raises(BadBeacon):
            again.put_in_round(SECOND, PUBLISHED[FIRST])
        assert again.adjudicate() == [2]
        assert again.ledger.public_turn(2)["beacon"]["signature"] == PUBLISHED[SECOND]
        assert again.adjudicate() == []


@pytest.mark.slow
def test_crash_amid_several_adjudications_changes_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash in the midst of several adjudications changes none of them."""
    ends = []
    for crash in (False, True):
        folder = Folder(tmp_path / str(crash))
        with folder.create(begin=False, beacon="drand") as game:
            game.moment = time_of(FIRST) - PATIENCE
            game.adjudicate()
            game.put_in_round(FIRST, PUBLISHED[FIRST])
            game.moment = time_of(SECOND) - PATIENCE
            for side in ("red", "blue"):
                text = (
                    sheet(game, side, card(game, side)) + b"standing:\n- bid: {card: lowest}\n- assault: {hold: true}\n"
                )
                assert game.receive(side, text).number is not None
            game.adjudicate()
            if crash:
                monkeypatch.setattr("pbem.referee.play.adjudicator.MOST_ADJUDICATIONS", 1)
            numbers = game.put_in_round(SECOND, PUBLISHED[SECOND])
            monkeypatch.undo()
        with folder.open() as game:
            numbers += game.adjudicate()
            ends.append([game.ledger.public_turn(n)["inputs"] for n in numbers])
    assert ends[0] == ends[1]
    assert len(ends[0]) > 1


def test_round_is_recorded_even_when_the_rules_here_are_others(
    toy: Adjudicator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round is put on record even when the rules here are others.

    Else a game could neither be adjudicated, since its rules differ, nor migrated, since its sheets are closed.
    """
    close(toy)
    with monkeypatch.context() as patched:
        patched.setattr(Adjudicator, "differs", "code")
        with pytest.raises(CannotPlay, match="closed until round"):
            migrate(toy, "to try")
        with pytest.raises(CannotPlay, match="pbem migrate punica"):
            toy.put_in_round(SECOND, PUBLISHED[SECOND])
        assert subjects(toy)[-1] == f"punica: round {SECOND} of drand"
        with pytest.raises(CannotPlay, match="closed until round"):
            ruling.break_off(toy, "I do not like that round")
        assert migrate(toy, "new rules")[1] == 2
    assert (toy.adjudication, toy.closed) == (2, None)
    toy.moment = time_of(THIRD) - PATIENCE
    assert toy.adjudicate() == []  # what the game master does takes another round
    assert toy.closed is not None
    assert toy.put_in_round(THIRD, PUBLISHED[THIRD]) == [3]


def test_what_the_game_master_does_takes_another_round(toy: Adjudicator) -> None:
    close(toy)
    with pytest.raises(CannotPlay, match="closed until round"):
        ruling.break_off(toy, "to try")
    toy.put_in_round(SECOND, PUBLISHED[SECOND])
    assert rollback.roll_back(toy, 1, "a mistake") == 3
    assert "beacon" not in toy.ledger.public_turn(3)
    toy.moment = time_of(1)
    assert close(toy).round == SECOND + 1  # rounds never go back either


# ---- by letter and on the command line


def test_every_side_is_written_to_when_the_sheets_are_closed(toy: Adjudicator, folder: Folder) -> None:
    office = replace(folder.office, now=time_of(SECOND) - PATIENCE)
    first = take_in(letter("red", sheet(toy, "red", card(toy, "red"))), office)
    assert [out.to for out in first.letters] == ["red@example.org"]
    last = letter("blue", sheet(toy, "blue", card(toy, "blue")))
    handled = take_in(last, office)
    assert handled.accepted
    assert [out.to for out in handled.letters] == ["red@example.org", "blue@example.org"]
    with folder.open() as game:
        closed = game.closed
    assert closed is not None
    for out in handled.letters:
        text = open_letter(out.content)
        said = out.content.decode()
        assert "Subject: punica: the sheets are closed" in said
        assert f"round {SECOND} of drand, published 2024-10-14 17:13:33 UTC" in said
        assert beacon.address(SECOND) in said
        assert closed.closed in said
        assert not text.enclosures
    again = take_in(last, office)
    assert [(out.name, out.content) for out in again.letters] == [(out.name, out.content) for out in handled.letters]

    late = take_in(letter("red", sheet(toy, "red", card(toy, "red", 1)), number=7), office)
    assert not late.accepted
    assert [out.to for out in late.letters] == ["red@example.org"]
    assert b"came too late" in late.letters[0].content
    with folder.open() as game:
        assert (game.sheets("red"), game.closed) == (1, closed)


def test_last_phrase_closes_the_set_up_and_all_sides_get_letters(folder: Folder) -> None:
    """The last phrase closes the set-up, and every side is written to."""
    folder.create(begin=False, beacon="drand").close()
    office = replace(folder.office, now=time_of(FIRST) - PATIENCE)
    first = take_in(letter("red", b"PHRASE of red", b"game: punica"), office)
    assert [out.to for out in first.letters] == ["red@example.org"]
    last = letter("blue", b"PHRASE of blue", b"game: punica")
    handled, again = take_in(last, office), take_in(last, office)
    for letters in (handled.letters, again.letters):
        closing = [out for out in letters if b"the sheets are closed" in out.content]
        assert [out.to for out in closing] == ["red@example.org", "blue@example.org"]
    with folder.open() as game:
        assert (game.begun, game.closed and game.closed.round) == (False, FIRST)
    begun = pbem("beacon", "punica", FIRST, PUBLISHED[FIRST])
    assert begun.stdout.count("Letter: ") == 2, begun.output


def test_the_command_line_closes_refuses_and_plays_on(folder: Folder, toy: Adjudicator) -> None:
    for side in ("red", "blue"):
        assert toy.receive(side, sheet(toy, side, card(toy, side))).number is not None
    toy.adjudicate()
    carried_on = [pbem("adjudicate", "punica") for _ in range(2)]
    assert [ran.stdout.count("Letter: ") for ran in carried_on] == [2, 0]  # they are told, and told once
    told = pbem("status", "punica").stdout
    assert f"waits for round {SECOND} of drand, published 2024-10-14 17:13:33 UTC" in told
    assert f"pbem beacon punica {SECOND} SIGNATURE" in told
    again = folder.path / "again.yaml"
    again.write_bytes(sheet(toy, "red", card(toy, "red", 1)))
    assert pbem("submit", "punica", again, "--side", "red").exit_code == FAULTS
    for code, *words in (
        (WORLD, SECOND, PUBLISHED[FIRST]),
        (WORLD, FIRST, PUBLISHED[FIRST]),
        (WORLD, SECOND, "x"),
        (USAGE, SECOND),
        (USAGE, SECOND, "--missing"),
        (USAGE, SECOND, "--reason", "x"),
        (USAGE, SECOND, PUBLISHED[SECOND], "--missing", "--reason", "x"),
        (USAGE, "soon", PUBLISHED[SECOND]),
    ):
        ran = pbem("beacon", "punica", *words)
        assert (ran.exit_code, ran.stderr != "") == (code, True), words
    ran = pbem("beacon", "punica", SECOND, f" {PUBLISHED[SECOND].upper()}\n")
    assert ran.exit_code == DONE, ran.output
    assert ran.stdout.startswith("Adjudicated: 2.")
    assert ran.stdout.count("Letter: ") == 2


def test_a_new_game_with_a_beacon_says_what_it_waits_for(folder: Folder) -> None:
    made = pbem("new", "gallia", "--rules", "toy", "--beacon", "drand", "--player", "red=Ann <ann@example.org>")
    assert made.exit_code == DONE, made.output
    with folder.open("gallia") as game:
        assert game.charter.dice.beacon == "drand"
    assert pbem("new", "hispania", "--rules", "toy", "--beacon", "moon").exit_code == USAGE


def test_a_new_game_that_begins_at_once_tells_of_its_closing(folder: Folder) -> None:
    player = ("--player", "red=Ann <ann@example.org>")
    made = pbem("new", "gallia", "--rules", "toy", "--beacon", "drand", "--begin", *player, "--json")
    assert made.exit_code == DONE, made.output
    (path,) = json.loads(made.stdout)["letters"]
    with folder.open("gallia") as game:
        assert game.closed is not None
        assert f"closed: 1 {game.closed.round}\r\n".encode() in Path(path).read_bytes()
    assert pbem("adjudicate", "gallia").stdout.count("Letter: ") == 0


# ---- for those who check


def test_what_a_turn_file_says_of_its_round_is_followed(toy: Adjudicator) -> None:
    close(toy)
    toy.put_in_round(SECOND, PUBLISHED[SECOND])
    turn = toy.ledger.public_turn(2)
    assert closing_round(turn, FIRST) == (SECOND, PUBLISHED[SECOND])
    assert closing_round(turn, SECOND) == (SECOND, PUBLISHED[SECOND])
    assert closing_round({"act": {"kind": "ruling"}}, SECOND) == (SECOND, None)
    share = turn["beacon"]
    for wrong, before in (
        ({}, 0),
        ({"beacon": share}, SECOND + 1),
        ({"beacon": {"round": SECOND}}, 0),
        ({"beacon": {**share, "missing": "x"}}, 0),
        ({"beacon": {**share, "round": "1"}}, 0),
        ({"beacon": {**share, "round": 0}}, 0),
        ({"beacon": "x"}, 0),
        ({"beacon": share, "act": {"kind": "ruling"}}, 0),
    ):
        with pytest.raises(BadBeacon):
            closing_round(wrong, before)


def found(game: Adjudicator) -> list[str]:
    """Return what anybody finds wrong with a game that has no key."""
    return [each.reason for each in verify(game.path, folders=FOLDERS).findings.divergences]


def played_on(game: Adjudicator) -> list[int]:
    """Play adjudication 2 by round SECOND, and those after it, which need nothing new, by round THIRD."""
    close(game)
    game.put_in_round(SECOND, PUBLISHED[SECOND])
    game.moment = time_of(THIRD) - PATIENCE
    standing = b"standing:\n- bid: {card: lowest}\n- assault: {hold: true}\n- react: {card: none}\n"
    for side in ("red", "blue"):
        assert game.receive(side, sheet(game, side, card(game, side)) + standing).number is not None
    game.adjudicate()
    return game.put_in_round(THIRD, PUBLISHED[THIRD])


def test_nothing_is_found_wrong_with_an_honest_game(
    toy: Adjudicator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(played_on(toy)) > 1
    assert found(toy) == []
    git(toy.path, "clone", "-q", str(toy.path), str(tmp_path / "clone"))
    verify_one.main(str(tmp_path / "clone"))
    assert capsys.readouterr().out.startswith(f"punica: proven, {toy.adjudication} turns")


LIES = {
    "missing": (
        lambda call: call._replace(beacon=replace(call.beacon, signature=None, missing="gone")),
        f"what it says of round {THIRD} is not what was put in before it",
    ),
    "another": (
        lambda call: call._replace(beacon=replace(call.beacon, round=FOURTH, signature=PUBLISHED[FOURTH])),
        f"round {FOURTH} of the beacon decides it, and was not named before",
    ),
    "late": (
        lambda call: call._replace(at=call.at._replace(late=frozenset({"red"}))),
        "what was closed before",
    ),
    "day": (lambda call: call._replace(at=call.at._replace(day="2999-01-01")), "what was closed before"),
}


@pytest.mark.parametrize("first", quick_first([True, False]), ids=["at first", "later"])
@pytest.mark.parametrize(("lie", "said"), LIES.values(), ids=list(LIES))
def test_a_referee_who_turns_from_a_known_round_is_found(
    toy: Adjudicator, monkeypatch: pytest.MonkeyPatch, lie: Any, said: str, first: bool
) -> None:
    decided = Adjudicator._decided

    def lies(game: Adjudicator, now: Now, at: Circumstances) -> Call | None:
        call = decided(game, now, at)
        if call is None or call.beacon is None or call.beacon.round != THIRD:
            return call
        return lie(call) if (call.beacon.adjudication == game.adjudication + 1) is first else call

    monkeypatch.setattr(Adjudicator, "_decided", lies)
    played_on(toy)
    assert said in "\n".join(found(toy))

"""Table talk as the referee keeps it: who may say what to whom, what a clone shows of it, and what crashes leave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.audit.verify import verify
from pbem.crypto.seal import new_identity, padded, recipient_of, unseal
from pbem.game import yaml as yamlio
from pbem.referee.acts.reveal import open_history
from pbem.referee.acts.rollback import roll_back
from pbem.referee.acts.ruling import break_off
from pbem.referee.acts.talk import LONGEST, MOST, show_to, speak, tidied_talk, write_talk
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import PRESS, UNOPENED, heard_path, press_room
from pbem.repo.files.talk_book import NOTE
from tests.support.live import Folder, clear, files, give, order, pick, rooms, subjects
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS

SAYS = "Shall we march on Yew?"
ROOM = len(padded(PRESS, b"", public=press_room(5)))
OPENED: dict[str, Any] = {"press": "free", "press_unsigned": True, "press_opened": True}


@pytest.fixture
def game(folder: Folder) -> Iterator[Adjudicator]:
    with folder.create("five", **OPENED) as game:
        yield game


def go_on(game: Adjudicator, adjudications: int = 1, seed: int = 1) -> None:
    """Play on by legal sheets."""
    random, until = Random(seed), game.adjudication + adjudications
    while game.result is None and game.adjudication < until:
        side = game.open_decisions[0].side
        give(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])


def on_record(game: Adjudicator, path: str = PRESS) -> list[dict[str, Any]]:
    """Return the talk in the last version of a file."""
    content = game.ledger.repo.read(path)
    assert content is not None
    found: list[dict[str, Any]] = json.loads(clear(path, content, game.ledger.keys.secrets))["talk"]
    return found


def wrong(game: Adjudicator, *, with_key: bool = True) -> list[str]:
    keys = (lambda _: game.ledger.keys) if with_key else None
    return [str(each) for each in verify(game.path, keys=keys, folders=FOLDERS).findings.sorted]


# ---- on record


def test_talk_goes_on_record_with_the_next_adjudication(game: Adjudicator) -> None:
    before = len(subjects(game))
    assert speak(game, "oak", ["ash", "elm"], SAYS, "a") is not None
    assert speak(game, "fir", ["yew"], "They are at it.", "b", unsigned=True) is not None
    assert len(subjects(game)) == before, "a commit at once would tell when somebody talks"
    assert game.ledger.repo.read(PRESS) is None
    go_on(game)
    (said,), (hidden,) = on_record(game), on_record(game, UNOPENED)
    assert (said["side"], said["to"], said["text"], said["after"]) == ("oak", ["elm", "ash"], SAYS, 1)
    assert (hidden["side"], hidden["to"], hidden["unsigned"]) == ("fir", ["yew"], True)
    go_on(game)
    assert len([each for each in game.ledger.repo.history() if "talk" in each.message]) == 0
    assert wrong(game) == wrong(game, with_key=False) == []


def test_talk_is_written_once_and_in_order(game: Adjudicator) -> None:
    for at in range(4):
        speak(game, "oak", ["elm"], f"{at}", f"{at}")
        go_on(game)
        assert [(each["number"], each["text"]) for each in on_record(game)] == [(at + 1, str(at))]
    commits = [each.sha for each in game.ledger.repo.history() if game.ledger.repo.read(PRESS, each.sha)]
    assert len({game.ledger.repo.read(PRESS, sha) for sha in commits}) == 4
    assert [talk.text for talk in game.talk.all()] == ["0", "1", "2", "3"]


def test_talk_turns_no_dice(folder: Folder, tmp_path: Path) -> None:
    turns = []
    for at, says in enumerate(([], ["Peace!"], ["War!", "Peace!"])):
        with Folder(tmp_path / str(at)).create("five", **OPENED) as game:
            for number, text in enumerate(says):
                speak(game, "oak", ["elm"], text, f"{number}")
            go_on(game, 3)
            turns.append([game.ledger.repo.read(f"turns/000/{n:04}.yaml") for n in range(1, 5)])
    assert turns[0] == turns[1] == turns[2]


def test_a_clone_shows_only_that_somebody_talked(tmp_path: Path) -> None:
    """Whoever talks, to whom, how often and how long: the commits, the files and their rooms are the same."""
    shapes = []
    for at in range(3):
        with Folder(tmp_path / str(at)).create("five", **OPENED) as game:
            if at == 0:
                speak(game, "oak", ["elm"], "Yes.", "a", unsigned=True)
            elif at == 1:
                for number in range(4):
                    speak(game, "yew", ["elm", "ash", "fir"], f"{number} {'x' * 2000}", f"{number}")
            else:
                show_to(game, "fir", ["yew"], f"card {game.view('fir').hands['fir'][0]}", "a")
            go_on(game)
            repo = game.ledger.repo
            shapes.append([(each.message, rooms(repo, each.sha)) for each in repo.history()])
            assert shapes[-1][0][1][PRESS] == shapes[-1][0][1][UNOPENED] == ROOM
    assert shapes[0] == shapes[1] == shapes[2]


@pytest.mark.slow
def test_a_full_room_is_written_before_the_next_adjudication(game: Adjudicator) -> None:
    for side in ("oak", "elm", "ash"):
        for number in range(2):
            speak(game, side, ["fir"], "x" * 2000, f"{side} {number}")
    assert subjects(game).count("punica: table talk") == 1
    assert rooms(game.ledger.repo)[PRESS] == ROOM
    go_on(game)
    assert len(game.talk.all()) == 6
    assert wrong(game) == wrong(game, with_key=False) == []


@pytest.mark.slow
def test_talk_survives_a_rollback_and_a_ruling(game: Adjudicator) -> None:
    speak(game, "oak", ["elm"], SAYS, "a")
    go_on(game, 2)
    speak(game, "elm", ["oak"], "Agreed.", "b")
    roll_back(game, 2, "a mistake")
    speak(game, "elm", ["oak"], "Still agreed.", "c")
    break_off(game, "nobody has the time")
    assert [talk.text for talk in game.talk.all()] == [SAYS, "Agreed.", "Still agreed."]
    assert wrong(game) == wrong(game, with_key=False) == []


def test_unsigned_talk_is_never_opened(game: Adjudicator, tmp_path: Path) -> None:
    speak(game, "oak", ["elm"], SAYS, "a")
    speak(game, "fir", ["yew"], "They are at it.", "b", unsigned=True)
    break_off(game, "nobody has the time")
    opened = open_history(game.path, tmp_path / "open")
    assert UNOPENED in opened.sealed
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "open").rglob("*.yaml"))
    assert (SAYS in text, "They are at it" in text) == (True, False)
    assert (tmp_path / "open" / "press" / "0001.yaml").is_file()


def test_signed_talk_is_opened_only_if_the_charter_says_so(folder: Folder, tmp_path: Path) -> None:
    with folder.create("five", press="free") as game:
        speak(game, "oak", ["elm"], SAYS, "a")
        card = game.view("oak").hands["oak"][0]
        show_to(game, "oak", ["elm"], f"card {card}", "b")
        break_off(game, "nobody has the time")
        open_history(game.path, tmp_path / "open")
        shown = yamlio.read((tmp_path / "open" / "press" / "0001.yaml").read_bytes(), name="press").value
        assert [each["event"]["facts"] for each in shown["talk"]] == [{"card": card, "side": "oak"}]
        assert wrong(game) == wrong(game, with_key=False) == []


def test_a_key_opens_what_its_side_has_heard(game: Adjudicator) -> None:
    identity = new_identity()
    game.join_side("yew", key=recipient_of(identity))
    speak(game, "fir", ["yew", "elm"], "They are at it.", "a", unsigned=True)
    speak(game, "fir", ["yew", "elm"], "So am I.", "b")
    speak(game, "fir", ["elm"], "Not so Yew.", "c")
    go_on(game)
    path = heard_path("yew")
    talk = json.loads(unseal(identity, path, files(game.ledger.repo)[path]))["talk"]
    day = game.day
    assert talk == [
        {"day": day, "to": ["yew"], "text": "They are at it."},
        {"day": day, "from": "fir", "to": ["elm", "yew"], "text": "So am I."},
    ]


def test_a_restored_copy_knows_what_is_on_record(folder: Folder, game: Adjudicator) -> None:
    """Without its journal only what is not on record is lost; nothing is recorded, or passed on, twice."""
    speak(game, "oak", ["elm"], SAYS, "a")
    go_on(game)
    (game.path / NOTE).unlink()
    with folder.open() as again:
        assert speak(again, "oak", ["elm"], SAYS, "a") is None
        assert again.talk.said("oak", again.day) == 1
        talk = speak(again, "oak", ["elm"], "More.", "b")
        assert talk is not None
        assert talk.number == 2
        go_on(again)
        assert wrong(again) == []


def test_the_journal_is_sealed_and_stays_here(game: Adjudicator) -> None:
    speak(game, "oak", ["elm"], SAYS, "a")
    raw = (game.path / NOTE).read_bytes()
    assert raw.startswith(b"age-encryption.org/v1\n")
    assert SAYS.encode() in unseal(game.ledger.keys.office, NOTE, raw)


# ---- what is shown


def test_a_shown_card_is_in_the_hand(game: Adjudicator) -> None:
    hand = list(game.view("oak").hands["oak"])
    other = next(card for card in range(1, 99) if card not in hand)
    talk = show_to(game, "oak", ["yew"], f"card {hand[1]}", "a")
    assert talk is not None
    assert talk.event == {"kind": "shown", "facts": {"side": "oak", "card": hand[1]}, "rule": "2"}
    for what in (f"card {other}", "all", "-1"):
        with pytest.raises(CannotPlay, match=r"is not in your hand; you hold .* \(rule 2\)"):
            show_to(game, "oak", ["yew"], what, "b")
    go_on(game)
    assert [each["shows"] for each in on_record(game)] == [f"card {hand[1]}"]


def test_a_game_without_anything_to_show_says_so(folder: Folder) -> None:
    with (
        folder.create("hannibal_italy", press="free") as game,
        pytest.raises(CannotPlay, match="nothing that a side could show"),
    ):
        show_to(game, "rome", ["carthage"], "the elephants", "a")


# ---- what may not be said


FAULTS = {
    "oneself": (("oak", ["oak", "elm"], SAYS), "talk to yourself"),
    "a stranger": (("oak", ["elm", "birch"], SAYS), "birch does not play in punica; its sides are oak"),
    "a strange speaker": (("birch", ["elm"], SAYS), "birch does not play"),
    "nobody": (("oak", [], SAYS), "say to whom"),
    "nothing": (("oak", ["elm"], " \n\x1b\n"), "nothing in it to pass on"),
    "too long": (("oak", ["elm"], "x" * (LONGEST + 1)), "it takes 2,049 bytes, and 2,048 are the most"),
    "too long in letters": (("oak", ["elm"], "ä" * 1025), "it takes 2,050 bytes"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_may_not_be_said_changes_nothing(game: Adjudicator, name: str) -> None:
    (side, to, text), reason = FAULTS[name]
    with pytest.raises(CannotPlay, match=reason):
        speak(game, side, to, text, "a")
    assert not game.talk.knows("a")
    assert game.talk.files() == {}


def test_a_side_talks_so_often_a_day(game: Adjudicator) -> None:
    game.today = date(2126, 11, 22)
    for number in range(MOST):
        speak(game, "oak", ["elm"], "x", f"{number}")
        if number == 10:
            go_on(game)
    with pytest.raises(CannotPlay, match="20 letters a day are passed on for each side"):
        speak(game, "oak", ["elm"], "x", "more")
    assert speak(game, "elm", ["oak"], "x", "another's") is not None
    game.today = date(2126, 11, 23)
    assert speak(game, "oak", ["elm"], "x", "more") is not None
    game.today = date(2126, 11, 22)
    assert game.talk.said("oak", game.talk.day(game.day)) == 1, "the day of talk does not go back"


@pytest.mark.parametrize(
    ("press", "to", "reason"),
    quick_first(
        [
            ({}, ["elm"], "was made without table talk"),
            ({"press": "silent"}, ["elm"], "is played in silence"),
            ({"press": "public"}, ["elm"], "is public: it goes to all sides"),
            ({"press": "free"}, ["elm"], "unsigned talk is not allowed"),
        ]
    ),
)
def test_the_charter_says_how_there_is_talk(folder: Folder, press: dict[str, Any], to: list[str], reason: str) -> None:
    with folder.create("five", **press) as game:
        with pytest.raises(CannotPlay, match=reason):
            speak(game, "oak", to, SAYS, "a", unsigned=True)
        if press.get("press") == "public":
            assert speak(game, "oak", ["yew", "elm", "ash", "fir"], SAYS, "a") is not None
        go_on(game)
        assert (game.ledger.repo.read(UNOPENED) is not None) == (press.get("press") == "public")
        assert wrong(game) == wrong(game, with_key=False) == []


def test_nobody_talks_in_a_silent_phase(folder: Folder) -> None:
    """Three Hills: nobody talks while cards are buried (3)."""
    with folder.create(press="free") as game:
        with pytest.raises(CannotPlay, match=r"nobody may talk now \(rule 3\)"):
            speak(game, "red", ["blue"], SAYS, "a")
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))
        assert speak(game, "red", ["blue"], SAYS, "a") is not None


def test_nobody_talks_before_the_game_or_after_it(folder: Folder) -> None:
    with folder.create("five", begin=False, **OPENED) as game:
        with pytest.raises(CannotPlay, match="has not begun"):
            speak(game, "oak", ["elm"], SAYS, "a")
        game.adjudicate()
        break_off(game, "nobody has the time")
        with pytest.raises(CannotPlay, match="is over"):
            speak(game, "oak", ["elm"], SAYS, "a")


@pytest.mark.parametrize(
    "press",
    [{"press": "loud"}, {"press_unsigned": True}, {"press": "silent", "press_opened": True}],
)
def test_a_game_is_not_made_with_odd_press(folder: Folder, press: dict[str, Any]) -> None:
    with pytest.raises(CannotPlay, match="press"):
        folder.create("five", **press)


def test_words_are_tidied_of_what_no_screen_shows() -> None:
    said = "\n\n Hail\u202e,\tElm!\r\n\n\n\n\x1b[2JMarch.  \n"
    assert tidied_talk(said) == " Hail, Elm!\n\n[2JMarch."
    assert tidied_talk(tidied_talk(said)) == tidied_talk(said)


def test_a_charter_without_talk_says_nothing_of_it(folder: Folder) -> None:
    with folder.create() as game:
        assert b"press" not in (game.ledger.repo.read("game.yaml") or b"")
        assert replace(game.charter, press=None) == game.charter


def test_talk_that_waits_can_be_written_at_once(game: Adjudicator) -> None:
    speak(game, "oak", ["elm"], SAYS, "a")
    write_talk(game)
    write_talk(game)
    assert subjects(game)[-1] == "punica: table talk"
    assert subjects(game).count("punica: table talk") == 1
    assert wrong(game) == []

"""The sample game *allia* holds what it is to show: talk, an alliance, a contest, a flank, an attack on the unrest."""

from __future__ import annotations

from collections.abc import Mapping
from email import message_from_bytes
from typing import Any

from pbem.game import yaml as yamlio
from pbem.mail.answer.table_talk import talk_letters
from pbem.referee.acts.talk import speak
from tests.support.allia import ALLIANCE, CONTEST, FLANK, PLAYERS, SHOWN, TALK, UNREST, part_of_story
from tests.support.live import ADDRESSES, Folder
from tests.support.samples import ALLIA, GAMES, TURN, begun_again, kept, said, say_again, sheets

FILES = kept(GAMES / ALLIA)
SAID = [each for some in TALK.values() for each in some]


def record(path: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yamlio.read(FILES[path], name=path).value
    return found


def turns_with(part: str) -> list[Mapping[str, Any]]:
    """Return the turn files with a part of the story, each with its answers and facts from the sealed record."""
    found: list[Mapping[str, Any]] = []
    for path in sorted(path for path in FILES if TURN.fullmatch(path)):
        turn = record(path)
        if any(part_of_story(event) == part for event in turn.get("events", ())):
            found.append({**turn, **record(path.removesuffix(".yaml") + ".whole.yaml")})
    return found


def kinds(turn: Mapping[str, Any]) -> list[str]:
    return [event["kind"] for event in turn["events"]]


def test_romans_and_etruscans_are_allied() -> None:
    (turn,) = turns_with(ALLIANCE)
    (answer,) = turn["answers"]
    assert (answer["side"], answer["kind"], answer["order"]) == ("etruscans_samnites", "alliance", {"accept": True})


def test_desperate_times_is_contested() -> None:
    (turn,) = turns_with(CONTEST)
    said = {each["side"]: each["order"] for each in turn["answers"] if each["kind"] == "desperate_times"}
    assert said["gauls"] == {"announce": True}
    assert said["greeks"] == {"announce": False, "contest": ["gauls"]}
    assert [event["side"] for event in turn["events"] if event["kind"] == "desperate_announced"] == ["gauls", "greeks"]
    assert kinds(turn).count("desperate_played") == 1


def test_battle_is_fought_with_a_flank() -> None:
    turn = turns_with(FLANK)[0]
    (battle,) = (event for event in turn["events"] if part_of_story(event) == FLANK)
    assert battle["flank_cu"] > 0
    assert "automatic_win" in kinds(turn) or any("flank" in str(roll) for roll in turn["rolls"])


def test_unrest_is_attacked() -> None:
    turn = turns_with(UNREST)[0]
    attack = next(event for event in turn["events"] if event["kind"] == UNREST)
    assert attack["level"] > 0
    assert attack["cu"] > 0
    rolls = [roll["name"] for roll in turn.get("rolls", ()) if roll["name"].startswith("unrest/")]
    assert len(rolls) == 2 or "automatic_win" in kinds(turn)
    assert {"unrest_beaten", "unrest_wins"} & {*kinds(turn)}


def test_turn_is_scored_and_ends_in_a_draw() -> None:
    (turn,) = turns_with("scored")
    assert kinds(turn).count("scored") == len(PLAYERS)
    assert record("requests/000/0001.yaml")["consents"] == list(PLAYERS)


def test_talk_is_opened() -> None:
    by, to = SHOWN
    shown, *spoken = said(ALLIA)
    assert (shown["side"], shown["to"]) == (by, list(to))
    assert shown["event"]["facts"]["cards"] == [shown["shows"]]
    assert [(each["side"], each["text"]) for each in spoken] == [(side, words) for side, _, words in SAID]


def test_talk_is_delivered(folder: Folder) -> None:
    """All that is said and shown comes by letter to those whom it is for, and to nobody else."""
    shown, *spoken = said(ALLIA)
    with begun_again(ALLIA, folder.path) as game:
        for together in sheets(ALLIA):
            if game.adjudication >= shown["after"]:
                break
            for side, raw in together:
                assert game.receive(side, raw).number is not None
            game.adjudicate()
        say_again(game)
        for each in spoken:
            speak(game, each["side"], each["to"], each["text"], each["letter"])
        letters = [(each.to, text_of(each.content)) for each in talk_letters(game, folder.office, [])]
    wanted = [(side, words(each)) for each in (shown, *spoken) for side in each["to"]]
    assert [to for to, _ in letters] == [ADDRESSES[side] for side, _ in wanted]
    assert all(words in text for (_, text), (_, words) in zip(letters, wanted, strict=True))


def words(each: Mapping[str, Any]) -> str:
    """Return the last words of a talk, or the card that is shown."""
    found: str = each.get("shows") or each["text"]
    return found.split()[-1]


def text_of(letter: bytes) -> str:
    text = message_from_bytes(letter).get_payload(decode=True)
    assert isinstance(text, bytes)
    return text.decode()

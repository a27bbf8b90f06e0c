"""A game with `windows: ask` waits for the sides whose standing orders ask for it, and for no others (7.1.1)."""

from __future__ import annotations

from pathlib import Path

from pbem.audit.explain.replay import replay
from pbem.protocol import Order, Side
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.live import Folder, give

ASK = b"standing:\n- desperate_times: ask\n  when: {next: gauls}\n"


def file(game: Adjudicator, side: Side, written: bytes) -> None:
    head = f"game: punica\nside: {side}\nadjudication: {game.adjudication}\n".encode()
    assert game.receive(side, head + written).number is not None
    game.adjudicate()


def begin(path: Path, *asking: Side) -> Adjudicator:
    """Begin a game in which some sides ask to be waited for, and let the Gauls go first."""
    game = Folder(path).create("sword_of_rome", options={"windows": "ask"})
    for side in asking:
        file(game, side, ASK)
    give(game, "gauls", Order("first_player", {"side": "gauls"}))
    return game


def waited_for(game: Adjudicator) -> list[tuple[Side, str]]:
    return [(each.side, each.kind) for each in game.open_decisions]


def test_nobody_is_waited_for_unasked(tmp_path: Path) -> None:
    with begin(tmp_path) as game:
        assert waited_for(game) == [("gauls", "act")]


def test_who_asks_is_waited_for(tmp_path: Path) -> None:
    with begin(tmp_path, "romans", "greeks") as game:
        assert waited_for(game) == [("greeks", "desperate_times"), ("romans", "desperate_times")]
        assert [each.waits for each in game.asked("carthage")] == [False]
        give(game, "romans", Order("desperate_times", {"announce": False}))
        assert waited_for(game) == [("greeks", "desperate_times")]
        give(game, "greeks", Order("desperate_times", {"announce": True}))
        assert waited_for(game) == [("greeks", "act")]
        assert list(replay(game)) == []


def test_who_files_standing_orders_meanwhile_is_still_asked(tmp_path: Path) -> None:
    with begin(tmp_path, "romans") as game:
        file(game, "romans", ASK)
        assert waited_for(game) == [("romans", "desperate_times")]


def test_who_takes_it_back_is_no_longer_waited_for(tmp_path: Path) -> None:
    with begin(tmp_path, "romans") as game:
        file(game, "romans", b"standing: []\n")
        assert waited_for(game) == [("gauls", "act")]

"""A game moved to other rules: when it may be, what is asked anew, what goes on record, and who is told."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.explain.migrate import UPKEEP, consider, migrate
from pbem.audit.explain.replay import replay_turns
from pbem.cli.runtime import DONE, FAULTS, USAGE, WORLD
from pbem.mail.write.outgoing import side_report
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.opening import open_game
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.disputed import OTHER_TABLE, RETREAT_TABLE, STRONGER, hand, other_box, routed, run, told
from tests.support.live import Folder, files, give, order, play
from tests.support.walks import FOLDERS, loaded

NEWER = {"version: 1": "version: 2"}
"""A box that is played alike, but is pinned as another."""


pytestmark = pytest.mark.usefixtures("in_the_folder")


def opened(folder: Folder, boxes: Path) -> Adjudicator:
    return open_game(folder.games, folder.keys, "punica", folders=[boxes, *FOLDERS])


def toy() -> Any:
    return import_module(type(loaded("toy").rules).__module__)


# ---- nothing changes


def test_a_game_under_the_rules_here_is_left_alone(hills: Folder) -> None:
    with hills.open() as game:
        before = game.ledger.repo.head
        move, number = migrate(game)
        assert (move.odd, number, game.ledger.repo.head) == (None, None, before)
    assert "there is nothing to move" in run(DONE, "migrate", "punica")


def test_game_with_the_same_outcome_is_pinned_by_a_new_turn(hills: Folder) -> None:
    """A game that results in the same position is pinned to the new rules by a turn of its own."""
    boxes = other_box("toy", hills.path / "rules", "game.yaml", NEWER)
    with opened(hills, boxes) as game:
        assert game.differs == "box"
        asked, position = game.open_decisions, game.rules.encode(game.session.position)
        with pytest.raises(CannotPlay, match="pbem migrate punica"):
            game.adjudicate()
        move, number = migrate(game, "  better\n words ")
        assert (move.changed, number) == ([], 7)
        assert game.differs is None
        act = game.ledger.adjudication(7).act
        assert act == {"kind": "migration", "reason": "better words", "box": game.box.digest, "code": game.loaded.code}
        assert game.open_decisions == asked
    with opened(hills, boxes) as game:
        assert (game.adjudication, game.open_decisions, game.differs) == (7, asked, None)
        assert game.rules.encode(game.session.position) == position
        assert (
            "OTHER RULES: from now on the game is played with newer rules. Reason:" in side_report(game, "red", 6).text
        )
        lead = asked[0].side
        give(game, lead, order("assault", hold=True))
        assert game.adjudication == 8
        assert [str(each) for turn in replay_turns(game) for each in turn.differences] == []
    with hills.open() as game, pytest.raises(CannotPlay, match="other rules than those here: the box differs"):
        game.adjudicate()


def test_what_lies_ready_lies_ready_still(folder: Folder) -> None:
    boxes = other_box("toy", folder.path / "rules", "game.yaml", NEWER)
    with folder.create() as game:
        card = hand(game, "red")[0]
        give(game, "red", order("bury", card=card))
    with opened(folder, boxes) as game:
        migrate(game)
        assert [each.side for each in game.open_decisions] == ["blue"]
        give(game, "blue", order("bury", card=hand(game, "blue")[0]))
        assert card not in hand(game, "red")
        assert game.ledger.adjudication(2).act is not None
        assert game.ledger.adjudication(2).act["reason"] == UPKEEP  # type: ignore[index]


# ---- earlier turns change


def test_turns_that_differ_without_changing_position_are_named(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier turns that differ without changing the position are named."""
    bury = toy().PHASES["bury"]

    def bury_aloud(game: Any, table: Any) -> Iterator[Any]:
        table.tell("solemn_moment", rule="3")
        yield from bury(game, table)

    boxes = other_box("toy", hills.path / "rules", "game.yaml", NEWER)
    monkeypatch.setitem(toy().PHASES, "bury", bury_aloud)
    text = run(DONE, "migrate", "punica", "--reason", "a new event", "--rules-dir", boxes)
    assert "punica is moved to the rules here, by adjudication 7 (the box differed)." in text
    assert "Played again, these turns would differ: 1; what happened in them stands." in text
    assert 'turn 1, event 3: recorded nothing, now "Solemn moment.", rule 3' in text
    assert text.count("Letter: ") == 2
    with opened(hills, boxes) as game:
        assert game.ledger.adjudication(7).act["changed"] == [1]  # type: ignore[index]
        assert "accepted" not in (game.ledger.adjudication(7).act or {})


@pytest.mark.slow
def test_game_with_another_outcome_is_moved_only_if_accepted(folder: Folder) -> None:
    """A game that would stand otherwise by the new rules is moved only if that is accepted."""
    rout = routed(folder)
    boxes = other_box("rome_carthage", folder.path / "rules", "tables.yaml", {RETREAT_TABLE: OTHER_TABLE})
    with opened(folder, boxes) as game:
        before = files(game.ledger.repo)
        position = game.rules.encode(game.session.position)
    text = run(FAULTS, "migrate", "punica", "--reason", "the table was wrong", "--rules-dir", boxes)
    assert "punica is not moved: by the rules here its state would differ. Nothing was changed." in text
    assert f"turn {rout.turn}, roll {rout.roll}, rout of " in text
    assert "--accept" in text
    with opened(folder, boxes) as game:
        assert files(game.ledger.repo) == before
    record = told(FAULTS, "migrate", "punica", "--rules-dir", boxes)
    assert (record["moved"], record["changed"][0]) == (None, rout.turn)
    text = run(DONE, "migrate", "punica", "--reason", "the table was wrong", "--accept", "--rules-dir", boxes)
    assert f"by adjudication {rout.last + 1} (the box differed)" in text
    with opened(folder, boxes) as game:
        assert game.rules.encode(game.session.position) == position, "what has happened stands"
        act = game.ledger.adjudication(rout.last + 1).act
        assert act is not None
        assert act["changed"] == record["changed"]
        assert f"By these, its state would differ: turn {rout.turn}," in " ".join(
            side_report(game, None, rout.last).text.split()
        )


def test_what_was_accepted_once_is_not_asked_again(hills: Folder) -> None:
    boxes = other_box("toy", hills.path / "rules", "hills.yaml", STRONGER)
    with opened(hills, boxes) as game:
        assert migrate(game)[1] is None
        assert migrate(game, accept=True)[1] == 7
    more = other_box("toy", hills.path / "more", "hills.yaml", STRONGER)
    text = (more / "toy" / "game.yaml").read_text("utf-8")
    (more / "toy" / "game.yaml").write_text(text.replace("version: 1", "version: 2"), "utf-8")
    with opened(hills, more) as game:
        move, number = migrate(game)
        assert (move.changed, number) == ([], 8)


# ---- the play under way


def test_a_question_under_way_that_has_changed_is_asked_anew(reacting: Folder) -> None:
    boxes = other_box("toy", reacting.path / "rules", "hills.yaml", STRONGER)
    with reacting.open() as game:
        strength, enemy = game.open_decisions[0].facts["strength"], game.open_decisions[0].side
    text = run(FAULTS, "migrate", "punica", "--rules-dir", boxes)
    assert f"turn 4, an open question has changed: react of {enemy}, in strength" in text
    run(DONE, "migrate", "punica", "--accept", "--rules-dir", boxes)
    with opened(reacting, boxes) as game:
        (decision,) = game.open_decisions
        assert (decision.kind, decision.facts["strength"]) == ("react", strength + 1)
        assert game.ledger.adjudication(5).act["accepted"] == ["turn 4, in the play that is under way"]  # type: ignore[index]
        give(game, decision.side, order("react", card="none"))
        assert game.adjudication == 6
        assert [turn.n for turn in replay_turns(game) if turn.differences] == [4]


def test_answers_after_a_changed_question_are_dropped_and_told(
    reacting: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers from the first changed question on are dropped and reported."""
    boxes = other_box("toy", reacting.path / "rules", "game.yaml", NEWER)
    with reacting.open() as game:
        lead = game.view(None).lead

    def ask_otherwise(game: Any, table: Any) -> Iterator[Any]:
        yield from table.ask(game.lead, "assault", rule="5.2", default={"hold": True}, round=game.round, pot=2)

    monkeypatch.setitem(toy().PHASES, "assault", ask_otherwise)
    with opened(reacting, boxes) as game:
        number = migrate(game, "the pot", accept=True)[1]
        assert number == 5
        (decision,) = game.open_decisions
        assert (decision.kind, decision.side, decision.facts["pot"]) == ("assault", lead, 2)
        assert "was dropped because it is no longer legal: the rules have changed; you are asked anew" in " ".join(
            side_report(game, lead, 4).text.split()
        )
        enemy = "red" if lead == "blue" else "blue"
        assert "asked anew" not in side_report(game, enemy, 4).text
        assert "asked anew" not in side_report(game, None, 4).text
        state = game.ledger.state()
        assert state is not None
        assert [len(step.answers) for step in state.steps] == [0, 0, 0]
    with opened(reacting, boxes) as game:
        assert [each.kind for each in game.open_decisions] == ["assault"]


def test_rules_that_cannot_read_the_checkpoint_are_refused(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = other_box("toy", hills.path / "rules", "game.yaml", NEWER)

    def unread(self: Any, record: Any) -> Any:
        raise ValueError("Hills has other fields: guards")

    with opened(hills, boxes) as game:
        monkeypatch.setattr(type(game.rules), "decode", unread)
        with pytest.raises(CannotPlay, match="cannot read the recorded checkpoint: Hills has other fields: guards"):
            migrate(game, accept=True)


# ---- the command line


def test_every_game_of_a_folder_is_moved_at_once(hills: Folder) -> None:
    with hills.create(name="gallia") as game:
        for _ in play(game, 1, 60):
            pass
        assert game.result is not None
    hills.create(name="iberia").close()
    boxes = other_box("toy", hills.path / "rules", "game.yaml", NEWER)
    rows = told(DONE, "migrate", "--all", "--rules-dir", boxes)
    assert [(row["game"], row["moved"]) for row in rows] == [("gallia", None), ("iberia", 2), ("punica", 7)]
    assert run(USAGE, "migrate", "--all", "punica") == run(USAGE, "migrate")


def test_a_game_that_cannot_be_opened_does_not_keep_the_others(hills: Folder) -> None:
    hills.create(name="gallia").close()
    (hills.keys / "gallia.yaml").unlink()
    boxes = other_box("toy", hills.path / "rules", "game.yaml", NEWER)
    text = run(WORLD, "migrate", "--all", "--rules-dir", boxes)
    assert "the secrets of gallia are not there" in text
    assert "punica is moved to the rules here" in text


def test_a_game_that_is_over_is_not_moved(folder: Folder) -> None:
    with folder.create() as game:
        for _ in play(game, 1, 60):
            pass
    assert "punica is over; there is nothing to move" in run(WORLD, "migrate", "punica")


def test_to_consider_a_move_changes_nothing(hills: Folder) -> None:
    boxes = other_box("toy", hills.path / "rules", "hills.yaml", STRONGER)
    with opened(hills, boxes) as game:
        before = files(game.ledger.repo)
        move = consider(game)
        assert (move.odd, move.changed) == ("box", [5])
        assert files(game.ledger.repo) == before

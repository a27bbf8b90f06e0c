"""Attacks that the record alone does not show: it is right by itself, and what refutes it lies with the players."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.explain.migrate import migrate
from pbem.audit.record.findings import Word
from pbem.audit.verify import verify
from pbem.crypto.seal import recipient_of, seal, unseal
from pbem.game import yaml as yamlio
from pbem.referee.acts.consents import consent, propose
from pbem.referee.acts.moving import carry_over
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.acts.rollback import roll_back
from pbem.referee.play.played import Played
from pbem.repo.files.layout import LETTERS, MIGRATION, turn_path, view_path
from pbem.repo.files.requests import ROLLBACK
from tests.attacks.base import Dishonest, begun, found, go_on, opened, written
from tests.support.disputed import other_box
from tests.support.live import SECRETS, Folder, git, order
from tests.support.walks import FOLDERS

NOWHERE = "ab" * 32
"""A digest of no rules."""


def test_a_rollback_stays_on_record_with_its_dice(folder: Folder) -> None:
    """The turns that it undoes stay, and the next takes another link. Each report marks it."""
    with begun(folder, Dishonest) as game:
        go_on(game, 6)
        undone = list(range(3, game.adjudication + 1))
        n = roll_back(game, 2, "once more")
        go_on(game, 6)
        act = game.ledger.public_turn(n)["act"]
        assert (act["undone"], act["by"], act["reason"]) == (undone, "the game master", "once more")
        links = [game.ledger.public_turn(each)["link"] for each in range(1, game.adjudication + 1)]
        assert len(set(links)) == len(links)
        checked = verify(game.path, folders=FOLDERS).findings.checked
        assert any(each.subject == "undone" for each in checked)


class HidesWhatIsUndone(Dishonest):
    """Says of a rollback that it undoes the last turn alone."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if "act" in stated:
            stated["act"] = {**stated["act"], "undone": [n - 1]}
        return stated


def test_a_rollback_that_hides_what_it_undoes_shows(folder: Folder) -> None:
    with begun(folder, HidesWhatIsUndone) as game:
        go_on(game, 6)
        n = roll_back(game, 2, "once more")
        go_on(game, 6)
        assert found(game)[0].startswith(f"turn {n}: going back to turn 2 undoes turns 3, ")


def test_turns_that_are_cut_off_leave_the_record_right(folder: Folder, tmp_path: Path) -> None:
    """Reports tell of turns that the clone has not. What is played instead opens the same links."""
    with begun(folder, Dishonest) as game:
        go_on(game, 6)
        before, head = game.ledger.commits()[3], game.ledger.repo.head
        (told,) = [game.ledger.public_turn(4)]
        git(game.path, "update-ref", "refs/heads/main", before)
    with folder.open() as game:
        assert (game.adjudication, found(game, with_key=True)) == (3, [])
        go_on(game, 6, seed=2)
        again = game.ledger.public_turn(4)
        assert (again["link"], again["inputs"] == told["inputs"]) == (told["link"], False)
        assert head not in game.ledger.commits().values()


def test_a_game_that_stops_says_when_and_for_whom_it_waited(folder: Folder) -> None:
    with begun(folder, Dishonest) as game:
        go_on(game, 4)
        last = game.ledger.public_turn(game.adjudication)
        assert last["day"]
        assert {each["side"] for each in last["open_decisions"]} == {each.side for each in game.session.open_decisions}


def test_a_made_up_consent_shows_to_its_side(folder: Folder) -> None:
    """The side is told of the rollback with its name, and has mailed no such letter."""
    with begun(folder, Dishonest) as game:
        go_on(game, 6)
        request = propose(game, None, Proposal(ROLLBACK, to=2), "please")
        for side in request.needed:
            n = consent(game, side, request.request)
        assert n is not None
        assert game.ledger.public_turn(n)["act"]["consents"] == ["red", "blue"]
        go_on(game, 4)
        assert found(game, with_key=True) == []


class ListsWrongTurns(Dishonest):
    """Says of other rules that turn 2 comes out otherwise under them."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if stated.get("act", {}).get("kind") == "migration":
            stated["act"] = {**stated["act"], "changed": [2]}
        return stated


def test_a_false_list_of_a_migration_is_taken_for_true(folder: Folder) -> None:
    """Whoever has both versions of the rules can hold it against `pbem replay`; it turns no dice."""
    begun(folder, Dishonest).close()
    boxes = other_box("toy", folder.path / "rules", "game.yaml", {"version: 1": "version: 2"})
    with opened(folder, ListsWrongTurns, [boxes, *FOLDERS]) as game:
        _, n = migrate(game, "newer words")
        assert n is not None
        assert game.ledger.public_turn(n)["act"]["changed"] == [2]
        go_on(game, 6)
        verdict = verify(game.path, keys=lambda _: game.ledger.keys, folders=[boxes, *FOLDERS])
        assert [str(each) for each in verdict.findings.sorted] == []
        assert verdict.findings.word is Word.NOT_PROVEN, "nobody has seen what the rules before it made"
        assert {each.subject for each in verdict.findings.open} == {"rules", "derived"}


def test_a_move_to_the_same_rules_shows(folder: Folder) -> None:
    """Each act opens a link, so three moves for nothing would be three sets of dice to choose from."""
    with begun(folder, Dishonest) as game:
        go_on(game, 6)
        assert migrate(game, "for nothing")[1] is None
        act = {"kind": "migration", "reason": "for nothing", "box": game.pins.box, "code": game.pins.code}
        moves = [carry_over(game, act) for _ in range(3)]
        go_on(game, 2)
        reason = "it moves the game to the rules that it is played with"
        assert [str(each) for each in verify(game.path, folders=FOLDERS).findings.sorted] == [
            f"turn {n}: {reason}" for n in moves
        ]


class SwapsHands(Dishonest):
    """Swaps the hands while it moves the game to rules that exist nowhere."""

    binds_the_true_hands = False
    true: str = ""

    def played(self, n: int, played: Played) -> Played:
        if (played.act or {}).get("box") == NOWHERE:
            rules, position = self.rules, played.outcome.session.position
            self.true = self.ledger.position_digest(n, rules.encode(position))
            hands = position.hands
            hands["red"], hands["blue"] = hands["blue"], hands["red"]
            played.state.checkpoint = rules.encode(position)
        return played

    def files(self, files: dict[str, bytes], message: str) -> Mapping[str, bytes]:
        if message.endswith(", migration") and self.binds_the_true_hands:
            path = next(path for path in files if path.startswith("turns/") and path.endswith(".yaml"))
            turn = yamlio.read(files[path], name=path).value
            if turn["act"]["box"] == NOWHERE:
                turn["sealed"]["position"] = self.true
                files[path] = yamlio.dump(turn).encode()
        return files


class BindsTheTrueHands(SwapsHands):
    """Does the same, and binds the true hands, so that the turn file is right."""

    binds_the_true_hands = True


@pytest.mark.parametrize(
    ("referee", "said"),
    [
        (SwapsHands, "turn {}: it moves the game to other rules, and what is hidden with it"),
        (BindsTheTrueHands, "turn {next}: the state that it begins with is not the one after turn {}"),
    ],
)
def test_hands_swapped_under_rules_that_exist_nowhere_show(
    folder: Folder, referee: type[SwapsHands], said: str
) -> None:
    """Nobody has those rules, so nobody can make the turns again that were played with them; a move changes nothing."""
    with begun(folder, referee) as game:
        go_on(game, 4)
        true = {"box": game.pins.box, "code": game.pins.code}
        act = {"kind": MIGRATION, "reason": "newer"}
        n = carry_over(game, {**act, "box": NOWHERE, "code": NOWHERE, "changed": [2]})
        game.forget()
        back = carry_over(game, {**act, **true, "changed": [2]})
        go_on(game, 2)
        assert found(game) == []
        assert said.format(n, next=back) in found(game, with_key=True)


class ShowsMore(Dishonest):
    """Lets the round go on by one while it moves the game to rules that exist nowhere."""

    def played(self, n: int, played: Played) -> Played:
        if (played.act or {}).get("box") == NOWHERE:
            played.outcome.session.position.round += 1
        return played


def test_a_move_that_changes_what_is_public_shows_at_once(folder: Folder) -> None:
    with begun(folder, ShowsMore) as game:
        go_on(game, 4)
        n = carry_over(game, {"kind": MIGRATION, "reason": "newer", "box": NOWHERE, "code": NOWHERE})
        assert f"turn {n}: it moves the game to other rules, and the position with it" in found(game)


class ShowsAnotherView(Dishonest):
    """Seals to the key of red that it has other cards."""

    def files(self, files: dict[str, bytes], message: str) -> Mapping[str, bytes]:
        if (path := view_path("red")) in files:
            files[path] = seal([recipient_of(SECRETS.identity)], path, b'{"hand":[30,29]}')
        return files


def test_a_false_view_shows_to_its_side(folder: Folder) -> None:
    """Nobody else can open it. Its owner compares it with the report."""
    folder.create(begin=False).close()
    with opened(folder, ShowsAnotherView) as game:
        game.join_side("red", key=recipient_of(SECRETS.identity))
        game.adjudicate()
        go_on(game, 6)
        assert found(game, with_key=True) == []
        content = game.ledger.repo.read(view_path("red"))
        assert content is not None
        assert unseal(SECRETS.identity, view_path("red"), content) == b'{"hand":[30,29]}'
        assert game.view("red").hands["red"] != [30, 29]


class NamesLettersFalsely(Dishonest):
    """Notes letters under names that are not theirs."""

    def files(self, files: dict[str, bytes], message: str) -> Mapping[str, bytes]:
        return {f"{LETTERS}ab/ab{path[-62:]}" if path.startswith(LETTERS) else path: files[path] for path in files}


def test_a_letter_noted_under_a_false_name_is_not_found(folder: Folder) -> None:
    with begun(folder, NamesLettersFalsely) as game:
        raw = written(game, "red", order("bury", card=game.view("red").hands["red"][0]))
        assert game.receive("red", raw, letter="a letter").number == 1
        assert game.ledger.letter("a letter") is None
        go_on(game, 4)
        assert found(game, with_key=True) == []


def test_two_games_of_one_key_open_the_same_link(folder: Folder, tmp_path: Path) -> None:
    """Each is right by itself. Two turn files with one link and another digest are the proof."""
    begun(folder, Dishonest).close()
    shutil.copytree(folder.path, tmp_path / "other")
    games = [each.open() for each in (folder, Folder(tmp_path / "other"))]
    for seed, game in enumerate(games, 1):
        go_on(game, 4, seed=seed)
    one, other = games
    with one, other:
        first, second = (game.ledger.public_turn(2) for game in games)
        assert first["link"] == second["link"]
        assert one.ledger.repo.read(turn_path(2)) != other.ledger.repo.read(turn_path(2))
        assert found(one, with_key=True) == found(other, with_key=True) == []

"""A side gets another player, or its player another address: what ends, what stays, what is public, what is written."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pbem import verify_one
from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE
from pbem.crypto.seal import recipient_of, unseal
from pbem.mail.intake import take_in
from pbem.mail.write.outgoing import side_report
from pbem.mail.write.welcome import new_address_letter
from pbem.protocol import Side
from pbem.referee.acts import consents, ruling
from pbem.referee.acts.players import change_of, change_player, last_wrote
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise
from pbem.repo.files.layout import view_path
from pbem.repo.files.requests import DRAW
from tests.support.beacon_rounds import PUBLISHED
from tests.support.live import SECRETS, Folder, every_file, git, letter, pick, sheet
from tests.support.new_players import CARL, NEW, OLD, go_on, joined, replaced
from tests.support.new_players import folder as folder
from tests.support.read_letters import read
from tests.support.walks import FOLDERS


def verified(game: Adjudicator) -> list[str]:
    """Return what verify finds without a key and with the secrets, and let the small verifier look, too."""
    keys = game.ledger.keys
    found = [str(each) for each in verify(game.path, folders=FOLDERS).findings.sorted]
    found += [str(each) for each in verify(game.path, folders=FOLDERS, keys=lambda _: keys).findings.sorted]
    away = game.path.parent / f"clone-{game.ledger.repo.head}"
    git(game.path, "clone", "-q", str(game.path), str(away))
    verify_one.main(str(away))
    return found


# ---- another player


def test_a_new_player_begins_afresh_and_the_game_goes_on(folder: Folder) -> None:
    with folder.open() as game:
        view, before = game.ledger.repo.read(view_path("red")), game.adjudication
        got = replaced(game)
        assert joined(game) == {"player": 2, "addresses": 1}
        assert (game.player("red"), game.ledger.addresses["red"]) == ("Carl", CARL)
        assert game.charter.players["red"] == "red@example.org"
        assert got.to == CARL
        assert game.player_chain("red") is None
        go_on(game, 3, OLD)
        assert game.ledger.repo.read(view_path("red")) == view, "nothing more is sealed to the key of the player before"
        turn = game.ledger.public_turn(before + 1)
        assert turn["joined"] == {"red": {"player": 2}}
        assert "player_chains" not in turn
        assert turn["events"][0] == {"kind": "new_player", "side": "red"}
        assert "joined" not in game.ledger.public_turn(before + 2)
        assert "Red has a new player." in side_report(game, "blue", before).text
        assert verified(game) == []
        assert list(replay(game)) == []


def test_a_new_player_has_a_chain_and_a_key_of_their_own(folder: Folder) -> None:
    with folder.open() as game:
        replaced(game)
        game.join_side("red", chain=ChainPromise(NEW.tip, 50), key=recipient_of(SECRETS.office), letter="his")
        n = game.adjudication
        assert game.player_chain("red") is None, "it counts from the next adjudication on"
        go_on(game, 1, NEW)
        assert game.ledger.public_turn(n + 1)["joined"]["red"]["chain"] == {"tip": NEW.tip, "length": 50}
        go_on(game, 4, NEW)
        opened = [game.ledger.public_turn(k).get("player_chains", {}) for k in range(n + 2, game.adjudication + 1)]
        assert {"red": {"link": NEW.link(1)}} in opened
        assert unseal(SECRETS.office, view_path("red"), game.ledger.repo.read(view_path("red")) or b"")
        with pytest.raises(CannotPlay, match="counts only before the first shuffle"):
            game.join_side("red", chain=ChainPromise(OLD.tip, 50))
        assert verified(game) == []
        ruling.break_off(game, "enough")
        assert verified(game) == []


def test_a_chain_may_come_later_and_is_no_other_player(folder: Folder) -> None:
    with folder.open() as game:
        replaced(game)
        go_on(game, 2, OLD)
        n = game.adjudication
        game.join_side("red", chain=ChainPromise(NEW.tip, 50))
        go_on(game, 4, NEW)
        turn = game.ledger.public_turn(n + 1)
        assert turn["joined"]["red"]["player"] == 2
        assert "new_player" not in [event["kind"] for event in turn["events"]]
        assert verified(game) == []


def test_what_is_public_names_the_side_alone(folder: Folder) -> None:
    with folder.open() as game:
        replaced(game)
        go_on(game, 2, OLD)
        for path, content in every_file(game.ledger.repo).items():
            assert path.endswith(".age") or b"carl" not in content.lower(), path
        subjects = [commit.message for commit in game.ledger.repo.history()]
    assert "punica: red has another player" in subjects
    assert not any("carl" in subject.lower() for subject in subjects)


def test_orders_and_standing_orders_stay(folder: Folder) -> None:
    with folder.open() as game:
        side = next(each.side for each in game.open_decisions)
        heading = sheet(game, side).replace(b"orders:\n", b"")
        own = game.player_chain(side)
        link = b"" if own is None else f"link: {OLD.link(own.opened + 1)}\n".encode()
        assert game.receive(side, link + heading + b"standing:\n- react: {card: none}\n").number is not None
        got = " ".join(replaced(game, side).text.split())
        assert "Standing orders of your side are in force: 1. react: {card: none}" in got
        assert [each.kind for each in game.standing(side)] == ["react"]
        go_on(game, 2, OLD)
        assert verified(game) == []


def test_the_letter_has_the_position_and_what_has_happened_since(folder: Folder) -> None:
    with folder.open() as game:
        since = last_wrote(game, "red")
        assert "red" in game.ledger.public_turn(since + 1)["sheets"]
        got = replaced(game)
        text = " ".join(got.text.split())
        assert "you take over Red in punica, a game of Three Hills." in text
        assert got.text.startswith("Dear Carl,")
        assert game.charter.dice.tip in text
        assert "HOW TO PLAY" in got.text
        assert "WHAT HAPPENED" in got.text
        assert {"map.png", "position.txt", "receipt.txt"} <= got.parts.keys()
        assert ("orders.yaml" in got.parts) == bool(game.asked("red"))


def test_letters_count_from_the_new_address_alone(folder: Folder) -> None:
    with folder.open() as game:
        replaced(game)
    refused = take_in(letter("red", b"STATUS", number=1), folder.office)
    assert "plays in no game here" in " ".join(read(refused.letters[0]).text.split())
    assert take_in(letter("red", b"STATUS", number=2, sender=CARL), folder.office).accepted


def test_a_new_player_has_consented_to_nothing(folder: Folder) -> None:
    with folder.open() as game:
        consents.propose(game, "red", Proposal(DRAW))
        replaced(game)
        with pytest.raises(CannotPlay, match="request 1 is not open any more"):
            consents.consent(game, "blue", 1)
        request = game.request(1)
        assert request is not None
        assert request.outcome == "void: red has another player"
        assert verified(game) == []


def test_a_new_player_waits_for_a_round_of_their_own(tmp_path: Path) -> None:
    """Else a side could be given away until the dice suit, once the round is known."""
    first, second = sorted(PUBLISHED)[:2]
    folder = Folder(tmp_path)
    with folder.create(begin=False, beacon="drand") as game:
        game.moment = time_of(first) - PATIENCE
        game.adjudicate()
        with pytest.raises(CannotPlay, match="are closed until round"):
            replaced(game)
        game.put_in_round(first, PUBLISHED[first])
        game.moment = time_of(second) - PATIENCE
        replaced(game)
        for side in game.rules.sides:
            text = sheet(game, side, *[pick(game, each, Random(1)) for each in game.asked(side)])
            assert game.receive(side, text).number is not None
        game.adjudicate()
        assert game.closed is not None
        game.put_in_round(second, PUBLISHED[second])
        assert game.ledger.public_turn(2)["joined"] == {"red": {"player": 2}}
        assert [str(each) for each in verify(game.path, folders=FOLDERS).findings.sorted] == []


# ---- another address


def test_another_address_changes_nothing_else(folder: Folder) -> None:
    with folder.open() as game:
        state, before = game.ledger.state(), joined(game)
        change = change_of(game, "red", "", "red@example.com")
        assert not change.replaced
        change_player(game, change)
        got = read(new_address_letter(game, "red", False, folder.office))
        assert game.ledger.state() == state
        assert joined(game) == {**before, "addresses": 1}
        assert game.player_chain("red") is not None
        assert "from now on the letters of punica for Red come to this address" in " ".join(got.text.split())
        go_on(game, 2, OLD)
        assert "joined" not in game.ledger.public_turn(game.adjudication)
        assert verified(game) == []


def test_an_address_is_added_before_the_beginning(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.create(begin=False, addresses={"red": "red@example.org"}) as game:
        assert (game.by_mail, game.awaited) == (["red"], ("red",))
        change_player(game, change_of(game, "blue", "", "bob@example.net"))
        got = read(new_address_letter(game, "blue", False, folder.office))
        assert got.subject == "punica: you play Blue. Please send a phrase"
        assert game.by_mail == ["red", "blue"]
        game.join_side("blue", phrase="three hills")
        replaced(game, "blue", "Dora", "dora@example.net")
        assert game.awaited == ("red", "blue"), "the phrase of another player does not count for a new one"
        for side in ("red", "blue"):
            game.join_side(side, phrase=f"words of {side}")
        game.adjudicate()
        assert game.ledger.public_turn(1)["joined"]["blue"] == {
            "phrase": "words of blue",
            "player": 2,
            "addresses": 2,
        }
        assert verified(game) == []


@pytest.mark.parametrize(
    ("side", "name", "address", "reason"),
    [
        ("red", "Carl", "blue@example.org", "blue@example.org plays blue in punica"),
        ("red", "", "red@example.org", "plays red in punica from red@example.org already"),
        ("red", "RED@example.org", "red@example.org", "already"),
    ],
)
def test_what_cannot_be_is_refused(folder: Folder, side: Side, name: str, address: str, reason: str) -> None:
    with folder.open() as game, pytest.raises(CannotPlay, match=reason):
        change_of(game, side, name, address)


def test_a_game_that_is_over_keeps_its_players(folder: Folder) -> None:
    with folder.open() as game:
        ruling.break_off(game, "enough")
        with pytest.raises(CannotPlay, match="is over"):
            change_of(game, "red", "Carl", CARL)

"""The words about a player's own orders, and those that ask for more: STANDING, WITHDRAW, HISTORY, HELP ORDERS."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.crypto.dice import Chain
from pbem.game import yaml as yamlio
from pbem.mail.answer.every_command import WORDS
from pbem.mail.intake import take_in
from pbem.mail.read.commands import commands_in
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import as_written, folded_paragraphs, side_report
from pbem.protocol import Event, Side
from pbem.referee.game.open_game import Told
from pbem.repo.files.charter import ChainPromise
from tests.support.blank import blank_pictures
from tests.support.live import Folder, files, git, give, later, letter, numbers_in, order, play, readable, room, sheet
from tests.support.read_letters import Read, only, read
from tests.support.walks import FOLDERS

FILED = (
    b"standing:\n- react: {card: none}\n- bid: {card: lowest, when: {round: 1}}\n- assault: {hold: true}\n"
    b"  when: {round: '>= 2'}\n"
)
CHAIN = Chain(b"r" * 32, 50)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with a game of red and blue that has begun; red has filed standing orders."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder = Folder(tmp_path)
    with folder.create() as game:
        heading = sheet(game, "red").replace(b"orders:\n", b"")
        assert game.receive("red", heading + FILED).number == 1
    return folder


def says(folder: Folder, side: Side, text: str, number: int = 1) -> Handled:
    return take_in(letter(side, text.encode(), number=number), folder.office)


def flat(handled: Handled) -> str:
    return " ".join(" ".join(read(out).text for out in handled.letters).split())


def bury(folder: Folder, side: Side) -> str:
    with folder.open() as game:
        return sheet(game, side, order("bury", card=game.view(side).hands[side][0])).decode()


def both_bury(folder: Folder) -> None:
    with folder.open() as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))


def filed(folder: Folder, side: Side = "red") -> list[str]:
    with folder.open() as game:
        return [each.kind for each in game.standing(side)]


def head(folder: Folder) -> str:
    return git(folder.repo("punica"), "rev-parse", "main")


def verified(folder: Folder) -> list[str]:
    with folder.open() as game:
        keys = game.ledger.keys
        return [str(each) for each in verify(game.path, folders=FOLDERS, keys=lambda _: keys).findings.sorted]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("standing", ["STANDING"]),
        ("STANDING CANCEL 2", ["STANDING CANCEL 2"]),
        ("standing cancel 2", []),
        ("history 3\nHISTORY\nHistory", ["HISTORY 3", "HISTORY"]),
        ("History repeats itself", []),
        ("help orders\nHelp Orders march", ["HELP orders", "HELP Orders march"]),
        ("Help me with my orders", []),
        ("withdraw\ndraw\nresign", ["WITHDRAW"]),
        ("WITHDRAW\n" + "a" * 64, ["WITHDRAW " + "a" * 64]),
        ("WITHDRAW\nthank you", ["WITHDRAW"]),
    ],
)
def test_words_are_found_in_their_shapes(text: str, expected: list[str]) -> None:
    assert [str(each) for each in commands_in(WORDS, "", text.split("\n")).instructions] == expected


# ---- standing orders


def test_standing_lists_orders_as_they_were_written(folder: Folder) -> None:
    before = head(folder)
    handled = says(folder, "red", "standing")
    assert handled.accepted
    text = only(handled).text
    assert "  1. react: {card: none}\n  2. bid: {card: lowest}, when: {round: 1}\n  3. assault: {hold: true}" in text
    assert "STANDING: your standing orders.\n  none\n" in only(says(folder, "blue", "STANDING")).text
    assert head(folder) == before


def test_cancelled_order_goes_and_the_others_keep_their_names(folder: Folder) -> None:
    handled = says(folder, "red", "STANDING CANCEL 2")
    assert handled.accepted
    assert "STANDING CANCEL: on record. In force now: 1. react: {card: none} 2. assault:" in flat(handled)
    with folder.open() as game:
        assert [each.by for each in game.standing("red")] == ["standing 1 of sheet 1", "standing 3 of sheet 1"]
    both_bury(folder)
    assert verified(folder) == []


def test_all_are_cancelled_at_once(folder: Folder) -> None:
    assert says(folder, "red", "STANDING CANCEL ALL").accepted
    assert filed(folder) == []
    assert not says(folder, "red", "STANDING CANCEL 1", number=2).accepted


def test_cancelling_comes_twice_and_counts_once(folder: Folder) -> None:
    first = says(folder, "red", "STANDING CANCEL 1")
    again = take_in(letter("red", b"STANDING CANCEL 1", number=1), later(folder.office, 1))
    assert filed(folder) == ["bid", "assault"]
    assert [out.name for out in again.letters] == [out.name for out in first.letters]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("STANDING CANCEL", "write which: STANDING CANCEL 2, STANDING CANCEL 2 5, or STANDING CANCEL ALL"),
        ("STANDING CANCEL two", "write which"),
        ("STANDING CANCEL 4", "you have no standing order 4 in force; they are numbered from 1 to 3"),
        ("STANDING DELETE 2", "STANDING CANCEL 2 cancels one"),
        ("STANDING CANCEL 2 please", "write STANDING CANCEL 2 and nothing else on its line"),
        (f"STANDING CANCEL 2 {'a' * 64}", "you have no chain of your own in this game"),
    ],
)
def test_wrong_word_is_told_the_right_one(folder: Folder, text: str, reason: str) -> None:
    before = head(folder)
    handled = says(folder, "red", text)
    assert not handled.accepted
    assert reason in flat(handled)
    assert head(folder) == before


def test_a_sheet_cancels_by_number_too(folder: Folder) -> None:
    text = bury(folder, "red").replace("orders:", "standing_cancel: [1, 3]\norders:")
    assert says(folder, "red", text).accepted
    assert filed(folder) == ["bid"]


@pytest.mark.parametrize("value", ["[]", "[0]", "[one]", "all"])
def test_cancel_key_holds_numbers(folder: Folder, value: str) -> None:
    text = bury(folder, "red").replace("orders:", f"standing_cancel: {value}\norders:")
    handled = says(folder, "red", text)
    assert not handled.accepted
    assert "standing_cancel must be a list of the numbers that STANDING lists" in handled.complaints[0]


def test_reports_name_standing_orders_as_they_were_written(folder: Folder) -> None:
    """Not by the number of a sheet that nobody has at hand."""
    both_bury(folder)
    with folder.open() as game:
        list(play(game, 3, 6))
        told = " ".join(side_report(game, "red", 1).text.split())
    assert "bid: {card: lowest} (standing order 2" in told
    assert "of sheet" not in told
    says(folder, "red", "STANDING CANCEL ALL")
    with folder.open() as game:
        told = " ".join(side_report(game, "red", 1).text.split())
    assert "bid: {card: lowest, when: {round: 1}} (standing 2 of sheet 1" in told


def test_one_answer_is_named_as_it_was_written(folder: Folder) -> None:
    """Also where nothing else in the report mentions standing orders."""
    with folder.open() as game:
        fired = Event("standing_fired", {"answered": ["react (1 of sheet 1)"]}, None, ("red",))
        (told,) = as_written(game, "red", [Told(1, fired)])
    assert told.event.facts["answered"] == ["react: {card: none} (standing order 1)"]


# ---- taking back


def test_a_sheet_that_waits_is_taken_back(folder: Folder) -> None:
    assert says(folder, "red", bury(folder, "red")).accepted
    with folder.open() as game:
        assert game.waits("red")
    handled = says(folder, "red", "WITHDRAW", number=2)
    assert handled.accepted
    assert "WITHDRAW: your orders are taken back." in flat(handled)
    with folder.open() as game:
        assert not game.waits("red")
        assert yamlio.read(game.ledger.sheet("red", 3), name="sheet").value["orders"] == []
        assert "red" in {each.side for each in game.open_decisions}
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        assert game.adjudication == 1, "it waits for red again"
        give(game, "red", order("bury", card=game.view("red").hands["red"][1]))
        assert [path[-8:] for path in game.ledger.public_turn(2)["sheets"]["red"]][-1] == "0004.age"
    assert verified(folder) == []


def test_what_is_public_of_a_word_is_a_sheet(folder: Folder) -> None:
    """Nobody sees in a clone whether somebody has sent other orders, or taken them back."""
    told = []
    for number, text in enumerate((bury(folder, "red"), bury(folder, "red") + "# again\n", "WITHDRAW"), 1):
        says(folder, "red", text, number=number)
        with folder.open() as game:
            new = readable(game.ledger.repo)
            notes = [content for path, content in new.items() if path.startswith("letters/")]
            count = b"sheet: %d\n" % game.sheets("red")
            told.append([sorted(note.replace(count, b"sheet: N\n") for note in notes if count in note)])
            size = {path: room(content) for path, content in files(game.ledger.repo).items() if "sheets/" in path}
    assert told[0] == told[1] == told[2] != []
    assert len(set(size.values())) == 1


def test_withdrawing_comes_twice_and_counts_once(folder: Folder) -> None:
    says(folder, "red", bury(folder, "red"))
    first = says(folder, "red", "WITHDRAW", number=2)
    says(folder, "red", bury(folder, "red"), number=3)
    again = says(folder, "red", "WITHDRAW", number=2)
    assert [out.name for out in again.letters] == [out.name for out in first.letters]
    assert "The game waits for you again; FORM, alone on a line, brings your order sheet." in flat(first)
    with folder.open() as game:
        assert game.waits("red")


def test_nothing_waits_and_nothing_is_taken_back(folder: Folder) -> None:
    handled = says(folder, "red", "WITHDRAW")
    assert not handled.accepted
    assert "WITHDRAW was not carried out: no orders of yours are waiting." in flat(handled)


def test_empty_list_of_orders_needs_orders_that_wait(folder: Folder) -> None:
    with folder.open() as game:
        empty = sheet(game, "red").decode().replace("orders:\n", "orders: []\n")
    assert "nothing is chosen" in says(folder, "red", empty).complaints[0]


def test_a_new_sheet_beside_the_word_counts(folder: Folder) -> None:
    says(folder, "red", bury(folder, "red"))
    assert says(folder, "red", "WITHDRAW\n\n" + bury(folder, "red"), number=2).accepted
    with folder.open() as game:
        assert game.waits("red")
        assert game.sheets("red") == 4
    assert verified(folder) == []


def test_a_word_opens_a_link_of_its_sides_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder = Folder(tmp_path)
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(CHAIN.tip, 50))
        game.adjudicate()
    text = bury(folder, "red")
    says(folder, "red", text.replace("orders:", f"link: {CHAIN.link(1)}\norders:"))
    assert "link is missing: a sheet of yours opens the next link" in flat(says(folder, "red", "WITHDRAW", number=2))
    handled = says(folder, "red", f"WITHDRAW {CHAIN.link(2)}", number=3)
    assert handled.accepted, flat(handled)
    text = text.replace("orders:", f"link: {CHAIN.link(3)}\nstanding: [react: {{card: none}}]\norders:")
    assert says(folder, "red", text, number=4).accepted
    for word in ("WITHDRAW", "STANDING CANCEL 1"):
        refused = says(folder, "red", f"{word} {CHAIN.link(4).upper()}", number=7)
        assert "64 digits 0-9 and small letters a-f" in flat(refused), "a link is never folded"
    assert says(folder, "red", f"STANDING CANCEL 1 {CHAIN.link(4)}", number=5).accepted
    says(folder, "blue", bury(folder, "blue"), number=6)
    with folder.open() as game:
        assert game.ledger.public_turn(2)["player_chains"] == {"red": {"link": CHAIN.link(4)}}
    assert verified(folder) == []


# ---- history and help


def test_history_tells_what_the_side_was_told(folder: Folder) -> None:
    both_bury(folder)
    with folder.open() as game:
        last, hidden = game.adjudication, game.view("blue").hands["blue"]
    text = only(says(folder, "red", f"history {last}")).text.partition("\n\nKeep this letter")[0]
    assert text.startswith(f"HISTORY: adjudication 1 to {last}.\n\nADJUDICATION 1\n")
    assert f"ADJUDICATION {last}\n" in text
    for form in numbers_in(hidden).values():
        assert form not in text
    assert only(says(folder, "red", "HISTORY 1", number=2)).text.startswith(f"HISTORY: adjudication {last}.")
    assert f"ADJUDICATION {last}" in only(says(folder, "red", "HISTORY", number=3)).text


@pytest.mark.parametrize("word", ["HISTORY all", "HISTORY 0", "HISTORY -1"])
def test_history_wants_a_number(folder: Folder, word: str) -> None:
    handled = says(folder, "red", word)
    assert not handled.accepted
    assert "write a number after it, such as HISTORY 5" in flat(handled)


def test_help_orders_lists_the_orders_of_the_game(folder: Folder) -> None:
    text = only(says(folder, "red", "help orders")).text
    with folder.open() as game:
        forms = game.box.forms
    for kind, form in forms.items():
        assert f"{form.title}\n  - {kind}:" in text
    assert text.startswith("HELP ORDERS: the orders of Three Hills")


def test_help_orders_tells_all_about_one_kind(folder: Folder) -> None:
    got: Read = only(says(folder, "red", "HELP ORDERS assault"))
    assert "`hold`" in got.text
    assert "«" not in got.text  # what a letter asks stands in the letter
    handled = says(folder, "red", "HELP ORDERS asault", number=2)
    assert "there is no order asault; did you mean assault?" in flat(handled)


def test_lines_of_help_hang_below_their_bullets() -> None:
    long = "* `then`: " + "stop there for good, " * 6
    first, *others = folded_paragraphs([long, f"  {long}"])
    assert first.startswith("* `then`")
    assert others[0].startswith("  stop")
    assert all(len(line) <= 72 for line in [first, *others])
    assert others[-1].startswith("    ")

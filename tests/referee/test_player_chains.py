"""A player's chain: made on any machine, promised before the first shuffle, opened link by link."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pbem.cli.runtime import DONE, WORLD
from pbem.crypto.chain_file import BadChainFile, load_chain, new_chain, open_next
from pbem.crypto.dice import Chain, inputs_digest, missing_link
from pbem.crypto.player_chains import (
    BadContribution,
    PlayerChain,
    last_links,
    link_fault,
    links_given,
    wrong_contribution,
)
from pbem.mail.intake import take_in
from pbem.mail.write.outgoing import side_report
from pbem.referee.game.home_check import check_at_home, take_home
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play import sheet_check
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise
from tests.support.command_line import pbem
from tests.support.live import Folder, git, letter, order, sheet
from tests.support.walks import FOLDERS

LENGTH = 4
CHAIN = Chain(b"r" * 32, LENGTH)
OTHER = Chain(b"b" * 32, LENGTH)


@pytest.fixture
def toy(folder: Folder) -> Iterator[Adjudicator]:
    """Yield a game in which red has a chain of its own."""
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(CHAIN.tip, LENGTH))
        game.adjudicate()
        yield game


def opening(game: Adjudicator, side: str, link: str | None, at: int = 0) -> bytes:
    """Return a sheet that answers what a side is asked with a card, and opens a link."""
    text = sheet(game, side, order(game.asked(side)[0].kind, card=game.view(side).hands[side][at]))
    return text if link is None else text.replace(b"orders:", f"link: {link}\norders:".encode())


def give(game: Adjudicator, side: str, link: str | None = None) -> list[int]:
    receipt = game.receive(side, opening(game, side, link))
    assert receipt.number is not None, str(receipt)
    return game.adjudicate()


def contributed(game: Adjudicator, n: int) -> Any:
    return game.ledger.public_turn(n).get("player_chains")


def told(game: Adjudicator, link: str | None, side: str = "red") -> tuple[int | None, int | None, str]:
    """Return line and column of the one fault of a sheet that opens a link, and what is said of it."""
    receipt = game.receive(side, opening(game, side, link))
    assert receipt.number is None
    (row,) = receipt.rows()
    return row["line"], row["column"], str(row["reason"])  # type: ignore[return-value]


# ---- in a game


def test_what_the_sheets_open_goes_into_the_dice(toy: Adjudicator) -> None:
    give(toy, "red", CHAIN.link(1))
    (n,) = give(toy, "blue")
    turn = toy.ledger.public_turn(n)
    before = toy.ledger.public_turn(n - 1)["inputs"]
    assert turn["player_chains"] == {"red": {"link": CHAIN.link(1)}}
    assert turn["inputs"] == inputs_digest(before, turn)
    without = {word: value for word, value in turn.items() if word != "player_chains"}
    assert turn["inputs"] != inputs_digest(before, without)
    give(toy, "red", CHAIN.link(2))
    numbers = give(toy, "blue")
    assert contributed(toy, numbers[0]) == {"red": {"link": CHAIN.link(2)}}


def test_a_side_that_sends_nothing_gives_what_all_can_compute(toy: Adjudicator) -> None:
    assert contributed(toy, 1) is None  # before it no sheet could come; the tip is in `joined`
    assert toy.ledger.public_turn(1)["joined"]["red"]["chain"] == {"tip": CHAIN.tip, "length": LENGTH}
    give(toy, "red", CHAIN.link(1))
    give(toy, "blue")
    numbers = toy.adjudicate(late=["red", "blue"])
    (first, *_) = numbers
    stands_for = sha256(bytes.fromhex(CHAIN.link(1)) + f" {first}".encode()).hexdigest()
    assert contributed(toy, first) == {"red": {"missing": stands_for}}
    assert toy.player_chain("red") == PlayerChain(CHAIN.tip, LENGTH, CHAIN.link(1))


def test_adjudications_without_a_link_get_different_substitutes(toy: Adjudicator) -> None:
    """Several adjudications without a link each get a substitute of their own."""
    give(toy, "red", CHAIN.link(1))
    give(toy, "blue")
    while len(seen := [contributed(toy, n) for n in range(3, toy.adjudication + 1)]) < 3:
        toy.adjudicate(late=["red", "blue"])
    assert seen == [{"red": {"missing": missing_link(CHAIN.link(1), n)}} for n in range(3, toy.adjudication + 1)]
    assert len({str(each) for each in seen}) == len(seen)


@pytest.mark.parametrize(
    ("link", "place", "said"),
    [
        (
            None,
            (1, 1),
            "link is missing: a sheet of yours opens the next link of your chain; the next is link 1, which",
        ),
        ("", (4, 1), "link is missing"),
        (CHAIN.link(2), (4, 7), "this is link 2; the next is link 1, which `pbem my-chain next FILE --after 0` prints"),
        (CHAIN.tip, (4, 7), "the tip has been opened before; the next is link 1"),
        (OTHER.link(1), (4, 7), "this is no link of the chain that you have promised, whose tip is "),
        (
            CHAIN.link(1).upper(),
            (4, 7),
            "link must be 64 characters, 0 to 9 and a to f, or the word lost, not the text",
        ),
        (CHAIN.link(1)[:-1], (4, 7), "link must be 64 characters"),
        ("17", (4, 7), "link must be 64 characters, 0 to 9 and a to f, or the word lost, not the number 17"),
        ("[a]", (4, 7), "link must be 64 characters"),
    ],
)
def test_a_wrong_link_is_a_fault_with_the_way_out(
    toy: Adjudicator, link: str | None, place: tuple[int, int], said: str
) -> None:
    before = git(toy.ledger.repo.path, "rev-parse", "main")
    line, column, reason = told(toy, link)
    assert reason.startswith(said)
    assert "pbem my-chain next FILE --after 0" in reason
    assert (line, column) == place
    assert git(toy.ledger.repo.path, "rev-parse", "main") == before
    give(toy, "red", CHAIN.link(1))


def test_a_link_opened_before_is_a_fault(toy: Adjudicator) -> None:
    give(toy, "red", CHAIN.link(1))
    give(toy, "blue")
    assert told(toy, CHAIN.link(1))[2].startswith("link 1 has been opened before; the next is link 2")


def test_the_other_faults_of_a_sheet_are_told_with_it(toy: Adjudicator) -> None:
    text = sheet(toy, "red", order("bid", card="lowest")).replace(b"orders:", b"link: lst\norders:")
    text = text.replace(b"game: punica", b"game: gallia")
    assert [row["line"] for row in toy.receive("red", text).rows()] == [1, 4]
    text = text.replace(b"lst", CHAIN.link(2).encode())
    assert [row["line"] for row in toy.receive("red", text).rows()] == [1, 4]


def test_who_has_no_chain_opens_no_link(toy: Adjudicator) -> None:
    assert told(toy, OTHER.link(1), "blue") == (
        4,
        7,
        "you have no chain of your own in this game; leave this line out",
    )


def test_a_sheet_that_replaces_an_unused_one_opens_the_next_link(toy: Adjudicator) -> None:
    give(toy, "red", CHAIN.link(1))
    assert told(toy, CHAIN.link(1))[2].startswith("link 1 has been opened before; the next is link 2")
    assert told(toy, None)[2].endswith("the next is link 2, which `pbem my-chain next FILE --after 1` prints")
    assert told(toy, CHAIN.link(3))[2].startswith("this is link 3; the next is link 2")
    receipt = toy.receive("red", opening(toy, "red", CHAIN.link(2), at=1))
    assert receipt.number == 2
    (n,) = give(toy, "blue")
    assert contributed(toy, n) == {"red": {"link": CHAIN.link(2)}}
    assert len(toy.ledger.public_turn(n)["sheets"]["red"]) == 2
    assert told(toy, CHAIN.link(2))[2].startswith("link 2 has been opened before; the next is link 3")


def test_a_sheet_cannot_be_filed_twice(toy: Adjudicator) -> None:
    """Nobody can file a sheet with a chain a second time: its link has been opened."""
    text = opening(toy, "red", CHAIN.link(1))
    assert toy.receive("red", text).number == 1
    for other in (text, opening(toy, "red", CHAIN.link(1), at=1)):
        assert toy.receive("red", other).number is None
    assert toy.sheets("red") == 1


def test_a_lost_chain_ends_on_record(toy: Adjudicator) -> None:
    give(toy, "red", CHAIN.link(1))
    give(toy, "blue")
    give(toy, "red", "lost")
    (n, *_) = give(toy, "blue")
    assert contributed(toy, n) == {"red": {"lost": missing_link(CHAIN.link(1), n)}}
    numbers = toy.adjudicate(late=["red", "blue"])
    while not numbers:
        numbers = toy.adjudicate(late=["red", "blue"])
    assert contributed(toy, numbers[0]) is None
    assert toy.player_chain("red") is None


def test_a_chain_that_is_called_lost_opens_no_more_links(toy: Adjudicator) -> None:
    """A chain that is called lost stays lost, also if it is found before the sheet is used."""
    give(toy, "red", "lost")
    reason = told(toy, CHAIN.link(1))[2]
    assert reason == "your chain has ended: an earlier sheet says 'link: lost'"
    for again in (None, "lost"):
        assert toy.receive("red", opening(toy, "red", again, at=1)).number is not None
    (n,) = give(toy, "blue")
    assert contributed(toy, n) == {"red": {"lost": missing_link(CHAIN.tip, n)}}
    assert len(toy.ledger.public_turn(n)["sheets"]["red"]) == 3
    assert toy.player_chain("red") is None


def test_a_chain_lost_after_a_link_gives_none_of_it(toy: Adjudicator) -> None:
    """A chain that is lost by a second sheet gives the substitute from the link that went in last."""
    give(toy, "red", CHAIN.link(1))
    give(toy, "red", "lost")
    (n,) = give(toy, "blue")
    assert contributed(toy, n) == {"red": {"lost": missing_link(CHAIN.tip, n)}}


def test_a_chain_that_is_used_up_ends(folder: Folder) -> None:
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(Chain(b"r" * 32, 1).tip, 1))
        game.adjudicate()
        give(game, "red", Chain(b"r" * 32, 1).link(1))
        give(game, "blue")
        assert told(game, None)[2].endswith("all 1 are opened; write 'link: lost', which ends the chain")
        give(game, "red", "lost")
        (n, *_) = give(game, "blue")
        assert "lost" in str(contributed(game, n))


def test_chain_is_promised_before_the_first_shuffle_not_after(toy: Adjudicator) -> None:
    """A chain is promised before the first shuffle and not after."""
    with pytest.raises(CannotPlay, match="before the first shuffle"):
        toy.join_side("blue", chain=ChainPromise(OTHER.tip, LENGTH))


def test_two_sides_may_have_one_each(folder: Folder) -> None:
    with folder.create(begin=False) as game:
        for side, chain in (("red", CHAIN), ("blue", OTHER)):
            game.join_side(side, chain=ChainPromise(chain.tip, LENGTH))
        game.adjudicate()
        give(game, "red", CHAIN.link(1))
        (n,) = give(game, "blue", OTHER.link(1))
        assert contributed(game, n) == {"blue": {"link": OTHER.link(1)}, "red": {"link": CHAIN.link(1)}}


def test_it_holds_in_a_game_that_is_opened_anew_each_time(toy: Adjudicator, folder: Folder) -> None:
    give(toy, "red", CHAIN.link(1))
    with folder.open() as again:
        assert again.player_chain("red") == PlayerChain(CHAIN.tip, LENGTH, CHAIN.link(1))
        (n,) = give(again, "blue")
    with folder.open() as again:
        assert again.player_chain("red") == PlayerChain(CHAIN.tip, LENGTH, CHAIN.link(1))
        assert contributed(again, n) == {"red": {"link": CHAIN.link(1)}}


def test_form_says_which_link_is_next(toy: Adjudicator) -> None:
    """The form says which link is next. While a link waits, there is no form."""
    form = side_report(toy, "red", 0).sheet
    assert form is not None
    assert "# Fill in what this prints: pbem my-chain next FILE --after 0\nlink:\norders:" in form
    assert "link" not in str(side_report(toy, "blue", 0).sheet)
    give(toy, "red", CHAIN.link(1))
    assert side_report(toy, "red", 0).sheet is None
    give(toy, "blue")
    assert "--after 1" in str(side_report(toy, "red", 0).sheet)


def test_the_same_is_said_at_home(toy: Adjudicator, tmp_path: Path) -> None:
    home = tmp_path / "position.json"
    home.write_text(json.dumps(take_home(toy, "red")), "utf-8")
    for link in (None, CHAIN.link(2), CHAIN.link(1)):
        text = opening(toy, "red", link)
        here, there = check_at_home(home, text, "orders.yaml", FOLDERS), sheet_check.check_sheet_of(toy, "red", text)[0]
        assert here.rows() == there.rows()
    assert not check_at_home(home, opening(toy, "red", CHAIN.link(1)), "orders.yaml", FOLDERS).complaints
    assert "player_chain" not in take_home(toy, "blue")


def test_by_letter_it_is_the_same(toy: Adjudicator, folder: Folder) -> None:
    handled = take_in(letter("red", opening(toy, "red", None)), folder.office)
    assert not handled.accepted
    assert b"my-chain next FILE --after 0" in handled.letters[0].content.replace(b"\r\n#!", b"")
    good = letter("red", opening(toy, "red", CHAIN.link(1)), number=2)
    assert take_in(good, folder.office).accepted
    assert take_in(good, folder.office).accepted  # taken in again it changes nothing
    with folder.open() as again:
        assert again.sheets("red") == 1


@pytest.mark.slow
def test_by_letter_a_chain_is_promised_opened_and_lost(folder: Folder, file: Path) -> None:
    folder.create(begin=False).close()
    promise = new_chain(file, LENGTH).promise
    numbers = count(1)

    def mail(side: str, *bodies: bytes) -> bool:
        return take_in(letter(side, *bodies, number=next(numbers)), folder.office).accepted

    assert mail("red", b"PHRASE of red", promise.encode(), b"game: punica")
    assert mail("blue", b"PHRASE of blue", b"game: punica")
    links: list[str] = ["lost", *[open_next(file).link for _ in range(2)][::-1]]
    while links:
        with folder.open() as game:
            texts = {side: opening(game, side, None) for side in ("red", "blue")}
        assert not mail("red", texts["red"])
        link = links.pop()
        assert mail("red", texts["red"].replace(b"orders:", f"link: {link}\norders:".encode()))
        assert mail("blue", texts["blue"])
        with folder.open() as game:
            if any(each.kind == "assault" for each in game.open_decisions):
                game.adjudicate(late=["red", "blue"])
    with folder.open() as game:
        given = [
            str(next(iter(each["red"]))) for n in range(2, game.adjudication + 1) if (each := contributed(game, n))
        ]
        assert [word for word in given if word != "missing"] == ["link", "link", "lost"]
        assert game.player_chain("red") is None


# ---- checked by others


def test_a_contribution_is_checked_from_the_link_before() -> None:
    last, n = CHAIN.link(1), 7
    for sheets, right in (
        (1, {"link": CHAIN.link(2)}),
        (2, {"link": CHAIN.link(3)}),
        (3, {"link": CHAIN.link(4)}),
        (0, {"missing": missing_link(last, n)}),
        (1, {"lost": missing_link(last, n)}),
        (2, {"lost": missing_link(last, n)}),
    ):
        assert wrong_contribution(right, last, n, sheets) is None, right
    for sheets, wrong in (
        (1, {"link": CHAIN.link(3)}),
        (1, {"link": last}),
        (1, {"link": CHAIN.link(2).upper()}),
        (2, {"link": CHAIN.link(2)}),
        (2, {"link": CHAIN.link(4)}),
        (0, {"missing": missing_link(last, 8)}),
        (0, {"missing": missing_link(CHAIN.tip, n)}),
        (1, {"lost": ""}),
        (1, {"found": "x"}),
        (0, {}),
        (1, {}),
        (1, {"link": CHAIN.link(2), "missing": missing_link(last, n)}),
    ):
        assert wrong_contribution(wrong, last, n, sheets) is not None, wrong


def test_a_link_is_opened_or_lost_only_if_a_sheet_is_named() -> None:
    last, n = CHAIN.link(1), 7
    missing, link, lost = {"missing": missing_link(last, n)}, {"link": CHAIN.link(2)}, {"lost": missing_link(last, n)}
    said = wrong_contribution(missing, last, n, 1)
    assert said == "it says missing, but the turn names 1 sheet of the side"
    for given in (link, {"link": last}, lost):
        assert "but the turn names no sheets of the side" in str(wrong_contribution(given, last, n, 0))


def test_chains_are_followed_from_turn_to_turn() -> None:
    lasts = {"red": CHAIN.tip, "blue": OTHER.tip}
    turns = [
        ({"red": 2}, {"red": {"link": CHAIN.link(2)}, "blue": {"missing": missing_link(OTHER.tip, 2)}}),
        ({"red": 1, "blue": 1}, {"red": {"lost": missing_link(CHAIN.link(2), 3)}, "blue": {"link": OTHER.link(1)}}),
        ({"red": 1, "blue": 1}, {"blue": {"link": OTHER.link(2)}}),
    ]
    for n, (sheets, each) in enumerate(turns, 2):
        after = links_given(each, lasts, n, sheets)
        assert after == last_links(each, lasts)
        lasts = after
    assert lasts == {"blue": OTHER.link(2)}
    sheets, last = turns[2]
    for wrong in ({}, {"red": {"link": CHAIN.link(3)}, **last}, {"blue": {"link": OTHER.link(1)}}):
        with pytest.raises(BadContribution, match=r"red has no chain|what it gives is not there|does not follow"):
            links_given(wrong, lasts, 5, sheets)
    with pytest.raises(BadContribution, match="but the turn names no sheets"):
        links_given({"blue": {"link": OTHER.link(3)}}, lasts, 5, {})


def test_a_chain_as_long_as_a_file_says_is_not_followed_for_ever() -> None:
    endless = PlayerChain("0" * 64, 10**12, "0" * 64)
    assert "no link of the chain" in str(link_fault("1" * 64, endless))


# ---- the file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.chain"


def test_a_chain_is_made_for_nobody_else_to_read(file: Path) -> None:
    old = os.umask(0)
    try:
        made = new_chain(file, LENGTH)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        open_next(file)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(old)
    assert made.promise == f"CHAIN {Chain(made.secret, LENGTH).tip} {LENGTH}"
    assert made.secret.hex() not in repr(made)
    assert new_chain(file.with_name("other"), LENGTH).secret != made.secret
    assert sorted(path.name for path in file.parent.iterdir()) == ["my.chain", "other"]


def test_links_come_one_after_the_other_and_again_when_asked(file: Path) -> None:
    chain = Chain(new_chain(file, LENGTH).secret, LENGTH)
    assert [open_next(file) for _ in range(2)] == [(1, chain.link(1), False), (2, chain.link(2), False)]
    assert open_next(file, after=1) == (2, chain.link(2), True)
    assert open_next(file) == (3, chain.link(3), False)
    assert open_next(file, after=0) == (1, chain.link(1), True)
    assert load_chain(file).opened == 3, "what was printed stays counted"
    assert open_next(file, after=3) == (4, chain.link(4), False)
    for after in (None, 4, 99, -1):
        with pytest.raises(BadChainFile, match=r"this chain has 4 links; .* 'link: lost' in a sheet ends the chain"):
            open_next(file, after)
    assert load_chain(file).opened == 4


def test_a_chain_is_never_overwritten(file: Path) -> None:
    new_chain(file, LENGTH)
    before = file.read_bytes()
    with pytest.raises(BadChainFile, match="never overwritten"):
        new_chain(file, LENGTH)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("secret: ", "secret: zz", "damaged"),
        ("secret: ", "secret: aa", "damaged"),
        ("length: 4", "length: 400000", "damaged"),
        ("length: 4", "length: 0", "damaged"),
        ("opened: 0", "opened: 5", "damaged"),
        ("opened: 0", "", "damaged"),
        ("chain-v2", "chain-v9", "scheme chain-v9; this version knows chain-v2"),
    ],
)
def test_a_damaged_file_is_told(file: Path, old: str, new: str, said: str) -> None:
    new_chain(file, LENGTH)
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(BadChainFile, match=said):
        open_next(file)


def test_no_file_and_no_text_are_told(file: Path) -> None:
    with pytest.raises(BadChainFile, match="my-chain new"):
        load_chain(file)
    file.write_bytes(b"\xff")
    with pytest.raises(BadChainFile, match="cannot be read"):
        load_chain(file)
    for length in (0, 100_001):
        with pytest.raises(BadChainFile, match="1 to 100000 links"):
            new_chain(file.with_name("other"), length)


def test_on_the_command_line(file: Path, toy: Adjudicator) -> None:
    made = pbem("my-chain", "new", file, "--length", LENGTH)
    assert made.exit_code == DONE
    assert made.stdout.splitlines()[0] == load_chain(file).promise
    printed = pbem("my-chain", "next", file)
    assert printed.exit_code == DONE
    assert printed.stdout == f"link: {Chain(load_chain(file).secret, LENGTH).link(1)} # 1\n"
    assert printed.stderr == ""
    again = pbem("my-chain", "next", file, "--after", 0)
    assert (again.exit_code, again.stdout) == (DONE, printed.stdout)
    assert again.stderr.startswith("Link 1 was printed before.")
    for words in (("new", file), ("next", file, "--after", 9), ("next", file.with_name("none"))):
        refused = pbem("my-chain", *words)
        assert refused.exit_code == WORLD
        assert refused.stderr.startswith("pbem: ")

"""AGREED: what counts without an answer is taken, for the report that the sender has seen, and for no other."""

from __future__ import annotations

import pytest

from pbem.crypto.dice import Chain
from pbem.mail.answer.own_orders import agreed_at
from pbem.mail.intake import take_in
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import side_report
from pbem.orders.forgive import came_from_lines
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise
from tests.support.blank import blank_pictures
from tests.support.live import Folder, give, letter, order, quoted, sheet
from tests.support.read_letters import bid, form_of, head, only, read
from tests.support.soak import quick_first


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the drawing: no test here looks at the map."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


def answer_to(number: int, side: str = "red") -> str:
    """Return the header of a letter that answers a report."""
    return f"References: <punica.{side}.{number}@example.org>\n"


def say(folder: Folder, *words: bytes, side: str = "red", more: str | None = None, number: int = 0) -> Handled:
    """Take in a letter that answers the last report of its side."""
    with folder.open() as game:
        header = answer_to(game.adjudication, side) if more is None else more
    return take_in(letter(side, *words, more=header, number=number), folder.office)


@pytest.fixture
def bidding(folder: Folder, toy: Adjudicator) -> Folder:
    """Return a folder in which both sides of the toy are asked for a bid, which has a default."""
    bid(folder)
    return folder


@pytest.mark.parametrize(
    "word", quick_first([b"AGREED", b"agreed", b"Agreed.", b"Hello,\nAGREED\n\nAnn", b"AGREED punica"], 2)
)
def test_agreed_hands_in_the_defaults(bidding: Folder, word: bytes) -> None:
    handled = say(bidding, word)
    assert handled.accepted
    assert any(note.startswith("punica: sheet 2 of red accepted") for note in handled.notes)
    with bidding.open() as game:
        assert b"- bid: {card: lowest}" in game.ledger.sheet("red", 2)
        give(game, "blue", order("bid", card="lowest"))
        (answers,) = [game.ledger.adjudication(n).answers for n in (3,)]
        assert [(each.order, each.by) for each in answers] == [
            ({"card": "lowest"}, "sheet 2"),
            ({"card": "lowest"}, "sheet 2"),
        ]


def test_agreed_keeps_orders_for_later_behind_the_defaults(folder: Folder) -> None:
    """The first order of a sheet answers what is asked now."""
    with folder.create("hannibal_italy") as game:
        give(game, "carthage", order("first_player", side="carthage"))
        give(game, "rome", order("move", end=True))
        march = order("move", leader="gaulish_leader", path=["taurasia"])
        give(game, "carthage", march, order("fight", fight=True))
        assert [each.kind for each in game.asked("carthage")] == ["move"]
        text = agreed_at(game, "carthage", game.adjudication)
        assert text.index(b"- move: {end: true}") < text.index(b"- fight: {fight: true}")
        assert game.receive("carthage", text).number is not None


def test_report_names_what_agreed_takes(bidding: Folder) -> None:
    with bidding.open() as game:
        told = " ".join(side_report(game, "red", 1).text.split())
    assert "Without an answer in time: bid the lowest card." in told
    assert "AGREED takes it now" in told


def test_agreed_below_the_quoted_report_counts(bidding: Folder) -> None:
    """The quoted form names the report, also where a mail program keeps no references."""
    with bidding.open() as game:
        below = quoted(side_report(game, "red", 1).text)
    assert say(bidding, b"Agreed\n\nOn Sunday, pbem wrote:\n\n" + below, more="").accepted


def test_agreed_to_an_older_report_is_refused_with_the_form(bidding: Folder) -> None:
    before = head(bidding)
    handled = say(bidding, b"AGREED", more=answer_to(1))
    told = only(handled)
    assert not handled.accepted
    assert "you answer report 1, and adjudication 2 came after it" in " ".join(told.text.split())
    assert form_of(bidding, "red") in told.text
    assert head(bidding) == before
    again = f"References: <punica.red.1@example.org> {told.message['Message-ID']}\n"
    assert say(bidding, b"AGREED", more=again, number=7).accepted


@pytest.mark.parametrize("more", ["", answer_to(2, "blue"), "References: <punica.red.2@elsewhere.org>\n"])
def test_agreed_to_no_report_of_ours_is_refused(bidding: Folder, more: str) -> None:
    handled = say(bidding, b"AGREED\n\ngame: punica", more=more)
    assert not handled.accepted
    assert "answers no report" in " ".join(only(handled).text.split())


def test_agreed_is_refused_where_there_is_no_default(folder: Folder, toy: Adjudicator) -> None:
    handled = say(folder, b"AGREED")
    assert not handled.accepted
    told = " ".join(only(handled).text.split())
    assert "nothing counts without an answer: Which card do you bury face down?" in told
    assert only(handled).subject == "punica: AGREED was not carried out"


def test_agreed_is_refused_where_nothing_is_asked(bidding: Folder) -> None:
    assert say(bidding, b"AGREED").accepted
    handled = say(bidding, b"AGREED", number=9)
    assert "nothing is asked of you that still has no answer" in " ".join(only(handled).text.split())


@pytest.mark.parametrize("quotes", [False, True])
def test_agreed_beside_orders_is_sent_back(bidding: Folder, quotes: bool) -> None:
    """Neither counts: the orders may stand in the letter or, mended, in the quoted form."""
    before = head(bidding)
    with bidding.open() as game:
        card = game.view("red").hands["red"][0]
        own = sheet(game, "red", order("bid", card=card))
    changed = form_of(bidding, "red").replace(f"# - bid: {{card: {card}}}", f"- bid: {{card: {card}}}")
    handled = say(bidding, b"AGREED", b"On Sunday, pbem wrote:\n\n" + quoted(changed) if quotes else own)
    assert not handled.accepted
    assert "which of the two?" in " ".join(only(handled).text.split())
    assert head(bidding) == before


def test_agreed_taken_in_again_changes_nothing(bidding: Folder) -> None:
    raw = letter("red", b"AGREED", more=answer_to(2))
    assert take_in(raw, bidding.office).accepted
    before = head(bidding)
    assert take_in(raw, bidding.office).accepted
    assert head(bidding) == before


def test_agreed_opens_the_link_that_stands_beside_it(folder: Folder) -> None:
    """A side with a dice chain writes its next link beside the word."""
    chain = Chain(b"r" * 32, 9)
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(chain.tip, 9))
        game.adjudicate()
        link = f"link: {chain.link(1)}\n".encode()
        hands = {side: game.view(side).hands[side] for side in ("red", "blue")}
        text = sheet(game, "red", order("bury", card=hands["red"][0]))
        assert game.receive("red", text.replace(b"orders:", link + b"orders:")).number
        give(game, "blue", order("bury", card=hands["blue"][0]))
    refused = say(folder, b"AGREED")
    assert "write the next link of your dice chain after it" in " ".join(read(refused.letters[0]).text.split())
    assert say(folder, f"AGREED {chain.link(2)}".encode()).accepted
    with folder.open() as game:
        assert f"link: {chain.link(2)}".encode() in game.ledger.sheet("red", 2)


@pytest.mark.parametrize(
    "beside",
    [
        b"standing: []",
        b"standing_add:\n- bid: {card: lowest}",
        b"On Sunday, pbem wrote:\n\n> standing: []",
    ],
)
def test_agreed_takes_standing_orders_beside_it(bidding: Folder, beside: bytes) -> None:
    """They answer nothing that is asked now: whoever agrees may wish to be asked less from now on."""
    if b">" in beside:
        changed = form_of(bidding, "red").replace("\norders:", "\nstanding: []\norders:")
        beside = b"On Sunday, pbem wrote:\n\n" + quoted(changed)
    handled = say(bidding, b"AGREED", beside)
    assert handled.accepted, handled.notes
    with bidding.open() as game:
        canonical = game.ledger.sheet("red", 2)
        assert b"\n- bid: {card: lowest}\n" in canonical
        assert canonical.index(b"- bid: {card: lowest}") < canonical.index(b"\nstanding")
        assert came_from_lines(canonical.decode(), ["AGREED", *beside.decode().replace("> ", "").split("\n")])
        assert "standing" in only(handled).text


@pytest.mark.parametrize(
    ("beside", "why"),
    [
        (b"standing: defalt", "which of the two?"),
        (b"standing: default\norders:\n- bid: {card: lowest}", "which of the two?"),
        (b"link: lost", "which of the two?"),
    ],
)
def test_agreed_beside_more_than_standing_orders_is_sent_back(bidding: Folder, beside: bytes, why: str) -> None:
    before = head(bidding)
    handled = say(bidding, b"AGREED", beside)
    assert not handled.accepted
    assert why in " ".join(only(handled).text.split())
    assert head(bidding) == before

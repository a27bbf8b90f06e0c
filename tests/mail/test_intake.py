"""Whole letters in, whole letters out: what becomes of everything that a player, or somebody else, may mail."""

from __future__ import annotations

import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from PIL import Image

from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.write.outgoing import ReportScope, report_of, side_report
from pbem.mail.write.report_letters import first_letters
from pbem.referee.game.home_check import take_home
from pbem.referee.game.open_game import position_at
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.blank import blank_pictures
from tests.support.chance import seed_of
from tests.support.live import OTHERS, SIDES, Folder, files, git, give, later, letter, order, pick, quoted, sheet
from tests.support.mail_programs import AUTOMATIC, FOUND, LETTERS, REFUSED
from tests.support.read_letters import bid, bury, cards, form_of, head, only, read
from tests.support.soak import quick_and_whole, quick_first

WINDOWS = {"toy": (780, 480), "rome_carthage": (780, 900)}
"""The size of the window picture of a game: the toy's board is not as high as a window."""
"""Of the maps, in pixels."""


@pytest.fixture
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the drawing where a test does not look at the map."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


# ---- accepted


@pytest.mark.parametrize("rules", quick_first(["toy", "rome_carthage"]))
def test_sheet_that_carries_the_game_on_is_answered_to_all_sides(folder: Folder, rules: str) -> None:
    """A sheet that carries the game on is answered to every side."""
    one, other = SIDES[rules]
    with folder.create(rules) as game:
        if rules == "toy":
            give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
            mailed = bury(folder, one)
        else:
            one, other = other, one
            mailed = letter(one, sheet(game, one, order("claim_first", card="none")))
        before = game.adjudication
    handled = take_in(mailed, folder.office)
    assert handled.accepted
    assert handled.complaints == []
    letters = {out.to: read(out) for out in handled.letters}
    assert letters.keys() == {f"{one}@example.org", f"{other}@example.org"}
    with folder.open() as game:
        for side in (one, other):
            got = letters[f"{side}@example.org"]
            view = game.rules.view(position_at(game, before), side)
            report = report_of(game, side, ReportScope(before, game.open_decisions, view))
            assert report.text.strip() in got.text
            assert got.parts["position.txt"].decode().replace("\r\n", "\n") == report.position
            assert got.subject.startswith("Your move in punica: " if report.asked else "punica, ")
            for name, size in (("map.png", None), ("close-up.png", WINDOWS[rules])):
                with Image.open(io.BytesIO(got.parts[name])) as picture:
                    picture.verify()
                    assert (picture.format, picture.width) == ("PNG", 780)
                    assert size in (None, picture.size)
            if report.sheet is None:
                assert not got.parts.keys() & {"orders.yaml", "position.json"}
            else:
                assert json.loads(got.parts["position.json"]) == take_home(game, side)
                assert got.parts["orders.yaml"].decode() == report.sheet
        asked = [side for side in (one, other) if game.asked(side)]
    assert [side for side in (one, other) if "orders.yaml" in letters[f"{side}@example.org"].parts] == asked
    assert letters[f"{one}@example.org"].message["In-Reply-To"] == open_letter(mailed).message_id
    assert letters[f"{other}@example.org"].message["In-Reply-To"] is None


def test_sheet_that_waits_for_another_is_answered_to_its_sender(folder: Folder, toy: Adjudicator) -> None:
    """A sheet that waits for another is answered to its sender alone."""
    handled = take_in(bury(folder, "red"), folder.office)
    assert handled.accepted
    assert only(handled).to == "red@example.org"
    assert "waits for" in only(handled).text
    assert handled.notes == ["punica: sheet 1 of red accepted"]


def test_the_first_letters_say_who_plays_and_by_which_dice(folder: Folder, toy: Adjudicator) -> None:
    first = [read(out) for out in first_letters(toy, folder.office)]
    assert [got.to for got in first] == ["red@example.org", "blue@example.org"]
    for got in first:
        assert toy.charter.dice.tip in got.text
        assert toy.charter.dice.hidden in got.text
        assert got.parts.keys() == {
            *("close-up.png", "map.png", "legend.png"),
            *("orders.yaml", "position.txt", "position.json", "receipt.txt"),
        }


def test_a_side_without_an_address_is_written_no_letters(folder: Folder, blank_maps: None) -> None:
    with folder.create(addresses={"red": "red@example.org"}) as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
    assert only(take_in(bury(folder, "red"), folder.office)).to == "red@example.org"


# ---- taken in again


def test_letter_taken_in_again_is_answered_and_changes_nothing(folder: Folder, toy: Adjudicator) -> None:
    """A letter that is taken in again changes nothing and is answered again."""
    mailed = [bury(folder, "red"), bury(folder, "blue")]
    first = [take_in(raw, folder.office) for raw in mailed]
    then = head(folder)
    assert take_in(mailed[1], folder.office).letters == first[1].letters
    for raw in mailed:
        handled = take_in(raw, later(folder.office, 2))
        assert handled.accepted
        assert "carried out before" in handled.notes[0]
        assert {out.to for out in handled.letters} == {"red@example.org", "blue@example.org"}
        assert [read(out).message["Message-ID"] for out in handled.letters] == [
            read(out).message["Message-ID"] for out in first[1].letters
        ]
    assert head(folder) == then


def test_a_letter_taken_in_twice_at_the_same_time_counts_once(
    folder: Folder, toy: Adjudicator, blank_maps: None
) -> None:
    give(toy, "blue", order("bury", card=toy.view("blue").hands["blue"][0]))
    raw = bury(folder, "red")
    with ThreadPoolExecutor(3) as pool:
        handled = list(pool.map(lambda _: take_in(raw, folder.office), range(3)))
    assert [each.accepted for each in handled] == [True] * 3
    assert git(folder.repo("punica"), "log", "--format=%s").count("of red") == 1
    assert handled[0].letters == handled[1].letters == handled[2].letters


def test_a_faulty_letter_taken_in_again_is_sent_back_again(folder: Folder, toy: Adjudicator) -> None:
    raw = letter("red", sheet(toy, "red", order("bury", card="x")))
    assert take_in(raw, folder.office).letters == take_in(raw, folder.office).letters


# ---- sent back


def test_a_sheet_with_faults_comes_back_with_all_of_them(folder: Folder, toy: Adjudicator) -> None:
    before = head(folder)
    missing = next(card for card in range(1, 31) if card not in cards(folder, "red"))
    raw = letter("red", b"Hello,", sheet(toy, "red", order("bury", card=missing), order("bid", cart=1)), b"Ann")
    handled = take_in(raw, folder.office)
    got = only(handled)
    assert not handled.accepted
    assert head(folder) == before
    assert got.to == "red@example.org"
    assert re.search(
        r"\n- bury: \{card: (\d+)\}\n#! {13}\^\^?\n#! card \1 is not in your hand; you hold [^#]*(\n#! .*)? \(rule 3\)",
        got.text,
    )
    assert "\n- bid: {cart: 1}\n#!      ^^^^\n#! unknown word 'cart' in bid" in got.text
    assert got.parts.keys() == {"orders.yaml", "receipt.txt"}
    assert got.parts["orders.yaml"].decode() == form_of(folder, "red")
    assert got.message["In-Reply-To"] == open_letter(raw).message_id
    assert handled.complaints[0].count(": illegal: ") == handled.complaints[0].count(": malformed: ") == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"side: red", b"side: blue"), "you play red; you cannot give orders to blue"),
        ((b"adjudication: 1", b"adjudication: 0"), "adjudication 1 came after 0; answer the last report"),
        ((b"adjudication: 1", b"adjudication: 7"), "adjudication 7 has not taken place"),
        ((b"side: red", b"side: green"), "there is no side green"),
        ((b"adjudication: 1\n", b""), "adjudication is missing"),
    ],
)
def test_a_sheet_for_another_side_or_day_comes_back(
    folder: Folder, toy: Adjudicator, change: tuple[bytes, bytes], said: str
) -> None:
    before = head(folder)
    raw = bury(folder, "red").replace(*change).replace(b"Subject: Re: punica", b"Subject: My move")
    handled = take_in(raw, folder.office)
    assert not handled.accepted
    assert said in only(handled).text
    assert head(folder) == before


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (letter("red", b"game: gallia\nside: red\nadjudication: 1\norders: []\n"), "no game called gallia here"),
        (letter("red", b"game: .punica\nside: red\norders: []\n"), "does not name its game"),
        (letter("red", b"game: Punica\nside: red\norders: []\n"), "does not name its game"),
        (letter("red", b"FORECAST"), "It asks for a FORECAST"),
        (
            letter("rome", b"game: punica\nside: red\nadjudication: 1\norders: []\n"),
            "no game called punica here in which rome@example.org plays",
        ),
    ],
)
def test_a_letter_that_cannot_be_carried_out_is_refused_politely(
    folder: Folder, toy: Adjudicator, raw: bytes, said: str
) -> None:
    before = head(folder)
    handled = take_in(raw, folder.office)
    got = only(handled)
    assert not handled.accepted
    assert " ".join(said.split()) in " ".join(got.text.split())
    assert str(folder.path) not in got.text
    assert got.parts == {}
    assert got.subject == "Re: punica"
    assert head(folder) == before


def test_mere_chat_is_answered_by_the_form(folder: Folder, toy: Adjudicator) -> None:
    """It is no refusal, and the form that comes back can be filled in."""
    before = head(folder)
    handled = take_in(letter("red", b"Hello, when do we begin?"), folder.office)
    assert handled.accepted
    got = only(handled)
    assert got.subject.startswith("Your move in punica: ")
    assert "sheet begins with the line `game: NAME`" in " ".join(got.text.split())
    assert "could not be carried out" not in got.text
    assert head(folder) == before
    with folder.open() as game:
        form = side_report(game, "red", game.adjudication).sheet
    assert form is not None
    assert got.parts["orders.yaml"].decode() == form
    assert form.rstrip() in got.text


def test_who_asks_for_a_forecast_has_not_ordered_anything(folder: Folder, toy: Adjudicator) -> None:
    before = head(folder)
    raw = bury(folder, "red") + b"\n\nFORECAST\n"
    got = only(take_in(raw, folder.office))
    assert got.subject == "punica: forecast"
    assert "Nothing was carried out" in got.text
    assert head(folder) == before


@pytest.mark.parametrize(
    "more",
    ["Auto-Submitted: auto-replied\n", "Precedence: bulk\n", "Return-Path: <>\n", "From: blue@example.org\n"],
)
def test_letter_from_a_program_or_nobody_is_never_answered(folder: Folder, toy: Adjudicator, more: str) -> None:
    """What a program or nobody in particular sent is never answered."""
    before = head(folder)
    handled = take_in(bury(folder, "red", more=more), folder.office)
    assert (handled.letters, handled.accepted) == ([], False)
    assert "left unanswered" in handled.notes[0]
    assert head(folder) == before


def test_our_own_letters_are_not_answered(folder: Folder, toy: Adjudicator) -> None:
    for out in take_in(bury(folder, "red"), folder.office).letters:
        assert take_in(out.content, folder.office).letters == []


# ---- as mail programs write


@pytest.mark.parametrize("name", [*FOUND, *REFUSED, *AUTOMATIC, "commands"])
def test_letter_of_a_real_mail_program_is_answered_once_or_never(folder: Folder, blank_maps: None, name: str) -> None:
    """Every letter of a real mail program is answered once or never."""
    addresses = {"rome": "ann@example.org", "carthage": "bob@example.net"}
    folder.create("rome_carthage", addresses=addresses).close()
    before = head(folder)
    handled = take_in((LETTERS / f"{name}.eml").read_bytes(), folder.office)
    said = " ".join(" ".join(read(out).text for out in handled.letters).split())
    assert handled.accepted == (name == "talk")
    assert head(folder) == before
    if name in AUTOMATIC:
        assert handled.letters == []
    elif name == "two_games":
        assert [name in said for name in ("no game called gallia", "adjudication 40 has not taken place")] == [True] * 2
    elif name in REFUSED:
        assert REFUSED[name] in said
        assert len(handled.letters) == 1
    elif name in FOUND:
        assert re.search(r"adjudication 4[01] has not taken place; the last was 1", said)
        assert len(handled.letters) == 1
        assert handled.letters[0].to in addresses.values()


@pytest.mark.parametrize("name", ["gmail", "apple_mail", "thunderbird", "mutt", "marks_without_blank", "outlook_below"])
def test_orders_shaped_by_a_real_mail_program_are_carried_out(folder: Folder, blank_maps: None, name: str) -> None:
    """Orders in the shape of a real mail program are carried out.

    The fixtures with the names changed: quoting, top and bottom posting and attachments stay.
    """
    folder.create(addresses={"red": "ann@example.org"}).close()
    raw = (LETTERS / f"{name}.eml").read_bytes()
    for old, new in ((b"side: rome", b"side: red"), (b"adjudication: 41", b"adjudication: 1")):
        assert old in raw
        raw = raw.replace(old, new)
    card = cards(folder, "red")[1]
    raw, count = re.subn(rb"- intercept:(?=\s)", b"- bury:", raw)
    raw = re.sub(rb"with: (\[\{.*\}\]|\[\])", b"card: %d" % card, raw)
    assert count > 0
    handled = take_in(raw, folder.office)
    assert handled.accepted, handled.complaints
    with folder.open() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        assert game.view("red").buried["red"] == card


@pytest.mark.parametrize(
    "body",
    [
        b"{game: punica, side: red, adjudication: 1, orders: [{bury: {card: CARD}}]}",
        b'"game": punica\nside: red\nadjudication: 1\norders:\n- bury: {card: CARD}',
        b"side: red\nadjudication: 1\ngame: 'punica' # ours\norders:\n- bury: {card: CARD}",
        b"  game: punica\n  side: red\n  adjudication: 1\n  orders:\n  - bury: {card: CARD}",
    ],
)
def test_a_game_is_found_however_yaml_lets_it_be_written(
    folder: Folder, toy: Adjudicator, blank_maps: None, body: bytes
) -> None:
    body = body.replace(b"CARD", b"%d" % cards(folder, "red")[0])
    attached = (
        b"From: red@example.org\nMessage-ID: <1@example.org>\nContent-Type: application/yaml; name=orders.yaml\n\n"
        + body
    )
    handled = take_in(attached, folder.office)
    assert handled.accepted, [read(out).text for out in handled.letters]


# ---- the form, quoted


@pytest.mark.parametrize("default", [False, True])
@pytest.mark.parametrize("blanks", [False, True])
def test_the_form_quoted_unchanged_is_no_order(
    folder: Folder, toy: Adjudicator, blank_maps: None, default: bool, blanks: bool
) -> None:
    if default:
        bid(folder)
    before = head(folder)
    with folder.open() as game:
        text = quoted(side_report(game, "red", 0).text)
    assert (b"> # - bid: {card: lowest}" in text) == default
    if blanks:
        text = text.replace(b"\n", b" \n>\n")
    handled = take_in(
        letter("red", b"Thanks! I will think about it.\n\nOn Sunday, pbem wrote:\n\n" + text), folder.office
    )
    assert not handled.accepted
    told = " ".join(only(handled).text.split())
    assert "as it was sent: nothing is chosen" in told
    assert ("AGREED takes what counts without an answer: bid the lowest card" in told) == default
    assert head(folder) == before


def test_words_that_begin_like_an_order_are_told_its_form(folder: Folder, toy: Adjudicator, blank_maps: None) -> None:
    below = b"\n\nOn Sunday, pbem wrote:\n\n" + quoted(form_of(folder, "red"))
    handled = take_in(letter("red", b"Bury the lowest, please." + below), folder.office)
    assert not handled.accepted
    text = " ".join(only(handled).text.split())
    assert "Perhaps this was meant as an order: | Bury the lowest, please." in text
    assert "An order is written with a colon and braces, such as `bury: {card: " in text


def test_quoted_form_with_other_comments_is_no_order(folder: Folder, toy: Adjudicator, blank_maps: None) -> None:
    """A form that an older version mailed has the same orders, and perhaps comments in other words."""
    bid(folder)
    before = head(folder)
    text = quoted(form_of(folder, "red"))
    older = re.sub(rb"(?m)^> # [^-].*$", b"> # Worded differently.", text)
    assert older != text
    assert not take_in(letter("red", b"Thanks!\n\npbem wrote:\n\n" + older), folder.office).accepted
    assert head(folder) == before


def test_form_changed_in_the_quotation_or_copied_from_it_counts(
    folder: Folder, toy: Adjudicator, blank_maps: None
) -> None:
    """The form counts when one `#` is taken off in the quotation, or in a copy of it."""
    bid(folder)
    card = cards(folder, "red")[0]
    changed = quoted(form_of(folder, "red")).replace(b"# - bid: {card: %d}" % card, b"- bid: {card: %d}" % card)
    assert take_in(letter("red", b"pbem wrote:\n\n" + changed), folder.office).accepted
    copied = form_of(folder, "blue").replace("# - bid: {card: lowest}", " - bid: {card: lowest}").encode()
    assert take_in(letter("blue", copied), folder.office).accepted
    with folder.open() as game:
        answers = {answer.side: answer.order for answer in game.ledger.adjudication(game.adjudication).answers}
    assert answers in ({"red": {"card": card}, "blue": {"card": "lowest"}}, {})


def test_form_copied_as_it_stands_chooses_nothing(folder: Folder, toy: Adjudicator, blank_maps: None) -> None:
    """The form copied into a letter as it stands is sent back: AGREED would take what counts without an answer."""
    bid(folder)
    before = head(folder)
    handled = take_in(letter("red", form_of(folder, "red").encode()), folder.office)
    assert "nothing is chosen. AGREED takes what counts without an answer: bid the lowest card" in handled.complaints[0]
    assert head(folder) == before


def test_thank_you_above_the_quoted_form_replaces_no_answer(folder: Folder, toy: Adjudicator, blank_maps: None) -> None:
    """A thank-you with the old form quoted below it does not replace the answer."""
    bid(folder)
    form, card = form_of(folder, "red"), cards(folder, "red")[1]
    with folder.open() as game:
        assert take_in(letter("red", sheet(game, "red", order("bid", card=card))), folder.office).accepted
    before = head(folder)
    assert not take_in(letter("red", b"Thank you!\n\npbem wrote:\n\n" + quoted(form), number=2), folder.office).accepted
    assert head(folder) == before


# ---- several games, and tricks


def test_a_letter_may_hold_sheets_for_two_games(folder: Folder, toy: Adjudicator, blank_maps: None) -> None:
    with folder.create(name="gallia", secrets=OTHERS) as game:
        text = sheet(game, "red", order("bury", card=game.view("red").hands["red"][0]))
    own = sheet(toy, "red", order("bury", card=cards(folder, "red")[0]))
    handled = take_in(letter("red", own, b"And for Gaul:", text), folder.office)
    assert handled.accepted
    assert handled.notes == ["punica: sheet 1 of red accepted", "gallia: sheet 1 of red accepted"]
    wrong = [each.replace(b"card: ", b"card: x") for each in (own, text)]
    handled = take_in(letter("red", *wrong, number=2), folder.office)
    assert len({out.name for out in handled.letters}) == 2
    assert len({read(out).message["Message-ID"] for out in handled.letters}) == 2
    half = take_in(letter("red", own, text.replace(b"gallia", b"galia"), number=3), folder.office)
    assert half.notes[0] == "punica: sheet 2 of red accepted"
    assert "no game called galia" in half.notes[1]


@pytest.mark.parametrize(
    ("sender", "change"),
    [
        ("rome@example.org", (b"", b"")),
        ("blue@example.org", (b"", b"")),
        ("blue@example.org, red@example.org", (b"", b"")),
        ('"red@example.org" <blue@example.org>', (b"", b"")),
        ("red@example.org <blue@example.org>", (b"", b"")),
        ("blue@example.org", (b"Subject: Re: punica", b"Subject: punica side: red\nReply-To: red@example.org")),
        ("blue@example.org", (b"Subject: Re: punica", b"Subject: x\nSender: red@example.org\nX-From: red@example.org")),
        ("blue@example.org", (b"side: red", b"side: blue\nside: red")),
        ("blue@example.org", (b"side: red", b'side: blue\nx: "\nside: red"')),
        ("blue@example.org", (b"game: punica", b'game: punica\nx: "\ngame: gallia\n"')),
    ],
)
def test_nobody_can_give_orders_to_another_side(
    folder: Folder, toy: Adjudicator, sender: str, change: tuple[bytes, bytes]
) -> None:
    before = head(folder)
    raw = bury(folder, "red", sender=sender)
    if change[0]:
        assert change[0] in raw
        raw = raw.replace(*change)
    handled = take_in(raw, folder.office)
    assert not handled.accepted
    assert head(folder) == before
    assert all(out.to != "red@example.org" for out in handled.letters)


def test_a_sheet_named_for_one_game_cannot_change_another(folder: Folder, toy: Adjudicator) -> None:
    folder.create(name="gallia", addresses={"red": "ann@example.org"}, secrets=OTHERS).close()
    before = head(folder), head(folder, "gallia")
    own = sheet(toy, "red", order("bury", card=cards(folder, "red")[0]))
    for text in (own.replace(b"punica", b"gallia"), own.replace(b"game: punica", b"game: punica # \ngame: gallia")):
        assert not take_in(letter("red", text), folder.office).accepted
    assert (head(folder), head(folder, "gallia")) == before


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"From: red@example.org", b"\xff" * 1000, b"From: red@example.org\n\ngame: " + b"[" * 3000]
)
def test_no_bytes_make_it_raise(folder: Folder, toy: Adjudicator, raw: bytes) -> None:
    before = head(folder)
    assert not take_in(raw, folder.office).accepted
    assert head(folder) == before


# ---- secrets


@pytest.mark.parametrize("letters", quick_and_whole(8, 30))
def test_no_letter_shows_the_hand_of_the_other_side(folder: Folder, blank_maps: None, letters: int) -> None:
    random, scanned = Random(seed_of("hands")), 0
    folder.create("rome_carthage").close()
    for number in range(letters):
        with folder.open() as game:
            side = game.open_decisions[0].side
            orders = [pick(game, each, random) for each in game.open_decisions if each.side == side]
            raw = letter(side, sheet(game, side, *orders), number=number)
        handled = take_in(raw, folder.office)
        assert handled.accepted, handled.complaints
        with folder.open() as game:
            board: Any = game.rules
            names = {card: record.name for card, record in board.board.cards.items()}
            for out in handled.letters:
                reader = out.to.partition("@")[0]
                view, enemy = game.view(reader), "rome" if reader == "carthage" else "carthage"
                seen = {names[card] for card in [*view.hands[reader], *view.discards, *view.removed]}
                seen |= {names[view.card.card]} if view.card is not None else set()  # it is being played
                seen |= {names[view.must_play]} if view.must_play is not None else set()  # it claimed the first play
                hidden = {names[card] for card in game.view(enemy).hands[enemy]} - seen
                content = read(out)
                for name in hidden:
                    scanned += 1
                    assert name not in content.text
                    assert name not in content.parts.get("position.txt", b"").decode()
                if "position.json" not in content.parts:
                    continue
                home = json.loads(content.parts["position.json"])["position"]
                assert set(home["hands"][enemy]) <= {0}
                assert "deck" not in home
                if "hands" in home.get("battle", {}):
                    assert set(home["battle"]["hands"][enemy]) <= {"face_down"}
    assert scanned > 2 * letters


def test_guess_at_a_letter_cannot_be_confirmed_by_the_repo(folder: Folder, toy: Adjudicator) -> None:
    """Nobody can tell from the repo what a letter said by guessing it."""
    mailed = bury(folder, "red")
    assert take_in(mailed, folder.office).accepted
    with folder.open() as game:
        assert [path for path in files(game.ledger.repo) if path.startswith("letters/")]
        for guessed in open_letter(mailed).digests:
            assert game.ledger.letter(guessed) is not None
            assert not [path for path in files(game.ledger.repo) if guessed in path]


def test_an_address_is_the_same_however_it_is_capitalised(folder: Folder, blank_maps: None) -> None:
    folder.create(addresses={"red": "Red@Example.ORG", "blue": "blue@example.org"}).close()
    assert take_in(bury(folder, "red"), folder.office).accepted

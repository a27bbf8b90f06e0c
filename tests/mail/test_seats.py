"""One player with several sides: what is for which side, one letter for all of them, each carried out by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from pbem.audit.verify import verify
from pbem.mail.archive_reader import read_letter, read_mailbox
from pbem.mail.due import go_on
from pbem.mail.intake import take_in
from pbem.mail.notes.correspondence import CORRESPONDENCES, REPORTED, NewsWish
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.tasks import Handled
from pbem.mail.write import enclosures
from pbem.mail.write.outgoing import Outgoing, ReportScope, report_of
from pbem.mail.write.posting import _Paragraph, _paragraphs, _told_once, bundled
from pbem.mail.write.report_letters import first_letters
from pbem.mail.write.welcome import welcome_letters
from pbem.protocol import Decision, Side
from pbem.referee.acts.players import change_of
from pbem.referee.game.open_game import CannotPlay
from pbem.render.text.report import SectionKind, TextSection, Titled, Written, mail
from tests.support.blank import blank_pictures
from tests.support.live import NOON, Folder, later, letter, order, pick, quoted, sheet
from tests.support.read_letters import read
from tests.support.walks import FOLDERS

ANN = "ann@example.org"
ADDRESSES = {
    side: ANN if side in ("oak", "elm") else f"{side}@example.org" for side in ["oak", "elm", "ash", "fir", "yew"]
}
ANSWERS = "References: <gaul.oak+elm.1@example.org>\nIn-Reply-To: <gaul.oak+elm.1@example.org>\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with a game of five sides, two of which Ann plays; all are asked for a bid."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder = Folder(tmp_path)
    folder.create("five", "gaul", addresses=ADDRESSES).close()
    return folder


def says(folder: Folder, *texts: bytes, number: int = 1, more: str = "", side: Side = "oak") -> Handled:
    raw = letter(side, *texts, sender=ADDRESSES[side], number=number, more=more)
    return take_in(raw.replace(b"Re: punica", b"Re: gaul"), folder.office)


def bid(folder: Folder, side: Side, card: int | str) -> bytes:
    with folder.open("gaul") as game:
        return sheet(game, side, order("bid", card=card))


def hand(folder: Folder, side: Side) -> list[int]:
    with folder.open("gaul") as game:
        cards: list[int] = game.view(side).hands[side]
        return cards


def sheets(folder: Folder) -> dict[Side, int]:
    with folder.open("gaul") as game:
        return {side: game.sheets(side) for side in ("oak", "elm")}


def flat(out: Outgoing) -> str:
    return " ".join(read(out).text.split())


def to_ann(handled: Iterable[Outgoing]) -> list[Outgoing]:
    return [out for out in handled if out.to == ANN]


def refused(handled: Handled) -> str:
    (out,) = handled.letters
    assert not handled.accepted
    return flat(out)


def test_reports_of_two_sides_are_one_letter(folder: Folder) -> None:
    with folder.open("gaul") as game:
        sent = bundled(first_letters(game, folder.office))
    assert [out.to for out in sent].count(ANN) == 1
    assert len(sent) == 4
    (out,) = to_ann(sent)
    assert read(out).subject == "Your move in gaul: it begins, you play Oak and Elm"
    assert "report 1 to Oak" in flat(out)
    assert "report 1 to Elm" in flat(out)
    kept = read_letter("letter", out.content)
    assert {receipt.side for receipt in kept.receipts} == {"oak", "elm"}
    assert {each.side for each in out.sent} == {"oak", "elm"}


def test_the_introduction_stands_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosures, "pictures", blank_pictures)
    folder = Folder(tmp_path)
    players = {side: address.partition("@")[0] for side, address in ADDRESSES.items()}
    folder.create("five", "gaul", players=players, addresses=ADDRESSES, begin=False).close()
    with folder.open("gaul") as game:
        (welcome,) = to_ann(bundled(welcome_letters(game, folder.office)))
        assert read(welcome).subject == "gaul: you play Oak and Elm. Please send a phrase"
        text = flat(welcome)
        assert text.count("Answer with one line") == text.count("PLEASE KEEP THIS LETTER") == 1
        assert "when Ash, Fir, Yew and you have sent a phrase" in text
        assert "with an order alone, write the line `side: oak` or `side: elm`" in text
        assert text.endswith("Enclosed: receipt-oak.txt, receipt-elm.txt")
    for number, side in enumerate(("ash", "fir", "yew", "oak"), 1):
        handled = says(folder, b"PHRASE the die is cast", side=side, number=number)
    (begun,) = to_ann(handled.letters)
    text = flat(begun)
    assert text.count("A game of Five Valleys begins") == text.count("THE DICE") == 1
    assert text.count("YOU ARE ASKED") == text.count("BEGIN ORDERS") == 2


def test_two_sheets_in_a_letter_go_to_their_sides(folder: Folder) -> None:
    handled = says(folder, bid(folder, "oak", "lowest"), bid(folder, "elm", hand(folder, "elm")[2]))
    assert handled.accepted
    assert sheets(folder) == {"oak": 1, "elm": 1}
    (out,) = handled.letters
    assert "- bid: {card: lowest}" in flat(out)
    assert f"- bid: {{card: {hand(folder, 'elm')[2]}}}" in flat(out)
    with folder.open("gaul") as game:
        assert {each.side for each in game.open_decisions} == {"ash", "fir", "yew"}
        state = game.current().state
        assert state is not None
        assert {side: queue[0].order["card"] for side, queue in state.pending.items()} == {
            "oak": "lowest",
            "elm": hand(folder, "elm")[2],
        }


def test_a_bundle_in_the_outbox_is_not_written_again(folder: Folder) -> None:
    """The process dies before it notes what it has told; then the service pays what it takes for owed."""
    new = folder.path / "outbox" / "new"
    office = replace(folder.office, outbox=MaildirOutbox(new.parent), looked=NOON)
    for number, side in enumerate(("ash", "fir", "yew"), 2):
        says(folder, bid(folder, side, "lowest"), number=number, side=side)
    raw = letter("oak", bid(folder, "oak", "lowest"), bid(folder, "elm", "lowest"), sender=ANN)
    with patch("pbem.mail.write.posting.write_notes", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        take_in(raw.replace(b"Re: punica", b"Re: gaul"), office)
    before = sorted(path.name for path in new.iterdir())
    assert sum(name.startswith("gaul.oak+elm.") for name in before) == 1
    go_on("gaul", NOON, office)
    assert REPORTED.read(folder.repo("gaul")) == 2
    assert sorted(path.name for path in new.iterdir()) == before


def test_a_fault_in_one_sheet_leaves_the_other(folder: Folder) -> None:
    handled = says(folder, bid(folder, "oak", hand(folder, "elm")[0]), bid(folder, "elm", "lowest"))
    assert not handled.accepted
    assert sheets(folder) == {"oak": 0, "elm": 1}
    (out,) = handled.letters
    assert f"card {hand(folder, 'elm')[0]} is not in your hand" in flat(out)
    assert "sheet 1 waits to be used" in flat(out)


def test_a_letter_that_comes_twice_is_carried_out_once(folder: Folder) -> None:
    texts = bid(folder, "oak", "lowest"), bid(folder, "elm", "lowest")
    first = says(folder, *texts)
    again = take_in(
        letter("oak", *texts, sender=ANN, number=1).replace(b"Re: punica", b"Re: gaul"), later(folder.office, 1)
    )
    assert sheets(folder) == {"oak": 1, "elm": 1}
    assert [out.name for out in again.letters] == [out.name for out in first.letters]


def test_sheets_mixed_up_are_a_fault_with_its_line(folder: Folder) -> None:
    """The sheet of one side has the order that another side of the same player is asked for."""
    for side in ("oak", "elm", "ash", "fir", "yew"):
        says(folder, bid(folder, side, "lowest"), side=side)
    with folder.open("gaul") as game:
        (asked,) = game.open_decisions
        assert asked.kind == "march"
        other = "elm" if asked.side == "oak" else "oak"
        if asked.side not in ("oak", "elm"):
            game.change_player(asked.side, "Ann", ANN, replaced=False)
        wrong = sheet(game, other, order("march", hold=True))
    handled = says(folder, wrong, number=7)
    text = refused(handled).replace("#! ", "")
    assert f"this sheet is for {other}, who is not asked for march now; {asked.side} is, whom you play too" in text
    lines = read(handled.letters[0]).text.splitlines()
    assert lines[lines.index("- march: {hold: true}") + 1].startswith("#!"), "it stands below the order"
    assert sheets(folder) == {"oak": 1, "elm": 1}


def test_a_sheet_without_its_side_is_asked_back(folder: Folder) -> None:
    handled = says(folder, b"game: gaul\nadjudication: 1\norders:\n- bid: {card: lowest}\n")
    assert "You play Oak and Elm: add the line `side: oak` or `side: elm`." in refused(handled)
    assert sheets(folder) == {"oak": 0, "elm": 0}


def test_an_order_without_a_sheet_needs_its_side(folder: Folder) -> None:
    handled = says(folder, b"- bid: {card: lowest}", more=ANSWERS)
    assert "do not say for which of your sides they are" in refused(handled)
    assert says(folder, b"side: elm\n- bid: {card: lowest}", more=ANSWERS, number=2).accepted
    assert sheets(folder) == {"oak": 0, "elm": 1}
    assert says(folder, b"- bid: {card: lowest}", more=ANSWERS, number=3).accepted, "only Oak is asked now"
    assert sheets(folder) == {"oak": 1, "elm": 1}


def test_a_form_quoted_as_it_was_sent_is_passed_over(folder: Folder) -> None:
    """Of the two forms in the letter only one was filled in; nothing is said about the other."""
    with folder.open("gaul") as game:
        (out,) = to_ann(bundled(first_letters(game, folder.office)))
    form = read(out).text.replace("# - bid: {card: lowest}", "- bid: {card: lowest}", 1)
    handled = says(folder, quoted(form), more=ANSWERS)
    assert handled.accepted
    assert sheets(folder) == {"oak": 1, "elm": 0}
    assert len(handled.letters) == 1


def test_two_forms_filled_in_where_they_are_quoted_both_count(folder: Folder) -> None:
    with folder.open("gaul") as game:
        (out,) = to_ann(bundled(first_letters(game, folder.office)))
    form = read(out).text.replace("# - bid: {card: lowest}", "- bid: {card: lowest}")
    assert says(folder, quoted(form), more=ANSWERS).accepted
    assert sheets(folder) == {"oak": 1, "elm": 1}


def chatted(handled: Handled) -> str:
    (out,) = handled.letters
    assert out.name.startswith("chat.")
    assert handled.accepted
    return flat(out)


def test_a_letter_in_which_nothing_is_found_is_answered(folder: Folder) -> None:
    assert "There is no order sheet in your letter" in chatted(says(folder, b"Hello!", more=ANSWERS))
    text = "\n".join(f"> {line}" for line in ("gaul: Five Valleys (usual).", "- You are asked: ?")).encode()
    assert "There is no order sheet in your letter" in chatted(says(folder, text, more=ANSWERS, number=2))


def test_a_command_stands_between_game_and_side(folder: Folder) -> None:
    (one,) = says(folder, b"game: gaul\nSTATUS\nside: elm").letters
    assert flat(one).count("gaul: Five Valleys (usual).") == 1
    assert "report 1 to Elm" in flat(one)


def test_a_command_counts_for_all_or_for_the_side_below(folder: Folder) -> None:
    (both,) = says(folder, b"STATUS").letters
    assert flat(both).count("gaul: Five Valleys (usual).") == 2
    (one,) = says(folder, b"STATUS\nside: elm", number=2).letters
    assert flat(one).count("gaul: Five Valleys (usual).") == 1
    assert "report 1 to Elm" in flat(one)


def test_the_subject_is_that_of_the_side_that_is_asked(folder: Folder) -> None:
    for side in ("oak", "ash", "fir", "yew"):
        says(folder, bid(folder, side, "lowest"), side=side, number=1)
    handled = says(folder, bid(folder, "elm", "lowest"), number=2)
    with folder.open("gaul") as game:
        (asked,) = game.open_decisions
    for out in handled.letters:
        its = asked.side in {each.side for each in out.sent}
        ends = "Your move in gaul: Which valley do you march on?" if its else "gaul: news of adjudication 2"
        assert read(out).subject == ends


def test_agreed_takes_what_counts_for_each_side_asked(folder: Folder) -> None:
    assert says(folder, b"AGREED", more=ANSWERS).accepted
    assert sheets(folder) == {"oak": 1, "elm": 1}
    assert says(folder, b"WITHDRAW\nside: oak", number=2).accepted
    with folder.open("gaul") as game:
        assert (game.waits("oak"), game.waits("elm")) == (False, True)


@pytest.mark.parametrize("word", [b"RESIGN gaul", b"CHAIN " + b"a" * 64 + b" 10", b"STANDING CANCEL ALL"])
def test_what_is_for_one_side_needs_its_name(folder: Folder, word: bytes) -> None:
    assert "counts for one side. You play Oak and Elm" in refused(says(folder, word))


def test_standing_orders_and_phrases_stay_apart(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("five", "gaul", addresses=ADDRESSES, begin=False).close()
    assert says(folder, b"PHRASE the die is cast").accepted
    with folder.open("gaul") as game:
        assert {side: game.ledger.joined(side).phrase for side in ("oak", "elm", "ash")} == {
            "oak": "the die is cast",
            "elm": "the die is cast",
            "ash": None,
        }
        assert game.awaited == ("ash", "fir", "yew")
    assert says(folder, b"CHAIN " + b"a" * 64 + b" 10\nside: elm", number=2).accepted
    with folder.open("gaul") as game:
        assert game.ledger.joined("oak").chain is None
        assert game.ledger.joined("elm").chain is not None


def test_a_used_address_is_refused_where_two_sides_play(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with pytest.raises(CannotPlay, match=r"ANN@example\.org plays red and blue; nobody plays more than one side"):
        folder.create("toy", addresses={"red": ANN, "blue": ANN.upper()[:3] + ANN[3:]})
    assert not folder.repo("punica").exists()


def test_a_used_address_is_refused_as_agreed(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(CannotPlay, match="nobody plays more than one side"):
        folder.create("five", "other", addresses=ADDRESSES, one_side_each=True)
    with folder.open("gaul") as game:
        assert change_of(game, "ash", "", ANN).side == "ash"
    alone = Folder(tmp_path / "alone").create("five", "third", one_side_each=True)
    with alone as game, pytest.raises(CannotPlay, match="plays elm in third, where nobody plays more than one side"):
        change_of(game, "ash", "", game.ledger.addresses["elm"])


def test_a_game_with_a_player_of_two_sides_verifies(folder: Folder) -> None:
    says(folder, bid(folder, "oak", "lowest"), bid(folder, "elm", "lowest"))
    for number, side in enumerate(("ash", "fir", "yew"), 2):
        handled = says(folder, bid(folder, side, "lowest"), number=number, side=side)
    assert len(to_ann(handled.letters)) == 1
    with folder.open("gaul") as game:
        keys = game.ledger.keys
    assert verify(folder.repo("gaul"), folders=FOLDERS).findings.sorted == []
    assert verify(folder.repo("gaul"), folders=FOLDERS, keys=lambda _: keys).findings.sorted == []


@pytest.mark.parametrize("letters", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_a_game_by_letters_agrees_with_the_mailbox_of_its_player(folder: Folder, tmp_path: Path, letters: int) -> None:
    """Fifty letters, one person on two seats: what they got and sent agrees with a clone, sheet by sheet."""
    box, random, number = tmp_path / "mail", Random(5), count(1)
    box.mkdir()

    def carry(side: Side, *texts: bytes) -> None:
        n = next(number)
        raw = letter(side, *texts, sender=ADDRESSES[side], number=n).replace(b"Re: punica", b"Re: gaul")
        handled = take_in(raw, folder.office)
        if ADDRESSES[side] == ANN:
            (box / f"sent-{n}.eml").write_bytes(raw)
        for at, out in enumerate(to_ann(handled.letters)):
            (box / f"got-{n}-{at}.eml").write_bytes(out.content)

    with folder.open("gaul") as game:
        (first,) = to_ann(bundled(first_letters(game, folder.office)))
    (box / "got-0.eml").write_bytes(first.content)
    for _ in range(letters):
        with folder.open("gaul") as game:
            asked = {each.side: list(game.asked(each.side)) for each in game.open_decisions}
            if not asked:
                break
            own = {
                side: sheet(game, side, *[pick(game, each, random) for each in decisions if each == decisions[0]])
                for side, decisions in asked.items()
                if len(decisions) == 1
            }
            late = [side for side in asked if side not in own]
            if not own:
                game.adjudicate(late=late)
                continue
        side = next(iter(own))
        carry(side, *(text for of, text in own.items() if ADDRESSES[of] == ADDRESSES[side]))
    with folder.open("gaul") as game:
        used = sum(map(game.sheets, ("oak", "elm")))
    verdict = verify(folder.repo("gaul"), folders=FOLDERS, letters=list(read_mailbox(box)))
    assert verdict.findings.sorted == []
    assert verdict.compared is not None
    assert (verdict.compared.sheets, verdict.compared.matched) == (used, used)
    assert used > letters // 6


def test_what_both_sides_are_told_stands_once(folder: Folder) -> None:
    for side in ("ash", "fir", "yew"):
        says(folder, bid(folder, side, "lowest"), side=side)
    handled = says(folder, bid(folder, "oak", "lowest"), bid(folder, "elm", "lowest"), number=2)
    (out,) = to_ann(handled.letters)
    text = flat(out)
    assert text.count("WHAT HAPPENED") == 2
    for side in ("Oak", "Elm", "Ash", "Fir", "Yew"):
        assert len(re.findall(rf"\b{side} bids \d+\.", text)) == 1
    assert "WHAT HAPPENED As told above" in text


def test_what_one_side_alone_knows_stands_with_that_side() -> None:
    def letter(*sections: tuple[SectionKind, str]) -> list[_Paragraph]:
        return _paragraphs(Written(tuple(TextSection(*each) for each in sections)))

    head = (SectionKind.MORE, "head\n\n")
    here = (SectionKind.TITLED, "WHERE THINGS STAND\nhere\n")
    oak = letter(head, (SectionKind.EVENTS, "WHAT HAPPENED\nA deal.\n  You get 1.\nWar.\nWar.\n\nPeace.\n\n"), here)
    elm = letter(
        head, (SectionKind.EVENTS, "WHAT HAPPENED\nA deal.\n  You get 2.\nWar.\nWar.\nWar.\n\nPeace.\n\n"), here
    )
    assert _told_once([oak, elm]) == [
        [each.text for each in oak],
        [
            "head",
            "WHAT HAPPENED\nAs told above, and:\nA deal.\n  You get 2.\nWar.",
            "WHERE THINGS STAND\nAs told above.",
        ],
    ]
    assert _told_once([oak, oak])[1] == ["head", "WHAT HAPPENED\nAs told above.", "WHERE THINGS STAND\nAs told above."]
    sheet = "----- BEGIN ORDERS -----\nx\n\ny\n----- END ORDERS -----"
    form = letter((SectionKind.FORM, sheet), (SectionKind.PLAIN, "\n\nYour sheet\n"))
    assert _told_once([form, form]) == [[each.text for each in form]] * 2


def test_a_section_of_a_letter_is_known_by_its_template_alone() -> None:
    """Words of others that look like a heading begin no section, and no mark of theirs counts."""
    written = mail("chat", game="gaul", said="WHAT HAPPENED\n\ufdd0eWAR", asked="", sheet=None).words
    assert {each.kind for each in _paragraphs(written)} == {SectionKind.MORE}
    assert "WHAT HAPPENED\neWAR" in written.text
    titled = mail("chat", game="gaul", said=Titled("WAR\nfor \ufdd0: no kind"), asked="", sheet=None).words
    assert "for : no kind" in titled.text, "a text of ours may quote somebody"


def test_a_word_for_both_sides_is_confirmed_once(folder: Folder) -> None:
    (out,) = says(folder, b"NEWS asked").letters
    assert flat(out).count("NEWS:") == 1
    with folder.open("gaul") as game:
        for side in ("oak", "elm"):
            assert CORRESPONDENCES.read(game.path, side).news == NewsWish.ASKED
    assert "DRAW" in flat(says(folder, b"DRAW gaul ash", side="ash").letters[0])
    (out,) = to_ann(says(folder, b"CONSENT gaul 1", number=2).letters)
    text = flat(out)
    assert text.count("CONSENT: on record for Oak and Elm.") == text.count("CONSENT") == 1
    assert "waits for Fir and Yew." in text


@pytest.mark.parametrize("word", [b"STANDING\n", b"PHRASE alea\n"], ids=["a question", "too late"])
def test_what_differs_for_the_sides_is_answered_for_each(folder: Folder, word: bytes) -> None:
    (out,) = says(folder, word + b"side: oak\nside: elm").letters
    assert flat(out).count(word.split()[0].decode()) >= 2


def test_a_question_that_nobody_waits_for_stands_beside_one(folder: Folder) -> None:
    """It can be answered, so the form has it; alone it asks nothing of its side."""
    with folder.open("gaul") as game:
        beside = Decision(
            "aid", "oak", "7", {"marcher": "ash", "holder": "fir", "valley": "north"}, {"card": "none"}, waits=False
        )
        game.session.open_decisions = (*game.session.open_decisions, beside)
        told = report_of(game, "oak", ReportScope(game.adjudication, game.open_decisions))
        assert told.sheet is not None
        assert "# - bid: {card: lowest}" in told.sheet
        assert "# - aid: {card: none}" in told.sheet
        assert "The game does not wait for it." in " ".join(told.text.split())
        assert told.asked == game.box.forms["bid"].title
        assert [each.kind for each in game.open_decisions if each.side == "oak"] == ["bid"]
        game.session.open_decisions = (beside,)
        assert report_of(game, "oak", ReportScope(game.adjudication, game.open_decisions)).sheet is None

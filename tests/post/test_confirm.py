"""Letters that prove nothing: they wait, their player is asked once a day, and what is confirmed is what was shown."""

from __future__ import annotations

import re
import stat
from datetime import timedelta

import pytest

from pbem.crypto.seal import recipient_of
from pbem.mail.tasks import Handled
from pbem.post.settings import WhoConfig
from pbem.post.who import mailbox_notes
from pbem.post.who.confirm import due, sides_to_ask
from tests.support.live import NOON, OTHERS, SECRETS, Folder
from tests.support.posted import at, bury, form_of, kinds, report_id, sheets, shown, take, text_of, token_of, written

RED = "red@example.org"


@pytest.fixture
def game(folder: Folder) -> Folder:
    folder.create().close()
    return folder


def asking(handled: Handled) -> tuple[str, str]:
    """Return the Message-ID and the code of the letter that asks red for a confirmation."""
    assert kinds(handled) == [f"confirm {RED}"]
    (out,) = handled.letters
    link = re.search(r"mailto:pbem@example\.org\?subject=CONFIRM%20([0-9a-f]{24})\n", text_of(out))
    assert link is not None
    return str(shown(out)["Message-ID"]), link[1]


def test_letter_without_a_proof_waits_and_its_player_is_asked(game: Folder) -> None:
    handled = take(game, written(bury(game), subject="my orders"))
    asking(handled)
    text = text_of(handled.letters[0])
    assert "  2026-11-22 12:00 UTC: my orders\n  | game: punica\n  | side: red\n" in text
    assert "It waits until Sunday, 29 November." in " ".join(text.split())
    assert "Enclosed" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert sheets(game) == 0
    assert handled.log == ["punica: letter of red: nothing shows that its player wrote it; it waits to be confirmed"]
    note = game.repo("punica") / "pbem.asked.red"
    assert stat.S_IMODE(note.stat().st_mode) == 0o600, "the code in it confirms letters"


def test_answer_with_nothing_in_it_confirms(game: Folder) -> None:
    id, _ = asking(take(game, written(bury(game))))
    handled = take(game, written("", answers=id), settings=at(game, days=6))
    assert handled.accepted
    assert sheets(game) == 1
    assert not mailbox_notes.ASKED.read(game.repo("punica"), "red").letters
    assert not list((game.repo("punica") / "pbem.held").iterdir())


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "ok.",
        "Ja!\n\nSent from my iPhone",
        "CONFIRM",
        "CONFIRMED",
        "On Sunday the referee <pbem@example.org> wrote:\n> did you?",
    ],
)
def test_answer_that_says_yes_confirms(game: Folder, text: str) -> None:
    id, _ = asking(take(game, written(bury(game))))
    assert take(game, written(text, answers=id)).accepted
    assert sheets(game) == 1


def test_quoted_letter_below_the_answer_does_no_harm(game: Folder) -> None:
    handled = take(game, written(bury(game)))
    id, _ = asking(handled)
    quoted = "".join(f"> {line}\n" for line in text_of(handled.letters[0]).splitlines())
    assert take(game, written(f"\n{quoted}", answers=id)).accepted
    assert sheets(game) == 1


def test_key_of_a_forger_is_not_taken_from_a_quoted_letter(game: Folder) -> None:
    key = f"KEY {recipient_of(SECRETS.office)}"
    handled = take(game, written(f"game: punica\nside: red\n{key}"))
    id, _ = asking(handled)
    assert f"  | {key}\n" in text_of(handled.letters[0])
    quoted = "".join(f"> {line}\n" for line in text_of(handled.letters[0]).splitlines())
    take(game, written(f"That was not me!\n\n{quoted}", answers=id))
    with game.open() as found:
        assert found.ledger.joined("red").key is None


@pytest.mark.parametrize("where", ["subject", "body"])
def test_link_confirms(game: Folder, where: str) -> None:
    _, code = asking(take(game, written(bury(game))))
    subject, text = (f"CONFIRM {code}", "") if where == "subject" else ("hello", f"confirm {code.upper()}")
    assert take(game, written(text, subject=subject)).accepted
    assert sheets(game) == 1


def test_link_names_the_address_with_the_token(game: Folder) -> None:
    handled = take(game, written(bury(game)), WhoConfig(plus=True))
    assert f"mailto:pbem+{token_of(game, 'red')}@example.org?subject=" in text_of(handled.letters[0])
    assert shown(handled.letters[0])["Reply-To"] == f"Referee <pbem+{token_of(game, 'red')}@example.org>"


def test_confirmed_letter_is_noted_as_heard(game: Folder) -> None:
    from pbem.mail.read.token import ACQUAINTANCES

    id, _ = asking(take(game, written(bury(game))))
    take(game, written("", answers=id))
    assert ACQUAINTANCES.read(game.repo("punica"), "red").by == "confirmed"


def test_orders_in_the_answer_count_by_themselves(game: Folder) -> None:
    """The answer brings back a key, so that a sheet in it needs no confirmation; and what waits goes on waiting."""
    id, _ = asking(take(game, written(bury(game))))
    assert take(game, written(f"Yes\n\n{bury(game, at=1)}", answers=id)).accepted
    with game.open() as found:
        assert found.ledger.sheet("red", 1) == bury(game, at=1).encode()
    assert sheets(game) == 1
    assert len(mailbox_notes.ASKED.read(game.repo("punica"), "red").letters) == 1


def test_all_that_a_letter_asks_for_is_shown(game: Folder) -> None:
    """Nothing can be hidden below what is shown: what there is no room for is counted."""
    text = (
        bury(game)
        + "".join(f"# {number}\n" for number in range(50))
        + "".join("- bury: {card: 99}\n" for _ in range(60))
    )
    handled = take(game, written(f"{text}\n\nRESIGN punica\nNEWS asked\n"))
    shown = text_of(handled.letters[0])
    assert "  | RESIGN punica\n  | NEWS asked\n  | game: punica\n" in shown
    assert shown.count("- bury: {card: 99}") == 33
    assert "  | ... and 27 more lines\n" in shown


# ---- what does not confirm


@pytest.mark.parametrize(
    "text",
    [
        "I am out of the office until Monday. Your letter will be read then.",
        "Thank you for contacting us! Ticket 4711 was opened.\n\nYes, we can help.",
        "No, I did not!",
        "Was that me?",
        "CONFIRM 0123456789abcdef01234567",
    ],
)
def test_other_words_do_not_confirm(game: Folder, text: str) -> None:
    id, _ = asking(take(game, written(bury(game))))
    take(game, written(text, answers=id))
    assert sheets(game) == 0
    assert len(mailbox_notes.ASKED.read(game.repo("punica"), "red").letters) == 1


@pytest.mark.parametrize("header", ["Auto-Submitted: auto-replied", "Precedence: auto_reply", "X-Autoreply: yes"])
def test_robot_does_not_confirm(game: Folder, header: str) -> None:
    id, code = asking(take(game, written(bury(game))))
    handled = take(game, written("", answers=id, subject=f"Re: CONFIRM {code}", more=f"{header}\n"))
    assert handled.letters == []
    assert sheets(game) == 0


@pytest.mark.parametrize("sender", ["blue@example.org", "mallory@example.com"])
def test_nobody_else_confirms(game: Folder, sender: str) -> None:
    id, code = asking(take(game, written(bury(game))))
    assert take(game, written("", answers=id, sender=sender)).letters == []
    assert take(game, written("", subject=f"CONFIRM {code}", sender=sender)).letters == []
    assert sheets(game) == 0


def test_code_of_another_host_does_not_confirm(game: Folder) -> None:
    id, _ = asking(take(game, written(bury(game))))
    take(game, written("", answers=id.replace("@example.org", "@evil.org")))
    assert sheets(game) == 0


def test_code_confirms_only_what_was_shown(game: Folder) -> None:
    """A letter that is slipped in after the player was asked is not carried out with the others."""
    first, second = bury(game, at=0), bury(game, at=1)
    id, _ = asking(take(game, written(first)))
    later = take(game, written(second), settings=at(game, hours=1))
    assert later.letters == []
    assert take(game, written("", answers=id), settings=at(game, hours=2)).accepted
    assert sheets(game) == 1
    with game.open() as found:
        assert first.encode() == found.ledger.sheet("red", 1)
    assert [each.subject for each in mailbox_notes.ASKED.read(game.repo("punica"), "red").letters] == ["Re: punica"]


def test_confirmation_for_one_game_does_not_count_for_another(folder: Folder) -> None:
    folder.create().close()
    folder.create(name="gallia", secrets=OTHERS).close()
    raw = written(f"{bury(folder)}\n\n{bury(folder, name='gallia')}")
    asked = take(folder, raw)
    assert kinds(asked) == [f"confirm {RED}"] * 2
    take(folder, written("", answers=str(shown(asked.letters[1])["Message-ID"])))
    assert (sheets(folder), sheets(folder, name="gallia")) == (0, 1)
    take(folder, written("", answers=str(shown(asked.letters[0])["Message-ID"])))
    assert (sheets(folder), sheets(folder, name="gallia")) == (1, 1)


# ---- once a day, and a week


def test_player_is_asked_once_a_day(game: Folder) -> None:
    asking(take(game, written(bury(game))))
    for hours in (1, 12, 23):
        assert take(game, written(bury(game, at=1), subject=f"{hours}"), settings=at(game, hours=hours)).letters == []
    (out,) = take(game, written(bury(game, at=2)), settings=at(game, hours=24)).letters
    assert "5 letters came" in " ".join(text_of(out).split())
    take(game, written("", answers=str(shown(out)["Message-ID"])), settings=at(game, hours=25))
    assert sheets(game) == 5


def test_sweep_asks_the_next_day_for_what_came_later(game: Folder) -> None:
    asking(take(game, written(bury(game))))
    take(game, written(bury(game, at=1)), settings=at(game, hours=1))
    soon, tomorrow = NOON + timedelta(hours=2), NOON + timedelta(days=1)
    with game.open() as found, found.lock():
        assert sides_to_ask(found) == ["red"]
        assert list(due(found, "red", soon, game.office)) == []
        (out,) = due(found, "red", tomorrow, game.office)
        assert out.to == RED
        assert sides_to_ask(found) == []
        assert list(due(found, "red", tomorrow, game.office)) == []


def test_letter_that_came_before_the_question_is_of_its_day(game: Folder) -> None:
    """Letters wait, and those of strangers have a queue of their own: not all are taken in in the order they came."""
    asking(take(game, written(bury(game)), settings=at(game, hours=1)))
    assert take(game, written(bury(game, at=1))).letters == []


def test_clock_that_jumps_back_keeps_nobody_from_being_asked(game: Folder) -> None:
    asking(take(game, written(bury(game)), settings=at(game, days=3000)))
    assert kinds(take(game, written(bury(game, at=1)))) == [f"confirm {RED}"]


def test_letter_waits_for_a_week(game: Folder) -> None:
    id, _ = asking(take(game, written(bury(game))))
    handled = take(game, written("", answers=id), settings=at(game, days=7))
    assert (handled.accepted, handled.letters) == (False, [])
    assert sheets(game) == 0
    assert not mailbox_notes.ASKED.read(game.repo("punica"), "red").letters


def test_many_letters_do_not_fill_the_disk(game: Folder) -> None:
    for number in range(12):
        take(game, written(bury(game), subject=f"{number}"), settings=at(game, minutes=number))
    assert len(mailbox_notes.ASKED.read(game.repo("punica"), "red").letters) == mailbox_notes.MOST_UNCONFIRMED
    assert len(list((game.repo("punica") / "pbem.held").iterdir())) == mailbox_notes.MOST_UNCONFIRMED


def test_player_is_told_of_letters_that_were_not_kept(game: Folder) -> None:
    """Somebody else may have written the letters that fill the room."""
    for number in range(mailbox_notes.MOST_UNCONFIRMED):
        take(game, written(bury(game), subject=f"{number}"), settings=at(game, minutes=number))
    assert take(game, written(bury(game), subject="mine"), settings=at(game, hours=1)).letters == []
    handled = take(game, written(bury(game), subject="mine again"), settings=at(game, days=1))
    assert kinds(handled) == [f"confirm {RED}"]
    assert "\n2 more letters came, and were not kept: no more than 5 wait." in text_of(handled.letters[0])
    assert take(game, written(bury(game), subject="and again"), settings=at(game, days=1, hours=1)).letters == []


def test_same_letter_is_kept_once_and_asked_for_the_same_way(game: Folder) -> None:
    """After a crash the letter is taken in again, and the player gets no second letter for it."""
    raw = written(bury(game))
    first, second = take(game, raw), take(game, raw)
    assert asking(first) == asking(second)
    assert [out.content for out in first.letters] == [out.content for out in second.letters]
    assert len(mailbox_notes.ASKED.read(game.repo("punica"), "red").letters) == 1


def test_confirmation_that_comes_twice_does_nothing(game: Folder) -> None:
    id, _ = asking(take(game, written(bury(game))))
    answer = written("", answers=id)
    assert take(game, answer).accepted
    assert take(game, answer).letters == []
    assert sheets(game) == 1


def test_confirmation_that_broke_off_is_taken_in_again(game: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    id, _ = asking(take(game, written(bury(game))))
    answer = written("", answers=id)
    with monkeypatch.context() as patch:
        patch.setattr(
            "pbem.post.who.mailbox_notes.release", lambda *_: (_ for _ in ()).throw(OSError("the disk is full"))
        )
        with pytest.raises(OSError, match="disk"):
            take(game, answer)
    assert sheets(game) == 1
    take(game, answer)
    assert sheets(game) == 1
    assert not mailbox_notes.ASKED.read(game.repo("punica"), "red").letters


def test_damaged_note_loses_no_game(game: Folder) -> None:
    asking(take(game, written(bury(game))))
    for text in (
        "",
        "{",
        "[]",
        '{"letters": [{}], "when": "", "codes": {}}',
        '{"letters": [], "when": 3, "codes": []}',
    ):
        (game.repo("punica") / "pbem.asked.red").write_text(text)
        (game.repo("punica") / "pbem.who.red").write_text(text)
        (game.repo("punica") / "pbem.refused.red").write_text(text)
        assert not take(game, written(bury(game))).accepted
    assert take(game, written(bury(game), answers=report_id(game, "red"))).accepted


def test_form_that_was_quoted_without_its_key_waits(game: Folder) -> None:
    quoted = "".join(f"> {line}\n" for line in form_of(game).splitlines() if not line.startswith("key:"))
    assert kinds(take(game, written(f"{bury(game)}\n{quoted}"))) == [f"confirm {RED}"]

"""Replies of real mail programs to real questions: what is taken from each, and what is sent back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from pbem.mail.choose import sheet_choice
from pbem.mail.read.forum_tags import untagged
from pbem.mail.read.mime import take_apart
from pbem.mail.read.quoting import letter_lines
from pbem.render.text.form import order_lines
from tests.support.chance import seed_of
from tests.support.frames import FRAMES, frames
from tests.support.live import Folder, play
from tests.support.mail_programs import LETTERS
from tests.support.replies import (
    IN_THE_QUOTE,
    SENT_BACK,
    TAKEN,
    WITHOUT_QUOTE,
    Edit,
    Made,
    Post,
    in_words,
    outcome,
    post,
    thanks_alone,
)
from tests.support.soak import scaled

POSITIONS = [("rome_carthage", 2), ("hannibal_italy", 12), ("rome_carthage", 12), ("hannibal_italy", 7)]
"""A game, and after how many random sheets of it the replies come."""


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Post]]:
    """Return games that ask something; a form is made once, and not for every letter."""
    made = []
    for rules, sheets in POSITIONS:
        folder = Folder(tmp_path_factory.mktemp("replies"))
        game = folder.create(rules)
        for _ in play(game, 3, sheets):
            pass
        made.append(post(game, folder.office))
    with pytest.MonkeyPatch.context() as patch:
        forms = {at.game.path: sheet_choice.forms_of(at.game, at.side) for at in made}
        patch.setattr(sheet_choice, "forms_of", lambda game, _: forms[game.path])
        yield made
    for at in made:
        at.game.close()


def replies(posts: list[Post], apart: int) -> Iterator[tuple[str, Edit, Post, Made]]:
    """Yield replies of every mail program: six answers of each kind that is good, two that are sent back."""
    for number, frame in enumerate(frames()):
        good = [TAKEN[(number * 7 + at) % len(TAKEN)] for at in range(6)]
        bad = [SENT_BACK[(number + at * 3) % len(SENT_BACK)] for at in range(2)]
        for at, edit in list(enumerate([*good, *bad]))[number % apart :: apart]:
            if not (frame in WITHOUT_QUOTE and edit in IN_THE_QUOTE):
                asked = posts[(number + at) % len(posts)]
                yield frame, edit, asked, edit(asked, frame, number * 10 + at)


@pytest.mark.parametrize(("apart", "least"), [(9, 33), pytest.param(1, 300, marks=pytest.mark.slow)])
def test_replies_are_read_as_they_are_meant(posts: list[Post], apart: int, least: int) -> None:
    """Of 300 replies 98 % are taken rightly, none is read wrongly, and the rest come back with the reason."""
    came: Counter[str] = Counter()
    odd = []
    for frame, edit, at, (raw, expected) in replies(posts, apart):
        got = outcome(raw, at)
        what = f"{frame}, {edit.__name__}, {at.game.box.id} {at.game.adjudication}: {got.why[:300]}"
        if isinstance(expected, str):
            came["sent back" if got.orders is None and expected in got.why else "wrong"] += 1
            odd += [] if got.orders is None and expected in got.why else [what]
        elif got.orders is None:
            came["not taken"] += 1
            odd.append(what)
        else:
            right = [(each.kind, each.body) for each in got.orders] == [(each.kind, each.body) for each in expected]
            came["taken" if right else "wrong"] += 1
            odd += [] if right else [f"{what}\n{got.sheet}"]
    assert came.total() >= least, came
    assert came["wrong"] == 0, "\n".join(odd)
    assert came["not taken"] <= 0.02 * (came["taken"] + came["not taken"]), "\n".join(odd)


@pytest.mark.parametrize("frame", [frame for frame in frames() if frame not in WITHOUT_QUOTE])
def test_a_letter_of_ours_that_comes_back_orders_nothing(posts: list[Post], frame: str) -> None:
    """Neither the form nor any other line of the report, such as the words of an answer, is the sender's own."""
    for number, at in enumerate(posts):
        raw, _ = thanks_alone(at, frame, number)
        assert outcome(raw, at).orders is None, frame
        raw, _ = in_words(at, frame, number)
        assert outcome(raw, at).orders is not None, f"{frame}: {outcome(raw, at).why}"


def test_the_stock_of_fixtures_is_large_enough() -> None:
    """The table that says where the fixtures are from counts them rightly."""
    whole, framed = len(list(LETTERS.glob("*.eml"))), len(frames())
    table = (FRAMES / "README.md").read_text("utf-8")
    assert f"| whole letters | {whole} |" in table
    assert f"| frames | {framed} |" in table
    assert whole + framed >= 60
    assert len(table.partition("Clients: ")[2].partition(".\n")[0].split(",")) >= 12
    assert len(table.partition("Languages of quoting: ")[2].partition(".\n")[0].split(",")) >= 8


# ---- replies that were spoilt on the way

SPOILT = 10_000
WORDS = re.compile(r"[^\W_]+")


def spoilt(text: str, rng: Random) -> str:
    """Return a text with one to four things in it changed, as hands and programs change them."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        line = lines[at]
        match rng.randrange(12):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, line)
            case 2:
                lines[at] = rng.choice(["> ", "- ", "* ", "1) ", "# ", "  ", "+ ", "then - ", "| ", '"']) + line
            case 3:
                lines[at] = line.lstrip(" #->")
            case 4:
                lines[at] = rng.choice([str.upper, str.title, str.lower])(line)
            case 5:
                cut = rng.randint(0, len(line))
                lines[at : at + 1] = [line[:cut].rstrip(), line[cut:].lstrip()]
            case 6:
                lines[at] = line.replace(
                    *rng.choice([(":", " :"), (":", ""), ("_", " "), ('"', "”"), (", ", "，"), ("{", "")])
                )
            case 7:
                lines.insert(
                    at, rng.choice(["", "Hello,", "-- ", "```", "[code]", "[/code]", "----- END ORDERS -----"])
                )
            case 8:
                lines.insert(
                    at, rng.choice(["STATUS", "phrase of mine", "orders:", "standing: default", "On Sunday Bob wrote:"])
                )
            case 9:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], line
            case 10:
                lines[at] = line + rng.choice([" #", "  ", " {", "]", ",", " (rule 9.4)", " ..."])
            case _:
                lines[at] = line[: rng.randint(0, len(line))]
        if not lines:
            return ""
    return "\n".join(lines)


def spoilt_replies(posts: list[Post], count: int, rng: Random) -> Iterator[tuple[Post, bytes]]:
    """Yield replies in which the player's own text, or what it quotes, was spoilt; and now and then the bytes."""
    names = frames()
    for number in range(count):
        at, frame = rng.choice(posts), rng.choice(names)
        answer = rng.choice(at.answers)
        own = rng.choice(
            [at.sheet(answer), "\n".join(order_lines(answer.kind, answer.written)), at.filled_form(answer), "Hi"]
        )
        form = rng.choice([at.form, at.form, at.filled_form(answer)])
        if rng.random() < 0.7:
            own = spoilt(own, rng)
        else:
            form = spoilt(form, rng)
        raw = at.reply(frame, own, form, number=number)
        if rng.random() < 0.1:
            cut = rng.randrange(len(raw))
            raw = (
                raw[:cut] + rng.choice([b"", b"\xff", b"<", b"=\n", b"\n\n", b"</div>"]) + raw[cut + rng.randrange(9) :]
            )
        yield at, raw


def orders_typed(raw: bytes, at: Post) -> list[str]:
    """Return the lines of the sender's own that begin with a kind of order; found without the finder of sheets."""
    kinds = "|".join(at.game.box.forms)
    shape = re.compile(rf"\W*(?:\d+[.)]\W*)?(?:then\W*)?({kinds})[\"'”*`]*\s*[:{{].*", re.IGNORECASE)
    typed = []
    for part in take_apart(raw):
        text = part.whole if part.kind in ("text/plain", "text/html") and not part.covered else None
        for line in letter_lines(untagged(text or "")):
            if line.depth == 0 and line.text == "--":
                break
            if line.depth == 0 and "#" not in line.text and shape.fullmatch(line.text):
                typed.append(line.text)
    return typed


def letters_and_digits(text: str) -> str:
    return "".join(WORDS.findall(text.replace("_", " ").casefold()))


def check_spoilt(posts: list[Post], count: int, seed: int) -> Counter[str]:
    """Read spoilt replies: nothing raises, and nothing is taken of which an order of the player's own is dropped."""
    came: Counter[str] = Counter()
    for at, raw in spoilt_replies(posts, count, Random(seed)):
        got = outcome(raw, at)
        came["sent back" if got.orders is None else "taken"] += 1
        if got.orders is None:
            assert got.why.strip(), raw.decode("utf-8", "replace")
            continue
        sheet = letters_and_digits(got.sheet)
        dropped = [line for line in orders_typed(raw, at) if letters_and_digits(_bare(line)) not in sheet]
        assert not dropped, f"{dropped}\n--- of\n{raw.decode('utf-8', 'replace')[:3000]}\n--- was taken\n{got.sheet}"
    return came


def _bare(line: str) -> str:
    """Return a line without the number, or the word, in front of it, and without what is said behind its braces."""
    return re.sub(r"^\W*(?:\d+[.)]\W*)?(?:(?i:then)\W*)?|(?<=\})[^}]*$", "", line)


@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_no_spoilt_reply_raises_or_loses_an_order(posts: list[Post], count: int) -> None:
    came = check_spoilt(posts, count, seed_of(1))
    assert min(came["taken"], came["sent back"]) > count // 15, came


@pytest.mark.soak
def test_none_of_many_spoilt_replies_loses_an_order(posts: list[Post]) -> None:
    check_spoilt(posts, scaled(SPOILT), seed_of(2))

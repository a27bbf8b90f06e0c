"""Sealed orders: a block that a forum has damaged either opens all the same, or says what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from time import process_time

import pytest

from pbem.crypto.seal import new_identity, recipient_of, wrap
from pbem.crypto.sealed_orders import BadBlock, SealedBlock, find_blocks, open_block, sealed_orders
from tests.support.chance import seed_of
from tests.support.live import SECRETS

SHEET = b"game: punica\nside: rome\norders:\n- play: {card: 8}\n"
KEYS = [("punica", SECRETS.identity)]
OTHER = new_identity()
BLOCK = sealed_orders(recipient_of(SECRETS.identity), "punica", "rome", SHEET)
LINES = BLOCK.splitlines()
HARMLESS: dict[str, Callable[[str], str]] = {
    "nothing": lambda block: block,
    "words around it": lambda block: f"Here they are:\n{block}\nGood luck!",
    "no words between": lambda block: f"Here they are: {block.strip()} Good luck!",
    "its first line is lost": lambda block: block.partition("\n")[2],
    "quote marks": lambda block: "".join(f"> > {line}\n" for line in block.splitlines()),
    "marks without a blank": lambda block: "".join(f">{line}\n" for line in block.splitlines()),
    "lost line ends": lambda block: block.replace("\n", " "),
    "lost line ends without blanks": lambda block: LINES[0] + "\n" + "".join(LINES[1:-1]) + LINES[-1],
    "blank lines": lambda block: block.replace("\n", "\n\n"),
    "indented": lambda block: "".join(f"    {line}\n" for line in block.splitlines()),
    "broken lines": lambda block: (
        LINES[0] + "\n" + "\n".join(line[at : at + 30] for line in LINES[1:] for at in (0, 30, 60))
    ),
    "long dashes": lambda block: block.replace("-----", "—–"),
    "dashes lost": lambda block: block.replace("-----", ""),
    "numbers": lambda block: "".join(f"{at}. {line}\n" for at, line in enumerate(block.splitlines(), 1)),
    "numbers, aligned": lambda block: "".join(f"{at:3} {line}\n" for at, line in enumerate(block.splitlines(), 1)),
    "line ends of Windows": lambda block: block.replace("\n", "\r\n"),
    "other blanks": lambda block: block.replace("\n", "\u00a0\n").replace("a", "a\u200b"),
}


def only(text: str) -> SealedBlock:
    (found,) = find_blocks(text)
    return found


def refusal(text: str, keys: list[tuple[str, str]] = KEYS) -> str:
    with pytest.raises(BadBlock) as refused:
        open_block(only(text), keys)
    return str(refused.value)


def test_a_block_opens_for_its_game_and_side_and_shows_nothing() -> None:
    assert open_block(only(BLOCK), KEYS) == ("punica", "rome", SHEET)
    assert LINES[0].startswith("sealed orders: punica rome ")
    assert LINES[1] == "-----BEGIN AGE ENCRYPTED FILE-----"
    assert "card" not in BLOCK
    assert max(map(len, LINES)) <= 64
    assert BLOCK.isascii()


def test_the_size_of_a_block_does_not_tell_how_much_is_ordered() -> None:
    sizes = {
        round(len(sealed_orders(recipient_of(SECRETS.identity), "punica", "rome", b"x" * length)), -3)
        for length in (1, 200, 800)
    }
    assert len(sizes) == 1


@pytest.mark.parametrize("damage", HARMLESS)
def test_what_a_forum_does_to_a_block_is_taken_back(damage: str) -> None:
    assert open_block(only(HARMLESS[damage](BLOCK)), KEYS) == ("punica", "rome", SHEET)


def test_a_block_that_lost_letters_says_how_many() -> None:
    assert "3 of its " in refusal(BLOCK.replace(LINES[5], LINES[5][3:]))
    assert "64 of its " in refusal(BLOCK.replace(f"{LINES[5]}\n", ""))
    assert "64 letters more than" in refusal(BLOCK.replace(LINES[5], LINES[5] * 2))
    assert "has no end" in refusal(BLOCK.replace(LINES[-1], ""))
    assert "has no end" in refusal(BLOCK[:600] + "\nGood luck to all of you!\n")


def test_no_changed_letter_goes_unnoticed() -> None:
    random = Random(seed_of())
    for _ in range(40):
        line = random.randrange(2, len(LINES) - 1)
        at = random.randrange(len(LINES[line]))
        if LINES[line][at] == "=":
            continue
        letter = random.choice([each for each in "AbZ09+/" if each != LINES[line][at]])
        changed = [*LINES]
        changed[line] = LINES[line][:at] + letter + LINES[line][at + 1 :]
        assert "some were changed on the way" in refusal("\n".join(changed))
        with_nothing_above = refusal("\n".join(changed[1:]))
        assert "does not open" in with_nothing_above


def test_a_block_for_another_game_or_key_is_refused() -> None:
    assert "is for the game punica" in refusal(BLOCK, [("gallia", OTHER)])
    assert "not sealed to the key of punica" in refusal(BLOCK, [("punica", OTHER)])
    assert "sealed for another game" in refusal("\n".join(LINES[1:]), [("gallia", OTHER)])
    assert "for the game punica, not for gallia" in refusal("\n".join(LINES[1:]), [("gallia", SECRETS.identity)])


def test_the_line_above_must_be_that_of_its_block() -> None:
    assert "mixed up" in refusal(BLOCK.replace("punica rome", "punica carthage"))


def test_an_age_file_that_is_no_sheet_is_refused() -> None:
    other = wrap(b"pbem-sealed-v1 views/rome 3\nabc", [recipient_of(SECRETS.identity)]).decode()
    assert "no order sheet" in refusal(other)


def test_each_of_several_blocks_is_found() -> None:
    again = sealed_orders(recipient_of(SECRETS.identity), "punica", "carthage", SHEET)
    sides = [open_block(block, KEYS)[1] for block in find_blocks(f"One:\n{BLOCK}Two:\n{again}")]
    assert sides == ["rome", "carthage"]
    cut = f"{BLOCK.replace(LINES[-1], '')}\n{again}"
    assert [block.whole for block in find_blocks(cut)] == [False, True]


def test_a_text_made_to_hurt_costs_little() -> None:
    started = process_time()
    for piece in (
        "-" * 50,
        " " * 50,
        "BEGIN ",
        "BEGIN AGE \n",
        "-----BEGIN AGE ENCRYPTED FILE-----\n",
        "sealed orders: a b 1 00000000\n",
        "-----BEGIN ",
        "> " * 50,
    ):
        assert len(list(find_blocks(piece * 5000))) <= 5000
    assert process_time() - started < 3


def test_no_text_between_the_rules_makes_it_raise_anything_else() -> None:
    random = Random(seed_of())
    whole = "".join(LINES[2:-1])
    for _ in range(300):
        cut = [*whole]
        for _ in range(random.randrange(1, 6)):
            at = random.randrange(len(cut))
            cut[at : at + random.randrange(3)] = random.choice(["", "=", "A", "==", "é", "\x00", "ab"])
        if "".join(cut) == whole:
            continue
        text = "\n".join([LINES[1], "".join(cut), LINES[-1]])
        for each in (text, f"{LINES[0]}\n{text}"):
            with suppress(BadBlock):
                assert open_block(only(each), KEYS)[2] == SHEET  # what is no letter of base64 does no harm

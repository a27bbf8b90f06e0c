"""Orders that were copied out of a forum: whatever the forum did to them, they are read as they were meant."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from pbem.mail.inbox import sheet_in_post
from pbem.mail.read.forum_tags import untagged
from pbem.orders.forgive import Known, forgive
from tests.support.soak import quick_first
from tests.support.walks import loaded

BOX = loaded("rome_carthage").box
SHEET = """game: punica
side: carthage
adjudication: 12
orders:
- play: {card: 8, as: operations, general: hannibal, cu: 8, path: [saguntum, ilerda, {to: emporiae, by: sea}]}
- battle_card:
    card: probe
- intercept: {with: [{general: mago, cu: 3}]}
"""
FLOW = SHEET.replace("battle_card:\n    card: probe", "battle_card: {card: probe}")
NBSP, JOINER, SPACE = "\u00a0", "\u2060", "\u200b"
DAMAGE: dict[str, Callable[[str], str]] = {
    "nothing": lambda sheet: sheet,
    "code tags": lambda sheet: f"My orders:\n[code]\n{sheet}[/code]\nGood luck!",
    "code tags in one line": lambda sheet: f"[code]{sheet}[/code]",
    "inline code": lambda sheet: "\n".join(f"[c]{line}[/c]" for line in sheet.splitlines()),
    "a code box that is copied": lambda sheet: f"Code: Select all\n{sheet}",
    "a fence": lambda sheet: f"```yaml\n{sheet}```\n",
    "a fence of tildes": lambda sheet: f"~~~\n{sheet}~~~\n",
    "a quotation": lambda sheet: f'[quote="Ann, post:4, topic:12"]\n{sheet}[/quote]',
    "a quotation of phpBB": lambda sheet: f"[quote=Ann post_id=41 time=1795370400 user_id=7]{sheet}[/quote]",
    "a head": lambda sheet: f"Ann wrote:\n{sheet}",
    "a head with a time": lambda sheet: f"Ann wrote: ↑Mon Nov 23, 2026 7:04 am\n{sheet}",
    "a head of XenForo": lambda sheet: f"Ann said:\n{sheet}",
    "marks": lambda sheet: "".join(f"> {line}\n" for line in sheet.splitlines()),
    "curly quotes": lambda sheet: sheet.replace("card: probe", "card: “probe”").replace(": mago", ": ‘mago’"),
    "other blanks": lambda sheet: sheet.replace("  ", NBSP * 2).replace(": ", f":{NBSP}"),
    "zero width": lambda sheet: sheet.replace("a", f"a{SPACE}").replace("{", f"{{{JOINER}").replace("g", "\ufeffg"),
    "lost indentation": lambda sheet: "\n".join(line.lstrip() for line in sheet.splitlines()),
    "blank lines between": lambda sheet: sheet.replace("\n", "\n\n"),
    "blank lines, indentation lost": lambda sheet: "\n\n".join(line.lstrip() for line in sheet.splitlines()),
    "indented": lambda sheet: "".join(f"    {line}\n" for line in sheet.splitlines()),
    "lost line ends": lambda sheet: " ".join(line.strip() for line in FLOW.splitlines()),
    "lost line ends, blanks kept": lambda sheet: FLOW.replace("\n", " "),
    "line ends lost behind the head": lambda sheet: SHEET.replace("\n", " ", 3),
    "numbered": lambda sheet: "".join(f"{at}. {line}\n" for at, line in enumerate(sheet.splitlines(), 1)),
    "numbered, aligned": lambda sheet: "".join(f"{at:3} {line}\n" for at, line in enumerate(sheet.splitlines(), 8)),
    "numbered with tabs": lambda sheet: "".join(f"{at}\t{line}\n" for at, line in enumerate(sheet.splitlines(), 1)),
    "numbers on lines of their own": lambda sheet: "".join(
        f"{at}\n{line}\n" for at, line in enumerate(sheet.splitlines(), 1)
    ),
    "numbered in a code box": lambda sheet: (
        "[code]\n" + "".join(f"{at}: {line}\n" for at, line in enumerate(sheet.splitlines(), 1)) + "[/code]"
    ),
    "bold keys": lambda sheet: sheet.replace("game:", "[b]game:[/b]").replace("orders:", "[b]orders[/b]:"),
    "bold with stars": lambda sheet: sheet.replace("game:", "**game:**").replace("orders:", "**orders**:"),
    "coloured": lambda sheet: f"[color=#ff0000][size=120]{sheet}[/size][/color]",
    "a spoiler": lambda sheet: f"[spoiler=My orders]\n{sheet}[/spoiler]",
    "a folded box": lambda sheet: f'[details="Orders"]\n{sheet}[/details]',
    "a linked word": lambda sheet: sheet.replace("punica", "[url=http://punica/]punica[/url]"),
    "a linked word in Markdown": lambda sheet: sheet.replace("emporiae", "[emporiae](https://forum.example.org/t/e)"),
    "a list": lambda sheet: "[list]" + FLOW.replace("\n- ", "\n[*]").rstrip("\n") + "[/list]",
    "bullets": lambda sheet: sheet.replace("\n- ", "\n• "),
    "long dashes": lambda sheet: sheet.replace("\n- ", "\n– "),
    "entities": lambda sheet: sheet.replace("  ", "&nbsp; ").replace("probe", "&quot;probe&quot;"),
    "breaks": lambda sheet: sheet.replace("\n", "<br />\n"),
    "a page": lambda sheet: f"<div class='post'><pre><code>{sheet}</code></pre></div>",
    "a page of paragraphs": lambda sheet: (
        "<p>" + sheet.rstrip("\n").replace("    ", "&nbsp; &nbsp; ").replace("\n", "<br>") + "</p>"
    ),
    "a page that quotes": lambda sheet: f"<blockquote><cite>Ann wrote:</cite><pre>{sheet}</pre></blockquote>",
    "smileys": lambda sheet: (
        FLOW.replace("game: punica", "game😛unica").replace("card: probe", "card😛robe").replace("path: ", "path: ")
    ),
    "smileys for numbers": lambda sheet: FLOW.replace("- play:", "8) play:").replace("8)", "😎"),
    "a smiley with its selector": lambda sheet: FLOW.replace("card: probe", "card😛\ufe0frobe"),
    "a signature": lambda sheet: f"{sheet}_________________\nCarthago delenda est",
    "line ends of Windows": lambda sheet: sheet.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("damage", quick_first(DAMAGE, 3))
def test_a_sheet_survives_what_a_forum_does_to_it(damage: str) -> None:
    found = sheet_in_post(DAMAGE[damage](SHEET).encode(), BOX.forms, None)
    read, meant = forgive(found, Known(BOX, ())).sheet, forgive(SHEET.encode(), Known(BOX, ())).sheet
    assert read.says_the_same(meant), found.decode()


@pytest.mark.parametrize(
    "piece", ["1. game: a\n", "1\ngame: a\n", "[b]", "[b]x[/b]", "[x](/", "&amp;", "<br>", "[*]", "> 1 "]
)
def test_a_post_made_to_hurt_costs_little(piece: str) -> None:
    started = process_time()
    untagged(piece * (100_000 // len(piece)))
    assert process_time() - started < 3


def test_what_is_no_damage_stays() -> None:
    for text in (
        "path: [b, i, url]",
        "orders:\n1. play: {card: 8}\n2. battle_card: {card: probe}",
        "[spoiler]a",
        "a[/b]",
        "I like 7 games: chess.",
        "see [1](note) and [2]",
        "game of the week 🙂",
    ):
        assert untagged(text) == text

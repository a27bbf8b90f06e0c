"""The generated pages of `docs/` are what their sources say now, and show no trace of a terminal."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from pbem.cli.verbs import VERBS, app
from pbem.render.text.reference import card_reference, order_reference
from tests.support.reference import DOCS, command_line, pages
from tests.support.walks import GAMES, loaded

STALE = "run `make reference` and commit what it writes"


def test_generated_pages_are_up_to_date() -> None:
    found = {path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in pages() if path.exists()}
    assert found == {path.relative_to(DOCS).as_posix(): text for path, text in pages().items()}, STALE


def test_every_verb_has_a_section_with_its_help() -> None:
    page = command_line()
    assert re.findall(r"^## pbem (.*)$", page, re.MULTILINE) == [verb for verbs in VERBS.values() for verb in verbs]
    assert "\x1b" not in page
    assert not re.search(r"^\* `.*`: *$", page, re.MULTILINE), "a parameter without help"


def test_width_of_the_terminal_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = command_line()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert command_line() == wide


@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_order_is_described(game: str) -> None:
    box = loaded(game).box
    page = order_reference(box)
    kinds = re.findall(r"^## ([a-z_0-9]+)$", page, re.MULTILINE)
    assert kinds == list(box.forms)
    for kind, form in box.forms.items():
        section = page.partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
        assert form.title in section
        assert re.findall(r"^\* `(\w+)`(?: \(required\))?: ", section.partition("Facts that")[0], re.M) == list(
            form.as_written["properties"]
        )


def test_rules_shows_the_words_of_cards() -> None:
    shown = CliRunner().invoke(app, ["rules", "sword_of_rome", "--cards"])
    assert (shown.exit_code, shown.stdout) == (0, card_reference(loaded("sword_of_rome").box))
    assert "| `levy` | `levy: N` |" in shown.stdout


def test_rules_says_where_cards_have_no_words() -> None:
    shown = CliRunner().invoke(app, ["rules", "rome_carthage", "--cards"])
    assert shown.exit_code == 2
    assert "no list of words" in shown.stderr


def test_rules_shows_the_orders_of_a_game() -> None:
    shown = CliRunner().invoke(app, ["rules", "rome_carthage", "--orders"])
    assert (shown.exit_code, shown.stdout) == (0, order_reference(loaded("rome_carthage").box))

"""What of a game is reconstructed, as everybody is told: on the shelf, in a new game, in letters, reports and forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.cli.verbs import app
from pbem.crypto.dice import SeededDice
from pbem.game.board.scene import Row
from pbem.game.boxes import shelf
from pbem.game.boxes.box import open_box
from pbem.game.boxes.printed import foot
from pbem.game.table import Table
from pbem.repo.git import GameRepo
from pbem.repo.public import charter_in
from pbem.rules.sword_of_rome.position.state import Mark
from tests.support.soak import quick_first

GAME = "sword_of_rome"
TITLE = "The Sword of Rome (reconstructed map and cards)"
USAGE, FAULTS = 2, 3
FEWER = {"four": 4, "three": 3, "two": 2}
"""The editions for fewer players, with their numbers."""


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("games", "keys"):
        (tmp_path / word).mkdir(mode=0o700)
        monkeypatch.setenv(f"PBEM_{word.upper()}", str(tmp_path / word))


def said(*words: str, code: int = 0) -> str:
    """Return what a command prints, in one line; it must end with a code."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def shares() -> tuple[str, str]:
    """Return the counts that the data of the box has, counted here once more."""
    box = open_box(GAME)
    cards, spaces = box.table("cards")["cards"], box.table("map")["spaces"]
    whole = sum(card.get("printed") == "whole" for card in cards)
    named = sum("name" in space["sources"] for space in spaces)
    return f"{whole} of {len(cards)} cards", f"{named} of {len(spaces)} places"


def played(edition: str) -> str:
    """Return what is said of an edition for fewer: its decks, with cards of the base game, and its part of the map."""
    box = open_box(GAME)
    (seats,) = (each for each in box.table("powers")["games"] if each["players"] == FEWER[edition])

    def there(record: Mapping[str, Any]) -> bool:
        return seats["players"] in record.get("players", (seats["players"],))

    base = [card for card in box.table("cards")["base_cards"] if there(card)]
    replaced = {card["in_place_of"] for card in base}
    cards = [card for card in box.table("cards")["cards"] if card["id"] not in replaced] + base
    cards = [card for card in cards if card["deck"] in seats["sides"]]
    regions = {region["id"] for region in box.table("map")["regions"] if there(region)}
    spaces = [space for space in box.table("map")["spaces"] if there(space) and space["region"] in regions]
    whole = sum(card.get("printed") == "whole" for card in cards)
    named = sum("name" in space["sources"] for space in spaces)
    return f"{whole} of {len(cards)} cards, {named} of {len(spaces)} places as printed"


def charter(home: Path) -> str:
    """Return what the charter of the game says of it, `game.yaml` in its repo."""
    with GameRepo.open(home / "games" / "tiber.git") as repo:
        return charter_in(repo).printed or ""


def first_letter(home: Path) -> Message:
    (path,) = (home / "games" / "outbox" / "new").iterdir()
    return message_from_bytes(path.read_bytes(), policy=default)


def text_of(letter: Message) -> str:
    part = next(part for part in letter.walk() if part.get_content_type() == "text/plain")
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode()


def corrected(folder: Path) -> None:
    """Write corrected files in which one more card and one more place are as printed."""
    said("box", "new", GAME, str(folder))
    cards, chart = (folder / GAME / f"{file}.yaml" for file in ("cards", "map"))
    text = cards.read_text("utf-8").replace("name: Obesus Etruscus, value: 1, printed: name", "", 1)
    assert "id: r1, deck: romans, number: 1, ," in text
    cards.write_text(
        text.replace("number: 1, ,", "number: 1, name: Fat Etruscan, value: 1, printed: whole,", 1), "utf-8"
    )
    text = chart.read_text("utf-8")
    line = next(line for line in text.splitlines() if line.startswith("- {id: taurasia"))
    assert line.endswith("sources: {}}")
    chart.write_text(text.replace(line, line.replace("sources: {}", "sources: {name: printed map}")), "utf-8")


def test_shelf_has_the_counts() -> None:
    assert f"{GAME}: {TITLE} {', '.join(shares())} as printed in edition four:" in said("shelf")
    rows = {row["id"]: row for row in json.loads(said("shelf", "--json"))}
    assert rows[GAME]["printed"] == f"{', '.join(shares())} as printed"
    assert rows[GAME]["printed_of_editions"] == {edition: played(edition) for edition in FEWER}
    assert not any(row["printed"] or row["printed_of_editions"] for id, row in rows.items() if id != GAME)


@pytest.mark.slow
def test_game_of_three_has_the_counts_of_what_it_has(tmp_path: Path) -> None:
    printed = f"{TITLE}: {played('three')}"
    words = ("--edition", "three", "--player", "romans=Ann <ann@example.org>")
    assert f"{printed}. " in said("new", "tiber", "--rules", GAME, *words)
    letter = first_letter(tmp_path)
    assert str(letter["Subject"]).endswith(f" - {printed}")
    assert f"Of it, {played('three')}." in " ".join(text_of(letter).split())
    assert charter(tmp_path) == printed
    assert said("rules", "tiber", "--open").startswith(f"{TITLE} ({GAME}): {played('three')} Not as printed:")
    three = shelf.load(GAME, edition="three")
    assert foot(three.rules, three.box) == [f"{printed}. ° marks cards that are not."]


def test_new_game_and_its_first_letter_have_the_counts(tmp_path: Path) -> None:
    printed = f"{TITLE}: {', '.join(shares())} as printed"
    assert printed in said("new", "tiber", "--rules", GAME, "--player", "romans=Ann <ann@example.org>")
    letter = first_letter(tmp_path)
    assert letter["Subject"] == f"tiber: you play Romans. Please send a phrase - {printed}"
    assert f"Of it, {', '.join(shares())} as printed." in " ".join(text_of(letter).split())
    assert charter(tmp_path) == printed


@pytest.mark.slow
def test_report_has_the_counts_at_its_foot_and_marks_cards(tmp_path: Path) -> None:
    said("new", "tiber", "--rules", GAME, "--player", "romans=Ann <ann@example.org>", "--begin")
    assert str(first_letter(tmp_path)["Subject"]).endswith(" as printed")
    ending = f"{TITLE}: {', '.join(shares())} as printed. ° marks cards that are not."
    for reader in ("romans", "gauls"):
        report = said("report", "tiber", "--side", reader)
        assert report.endswith(ending)
        ours = [card["name"] for card in open_box(GAME).table("cards")["cards"] if "printed" not in card]
        assert any(f"{name}° " in report for name in ours)
        assert "Campaign°" not in report
    assert said("report", "tiber").endswith(ending)
    assert f"{ending} This post tells of commit" in said("thread", "tiber", "--format", "markdown")
    said("site", str(tmp_path / "site"), "tiber")
    assert f'<p class="q">{ending}</p>' in (tmp_path / "site" / "tiber" / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_counts_change_with_corrected_files(tmp_path: Path) -> None:
    corrected(tmp_path / "own")
    (whole, cards), (named, places) = (share.split(" of ") for share in shares())
    more = f"{int(whole) + 1} of {cards}, {int(named) + 1} of {places} as printed"
    assert said("box", "check", str(tmp_path / "own")) == f"{GAME}: in order, {more}"
    files = [word for file in ("cards", "map") for word in ("--correct", str(tmp_path / "own" / GAME / f"{file}.yaml"))]
    assert f"{TITLE}: {more}" in said("new", "tiber", "--rules", GAME, *files)
    assert f"{TITLE}: {more}." in said("report", "tiber", "--side", "romans")
    assert charter(tmp_path) == f"{TITLE}: {more}"
    assert more in said("rules", "tiber", "--open")


def test_open_lists_what_is_reconstructed() -> None:
    told = said("rules", GAME, "--open")
    assert told.startswith(f"{TITLE} ({GAME}): {', '.join(shares())} as printed in edition four: {played('four')} ")
    assert "Not as printed: cards name (5): r1, r4" in told
    assert "loyalty (2): neapolis, messana" in told
    assert "tables, attrition: reconstructed" in told
    record = json.loads(said("rules", GAME, "--open", "--json"))
    assert {"what": "places", "missing": "loyalty", "records": ["neapolis", "messana"]} in record["open"]
    assert [share["what"] for share in record["printed"]] == ["cards", "places"]


def test_readme_has_title_and_counts() -> None:
    text = " ".join(Path("README.md").read_text("utf-8").split())
    assert f"*{TITLE}* for two to five players. Of the last one only {', '.join(shares())} are as printed." in text


def test_open_has_the_notes_of_a_game_without_lists() -> None:
    told = said("rules", "hannibal_italy", "--open")
    assert told.startswith("HANNIBAL, Italy 218-206 BC (hannibal_italy) Notes on the sources")
    assert "all: reconstructed; Italy is real" in told


def test_forms_name_what_the_sources_demand(tmp_path: Path) -> None:
    own = tmp_path / "own"
    files = {path for path in said("box", "new", GAME, str(own)).split() if path.endswith(".yaml")}
    assert {str(own / GAME / f"{file}.yaml") for file in ("cards", "gallic_events", "scenarios/full")} < files
    assert "say so under `confidence`" in (own / GAME / "gallic_events.yaml").read_text("utf-8").splitlines()[0]
    lines = (own / GAME / "map.yaml").read_text("utf-8").splitlines()
    above = {line.split(",")[0]: lines[i - 1] for i, line in enumerate(lines) if line.startswith("- {id: ")}
    assert above["- {id: luna"] == (
        "# demanded: name Luna (11.1; S set-up), kind normal (14.6), home gauls (S set-up); to be looked up: port"
    )
    assert above["- {id: taurasia"] == "# to be looked up: all"
    assert {space["id"] for space in open_box(GAME).table("map")["spaces"]} <= {id[7:] for id in above}
    assert "is there already; nothing was written" in said("box", "new", GAME, str(own), code=USAGE)
    assert "does not say what of it is reconstructed" in said("box", "new", "hannibal_italy", str(own), code=USAGE)


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    quick_first(
        [
            ("- {between: [olbia, caralis]}", "- {between: [roma, caralis]}", None),
            ("{id: volaterrae,", "{id: velathri,", "there is no space volaterrae"),
            ("{id: capua, name: Capua, kind: walled", "{id: capua, name: Capua, kind: normal", "the lists have 13"),
            (
                "name: Pisae, kind: walled, home: etruscans",
                "name: Pisae, kind: walled, home: samnites",
                "home of pisae is etruscans in the sources (5.10.1), not samnites",
            ),
            (
                "reinforcement: 2, loyalty: 3, victory: always, lat: 4189",
                "loyalty: 3, victory: always, lat: 4189",
                "reinforcement of roma is 2 in the sources (5.10.1), here it has none",
            ),
            ("appian_way: [roma, velitrae, antium]", "appian_way: [roma, antium]", "by at least one space (21.2)"),
            ("kind: rough, one_way: true", "one_way: true", "one rough path, one way, leads from the Transalpine box"),
        ],
        2,
    ),
)
def test_check_holds_the_map_against_the_sources(tmp_path: Path, old: str, new: str, flaw: str | None) -> None:
    said("box", "new", GAME, str(tmp_path / "own"))
    chart = tmp_path / "own" / GAME / "map.yaml"
    text = chart.read_text("utf-8")
    assert old in text
    chart.write_text(text.replace(old, new), "utf-8")
    told = said("box", "check", str(tmp_path / "own"), code=FAULTS if flaw else 0)
    assert (flaw or "in order") in told
    assert not flaw or f"{chart}:" in told.replace(" ", "")


@pytest.mark.slow
def test_map_that_is_cut_in_two_is_a_flaw(tmp_path: Path) -> None:
    said("box", "new", GAME, str(tmp_path / "own"))
    chart = tmp_path / "own" / GAME / "map.yaml"
    lines = chart.read_text("utf-8").splitlines()
    cut = [line for line in lines if "between" not in line or "volaterrae" not in line]
    text = "\n".join(cut) + "\n"
    chart.write_text(text.replace("paths: 110", f"paths: {110 - (len(lines) - len(cut))}"), "utf-8")
    told = said("box", "check", str(tmp_path / "own"), code=FAULTS)
    assert "no path and no port leads from Roma to volaterrae: the map is cut in two" in told
    assert f"{next(i for i, line in enumerate(cut, 1) if '{id: volaterrae' in line)}:" in told
    assert "the map is cut in two" in said("new", "tiber", "--rules", GAME, "--correct", str(chart), code=1)


def test_check_wants_a_folder_of_a_game(tmp_path: Path) -> None:
    assert "no folder that is called as a game" in said("box", "check", str(tmp_path), code=USAGE)


def test_map_has_the_counts_and_marks_events_in_effect() -> None:
    loaded = shelf.load(GAME)
    game = loaded.rules.setup("short", Table(SeededDice(0)))
    game.marks = [Mark("elephants", "greeks", "turn"), Mark("appian_way", "romans", "game")]
    view = loaded.rules.view(game, None)
    rows = [row.label for panel in loaded.rules.scene(view).panels for row in panel.rows if isinstance(row, Row)]
    assert f"{', '.join(shares())} as printed" in rows
    assert "In effect: Elephants°, Appian Way" in rows

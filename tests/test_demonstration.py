"""The demonstration tells what the README shows: an event, a voyage, an interception and a battle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.cli.demonstration import run

README = Path(__file__).parent.parent / "README.md"


def test_the_demonstration_is_the_story_of_the_readme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "demo")
    told = re.sub(r"(?m)^   \| ?", "", capsys.readouterr().out)
    for part in ("as: event}", "Tiberius Longus sails from Agrigentum", "wins the Battle of Taurini"):
        assert part in re.sub(r"\s+", " ", told), part
    shown = re.findall(
        r"```(?:yaml)?\n(.*?)```", README.read_text("utf-8").partition("## From letter to report")[2], re.S
    )
    (roll,) = (block for block in shown if "[die " in block)
    assert roll in told, "the README shows another roll"
    (form,) = (block for block in shown if "- intercept: {with: []}" in block)
    letters = "".join(path.read_text("utf-8") for path in (tmp_path / "demo" / "letters").glob("*-to-ann.eml"))
    assert form.strip() in letters, "the README shows another form"


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    with pytest.raises(SystemExit):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]

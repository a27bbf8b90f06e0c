"""Every command as its record has it: what it does, and where players read of it."""

from __future__ import annotations

import re

import pytest

from pbem.mail.answer.command import Command
from pbem.mail.answer.every_command import COMMANDS, WORDS, help_values
from pbem.mail.intake import take_in
from pbem.render.text.report import mail
from tests.support.blank import blank_pictures
from tests.support.live import Folder, letter
from tests.support.posted import text_of

HELP = mail("help", **help_values()).text
OF_SHEETS = {"AGREED", "FORECAST"}
"""The commands about the sheet in their letter: the desk hands it in, or looks ahead."""


def named(*commands: Command) -> list[str]:
    return [each.name for each in commands]


def test_each_word_is_that_of_one_command() -> None:
    assert len(WORDS) == len(COMMANDS)
    assert all(re.fullmatch("[A-Z]+", name) for name in WORDS)


def test_each_command_does_something() -> None:
    assert {each.name for each in COMMANDS if each.does is None} == OF_SHEETS
    assert all(each.word.asks or each.word.changes for each in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=named(*COMMANDS))
def test_help_tells_of_each_command(command: Command) -> None:
    """The lines in every letter that explains how to play are those of the records, too."""
    assert re.search(rf"\b{command.name}\b", HELP)
    said = " ".join(part for part in command.help if part)
    assert said
    assert said.replace("\u00a0", " ") in " ".join(HELP.split())


@pytest.mark.parametrize("command", COMMANDS, ids=named(*COMMANDS))
def test_each_command_has_a_line_in_the_docs(command: Command) -> None:
    assert command.docs
    assert all(re.search(rf"\b{command.name}\b", written) and effect for written, effect in command.docs)


ASKING = [each for each in COMMANDS if each.word.asks and each.name not in OF_SHEETS]


@pytest.mark.parametrize("command", ASKING, ids=named(*ASKING))
def test_each_question_is_answered(folder: Folder, monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder.create().close()
    (out,) = take_in(letter("red", command.name.encode()), folder.office).letters
    said = text_of(out)
    assert said.split("Enclosed:")[0].split()

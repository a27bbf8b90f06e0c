"""What `pbem verify` says of a game in its first line: proven, broken, or not proven."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pbem.audit.public import dice_check
from pbem.audit.record.findings import Findings, Looked, Place, Word
from pbem.audit.verify import Verdict, verify
from pbem.cli.runtime import DONE, FAULTS, NOT_PROVEN
from pbem.crypto.beacon import NoBeaconLibrary
from pbem.crypto.keys import Keys
from pbem.crypto.signing import sign
from tests.support.command_line import said
from tests.support.forging import Tale, told
from tests.support.live import Folder
from tests.support.walks import FOLDERS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game that goes on."""
    folder = Folder(tmp_path_factory.mktemp("judged"))
    told(folder, most=8).close()
    return folder


def judged(folder: Folder, path: Path, *, with_key: bool = True) -> Verdict:
    keys = (lambda game: Keys.load(folder.keys, game)) if with_key else None
    return verify(path, keys=keys, folders=FOLDERS)


def signed(folder: Folder) -> Callable[[bytes], bytes]:
    return partial(sign, Keys.load(folder.keys, "punica").signing)


def left_open(verdict: Verdict) -> dict[str, str]:
    return {each.subject: each.text for each in verdict.findings.open}


def test_the_word_follows_from_what_was_found() -> None:
    findings = Findings()
    findings.check("turns", "2 turn files")
    findings.beyond("sealed", "3 files")
    assert str(findings.word) == "proven"
    findings.leave_open("beacon", "signatures not checked")
    assert str(findings.word) == "not proven"
    findings.blame(Place(), "it is damaged")
    assert str(findings.word) == "broken", "what is wrong outweighs what nobody checked"


@pytest.mark.parametrize("with_key", [False, True])
def test_what_is_beyond_a_level_changes_nothing(folder: Folder, with_key: bool) -> None:
    findings = judged(folder, folder.repo("punica"), with_key=with_key).findings
    assert findings.word is Word.PROVEN
    assert any(each.looked is Looked.BEYOND for each in findings.checked) is not with_key


@pytest.mark.parametrize("with_key", [False, True])
def test_rules_that_exist_nowhere_prove_nothing(folder: Folder, with_key: bool, tmp_path: Path) -> None:
    """A referee who pins them from the start, or changes one digit later, is not called honest."""
    tale = Tale.of(folder.repo("punica"))
    text = tale.content("rules.yaml", 0)
    tale.put("rules.yaml", re.sub(rb"[0-9a-f]{8}\b", b"00000000", text), 0)
    verdict = judged(folder, tale.tell(tmp_path, signed(folder)), with_key=with_key)
    assert verdict.findings.word is Word.NOT_PROVEN
    expected = "turns 1 to 6: made by rules that are not here (box "
    assert left_open(verdict)["rules"].startswith(expected)
    assert "the game was begun with pbem " in left_open(verdict)["rules"]
    assert ("derived" in left_open(verdict)) is with_key


def test_signatures_that_cannot_be_checked_are_left_open(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(_: object) -> None:
        raise NoBeaconLibrary("install pbem[beacon]")

    monkeypatch.setattr(dice_check, "check_signatures", lacking)
    with Folder(tmp_path).create(beacon="drand", begin=False) as game:
        verdict = verify(game.path, folders=FOLDERS)
    assert left_open(verdict) == {"beacon": "signatures not checked: install pbem[beacon]"}
    assert verdict.findings.word is Word.NOT_PROVEN


def test_the_first_line_and_the_exit_code_say_it(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_KEYS", str(folder.keys))
    repo = str(folder.repo("punica"))
    rules = ("--rules-dir", str(FOLDERS[0]))
    assert said(DONE, "verify", repo, *rules).startswith("punica: proven, ")
    assert json.loads(said(DONE, "verify", repo, "--json", *rules))["verdict"] == "proven"
    text = said(NOT_PROVEN, "verify", repo)
    assert text.startswith("punica: not proven, ")
    assert "\n  ?       rules " in text
    assert "Nobody checked what is marked with ?, so nobody knows whether it is right." in text
    assert json.loads(said(NOT_PROVEN, "verify", repo, "--json"))["verdict"] == "not proven"
    tale = Tale.of(folder.repo("punica"))
    tale.put("position.yaml", b"phase: over\n")
    assert said(FAULTS, "verify", str(tale.tell(tmp_path, signed(folder))), *rules).startswith("punica: broken, ")

"""`pbem status` on the players' mailboxes: which refuse our letters, and from which no answer has come."""

from __future__ import annotations

import pytest

from pbem.cli.runtime import DONE
from pbem.post.service.reception import bounced
from tests.support.command_line import said, told
from tests.support.live import Folder
from tests.support.posted import at, bury, postfix, report_id, take, written

pytestmark = pytest.mark.usefixtures("in_the_folder")


def status(*words: str) -> str:
    return said(DONE, "status", *words)


def test_status_tells_which_mailbox_refuses(folder: Folder) -> None:
    folder.create().close()
    assert "mailbox" not in status("punica")
    bounced(postfix(report_id(folder, "red")), at(folder), "gm@example.org")
    line = "red's mailbox refuses since 2026-11-22 12:00 UTC (1 letter): 552 5.2.2"
    assert line in status("punica")
    assert f"  {line}" in status()
    assert told(DONE, "status", "punica")["mailboxes"][0].startswith(line)


def test_status_tells_who_has_not_answered(folder: Folder) -> None:
    folder.create(begin=False).close()
    both = "No answer to a letter has come yet from red (red@example.org), blue (blue@example.org)."
    assert both in status("punica")
    take(folder, written("STATUS", answers=report_id(folder, "red").replace(".0~", ".1~")))
    assert "yet from blue (blue@example.org)." in status("punica")
    take(folder, written("STATUS", sender="blue@example.org", answers=report_id(folder, "blue")))
    assert "yet from" not in status("punica")


def test_status_tells_what_waits_to_be_confirmed(folder: Folder) -> None:
    folder.create().close()
    take(folder, written(bury(folder)))
    assert "1 letter in the name of red waits to be confirmed." in status("punica")


def test_new_address_has_to_answer_again(folder: Folder) -> None:
    folder.create().close()
    for side in ("red", "blue"):
        take(folder, written("STATUS", sender=f"{side}@example.org", answers=report_id(folder, side)))
    bounced(postfix(report_id(folder, "red")), at(folder), "gm@example.org")
    said(DONE, "player", "punica", "red=Red <red@example.net>", "--yes")
    now = status("punica")
    assert "No answer to a letter has come yet from red" in now
    assert "refuses" not in now

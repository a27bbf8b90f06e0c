"""Every letter of the sample games and of the demo: `python -m tests.support.every_letter FOLDER` writes them.

A change that must not change a letter writes them before and after, and compares the two folders byte for byte. Keys,
clock and Message-IDs are fixed, and the ids of commits, which encryption makes random, are left out of the receipts:
so the same code writes the same bytes. Two bots play *zama* and *cannae* by letters;
*allia* is played by its script, and every side is written to after each adjudication. *words* has one letter for each
command that a player can write, *commands* each of them carried out and refused.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from pbem.cli import demo
from pbem.mail.answer.every_command import COMMANDS
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.write import outgoing
from pbem.mail.write.draft import Attachments, Draft, compose
from pbem.mail.write.outgoing import MailSettings, Outgoing
from pbem.mail.write.report_letters import first_letters, reports
from pbem.mail.write.welcome import welcome_letters
from pbem.referee.opening import create_game, open_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from tests.support import allia, command_letters, samples
from tests.support.clocked import CLOCK
from tests.support.live import ADDRESSES, NOON, letter, sheet
from tests.support.walks import FOLDERS

COMMIT: Final = re.compile(r"\b[0-9a-f]{40}\b")
MOST: Final = 60
"""The most letters of one game between bots."""
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "AWAY": ("AWAY 1-5 Dec", "AWAY", "AWAY tomorrow"),
    "CHAIN": ("CHAIN next", f"CHAIN {'0' * 64}"),
    "DEPUTY": ("DEPUTY Carl <carl@example.net> until 14 Dec", "DEPUTY nobody", "DEPUTY NONE"),
    "DRAW": ("DRAW zama we both have a train to catch", "DRAW"),
    "HELP": ("HELP", "HELP ORDERS", "HELP ORDERS play"),
    "HISTORY": ("HISTORY", "HISTORY 1", "HISTORY 999"),
    "KEY": ("KEY nothing", "KEY age1ge54vpp6nqpxcvm2fmpe2zk2wn0w5p0e9pmk5cz2lwkqs3r0sy8s2c5dlr"),
    "NEWS": ("NEWS daily", "NEWS often", "NEWS every"),
    "PAUSE": ("PAUSE 2 weeks", "PAUSE"),
    "PHRASE": ("PHRASE festina lente",),
    "PRESS": ("PRESS all: a fine day for a march",),
    "REFUSE": ("REFUSE zama", "REFUSE"),
    "CONSENT": ("CONSENT zama", "CONSENT"),
    "REPLACE": ("REPLACE zama rome Carl <carl@example.net>", "REPLACE"),
    "RESIGN": ("RESIGN", "RESIGN zama"),
    "SAY": ("SAY rome: peace?", "SAY carthage\nPeace?\nEND", "SAY nobody: peace?"),
    "SHOW": ("SHOW rome 1", "SHOW"),
    "STANDING": ("STANDING", "STANDING CANCEL ALL"),
    "ZONE": ("ZONE Europe/Rome", "ZONE Atlantis"),
}
"""What is written in the game of commands; a command without an entry stands alone."""


class Written:
    """A folder that letters are written to, numbered in their order."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        folder.mkdir(parents=True)

    def add(self, letters: Iterable[Outgoing]) -> None:
        """Write letters, and what is noted of them."""
        for out in letters:
            self.count += 1
            (self.folder / f"{self.count:04}-{out.name[:80]}.eml").write_bytes(out.content)
            self.add(out.copies)


def settings(home: Path, count: int) -> MailSettings:
    """Return the mail settings for the letter of a number; each comes an hour after the one before."""
    return MailSettings(home / "games", home / "keys", "pbem <pbem@example.org>", NOON + timedelta(hours=count))


def create(home: Path, name: str, rules: str, scenario: str, **more: Any) -> Adjudicator:
    """Return a new game with an address for each side; the caller closes it."""
    sides = {side: ADDRESSES[side] for side in more.pop("players")}
    secrets = replace(samples.SECRETS, hidden=f"the hidden secret of sample {8:4}".encode())
    new = NewGame(
        name, rules, scenario=scenario, players=sides, addresses=sides, secrets=secrets, made_by="pbem", **more
    )
    return create_game(home / "games", home / "keys", new)


def by_letters(folder: Path, name: str, rules: str, scenario: str) -> None:
    """Play the beginning of a game between two bots by letters."""
    written, home = Written(folder), folder / ".home"
    with create(home, name, rules, scenario, players=samples.PLAYERS) as game:
        written.add(first_letters(game, settings(home, 0)))
    for count in range(1, MOST + 1):
        with open_game(home / "games", home / "keys", name) as game:
            if not game.open_decisions:
                return
            side, bot = game.open_decisions[0].side, game.rules.bot_order
            orders = [bot(game.view(side), each) for each in game.open_decisions if each.side == side]
            raw = letter(side, sheet(game, side, *orders), number=count)
        written.add(take_in(raw, settings(home, count)).letters)


class Writing(Adjudicator):
    """A game that writes to every side after each adjudication."""

    written: Written
    home: Path

    def adjudicate(self, *arguments: Any, **named: Any) -> list[int]:
        """Carry the game on, and write what follows."""
        before = self.adjudication
        numbers = super().adjudicate(*arguments, **named)
        now = settings(self.home, self.adjudication)
        self.written.add(reports(self, before, now) if before else first_letters(self, now))
        return numbers


def by_script(folder: Path) -> None:
    """Play *allia* by its script, and write to every side after each adjudication."""
    sample, home = samples.SAMPLES[samples.ALLIA], folder / ".home"
    Writing.written, Writing.home = Written(folder), home
    seed = 1
    secrets = replace(samples.SECRETS, hidden=f"the hidden secret of sample {seed:4}".encode())
    new = NewGame(
        samples.ALLIA,
        sample.rules,
        scenario=sample.scenario,
        players=sample.players,
        secrets=secrets,
        made_by="pbem",
        begin=False,
        **sample.terms,
    )
    with create_game(home / "games", home / "keys", new, Writing) as game:
        game.today = samples.DAY.date()
        game.adjudicate()
        with contextlib.suppress(allia.Unlucky):  # what luck does to its story is no concern here
            sample.play(game)


def by_words(folder: Path) -> None:
    """Write letters with each command in a game with a clock, from both sides, and resign at last."""
    written, home = Written(folder), folder / ".home"
    terms = {"press": "free", "clock": CLOCK, "players": samples.PLAYERS}
    with create(home, "zama", "rome_carthage", "standard", begin=False, **terms) as game:
        written.add(welcome_letters(game, settings(home, 0)))
    names = sorted(each.name for each in COMMANDS)
    lines = [line for name in names if name != "RESIGN" for line in WORDS.get(name, (name,))]
    letters = [("carthage", each) for each in WORDS["PHRASE"]]
    letters += [("rome", each) for each in WORDS["PHRASE"]]
    letters += [(side, line) for line in lines for side in ("rome", "carthage")]
    letters += [("rome", line) for line in WORDS["RESIGN"]]
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        for count, (side, line) in enumerate(letters, 1):
            handled = take_in(letter(side, line.encode(), number=count), settings(home, count))
            written.add(handled.letters)
            log.writelines(f"{count} {each}\n" for each in [*handled.notes, *handled.complaints, *handled.log])


def by_commands(folder: Path) -> None:
    """Write each command once where it is carried out and once where it is refused, in a game of five sides."""
    written, home = Written(folder), folder / ".home"
    boxes = [Path(each) for each in FOLDERS]
    new = NewGame(
        command_letters.NAME,
        "five",
        players={side: side.capitalize() for side in command_letters.ADDRESSES},
        addresses=command_letters.ADDRESSES,
        secrets=replace(samples.SECRETS, hidden=f"the hidden secret of sample {8:4}".encode()),
        made_by="pbem",
        press="free",
        press_unsigned=True,
        clock=CLOCK,
        quorum=3,
        begin=False,
        folders=FOLDERS,
    )
    create_game(home / "games", home / "keys", new).close()

    def opened() -> Adjudicator:
        return open_game(home / "games", home / "keys", command_letters.NAME, folders=FOLDERS)

    count = 0
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        for text, write in command_letters.Script(opened).letters():
            count += 1
            raw = write(count)
            for _ in range(2 if text in command_letters.TWICE else 1):
                now = replace(settings(home, count), boxes=boxes, outbox=MaildirOutbox(home / "outbox"))
                handled = take_in(raw, now)
                written.add(handled.letters)
                lines = [*handled.notes, *handled.complaints, *handled.log]
                log.writelines(f"{count} {text.splitlines()[0]}: {each}\n" for each in lines)


def by_demo(folder: Path) -> None:
    """Play the demo, and keep its letters and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        demo.run(folder)
    text = printed.getvalue().replace(str(folder), "FOLDER")
    (folder / "letters" / "printed.txt").write_text(text, "utf-8")


def main(target: Path) -> None:
    """Write all letters, with what is random in them left out."""
    with patch.object(outgoing, "compose", without_commits):
        write_all(target)


def without_commits(draft: Draft) -> bytes:
    """Return a letter as bytes, without the ids of commits in its receipts."""

    def blank(attached: Attachments) -> Attachments:
        receipt = attached.receipt and COMMIT.sub("0" * 40, attached.receipt)
        return replace(attached, receipt=receipt, more=[blank(each) for each in attached.more])

    return compose(replace(draft, attached=blank(draft.attached)))


def write_all(target: Path) -> None:
    """Write all letters, and print one digest of each folder."""
    by_demo(target / "demo")
    by_words(target / "words")
    by_commands(target / "commands")
    by_letters(target / "zama", "zama", "rome_carthage", "standard")
    by_letters(target / "cannae", "cannae", "hannibal_italy", "short")
    by_script(target / "allia")
    for folder in ("demo/letters", "words", "commands", "zama", "cannae", "allia"):
        files = sorted(path for path in (target / folder).iterdir() if path.is_file())
        digest = sha256(b"".join(path.name.encode() + path.read_bytes() for path in files))
        print(f"{folder}: {len(files)} files, {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

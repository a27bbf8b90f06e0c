"""`pbem demo`: two players open a game of Hannibal by letters, from the first card to a beaten army.

The letters are real: bytes as mail programs send them, taken in by the same function as all letters. Only the players
and the secrets are made up. The secrets were searched until the dice told a story with these phrases. In a real game
nobody can do that, because the secrets are chosen before the phrases are written. Whatever the dice say, the game goes
on: where the script has no answer, the default or the first legal order is used. (If the rules ever tell another story
with these dice, change the number at the end of `hidden`.)
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeAlias

from pbem.crypto.keys import Secrets
from pbem.mail.intake import take_in
from pbem.mail.tasks import Handled
from pbem.mail.write.enclosures import map_picture
from pbem.mail.write.outgoing import MailSettings, side_report
from pbem.mail.write.welcome import welcome_letters
from pbem.protocol import Decision, Order
from pbem.referee.opening import create_game, open_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.form import order_lines
from pbem.render.text.report import happened
from pbem.repo.git.locks import require_locks

Body: TypeAlias = dict[str, Any]
"""The body of an order."""

GAME: Final = "punica"
MADE_BY: Final = "pbem demo"
"""In place of the version, which goes into the dice: every version of pbem tells the same story."""
MARK: Final = ".pbem-demo"
SECRETS: Final = Secrets(
    b"the chain of the demonstration!!",
    b"the hidden secret of the demo 15",
    "AGE-SECRET-KEY-16FH89S9X2C53535CK9PCQDP773MPXDLAJKLFXGD9J8SR6630QRGQNSK7YH",
    "AGE-SECRET-KEY-1ZSZ4JG49986GXS7XCEJRCAL944TSCH5JSWF8GD4RQYPM6MGXY2VS5D7QLS",
)
PLAYERS: Final = {"carthage": ("Bob", "bob@example.org"), "rome": ("Ann", "ann@example.org")}
PHRASES: Final = {"rome": "Hannibal ante portas", "carthage": "37 elephants cross the Alps"}
BEGUN: Final = datetime(2026, 3, 15, 18, 0, tzinfo=UTC)
MOST_LETTERS: Final = 60
FLEET: Final = 5
"""The most units that sail on one card."""


def run(folder: Path) -> None:
    """Play the demonstration into a folder; refuse a folder that holds anything else."""
    require_locks()
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        print(f"pbem: {folder} is not empty and is not an earlier demo; choose another folder", file=sys.stderr)
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("letters", "pictures", "games"):
        (folder / name).mkdir(parents=True)
    (folder / MARK).touch()
    _Stage(folder).play()


class Players:
    """The plans of the players, and how far they have come."""

    def __init__(self) -> None:
        self.fought = False
        self.eventful = False

    def over(self, game: Adjudicator) -> bool:
        """Tell whether the battle has been fought and its play is over."""
        view = game.view(None)
        self.fought = self.fought or view.battle is not None
        return self.fought and view.battle is None and view.card is None

    def bodies(self, game: Adjudicator, side: str) -> list[tuple[str, Body]]:
        """Return kind and body of each order of a side: for its open decisions, and for those that may follow."""
        asked = [each for each in game.open_decisions if each.side == side]
        return [(each.kind, self.legal(game, each)) for each in asked] + _in_advance(asked[0])

    def legal(self, game: Adjudicator, decision: Decision) -> Body:
        """Return the body of a legal order for a decision: the plan of its side, if the rules allow it."""
        view, body = game.view(decision.side), self.answer(game, decision)
        wrong = list(game.rules.check(view, decision, Order(decision.kind, body)))
        return _any(game, view, decision) if wrong else body

    def answer(self, game: Adjudicator, decision: Decision) -> Body:
        """Return the body of an order for a question."""
        view = game.view(decision.side)
        if decision.kind == "play":
            event = self.event(game, view, decision)
            return event or _planned_play(view, decision.side) or _any(game, view, decision)
        if decision.kind == "intercept":
            return {"with": [{"general": "publius_scipio"}]} if "boii" in decision.facts["from"] else {"with": []}
        if decision.kind == "intercepted":
            return {"choice": "fight"}
        if decision.kind == "battle_card":
            hand = Counter(card for card in view.battle.hands[decision.side] if card != "reserve")
            return {"card": hand.most_common(1)[0][0]} if hand else _any(game, view, decision)
        return dict(decision.default) if decision.default is not None else _any(game, view, decision)

    def event(self, game: Adjudicator, view: Any, decision: Decision) -> Body | None:
        """Return the event that Bob plays once, before Hannibal crosses the Alps, if he holds one."""
        if self.eventful or view.where("hannibal") != ("druentia", False) or decision.side != "carthage":
            return None
        self.eventful = True
        events = (order.body for order in game.rules.legal_orders(view, decision) if order["as"] == "event")
        return next((dict(body) for body in events if "path" not in body), None)


class _Stage:
    """The demonstration in progress: the mail settings, the number of letters, the players."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.bounced = False
        self.players = Players()

    @property
    def settings(self) -> MailSettings:
        """The mail settings; each letter comes an hour after the one before."""
        hour = BEGUN + timedelta(hours=self.count)
        return MailSettings(self.folder / "games", self.folder / "keys", "pbem <pbem@example.org>", hour)

    def open(self) -> Adjudicator:
        """Open the game."""
        return open_game(self.folder / "games", self.folder / "keys", GAME)

    def play(self) -> None:
        """Make the game, and carry letters until the battle is over."""
        _say("A new game: Hannibal: Rome vs. Carthage. Bob plays Carthage, Ann plays Rome.")
        print("Both are asked for a phrase of their own before the first shuffle:")
        settings = self.settings
        new = NewGame(
            GAME,
            "rome_carthage",
            players={side: name for side, (name, _) in PLAYERS.items()},
            addresses={side: address for side, (_, address) in PLAYERS.items()},
            secrets=SECRETS,
            made_by=MADE_BY,
            begin=False,
        )
        with create_game(settings.games, settings.keys, new) as game:
            for out in welcome_letters(game, settings):
                self.keep(f"to-{out.to.partition('@')[0]}", out.content)
        for side, phrase in PHRASES.items():
            _say(f"{PLAYERS[side][0]} writes:")
            _quote(f"PHRASE {phrase}")
            self.mail(side, f"PHRASE {phrase}\n", "")
        while self.count < MOST_LETTERS:
            with self.open() as game:
                waiting, over = game.open_decisions, self.players.over(game)
                if over or not waiting:
                    break
                side = waiting[0].side
                report = side_report(game, side, game.adjudication - 1).text
                bodies = self.players.bodies(game, side)
                number = game.adjudication
            self.write(side, number, bodies, report)
        self.curtain()

    # ---- letters

    def write(self, side: str, number: int, bodies: Sequence[tuple[str, Body]], report: str) -> None:
        """Mail the answer of a side, once with faults in it."""
        name = PLAYERS[side][0]
        sheet = _order_sheet(side, number, bodies)
        if "nemausus" in sheet and not self.bounced:
            self.bounced = True
            _say(f"{name} is in a hurry. The sheet has three faults:")
            handled = self.mail(side, _order_sheet(side, number, [("play", slip(bodies[0][1]))]), report)
            _quote(handled.complaints[0])
            _say(f"Nothing was carried out. {name} corrects the sheet and mails it again.")
        _say(f"{name} writes:")
        _quote(_order_sheet(side, number, bodies[:1]).split("orders:\n")[1])
        if len(bodies) > 1:
            print(f"   | (and {len(bodies) - 1} answers to what may be asked next)")
        self.mail(side, sheet, report)
        with self.open() as game:
            for told in game.told(None, number):
                if told.event.kind in ("intercepted", "interception_failed", "battle", "battle_won", "retreats"):
                    self.picture(game, told.event.kind, number)
                    break
            reader = next((each.side for each in game.open_decisions), side)
            print()
            _quote("\n".join(happened(game.box, game.told(reader, number))) or "Nothing new since the last report.")

    def mail(self, side: str, sheet: str, report: str) -> Handled:
        """Post a letter as a mail program would send it, and keep the answers."""
        name, address = PLAYERS[side]
        self.count += 1
        raw = _mail_of_player(self.count, name, address, sheet, report)
        self.keep(f"from-{name.lower()}", raw)
        handled = take_in(raw, self.settings)
        for out in handled.letters:
            self.keep(f"to-{out.to.partition('@')[0]}", out.content)
        return handled

    def keep(self, what: str, content: bytes) -> None:
        """Keep a letter."""
        (self.folder / "letters" / f"{self.count:02}-{what}.eml").write_bytes(content)

    def picture(self, game: Adjudicator, what: str, since: int) -> None:
        """Keep a picture."""
        path = self.folder / "pictures" / f"{self.count:02}-{what}.png"
        path.write_bytes(map_picture(game, None, since))

    def curtain(self) -> None:
        """Print what was kept."""
        with self.open() as game:
            (self.folder / "pictures" / "map.png").write_bytes(map_picture(game, "rome", game.adjudication - 1))
            (self.folder / "report.txt").write_text(side_report(game, "rome", game.adjudication - 1).text, "utf-8")
            done = game.adjudication
        _say(f"That was {self.count} letters and {done} adjudications. Look at:")
        folder = self.folder
        for path, what in (
            (folder / "report.txt", "Ann's last report"),
            (folder / "pictures" / "map.png", "her map"),
            (folder / "letters", "every letter, in and out"),
            (folder / "games" / f"{GAME}.git", f"the game: git -C {folder}/games/{GAME}.git log -p"),
        ):
            print(f"  {path}: {what}")
        print(f"  PBEM_GAMES={folder}/games PBEM_KEYS={folder}/keys pbem status {GAME}")


def _planned_play(view: Any, side: str) -> Body | None:
    """Return the play that a side plans: Hannibal marches to Italy, Scipio meets him, Longus sails home."""
    marches: dict[tuple[str, str], list[Any]] = {
        ("hannibal", "saguntum"): ["dertosa", "tarraco", "emporiae", "narbo"],
        ("hannibal", "narbo"): ["nemausus", "rhone", "druentia"],
        ("hannibal", "druentia"): ["taurini", "boii"],
        ("publius_scipio", "rome"): ["tarquinii", "cosa", "pisae"],
        ("publius_scipio", "pisae"): ["boii"],
        ("longus", "agrigentum"): [{"to": "rome", "by": "sea"}],
    }
    board = view.board
    cards = {card: board.cards[card].ops for card in view.hands[side]}
    for (general, space), path in marches.items():
        record = board.generals[general]
        afloat = space == "agrigentum"
        able = sorted(
            (ops, card)
            for card, ops in cards.items()
            if ops >= record.strategy and (board.cards[card].ship or not afloat)
        )
        if record.side == side and view.where(general) == (space, False) and able:
            fleet = {"cu": FLEET} if afloat else {}
            return {"card": able[0][1], "as": "operations", "general": general, **fleet, "path": path}
    return {"card": min(cards, key=lambda card: (cards[card], card)), "as": "discard"} if cards else None


def _in_advance(decision: Decision) -> list[tuple[str, Body]]:
    """Return answers to decisions that may follow, to save letters: a sheet keeps them until they are asked for."""
    if decision.kind in ("battle_card", "match"):
        return [("match", {"card": "any"}), ("counterattack", {"roll": True})] * 2
    return []


def slip(body: Body) -> Body:
    """Return an order with the faults of a hurried player."""
    return {**body, "cu": "all", "elefants": 2, "as": "operation"}


def _any(game: Adjudicator, view: Any, decision: Decision) -> Body:
    """Return the first legal answer to a question."""
    return dict(game.rules.legal_orders(view, decision)[0].body)


def _order_sheet(side: str, number: int, bodies: Sequence[tuple[str, Body]]) -> str:
    """Return the order sheet of a side."""
    orders = [line for kind, body in bodies for line in order_lines(kind, body)]
    return "\n".join([f"game: {GAME}", f"side: {side}", f"adjudication: {number}", "orders:", *orders]) + "\n"


def _mail_of_player(count: int, name: str, address: str, sheet: str, report: str) -> bytes:
    """Return a letter in the manner of one of three mail programs, in turn; one that answers no report is plain."""
    quoted = "".join(f"> {line}\n" if line else ">\n" for line in report.splitlines())
    written = (BEGUN + timedelta(hours=count)).strftime("%a, %d %b %Y %H:%M")
    shapes = (
        f"{sheet}\nGood luck,\n{name}\n\nOn {written} pbem <pbem@example.org> wrote:\n\n{quoted}",
        f"Hello,\n\nhere are my orders.\n\n```\n{sheet}```\n-- \n{name}\n",
        f"On {written}, pbem wrote:\n" + "".join(f"> {line}\n" for line in sheet.splitlines()),
    )
    body = shapes[count % 3] if report else f"Hello,\n\n{sheet}\n{name}\n"
    return (
        f"From: {name} <{address}>\nTo: pbem <pbem@example.org>\nSubject: Re: {GAME}\n"
        f"Date: {written}:00 +0000\nMessage-ID: <{count}.{name.lower()}@example.org>\nMIME-Version: 1.0\n"
        f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{body}"
    ).encode()


def _say(text: str) -> None:
    print(f"\n== {text}")


def _quote(text: str) -> None:
    for line in text.splitlines():
        print(f"   | {line}".rstrip())

"""What a letter encloses: the maps, each as its reader may see it, and the receipt."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.crypto.seal import salt_of
from pbem.mail.notes.reader_time import deadline_of
from pbem.mail.read.own_text import OWN_SHEET, sheet_number
from pbem.mail.write.draft import name_for
from pbem.protocol import Decision, Side
from pbem.referee.game.open_game import OpenGame, position_at
from pbem.referee.game.time_ledger import until_when
from pbem.render.map.pictures import Picture, changed_places, legend_picture, pictures
from pbem.render.text.receipt import MOST_TURNS, ClosedSheets, LetterReceipt, ReceiptedSheet, receipt_block
from pbem.repo.files.layout import turn_path

if TYPE_CHECKING:
    from pbem.game.board.scene import Scene

_LOG: Final = logging.getLogger(__name__)
_KEEP: Final = "Keep this letter: `pbem verify --letters` compares it with the game."
_CHECK: Final = """\
The digest of your sheet {number} {goes} into the dice. The sheet itself is
sealed in {path}{turn}. Only you get the salt.
To check that the digest is that of your sheet:
  S={salt}
  openssl dgst -sha256 -mac HMAC -macopt hexkey:$S {file}
"""


class Maps:
    """The maps of one round of letters: where sides see the same, a picture is drawn once for them all."""

    def __init__(self, drawings: Path | None = None) -> None:
        self._drawings = drawings
        self._drawn: list[tuple[Scene, tuple[Picture, ...]]] = []
        self._before: dict[int, object | None] = {}
        """The positions after adjudications that were looked at: those who are told the same need it once."""

    def pictures(self, game: OpenGame, side: Side | None, since: int, *, legend: bool = False) -> tuple[Picture, ...]:
        """Return what a letter shows a side of what happened after an adjudication: the window, then the whole board.

        Each has a file name, an alternative text and its PNG; with `legend` the meanings of the signs come last. There
        are none if they cannot be drawn: the log says why, and the letter goes without.
        """
        try:
            scene = self._scene(game, side, since)
            return self._of(scene, legend=legend)
        except Exception as wrong:  # a slip in a drawing must not hold a letter back
            self._failed(game, side, wrong)
            return ()

    def new_pictures(
        self, game: OpenGame, side: Side, since: int, last: str, *, legend: bool = False
    ) -> tuple[tuple[Picture, ...], str]:
        """Return the pictures and the digest of what they show; none if they show nothing new since the `last` digest.

        Something is new if a piece, a marker, the holder of a place or what is asked about is another, or if there are
        arrows. The digest is empty if they cannot be drawn.
        """
        try:
            scene = self._scene(game, side, since)
            lies = [scene.counters, scene.markers, sorted(scene.control.items()), sorted(scene.tints.items())]
            digest = game.ledger.salted(f"picture/{side}", repr([*lies, scene.focus]).encode())
            if digest == last and not scene.arrows:
                return (), digest
            return self._of(scene, legend=legend), digest
        except Exception as wrong:  # a slip in a drawing must not hold a letter back
            self._failed(game, side, wrong)
            return (), ""

    def of_the_past(self, game: OpenGame, scene: Scene) -> tuple[Picture, ...]:
        """Return the pictures of what an observer may know by now; none if they cannot be drawn."""
        try:
            return self._of(scene, legend=False)
        except Exception as wrong:  # a slip in a drawing must not hold a letter back
            self._failed(game, None, wrong)
            return ()

    def _scene(self, game: OpenGame, side: Side | None, since: int) -> Scene:
        if since not in self._before:
            self._before[since] = _position_before(game, since)
        return scene_of(game, side, since, self._before[since])

    def _failed(self, game: OpenGame, side: Side | None, wrong: Exception) -> None:
        whose = "an observer" if side is None else side
        words = "%s: the pictures for %s cannot be drawn; the letter goes without them"
        _LOG.error(words, game.name, whose, exc_info=wrong)

    def _of(self, scene: Scene, *, legend: bool) -> tuple[Picture, ...]:
        drawn = next((made for other, made in self._drawn if other == scene), None)
        if drawn is None:
            drawn = pictures(scene, cache_folder=self._drawings)
            self._drawn.append((scene, drawn))
        return (*drawn, legend_picture(scene)) if legend else drawn


def scene_of(game: OpenGame, side: Side | None, since: int, before: object | None) -> Scene:
    """Return what there is to draw for a side: what it may see, is asked, and what is new after an adjudication.

    `before` is the position after that adjudication (None: it is not known).
    """
    view = game.view(side)
    asked: Sequence[Decision] = [each for each in game.open_decisions if each.side == side]
    scene = game.rules.scene(view, [told.event for told in game.told(side, since)])
    changed = () if before is None else changed_places(game.rules.scene(game.rules.view(before, side)), scene)
    focus = tuple(dict.fromkeys(place for each in asked for place in game.rules.places(view, each)))
    until = deadline_of(game, side) if asked and side is not None else ""
    return replace(scene, reader=side or "", focus=focus, changed=changed, to_move=_to_move(game), until=until)


def _position_before(game: OpenGame, since: int) -> object | None:
    return position_at(game, since) if 0 < since < game.adjudication else None


def _to_move(game: OpenGame) -> tuple[str, ...]:
    """Return the names of the sides that the game waits for."""
    waits = {each.side for each in game.open_decisions}
    return tuple(each["name"] for each in game.box.sides if each["id"] in waits)


def map_picture(game: OpenGame, side: Side | None, since: int, drawings: Path | None = None) -> bytes:
    """Return the whole board as a side may see it, large and with its legend, as PNG.

    It has arrows for what happened after an adjudication.
    """
    from pbem.render.map.picture import render  # it draws: only for who wants a picture

    return render(scene_of(game, side, since, _position_before(game, since)), cache_folder=drawings)


def receipt_of(
    game: OpenGame, side: Side, since: int, answered: int | None = None, *, tells: bool = True
) -> LetterReceipt:
    """Return the receipt of a letter to a side that tells what happened after an adjudication, if it `tells`.

    It has every sheet of the side that these adjudications used or that waits to be used; if the letter answers a sheet
    (`answered`), none that came later and waits: the answer to a letter that comes again is then the same.
    """
    ledger, last, state = game.ledger, game.adjudication, game.current(resumed=False).state
    digests: dict[str, str] = {}
    for n in range(since + 1, last + 1):
        digests |= game.public_turn(n).get("texts", {}).get(side, {})
    if state is not None:
        waiting = state.new_texts.get(side, {})
        digests |= {path: waiting[path] for path in waiting if answered is None or sheet_number(path) <= answered}
    sheets = (
        ReceiptedSheet(sheet_number(path), path, digest, salt_of(ledger.keys.hidden, path).hex())
        for path, digest in digests.items()
    )
    closed, until = game.closed, until_when(game, side)
    return LetterReceipt(
        game=game.name,
        side=side,
        tip=game.charter.dice.tip,
        rules=ledger.pins_digest,
        commit=ledger.repo.head,
        told=(since + 1, last) if tells and since < last else None,
        turns=tuple((n, ledger.turn_digest(n)) for n in range(max(1, last - MOST_TURNS + 1, since), last + 1)),
        sheets=tuple(sorted(sheets)),
        closed=None if closed is None else ClosedSheets(closed.adjudication, closed.round, closed.closed),
        until=None if until is None or until.passed else until.at,
    )


def unanswered_sheets(game: OpenGame, side: Side, since: int, answers: int | None) -> tuple[int, int]:
    """Return how many sheets of a side went in after an adjudication, and how many of it there are.

    If only the one went in that the next letter `answers`, there is nothing to tell: 0, 0.
    """
    turns = (game.public_turn(n) for n in range(max(since, 0) + 1, game.adjudication + 1))
    used = [sheet_number(path) for turn in turns for path in turn.get("sheets", {}).get(side, ())]
    return (0, 0) if set(used) <= {answers} else (len(used), game.sheets(side))


def enclosed(
    game: OpenGame, side: Side | None, since: int | None = None, answered: int | None = None, *, tells: bool = True
) -> str | None:
    """Return the text of the receipt that a letter to a side encloses; None: the reader plays no side.

    Without `since`, the letter tells of no adjudication. If it answers a sheet (`answered`), its receipt says how its
    player checks the digest of that sheet.
    """
    if side is None:
        return None
    receipt = receipt_of(game, side, game.adjudication if since is None else since, answered, tells=tells)
    checks = [_how_to_check(game, side, sheet) for sheet in receipt.sheets if sheet.number == answered]
    return "\n".join([_KEEP + "\n", receipt_block(receipt), *checks])


def _how_to_check(game: OpenGame, side: Side, sheet: ReceiptedSheet) -> str:
    """Return how a player checks the digest of a sheet that is on record."""
    waits = game.current(resumed=False).state
    used = waits is None or sheet.path not in waits.new_sheets.get(side, {})
    turn = ", its digest in " + turn_path(_used_in(game, side, sheet.path)) if used else ""
    goes = "went" if used else "will go"
    address = game.ledger.addresses.get(side)
    several = address is not None and len(game.ledger.sides_of(address)) > 1
    file = name_for(OWN_SHEET, side if several else "")
    return _CHECK.format(number=sheet.number, goes=goes, path=sheet.path, turn=turn, salt=sheet.salt, file=file)


def _used_in(game: OpenGame, side: Side, path: str) -> int:
    """Return the adjudication that used a sheet."""
    n = game.adjudication
    while n > 1 and path not in game.public_turn(n).get("sheets", {}).get(side, {}):
        n -= 1
    return n

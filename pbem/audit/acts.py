"""The acts of a game that is derived again: what the game master did, and what the sides agreed to."""

from __future__ import annotations

from dataclasses import replace

from pbem.audit.migrate import carry_over
from pbem.audit.schemas import Record
from pbem.game import yaml as yamlio
from pbem.protocol import PbemError
from pbem.referee import GAME_MASTER, ruling
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.clock.calendar import read_instant
from pbem.referee.ending import ask_for_draw, ask_to_resign, end_by_game_master, end_by_request
from pbem.referee.motions import Proposal, propose
from pbem.referee.patching import whole_patch
from pbem.referee.rollback import ask_for, roll_back
from pbem.repo.adjudication import Adjudication
from pbem.repo.ledger import LetterId
from pbem.repo.records import read_order
from pbem.repo.requests import DRAW, MOTIONS, RESIGNATION, ROLLBACK, Ending, Request


class NotDerived(PbemError):
    """A commit does not follow from what was handed in; the text says why."""


class Acts:
    """An act of the game master, done again as its turn file and the sealed record beside it say."""

    def __init__(self, game: Adjudicator, n: int, act: Record, whole: Record | None) -> None:
        self._game = game
        self._n = n
        self._act = act
        self._whole = whole or {}

    def again(self) -> None:
        """Do it again."""
        act, game = self._act, self._game
        if act["kind"] == "migration":
            carry_over(game, act)
        elif act["kind"] in (ROLLBACK, DRAW, RESIGNATION):
            self._agreed()
        elif act["what"] == "patch":
            ruling.change_position(game, whole_patch(self._recorded()), act["reason"])
        elif act["what"] == "end":
            ruling.break_off(game, act["reason"])
        else:
            self._ordered()

    def _agreed(self) -> None:
        """Do again what all sides have consented to, or what the game master did in their stead."""
        act, game = self._act, self._game
        request = None if act["by"] == GAME_MASTER else game.request(act.get("request"))
        if act["by"] != GAME_MASTER and request is None:
            raise NotDerived("it says that the sides consented, and there is no request")
        if request is not None and request.kind != act["kind"]:
            raise NotDerived(f"the sides consented to a {request.kind}")
        if act["kind"] == ROLLBACK:
            roll_back(game, act["to"], act["reason"], request=request if isinstance(request, Request) else None)
        elif isinstance(request, Ending):
            end_by_request(game, request)
        else:
            end_by_game_master(game, act["kind"], act.get("side"), act["reason"], act.get("winners", ()))

    def _recorded(self) -> Adjudication:
        """Return as much of the adjudication as says what it changed."""
        return replace(self._game.ledger.adjudication(self._n - 1), act=self._act, whole=self._whole or None)

    def _ordered(self) -> None:
        """Give again the orders that the game master gave for a side."""
        orders = self._whole.get("orders") or [self._whole["order"]]
        sheet = {
            "game": self._game.name,
            "side": self._act["side"],
            "adjudication": self._game.adjudication,
            "orders": [{each["kind"]: read_order(each).written} for each in orders],
        }
        give = ruling.answer if self._act["what"] == "answer" else ruling.set_default
        receipt, made = give(self._game, self._act["side"], yamlio.dump(sheet).encode(), self._act["reason"])
        if made is None:
            raise NotDerived(f"the orders of the game master have faults: {receipt.complaints[0].fault.reason}")


def ask_again(game: Adjudicator, said: Record, letter: LetterId | None) -> None:
    """File a request again as its file says."""
    if said["kind"] == ROLLBACK:
        ask_for(game, said["to"], said["reason"])
    elif said["kind"] == DRAW:
        by = None if said["side"] == GAME_MASTER else said["side"]
        ask_for_draw(game, by, said["reason"], letter, winners=said.get("winners", ()))
    elif said["kind"] == RESIGNATION:
        ask_to_resign(game, said["side"], said["reason"], letter, by_player=said["side"] in said.get("consents", ()))
    elif said["kind"] in MOTIONS:
        by = None if said["side"] == GAME_MASTER else said["side"]
        until = read_instant(said["until"]) if "until" in said else None
        extended = {side: read_instant(at) for side, at in said.get("extended", {}).items()}
        proposal = Proposal(said["kind"], until, extended, said.get("replaced", ""))
        propose(game, by, proposal, said["reason"], letter)
    else:
        raise NotDerived(f"nobody can ask for {said['kind']!r}")

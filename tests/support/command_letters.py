"""The letters of *gaul*: five sides write each command once where it is carried out and once where it is refused.

Oak and elm are one player's. Each line of the script is a letter: who writes it, its text, and the report that it
answers, if it answers one. Bids are filled in from the hands. Some letters come twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pbem.crypto.dice import Chain
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.live import letter, order, quoted, sheet

NAME: Final = "gaul"
ANN: Final = "ann@example.org"
CARL: Final = "Carl <carl@example.net>"
ADDRESSES: Final = {
    side: ANN if side in ("oak", "elm") else f"{side}@example.org" for side in ("oak", "elm", "ash", "fir", "yew")
}
CHAIN: Final = Chain(b"r" * 32, 40)
KEY: Final = "age1ge54vpp6nqpxcvm2fmpe2zk2wn0w5p0e9pmk5cz2lwkqs3r0sy8s2c5dlr"
BIDS: Final = "{bids}"
"""What is replaced by a sheet with a bid."""
BEFORE: Final = (
    ("oak", "PHRASE"),
    ("oak", "PHRASE any words of yours"),
    ("oak", f"PHRASE festina lente\nKEY {KEY}\nNEWS asked\nside: oak"),
    ("elm", "PHRASE {x}\nside: elm"),
    ("ash", f"PHRASE veni\nCHAIN {CHAIN.tip} 40\nKEY age1nothing"),
    ("ash", "CHAIN tip"),
    ("ash", "KEY AGE-SECRET-KEY-1"),
    ("fir", "STATUS\nFORM\nREPORT\nHISTORY"),
    ("fir", "DRAW gaul\nRESIGN gaul\nWITHDRAW\nPAUSE 2 weeks\nAWAY 1-3 Dec"),
    ("fir", "HELP"),
    ("fir", "On Sunday, pbem wrote:\n\n> PHRASE vidi et dixi"),
    ("yew", "Hello!"),
    ("yew", "{bids}"),
    ("yew", "PHRASE vici"),
)
"""The letters before the game begins."""
PLAY: Final = (
    ("fir", "STATUS"),
    ("oak", "status"),
    ("oak", "STATUS\nFORM\nside: elm"),
    ("yew", "REPORT"),
    ("yew", "FORM"),
    ("yew", "HISTORY"),
    ("yew", "HISTORY 2"),
    ("yew", "HISTORY 0"),
    ("yew", "HELP\nHELP ORDERS"),
    ("yew", "HELP ORDERS bid"),
    ("yew", "HELP ORDERS dance"),
    ("yew", "STATUS\nHELP\nHISTORY 1"),
    ("fir", "FORECAST\n\n{bids}"),
    ("fir", "FORECAST"),
    ("fir", "FORECAST\nSTATUS\n\n{bids}"),
    ("fir", "Fire at will: I will think about it."),
    ("fir", "Status of my army is good"),
    ("fir", "AGREED"),
    ("fir", "AGREED, answering"),
    ("fir", "NEWS daily\nZONE Europe/Rome\nCALENDAR on"),
    ("fir", "NEWS often\nZONE Atlantis\nCALENDAR perhaps"),
    ("oak", "NEWS round\nZONE gaul America/Lima\nCALENDAR off"),
    ("fir", "RENEW"),
    ("fir", "RENEW now"),
    ("fir", "SAY Good luck!\nSAY elm: and you?"),
    ("fir", "SAY nobody\nPRESS birch: you\nSHOW elm: card 99"),
    ("fir", "PRESS yew, ash\nShall we march?\nI come with two.\nEND PRESS\n\nSTATUS"),
    ("fir", "PRESS UNSIGNED ALL: death to Oak"),
    ("fir", "PRESS yew\nSTATUS of things\nSTATUS\n"),
    ("fir", "SHOW yew: {card}\nSHOW UNSIGNED ash: {card}"),
    ("oak", "SAY we are two\nside: oak"),
    ("oak", "SAY whose?"),
    ("fir", "AWAY 1-5 Dec"),
    ("fir", "AWAY"),
    ("fir", "AWAY off"),
    ("oak", "AWAY gaul 24-26 Dec"),
    ("oak", "BACK"),
    ("fir", "BACK gaul"),
    ("fir", "PAUSE"),
    ("fir", "PAUSE gaul 4 days"),
    ("yew", "REFUSE gaul 1"),
    ("yew", "REFUSE 1"),
    ("yew", "CONSENT gaul 1"),
    ("fir", "PAUSE until 26 Nov"),
    ("oak", "CONSENT gaul 2\nside: oak"),
    ("oak", "CONSENT gaul 2"),
    ("yew", "CONSENT 2"),
    ("ash", "consent gaul 2"),
    ("ash", "CONSENT gaul 99\nREFUSE"),
    ("ash", "CONSENT"),
    ("yew", "DEPUTY"),
    ("yew", "DEPUTY Carl"),
    ("yew", f"DEPUTY {CARL} until 14 Dec"),
    (CARL, "STATUS"),
    (CARL, "DRAW gaul\nKEY x\nNEWS every\nSAY I write for Yew"),
    (CARL, "{bids:yew}"),
    ("yew", "WITHDRAW"),
    ("yew", "WITHDRAW\nWITHDRAW"),
    ("yew", "WITHDRAW now"),
    ("yew", "DEPUTY NONE"),
    ("yew", "standing: default"),
    ("yew", "STANDING"),
    ("yew", "STANDING CANCEL"),
    ("yew", "STANDING CANCEL 99"),
    ("yew", "STANDING FILE 2"),
    ("yew", "STANDING CANCEL ALL\nSTANDING"),
    ("ash", "STANDING CANCEL ALL"),
    ("oak", "STANDING CANCEL ALL"),
    ("oak", "STANDING"),
    ("yew", "DRAW"),
    ("yew", "DRAW gaul birch"),
    ("yew", "DRAW gaul yew and ash"),
    ("ash", "REFUSE gaul {request}"),
    ("yew", "DRAW gaul"),
    ("yew", "DRAW gaul"),
    ("oak", "DRAW gaul\nside: oak"),
    ("oak", "REFUSE gaul {request}"),
    ("fir", "REPLACE"),
    ("fir", "REPLACE gaul birch Carl <carl@example.net>"),
    ("fir", "REPLACE gaul yew Carl"),
    ("fir", f"REPLACE gaul yew {CARL}"),
    ("fir", f"REPLACE gaul fir {CARL}"),
    ("yew", "CONSENT gaul {request}"),
    ("oak", "CONSENT gaul {request}"),
    ("ash", "CONSENT gaul {request}\nSTATUS"),
    (CARL, "STATUS\nFORM"),
    (CARL, "AGREED, answering"),
    ("oak", "{bids:oak}\n\n{bids:elm}"),
    ("ash", "{bids:ash}"),
    ("fir", "{bids:fir}"),
    ("fir", "{bids:fir}"),
    (CARL, "{bids:yew}\n\nSTATUS"),
    ("fir", "REPORT\nSTATUS"),
    ("fir", "HISTORY 3"),
    ("fir", "\n> AGREED"),
    ("oak", "AGREED, answering"),
    ("oak", "RESIGN gaul"),
    ("fir", "RESIGN"),
    ("fir", "RESIGN gaul now"),
    ("fir", "RESIGN gaul"),
    ("oak", "RESIGN gaul\nside: oak"),
    ("oak", "RESIGN gaul\nside: elm"),
    ("ash", "STATUS\nREPORT"),
    ("ash", "DRAW gaul\nSTATUS\nSAY Peace?"),
    (CARL, "DRAW gaul"),
    (CARL, "CONSENT gaul {request}\nSTATUS"),
    (CARL, "STATUS"),
    ("ash", "DRAW gaul"),
)
"""The letters to the game that has begun."""
TWICE: Final = frozenset(
    {
        *(
            "PAUSE gaul 4 days",
            "DRAW gaul",
            "RESIGN gaul",
            "REFUSE gaul {request}",
            f"REPLACE gaul yew {CARL}",
            "STATUS",
        ),
        *("CONSENT gaul {request}\nSTATUS", f"DEPUTY {CARL} until 14 Dec", "AWAY 1-5 Dec", "{bids:ash}", "WITHDRAW"),
        *("FORECAST\nSTATUS\n\n{bids}", "STANDING CANCEL ALL", "RENEW", "SAY Good luck!\nSAY elm: and you?"),
        *("AGREED, answering", "{bids:oak}\n\n{bids:elm}"),
    }
)
"""The letters that come twice."""


@dataclass
class Script:
    """The letters as they are written: with what only the game knows filled in."""

    open: Callable[[], Adjudicator]

    def letters(self) -> list[tuple[str, Callable[[int], bytes]]]:
        """Return each letter: its text as the script has it, and what makes its bytes under a number."""
        return [(text, self.writer(side, text)) for side, text in (*BEFORE, *PLAY)]

    def writer(self, side: str, text: str) -> Callable[[int], bytes]:
        """Return what makes the bytes of a letter, as of the moment when it is sent."""
        own = "yew" if side == CARL else side

        def write(number: int) -> bytes:
            more, body = "", text
            with self.open() as game:
                if text.endswith(", answering"):
                    body = text.removesuffix(", answering")
                    parties = "oak+elm" if own in ("oak", "elm") else own
                    more = f"References: <{NAME}.{parties}.{game.adjudication}@example.org>\n"
                for party in game.rules.sides:
                    body = body.replace(f"{{bids:{party}}}", self.bids(game, party))
                body = body.replace("{bids}", self.bids(game, own))
                if (request := game.request()) is not None:
                    body = body.replace("{request}", str(request.request))
                if "{card}" in body:
                    body = body.replace("{card}", f"card {game.view(own).hands[own][0]}")
                if body.startswith("AGREED") and own == "ash":
                    body += f" {CHAIN.link(1)}"
            sender = CARL if side == CARL else ADDRESSES[side]
            raw = letter(own, body.encode(), more=more, sender=sender, number=number)
            return raw.replace(b"Re: punica", f"Re: {NAME}".encode())

        return write

    @staticmethod
    def bids(game: Adjudicator, side: str) -> str:
        """Return a sheet of a side that answers the first question about a bid, or has none."""
        if not game.begun:
            return quoted("game: gaul\norders: []\n").decode()
        hand = game.view(side).hands[side]
        text = sheet(game, side, order("bid", card=hand[0])).decode()
        chain = game.player_chain(side)
        return text if chain is None else text.replace("orders:", f"link: {CHAIN.link(chain.opened + 1)}\norders:")

"""Letters as mail programs write them, and what is found in each."""

from __future__ import annotations

from pathlib import Path

LETTERS = Path(__file__).resolve().parents[1] / "mail" / "letters"


FORM = """\
# punica, turn 3, Carthage plays card 33: Hannibal (10 CU) enters
# Beneventum from Arpi.  [9.1]
game: punica
side: rome
adjudication: 41
orders:
- intercept:
    with: []            # nobody. Or: - {general: fabius, cu: 8}
"""


FABIUS = FORM.replace(FORM[FORM.index("with: []") :], "with: [{general: fabius, cu: 8}]\n")


BY_HAND = FABIUS[FABIUS.index("game:") :]


PLAY = """\
game: punica
side: carthage
adjudication: 40
orders:
- play: {card: 33, as: operations, general: hannibal, cu: 10, path: [arpi, beneventum]}
"""


GAUL = PLAY.replace("punica", "gallia").replace("40", "7")


SPACED = BY_HAND.replace("\n", "\n\n").rstrip("\n") + "\n"


FOUND = {
    "gmail": [("body", FABIUS)],
    "gmail_mobile": [("body", BY_HAND)],
    "outlook": [("body", FORM)],
    "outlook_below": [("quoted", SPACED)],
    "apple_mail": [("body", FABIUS)],
    "apple_mail_file": [("attachment", FABIUS)],
    "thunderbird": [("body", FABIUS)],
    "mutt": [("quoted", FABIUS)],
    "marks_without_blank": [("quoted", FABIUS)],
    "base64_fenced": [("body", PLAY)],
    "iso_2022_jp": [("body", PLAY)],
    "koi8_r": [("body", PLAY)],
    "latin_1": [("body", PLAY)],
    "mislabelled": [("body", PLAY)],
    "utf_16": [("body", PLAY)],
    "file_only": [("attachment", PLAY)],
    "pgp_signed": [("body", FABIUS)],
    "pgp_clearsigned": [("body", FABIUS)],
    "forwarded_inline": [("quoted", FABIUS)],
    "mailing_list": [("body", PLAY)],
    "html_only": [("body", FABIUS.replace("Arpi.  [", "Arpi. ["))],
    "two_games": [("body", PLAY), ("body", GAUL)],
}
"""Fixture -> where each sheet was found, and its text."""


REFUSED = {
    "winmail": "winmail.dat",
    "pgp_encrypted": "encrypted",
    "unknown_charset": "charset x-punic",
    "forwarded_as_file": "another letter attached",
    "picture_only": "only a picture",
    "talk": "`game: NAME`",
}


AUTOMATIC = ["out_of_office", "delivery_failure"]


def plain(body: str, more: str = "") -> bytes:
    """Return a plain letter with this text, and headers of one's own."""
    return f"From: ann@example.org\nContent-Type: text/plain; charset=utf-8\n{more}\n{body}".encode()

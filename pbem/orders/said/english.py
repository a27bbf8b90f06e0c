"""The small words of English: those that add nothing, those that turn a sentence round, and how letters begin and end.

No word of a game stands here. What is done is said by the verbs of a box, what it is done with by its names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pbem.game.words import fold


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SMALL: Final = _words(
    "i we he she they it the a an to into in at on onto of for as and then his her their its my our your please with "
    "from up down ahead over off out along is are am be will shall want wants that this there towards toward using use "
    "uses used number nr me us also same so now next first ll ve card cards order orders ok okay "
    "play plays both try tries trying attempt attempts begin begins start starts "
    "together must just back w there here takes "
    "take taking going goes go come comes get gets let lets make makes do does have has his him them under"
)
"""Words that add nothing to what is ordered, where they name nothing and are no verb of the box."""
SMALL_PHRASES: Final = frozenset(
    ("would_like_to", "would_like", "id_like_to", "that_is", "this_is", "let_us", "of_course")
)
"""Phrases that add nothing, although a word of theirs would."""
WHOLE: Final = _words("all everything everybody everyone every whole full entire")
"""Words for the most that can be taken."""
THROUGH: Final = _words("via through past by")
"""Words before a place on the way."""
FROM: Final = _words("from")
REFUSING: Final = _words(
    # negations, conditions, alternatives, doubts and second thoughts
    "not never without unless if or either maybe perhaps except but instead rather would should could might may what "
    "why how who when whether until else against neither nor yet wait draft nothing dont don't doesnt wont cannot cant "
    "shant isnt arent didnt no none nobody hypothetical hypothetically suppose supposing assuming unsure probably "
    "possibly thinking undecided tentative tentatively otherwise lest unlikely avoid cancel ignore scrap disregard "
    "stop don won doesn can "
    # the same in the languages that players of these games write
    "nicht kein keine keinen ohne wenn falls oder vielleicht pas sans jamais sinon ou peut niet geen zonder misschien "
    "als tenzij non senza mai oppure forse ni sin nunca quizas salvo не нет без если или ни"
)
"""Words that may turn a sentence round: a line with one of them is asked about, unless the box has it as a verb."""
FIRM: Final = REFUSING - _words(
    "what why how who when no none nobody stop avoid against by may can as non ni mai if when until"
)
"""Those that refuse an order beside which they stand, although they are no part of it."""
TALK: Final = _words(
    "think thought thoughts hope hoped hoping guess wonder believe expect bet feel felt remember saw seen seems looks "
    "like love hate good nice great luck lucky game games turn turns rule rules question sorry week weekend tomorrow "
    "yesterday today holiday congratulations well played last ever been was were had did say said tell told know knew "
    "because hi hello thanks thank"
)
"""Words of people who talk about a game."""
_COUNTS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS: Final = {word: number for number, word in enumerate(_COUNTS)}
NEGATIONS: Final = ("no", "not", "do not", "does not", "dont", "doesnt", "will not", "wont", "shall not", "did not")
"""How it is said that something is not done, where that can be the answer."""
COMMON_VERBS: Final[Mapping[str, Sequence[str]]] = {
    "yes": ("aye", "yep", "yeah", "sure", "do it", "certainly"),
    "no": ("nope", "nah", "decline", "no thanks"),
    "none": ("nobody", "nothing", "no one", "no", "no card", "pass"),
    "any": ("whichever", "the lowest"),
}
"""How the answers are said that every game has."""
_OF_GO: Final = _words("go goes going went gone")
_PIECE: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[?]")
_IN_REMARKS: Final = _words(
    "not never dont don't wont cannot cant wait draft cancel ignore scrap disregard maybe perhaps unless instead rather"
)
"""Those of them that count in a remark behind an order; a form remarks what else there is ("or")."""
_GREETING: Final = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|day|afternoon|evening)|greetings|salve|ave|hallo|moin|howdy)\b[^\n]{0,40}?"
    r"[,!.:-]*",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"(?:(?:many )?thanks|thank you|thx|cheers|regards|(?:kind|best|warm) \w+|(?:all the )?best|greetings|bye|yours"
    r"|sincerely|vale|ciao|good luck|have fun|take care|see you|ta|br|rgds|mfg|over to you"
    r"|your (?:turn|move|go))\b[^\n]{0,40}?[,!.:)(;-]*",
    re.IGNORECASE,
)
_SENT_FROM: Final = re.compile(r"(?:sent (?:from|with|via|by)|get outlook|von meinem|envoyé)\b.*", re.IGNORECASE)
_INTRODUCES: Final = re.compile(r".{0,120}\b(?:wrote|writes|schrieb|écrit|escribió|scritto)\b.{0,20}:", re.IGNORECASE)
_MOST_INTRODUCING: Final = 6
_MOST_SIGNED: Final = 4
"""So many lines a name below the closing of a letter has at most."""


def stem(word: str) -> str:
    """Return a word without what its forms vary.

    >>> [stem(word) for word in ("moves", "moving", "moved", "move", "marches", "pass")]
    ['mov', 'mov', 'mov', 'mov', 'march', 'pass']
    """
    if word in _OF_GO:
        return "go"
    if word.endswith("ss"):
        return word
    for end in ("ing", "es", "ed", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word


def stems(text: str) -> str:
    """Return the words of a text without what their forms vary, joined by `_`.

    >>> stems("besieges the City")
    'besieg_the_city'
    """
    return "_".join(map(stem, fold(text).split("_")))


def refusing_word(text: str, *, remark: bool = False) -> str:
    """Return the first word of a text that turns an order beside it round; empty: none does.

    >>> refusing_word("Do NOT"), refusing_word("as we agreed"), refusing_word("no, wait", remark=True)
    ('NOT', '', 'no')
    """
    words = [found[0] for found in _PIECE.finditer(text)]
    if remark and words and fold(words[0]) in ("no", "stop", "undo"):
        return words[0]
    some = _IN_REMARKS if remark else FIRM
    return next((word for word in words if fold(word) in some or word == "?"), "")


def introduces(text: str) -> bool:
    """Tell whether a line only says that orders follow.

    >>> introduces("my moves:"), introduces("This is what I do:"), introduces("24 to Narbo:")
    (True, True, False)
    """
    return text.rstrip().endswith(":") and not any(map(str.isdigit, text)) and len(text.split()) <= _MOST_INTRODUCING


def without_courtesies(lines: list[str]) -> list[str]:
    """Return the lines of a letter with greeting, closing and what a program adds made blank.

    >>> without_courtesies(["Hi Bob,", "24 Hannibal > Narbo", "Cheers,", "Anna"])
    ['', '24 Hannibal > Narbo', '', '']
    """
    kept, begun, signed = list(lines), False, 0
    last = max((at for at, line in enumerate(lines) if _is_text(line)), default=0)
    for at, line in enumerate(lines):
        text = line.strip()
        if not text:
            continue
        if _SENT_FROM.fullmatch(text) or _INTRODUCES.fullmatch(text) or (not begun and _GREETING.fullmatch(text)):
            kept[at] = ""
        elif last <= at + _MOST_SIGNED and _CLOSING.fullmatch(text):
            signed, kept[at] = _MOST_SIGNED, ""
        elif signed and len(text.split()) <= _MOST_SIGNED and not any(map(str.isdigit, text)):
            signed -= 1
            kept[at] = ""
        begun = begun or bool(kept[at])
    return kept


def _is_text(line: str) -> bool:
    return bool(line.strip()) and not _SENT_FROM.fullmatch(line.strip())

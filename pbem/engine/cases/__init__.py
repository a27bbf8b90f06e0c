"""Cases: what happens if, in this position, these orders are given and the dice fall so.

A file of cases is a YAML list. What each word of a case means stands in `docs/cases.md`. Every word of a case is looked
up in the types of the position and the ids of the box (`words`, `check`) before the case is played (`run`), and what
happened is compared with what it expects (`judge`). A game may have `settle(position)`, which completes the changes: a
card put into a hand is no longer in the deck; and `vocabulary()`, the words that can stand in a position.
"""

from pbem.engine.cases.case import Case, CaseVerdict, Given, game_of_case, read_cases, sound_cases
from pbem.engine.cases.run import run_case

__all__ = ["Case", "CaseVerdict", "Given", "game_of_case", "read_cases", "run_case", "sound_cases"]

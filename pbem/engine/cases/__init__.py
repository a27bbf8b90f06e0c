"""Cases: what happens if, in this position, these orders are given and the dice fall so.

A file of cases is a YAML list. Each case has

* `rule`, `name`, and, to be read only, `why` and `note`; `cites`: further paragraphs that it is based on; `row`: the
  row of the table of editions that it shows;
* `scenario`, `edition` (a preset) and `options`: the usual ones unless said;
* `with`: changes to the position as it is written to disk, by dotted path; null removes;
* `play`: the orders in sequence, each `side: {kind: body}`. Each waits until its side is asked for its kind;
* `dice`: faces by the name of the roll, or `any`; a roll that is not loaded fails the case, and so does a loaded
  one that is never rolled. `shuffles`: by name what comes first; the rest is shuffled by a fixed seed;
* `defaults: true`: what no order answers is answered as if the deadline had passed;
* `expect`: `events` (in this order, others may stand between; an event is a kind, or `kind: {fact: value}`),
  `no_events`, `position` (by dotted path), `waiting` (the open decisions, with any of their facts), `choices` (the
  number of answers to the one open decision), `result`, and `faults` (those of the last order, which is then not
  carried out: `{path, rule}`, and `says` for a piece of the reason).

Only what is named is compared. A game may have `settle(position)`, which completes the changes: a card put into a
hand is no longer in the deck.
"""

from pbem.engine.cases.case import Case, Given, Verdict, game_of, read_cases
from pbem.engine.cases.run import run_case

__all__ = ["Case", "Given", "Verdict", "game_of", "read_cases", "run_case"]

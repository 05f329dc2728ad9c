"""Histories of concurrent operations and their judges: pure functions from events to verdicts.

The threads of the suite (`racing.py`) and the clients on Spark's executors (`spark_tests/races/`) record the same
events (`events.py`). `judging.py` splits a history by object, which is enough: a history has an order that explains it
exactly when the history of each object has one. The kind of an object chooses its judge:

chains      versions that build on each other, of one table or of two that only change together
registers   a value that is overwritten
sets        a set that only grows
cycles      a name that is taken and freed, a table that is renamed in a circle; searches orders (`orders.py`)
sums        a number that is added to; searches orders
winners     judges that need no order: one of several succeeds, two halves appear together

There are three verdicts. Contradiction: no order of the operations explains the answers. Consistent: some order does.
Undecided: the search exceeded its limit; it gives no evidence about the server.
"""

from conformance.history.events import OK, READ, REFUSED, UNKNOWN, Contradiction, Event, Key, Undecided, outcome
from conformance.history.judging import (
    CONSISTENT,
    CONTRADICTION,
    UNDECIDED,
    Judgement,
    judge_history,
    judge_object,
)
from conformance.history.winners import judge_pairs, one_winner

__all__ = [
    "CONSISTENT",
    "CONTRADICTION",
    "OK",
    "READ",
    "REFUSED",
    "UNDECIDED",
    "UNKNOWN",
    "Contradiction",
    "Event",
    "Judgement",
    "Key",
    "Undecided",
    "judge_history",
    "judge_object",
    "judge_pairs",
    "one_winner",
    "outcome",
]

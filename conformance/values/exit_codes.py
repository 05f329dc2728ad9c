"""Exit codes of a run: pytest's own, with names for a gate."""

EXIT_CONFORMS = 0
EXIT_FAILS = 1
EXIT_INTERRUPTED = 2
EXIT_BROKEN = 3
EXIT_USAGE = 4
EXIT_NOTHING = 5

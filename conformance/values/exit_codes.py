"""How a run ends: pytest's own exit codes, in the words of a gate."""

EXIT_CONFORMS = 0
EXIT_FAILS = 1
EXIT_INTERRUPTED = 2
EXIT_BROKEN = 3
EXIT_USAGE = 4
EXIT_NOTHING = 5

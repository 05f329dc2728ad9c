"""Written faults of every API that measure the suite."""

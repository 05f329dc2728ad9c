"""Mocks of a catalog beside each other: the same tests, written for each tool; `python -m benchmarks mocks`."""

"""The results of a run, used: causes, reproduction, comparison, updates of expectations, coverage.

No verdict is decided here, and nothing is rendered.
"""

"""Evaluation of a run's results: causes, reproduction, comparison, updates of expectations, coverage.

No verdict is decided here, and nothing is rendered.
"""

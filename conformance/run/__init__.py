"""A run: sessions, the pytest plugin, the order of requirements, worker processes, and the verdict pipeline.

`verdicts.py` alone makes verdicts. No cause is looked for here, and nothing is rendered.
"""

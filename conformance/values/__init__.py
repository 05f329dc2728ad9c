"""Plain values of a run: settings, exchanges, verdicts, results. They import nothing of the other layers.

No request is sent here, and no verdict decided.
"""

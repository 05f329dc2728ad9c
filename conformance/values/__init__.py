"""Plain values of a run: settings, exchanges, verdicts, results. They import no other layer.

Nothing here sends a request or decides a verdict.
"""

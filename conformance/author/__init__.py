"""The tools of requirement authors: declaration, checks, strategies, the catalog, and the suite that runs a test.

No requirement stands here, and no verdict is decided.
"""

"""The tools of requirement authors: declaration, checks, strategies, the catalog, and the suite that runs a test.

This folder holds no requirement and decides no verdict.
"""

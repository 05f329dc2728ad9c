"""Recorded steps sent again, and the expectations of a server that store them.

A replay compares answers; it decides no verdict.
"""

"""Clients in Python, driven step by step: see tests/clients/steps.py."""

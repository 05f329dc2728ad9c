"""The server under test: recognition, offers, capabilities, and the sandbox of objects that a run creates on it.

This folder holds no requirement and names no API.
"""

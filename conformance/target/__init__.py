"""The server under test: recognition, offers, capabilities, and the sandbox of what a run makes on it.

No requirement stands here; nothing here knows an API by name.
"""

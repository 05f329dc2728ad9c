"""Handlers: a coroutine function for each operation, in a module per topic."""

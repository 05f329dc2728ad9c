"""Lint of clients: the notes about all requests of a client's own tests, grouped by cause."""

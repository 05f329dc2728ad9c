"""Requests and answers: the client, its transport, recorded exchanges, and the wire log."""

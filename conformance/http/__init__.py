"""Requests and answers: the client, its transport, recorded exchanges, and the wire log.

Nothing here knows which server is tested, or what a requirement expects of it.
"""

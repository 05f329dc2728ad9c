"""What is sent and what comes back: the client, its transport, recorded exchanges, and the wire log."""

"""How much the suite notices: requirements against faults of the reference server."""

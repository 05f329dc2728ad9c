"""Facts about the Lance Namespace: errors, identifiers."""

"""Support of several requirement modules: test data, reference models, prepared tables and requests."""

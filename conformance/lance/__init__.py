"""Requirements for the Lance Namespace REST API."""

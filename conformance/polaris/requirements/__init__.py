"""The requirements, a module for each concern."""

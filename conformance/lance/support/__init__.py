"""What several modules of requirements need: data, models of what has to happen, ways to prepare a table."""

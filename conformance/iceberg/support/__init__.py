"""What several modules of requirements need: metadata, data files, models of what has to happen."""

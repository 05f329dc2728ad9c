"""Authorization: the table `authorization.toml`, its requests, and callers with exactly the grants of a cell."""

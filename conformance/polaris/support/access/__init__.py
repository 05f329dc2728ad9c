"""Who may do what: the table `authorization.toml`, its requests, and callers with exactly these grants."""

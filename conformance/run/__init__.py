"""A run: sessions, the pytest plugin, the order of requirements, and the processes that test them."""

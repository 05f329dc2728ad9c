"""A run: sessions, the plugin of pytest, the order of requirements, and the processes that test them."""

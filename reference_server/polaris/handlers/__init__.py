"""A coroutine function for each operation of the Polaris APIs, in a module per topic."""

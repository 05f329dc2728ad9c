"""The requirements of the Lance Namespace API, in a module per topic."""

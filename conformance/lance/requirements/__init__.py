"""Requirements of the Lance Namespace API, one module per topic."""

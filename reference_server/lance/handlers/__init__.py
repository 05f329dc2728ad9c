"""One coroutine function per operation of the Lance Namespace API, in a module per topic."""

"""One coroutine function per operation of the Iceberg REST catalog API, in a module per topic."""

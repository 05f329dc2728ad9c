"""Written faults of the Iceberg API that measure the suite, and the requirements that notice them."""

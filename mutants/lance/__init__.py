"""Written faults of the Lance API that measure the suite, and the requirements that notice them."""

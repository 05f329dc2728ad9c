"""Written faults of the Polaris API that measure the suite, and the requirements that notice them."""

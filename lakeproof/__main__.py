"""`python -m lakeproof` is `lakeproof`."""

from lakeproof.cli import main

main()

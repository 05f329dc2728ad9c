"""`lakeproof`, and `python -m lakeproof`."""

from lakeproof.packages import bind_packages


def main() -> None:
    """Run the command line and exit with its code."""
    bind_packages()
    from lakeproof.cli import main as run  # noqa: PLC0415 - what it imports has to be ours

    run()


if __name__ == "__main__":
    main()
